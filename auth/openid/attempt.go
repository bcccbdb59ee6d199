package openid

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// attemptLasts is how long people have to sign in at the provider.
const attemptLasts = 10 * time.Minute

// Attempt is one attempt to sign in.
type Attempt struct {
	Provider string    `json:"provider"` // its name
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"` // of PKCE
	Return   string    `json:"return"`   // where the browser goes at the end
	Ends     time.Time `json:"ends"`
}

// Begin starts an attempt. It returns the address at the provider to which the browser
// goes. back is where the browser goes at the end; the caller must have checked it. Errors
// are *UnreachableError.
func (p *Provider) Begin(ctx context.Context, back string) (*Attempt, string, error) {
	config, known, err := p.endpoint(ctx)
	if err != nil {
		return nil, "", err
	}
	a := &Attempt{Provider: p.settings.Name, State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Return: back, Ends: p.now().Add(attemptLasts).UTC()}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(a.Verifier)}
	if known != nil {
		options = append(options, oidc.Nonce(a.Nonce))
	}
	return a, config.AuthCodeURL(a.State, options...), nil
}

// Sealer encrypts texts so that nobody else can create or change one.
type Sealer interface {
	Seal(purpose string, text []byte) []byte
	Unseal(purpose string, sealed []byte) ([]byte, error)
}

// Keeper stores attempts in browsers, in a cookie that scripts cannot read and that the
// browser sends when the provider redirects it back.
type Keeper struct {
	Name   string // of the cookie; attempts cannot be used under another name
	Secure bool   // the site is reached by https: no other host of the domain can set the cookie
	Sealer Sealer
	Now    func() time.Time
}

// Put stores the attempt in the browser, and replaces an earlier one.
func (k *Keeper) Put(w http.ResponseWriter, a *Attempt) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	c := k.cookie()
	c.Value, c.MaxAge = base64.RawURLEncoding.EncodeToString(k.Sealer.Seal(k.purpose(), text)), int(attemptLasts.Seconds())
	http.SetCookie(w, c)
	return nil
}

// Take returns the attempt that the request ends: the one in the browser, if it is the
// provider's and the state of the request is that of the attempt. It removes the attempt
// from the browser. Errors are *StateError; the browser then keeps the attempt.
func (k *Keeper) Take(w http.ResponseWriter, r *http.Request, provider, state string) (*Attempt, error) {
	c, err := r.Cookie(k.cookie().Name)
	if err != nil {
		return nil, &StateError{"this browser has not begun to sign in, or has begun too long ago"}
	}
	a := new(Attempt)
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err == nil {
		sealed, err = k.Sealer.Unseal(k.purpose(), sealed)
	}
	if err == nil {
		err = json.Unmarshal(sealed, a)
	}
	switch {
	case err != nil:
		return nil, &StateError{"what the browser kept of the attempt to sign in cannot be read"}
	case !k.Now().Before(a.Ends):
		return nil, &StateError{"signing in took longer than ten minutes"}
	case a.Provider != provider || subtle.ConstantTimeCompare([]byte(a.State), []byte(state)) != 1:
		return nil, &StateError{"this is not the attempt to sign in that this browser began"}
	}
	gone := k.cookie()
	gone.MaxAge = -1
	http.SetCookie(w, gone)
	return a, nil
}

func (k *Keeper) purpose() string { return "attempt to sign in, " + k.Name }

// cookie returns the cookie without a value. The prefix of its name makes browsers refuse
// one that another host of the same domain sets.
func (k *Keeper) cookie() *http.Cookie {
	name := k.Name
	if k.Secure {
		name = "__Host-" + name
	}
	return &http.Cookie{Name: name, Path: "/", HttpOnly: true, Secure: k.Secure, SameSite: http.SameSiteLaxMode}
}
