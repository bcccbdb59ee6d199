package oauth

import (
	"context"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// Authorization is what a client asks of a person.
type Authorization struct {
	Client    *Client
	Redirect  string // to which the browser is sent back
	State     string // the client's own
	Challenge string // of PKCE, by S256

	issuer string
}

// longestState is the maximum length of the client's own text, in bytes.
const longestState = 2000

// challengeForm is the form of a SHA-256 in base64url.
var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Authorization checks what a client asks for with the parameters of an address. issuer is
// the address of the site, and resource that for which tokens are valid. Without a client
// and an address of it, the result is nil: the browser is sent nowhere. Other errors come
// with it, for Refused. Errors are *Error.
func (c *Clients) Authorization(ctx context.Context, p url.Values, issuer, resource string, allow func(netip.Addr) error) (*Authorization, error) {
	for key, values := range p {
		if len(values) > 1 {
			return nil, refuse("invalid_request", "%.40s is given %d times", key, len(values))
		}
	}
	client, err := c.Find(ctx, p.Get("client_id"), allow)
	if err != nil {
		return nil, err
	}
	if !client.Allows(p.Get("redirect_uri")) {
		return nil, refuse("invalid_request", "redirect_uri is not an address of the client")
	}
	a := &Authorization{client, p.Get("redirect_uri"), p.Get("state"), p.Get("code_challenge"), issuer}
	switch method := p.Get("code_challenge_method"); {
	case len(a.State) > longestState:
		a.State = ""
		err = refuse("invalid_request", "state has more than %d bytes", longestState)
	case p.Get("response_type") != "code":
		err = refuse("unsupported_response_type", "response_type must be code")
	case method != "S256" || !challengeForm.MatchString(a.Challenge):
		err = refuse("invalid_request", "PKCE is needed: code_challenge, with S256 as code_challenge_method")
	case p.Has("resource") && strings.TrimRight(p.Get("resource"), "/") != resource:
		err = refuse("invalid_target", "resource must be %s", resource)
	}
	return a, err
}

// Granted returns the address to which the browser of a person is sent who has agreed.
func (a *Authorization) Granted(code string) string { return a.back("code", code) }

// Refused returns the address to which the browser is sent if nothing is granted.
func (a *Authorization) Refused(e *Error) string {
	return a.back("error", e.Code, "error_description", e.Description)
}

// Denied is the Error of a person who does not agree.
var Denied = &Error{"access_denied", "the person does not agree"}

func (a *Authorization) back(parameters ...string) string {
	u, err := url.Parse(a.Redirect)
	if err != nil {
		panic("oauth: " + err.Error()) // Authorization has parsed it
	}
	q := u.Query()
	if a.State != "" {
		q.Set("state", a.State)
	}
	q.Set("iss", a.issuer)
	for i := 0; i < len(parameters); i += 2 {
		q.Set(parameters[i], parameters[i+1])
	}
	u.RawQuery = q.Encode()
	return u.String()
}
