package oauth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Client is a program that can ask people for a part of their rights. Only its addresses are
// certain: it has chosen its name itself.
type Client struct {
	ID        string
	Name      string
	Redirects []string
}

// Limits of what a client says about itself.
const (
	longestName     = 100 // characters
	longestRedirect = 300 // bytes
	mostRedirects   = 5
)

// Registration is what a client says when it registers. Other members are ignored, because
// all clients are public here and have the same grants.
type Registration struct {
	Name      string   `json:"client_name"`
	Redirects []string `json:"redirect_uris"`
	Grants    []string `json:"grant_types"`
	Responses []string `json:"response_types"`
}

// Error is an error of OAuth for a client.
type Error struct {
	Code        string // such as "invalid_request"
	Description string
}

func (e *Error) Error() string { return e.Code + ": " + e.Description }

func refuse(code, format string, about ...any) error {
	return &Error{code, fmt.Sprintf(format, about...)}
}

// encryption encrypts texts so that only the same site can read them.
type encryption interface {
	Seal(purpose string, text []byte) []byte
	Unseal(purpose string, sealed []byte) ([]byte, error)
}

// registered is the content of the id of a client that has registered.
type registered struct {
	Name      string   `json:"n"`
	Redirects []string `json:"r"`
}

const (
	registeredPrefix = "qrc_"
	registeredAs     = "client of OAuth"
)

// Register returns a client for what it says about itself. Its id contains that. The error
// is an *Error.
func (c *Clients) Register(r Registration) (*Client, error) {
	name, err := checkClient(r.Name, r.Redirects, "invalid_client_metadata")
	switch {
	case err != nil:
		return nil, err
	case len(r.Grants) > 0 && !slices.Contains(r.Grants, "authorization_code"):
		return nil, refuse("invalid_client_metadata", "grant_types must have authorization_code")
	case len(r.Responses) > 0 && !slices.Contains(r.Responses, "code"):
		return nil, refuse("invalid_client_metadata", "response_types must have code")
	}
	text, err := json.Marshal(registered{name, r.Redirects})
	if err != nil {
		return nil, err
	}
	id := registeredPrefix + base64.RawURLEncoding.EncodeToString(c.sealer.Seal(registeredAs, text))
	return &Client{id, name, r.Redirects}, nil
}

// open returns the client with an id that Register has made.
func (c *Clients) open(id string) (*Client, error) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimPrefix(id, registeredPrefix))
	if err != nil {
		return nil, errUnknown
	}
	text, err := c.sealer.Unseal(registeredAs, sealed)
	if err != nil {
		return nil, errUnknown
	}
	var r registered
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, errUnknown
	}
	return &Client{id, r.Name, r.Redirects}, nil
}

var errUnknown = &Error{"invalid_client", "the client is not known here; register it again"}

// checkClient checks what a client says about itself, and returns the name to show.
func checkClient(name string, redirects []string, code string) (string, error) {
	if name = strings.TrimSpace(name); name == "" {
		name = "Assistant"
	}
	if utf8.RuneCountInString(name) > longestName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", refuse(code, "client_name is one line of at most %d characters", longestName)
	}
	if len(redirects) == 0 || len(redirects) > mostRedirects {
		return "", refuse("invalid_redirect_uri", "redirect_uris has between 1 and %d addresses", mostRedirects)
	}
	for _, redirect := range redirects {
		if why := wrongRedirect(redirect); why != "" {
			return "", refuse("invalid_redirect_uri", "an address in redirect_uris %s", why)
		}
	}
	return name, nil
}

// wrongRedirect says what is wrong with an address to which a browser would be sent back;
// empty for nothing. Only TLS and this machine keep a code secret on its way.
func wrongRedirect(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > longestRedirect || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }):
		return fmt.Sprintf("is not an address of at most %d characters", longestRedirect)
	case u.Opaque != "" || u.Host == "" || u.User != nil || strings.Contains(text, "#"):
		return "needs a host, and has no user and no fragment"
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return ""
	}
	return "must begin with https, or with http and an address of this machine"
}

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || host == "localhost"
}

// Allows reports whether the client may have a browser sent to an address. The address is one
// that the client has named, to the byte; only the port may be another one at an address of
// this machine, where a program takes the one that is free.
func (c *Client) Allows(redirect string) bool {
	if wrongRedirect(redirect) != "" {
		return false
	}
	return slices.ContainsFunc(c.Redirects, func(named string) bool {
		return named == redirect || anyPort(named) == anyPort(redirect) && anyPort(named) != ""
	})
}

// anyPort returns an address of this machine without its port; empty for other addresses.
func anyPort(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || !isLoopback(u.Hostname()) {
		return ""
	}
	u.Host = u.Hostname()
	return u.String()
}
