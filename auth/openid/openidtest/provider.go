package openidtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The client and the secret that the provider knows.
const (
	ClientID = "quire"
	Secret   = "a secret of the client"
)

// Provider is a provider on this machine. Its fields may be changed between requests.
type Provider struct {
	URL    string                      // its issuer
	Person map[string]any              // claims of the person who signs in next
	Info   map[string]any              // response of /userinfo; Person by default
	Change func(claims map[string]any) // changes an ID token before it is signed; nil for none
	Sign   func(claims map[string]any) string
	Answer map[string]http.HandlerFunc // by path, replaces its own answers

	mu     sync.Mutex
	key    *ecdsa.PrivateKey
	codes  map[string]url.Values // of those who signed in: the query of /authorize
	counts map[string]int        // requests, by path
}

// New starts a provider, which ends with the test.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, codes: map[string]url.Values{}, counts: map[string]int{}, Answer: map[string]http.HandlerFunc{},
		Person: map[string]any{"sub": "person-1", "email": "ana@example.org", "email_verified": true, "preferred_username": "ana"}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.URL, p.Sign = server.URL, p.SignES256
	return p
}

// ServeHTTP answers as the provider.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.counts[r.URL.Path]++
	answer := p.Answer[r.URL.Path]
	p.mu.Unlock()
	if answer == nil {
		answer = map[string]http.HandlerFunc{
			"/.well-known/openid-configuration": p.describe, "/keys": p.keys,
			"/authorize": p.authorize, "/token": p.token, "/userinfo": p.info,
		}[r.URL.Path]
	}
	if answer == nil {
		http.NotFound(w, r)
		return
	}
	answer(w, r)
}

// Count returns the number of requests to a path.
func (p *Provider) Count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[path]
}

// Description returns what the provider says about itself.
func (p *Provider) Description() map[string]any {
	return map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "userinfo_endpoint": p.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
}

func (p *Provider) describe(w http.ResponseWriter, _ *http.Request) { Write(w, p.Description()) }

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	text := base64.RawURLEncoding.EncodeToString
	point := p.PublicKey()
	Write(w, map[string]any{"keys": []any{map[string]any{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "1",
		"x": text(point[1:33]), "y": text(point[33:])}}})
}

// authorize signs the person in at once and sends the browser back.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = query
	p.mu.Unlock()
	back := url.Values{"code": {code}, "state": {query.Get("state")}}
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// token exchanges a code, once, for the client that knows the secret and the verifier.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	secret, _ = url.QueryUnescape(secret)
	p.mu.Lock()
	grant, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	p.mu.Unlock()
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || id != ClientID || secret != Secret || grant.Get("code_challenge_method") != "S256" ||
		grant.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) || grant.Get("redirect_uri") != r.FormValue("redirect_uri") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		Write(w, map[string]any{"error": "invalid_grant"})
		return
	}
	Write(w, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": p.IDToken(grant.Get("nonce"))})
}

// IDToken returns a signed ID token about the person.
func (p *Provider) IDToken(nonce string) string {
	claims := map[string]any{"iss": p.URL, "aud": ClientID, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	for name, value := range p.Person {
		claims[name] = value
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	if p.Change != nil {
		p.Change(claims)
	}
	return p.Sign(claims)
}

// SignES256 signs with the key in /keys.
func (p *Provider) SignES256(claims map[string]any) string {
	return Sign(jwt.SigningMethodES256, p.key, claims)
}

// PublicKey returns the key of /keys as an uncompressed point, to sign with where it must
// be refused.
func (p *Provider) PublicKey() []byte {
	point, err := p.key.PublicKey.Bytes()
	if err != nil {
		panic(err) // it is on its curve
	}
	return point
}

// Sign signs claims with whatever key the method takes.
func Sign(method jwt.SigningMethod, key any, claims map[string]any) string {
	token := jwt.NewWithClaims(method, jwt.MapClaims(claims))
	token.Header["kid"] = "1"
	text, err := token.SignedString(key)
	if err != nil {
		panic(err) // a key that does not fit the method
	}
	return text
}

func (p *Provider) info(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer access" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if p.Info != nil {
		Write(w, p.Info)
		return
	}
	Write(w, p.Person)
}

// Write answers with JSON.
func Write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
