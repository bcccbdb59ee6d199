package admin

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"quire/auth"
	"quire/auth/oauth"
	"quire/auth/openid"
	"quire/auth/people"
	"quire/content/audit"
	"quire/server"
)

// A program connects to the site by OAuth 2.1, as the Model Context Protocol asks: it reads
// where (RFC 9728, RFC 8414), registers (RFC 7591) or has a document, sends the browser of a
// person to a page of the admin, and exchanges the code from there for tokens.

// The paths of OAuth, and that of the resource for which its tokens are valid.
const (
	resourcePath         = "/mcp"
	oauthPath            = "/oauth"
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
)

// oauthScope is the only scope. What an assistant may do is the person's choice, which the
// program cannot make for them.
const oauthScope = "mcp"

// How many requests of OAuth one network can send, and how often one account can look at what
// a program asks for, which may make the server read a document.
const (
	mostOAuthRequests = 120
	mostConnecting    = 30
	oauthPeriod       = 5 * time.Minute
)

// oauthDesk answers programs.
type oauthDesk struct {
	clients  *oauth.Clients
	requests *auth.Throttle
	attempts *auth.Throttle
}

func newOAuthDesk(a *auth.Auth) *oauthDesk {
	dial := func(allow func(netip.Addr) error) *http.Client { return openid.NewClient(allow) }
	return &oauthDesk{
		clients:  oauth.NewClients(a, dial),
		requests: auth.NewThrottle(time.Now, mostOAuthRequests, oauthPeriod), attempts: auth.NewThrottle(time.Now, mostConnecting, oauthPeriod),
	}
}

// oauthForms are the handlers of requests that programs send.
var oauthForms = map[string]func(x *request) (any, error){
	"/oauth/register": registerClient,
	"/oauth/token":    giveTokens,
	"/oauth/revoke":   revokeTokens,
}

// serveOAuth answers a request to one of the paths of OAuth. Scripts of every origin may read
// the answers, as those of the content API: none depends on a cookie.
func (a *Admin) serveOAuth(w http.ResponseWriter, r *http.Request) {
	x := &request{writer: w, http: r, admin: a}
	if s := &a.Server.Site(r).Settings; !s.MCP.Enabled || !s.Admin.Enabled {
		a.Server.Fail(r, notFound())
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "no-store")
	form, metadata, isPage := oauthForms[r.URL.Path], x.metadata(), r.URL.Path == oauthPath+"/authorize"
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case form == nil && metadata == nil && !isPage:
		a.Server.Fail(r, notFound())
	case r.Method == http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization, MCP-Protocol-Version")
		w.WriteHeader(http.StatusNoContent)
	case form != nil && r.Method == http.MethodPost:
		x.answerForm(form)
	case metadata != nil && reads:
		x.answerOAuth(http.StatusOK, metadata)
	case isPage && reads:
		// Send the browser of a person to the page that asks them. That checks what the program
		// asks for, after the person has signed in.
		delete(x.writer.Header(), "Access-Control-Allow-Origin")
		_ = x.send(connectPage + "?" + x.http.URL.RawQuery)
	default:
		a.Server.Fail(r, server.Problem(http.StatusMethodNotAllowed, "MethodNotAllowedError", "Method Not Allowed", nil))
	}
}

// metadata returns what the path says about the site; nil for another path.
func (x *request) metadata() any {
	base := x.party().Origin
	switch x.http.URL.Path {
	case resourceMetadataPath, resourceMetadataPath + resourcePath:
		return resourceMetadata{base + resourcePath, []string{base}, []string{oauthScope}, []string{"header"}, x.siteName()}
	case serverMetadataPath, serverMetadataPath + resourcePath:
		return serverMetadata{
			Issuer: base, Authorize: base + oauthPath + "/authorize", Token: base + oauthPath + "/token", Register: base + oauthPath + "/register", Revoke: base + oauthPath + "/revoke",
			Scopes: []string{oauthScope}, Responses: []string{"code"}, Modes: []string{"query"}, Grants: []string{"authorization_code", "refresh_token"},
			Methods: []string{"none"}, RevokeMethods: []string{"none"}, Challenges: []string{"S256"}, Documents: true, Issuers: true,
		}
	}
	return nil
}

// resourceMetadata says which server gives tokens for the resource.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

// serverMetadata says how that server is asked.
type serverMetadata struct {
	Issuer        string   `json:"issuer"`
	Authorize     string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Register      string   `json:"registration_endpoint"`
	Revoke        string   `json:"revocation_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Responses     []string `json:"response_types_supported"`
	Modes         []string `json:"response_modes_supported"`
	Grants        []string `json:"grant_types_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	RevokeMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
	Issuers       bool     `json:"authorization_response_iss_parameter_supported"`
}

// connectPage is the page of the admin on which a person connects a program.
const connectPage = Path + "/connect"

// answerForm answers a request of a program. Errors of OAuth have its form.
func (x *request) answerForm(form func(x *request) (any, error)) {
	x.http = x.http.WithContext(audit.With(x.http.Context(), &audit.Source{From: x.admin.Server.Client(x.http), Way: audit.ByMCP}))
	if err := x.admin.oauth.requests.TryAddress("oauth", x.admin.Server.Client(x.http)); err != nil {
		x.admin.Server.Fail(x.http, err)
		return
	}
	out, err := form(x)
	var wrong *oauth.Error
	switch {
	case errors.As(err, &wrong):
		x.answerOAuth(http.StatusBadRequest, oauthError{wrong.Code, wrong.Description})
	case errors.Is(err, people.ErrGrant), errors.Is(err, people.ErrFactorNeeded):
		x.answerOAuth(http.StatusBadRequest, oauthError{"invalid_grant", err.Error()})
	case err != nil:
		x.admin.Server.Fail(x.http, err)
	default:
		status := http.StatusOK
		if x.http.URL.Path == oauthPath+"/register" {
			status = http.StatusCreated
		}
		x.answerOAuth(status, out)
	}
}

type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (x *request) answerOAuth(status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		x.admin.Server.Fail(x.http, err)
		return
	}
	x.admin.Server.SendJSON(x.http, status, text)
}

// registration is what a program gets that registers.
type registration struct {
	ID        string   `json:"client_id"`
	Name      string   `json:"client_name"`
	Redirects []string `json:"redirect_uris"`
	Grants    []string `json:"grant_types"`
	Responses []string `json:"response_types"`
	Method    string   `json:"token_endpoint_auth_method"`
}

// registerClient answers with the id of a program. Nothing is stored.
func registerClient(x *request) (any, error) {
	text, err := x.admin.Server.ReadJSON(x.http, formBytes)
	if err != nil {
		return nil, err
	}
	var r oauth.Registration
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, &oauth.Error{Code: "invalid_client_metadata", Description: "the body must be a JSON object as in RFC 7591"}
	}
	c, err := x.admin.oauth.clients.Register(r)
	if err != nil {
		return nil, err
	}
	return registration{c.ID, c.Name, c.Redirects, []string{"authorization_code", "refresh_token"}, []string{"code"}, "none"}, nil
}

// readParameters reads a body of parameters.
func (x *request) readParameters() (url.Values, error) {
	var text []byte
	err := x.admin.Server.ReadFile(x.http, formBytes, func(r io.Reader) (err error) { text, err = io.ReadAll(r); return err })
	if err != nil {
		return nil, err
	}
	p, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, &oauth.Error{Code: "invalid_request", Description: "the body must be parameters, as in application/x-www-form-urlencoded"}
	}
	for key, values := range p {
		if len(values) > 1 {
			return nil, &oauth.Error{Code: "invalid_request", Description: "a parameter is given more than once: " + key[:min(len(key), 40)]}
		}
	}
	return p, nil
}

// tokensOf are tokens as a program gets them.
type tokensOf struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"` // seconds
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// giveTokens exchanges a code, or a token for new ones.
func giveTokens(x *request) (any, error) {
	p, err := x.readParameters()
	if err != nil {
		return nil, err
	}
	if resource := x.party().Origin + resourcePath; p.Has("resource") && p.Get("resource") != resource && p.Get("resource") != resource+"/" {
		return nil, &oauth.Error{Code: "invalid_target", Description: "resource must be " + resource}
	}
	var t people.Tokens
	switch ctx := x.http.Context(); p.Get("grant_type") {
	case "authorization_code":
		t, err = x.admin.People.Redeem(ctx, p.Get("code"), p.Get("client_id"), p.Get("redirect_uri"), p.Get("code_verifier"))
	case "refresh_token":
		t, err = x.admin.People.Refresh(ctx, p.Get("refresh_token"), p.Get("client_id"))
	default:
		err = &oauth.Error{Code: "unsupported_grant_type", Description: "grant_type must be authorization_code or refresh_token"}
	}
	return tokensOf{t.Access, "Bearer", int(t.Expires / time.Second), t.Refresh, oauthScope}, err
}

// revokeTokens ends the assistant with a token.
func revokeTokens(x *request) (any, error) {
	p, err := x.readParameters()
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.admin.People.Revoke(x.http.Context(), p.Get("token"), p.Get("client_id"))
}
