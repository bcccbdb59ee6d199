package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
)

// These functions filter the headers of a request to a process beside the site, and of its
// response. The process shares its origin with the admin, so neither may carry headers that
// affect the whole origin.

// rewrite turns the request of a client into one to the process. Quire itself sets the
// headers that say where a request comes from, so no client can forge them.
func (b *beside) rewrite(x *request, p *httputil.ProxyRequest) {
	out := p.Out
	out.URL.Scheme, out.URL.Host, out.Host = b.target.Scheme, b.target.Host, ""
	out.URL.RawQuery = p.In.URL.RawQuery
	out.Trailer = nil
	for name := range out.Header {
		if isQuires(name) {
			delete(out.Header, name)
		}
	}
	// Leave out the cookies with which the admin recognises its accounts, and those of users who
	// sign in at a provider.
	cookies := out.Cookies()
	delete(out.Header, "Cookie")
	for _, c := range cookies {
		if !ownCookie(c.Name) {
			out.AddCookie(c)
		}
	}
	if from := x.client(); from.IsValid() {
		out.Header.Set("X-Forwarded-For", from.String())
	}
	proto := "http"
	if x.overTLS() {
		proto = "https"
	}
	out.Header.Set("X-Forwarded-Host", p.In.Host)
	out.Header.Set("X-Forwarded-Proto", proto)
	out.Header[requestIDHeader] = x.id[:]
}

// quires are the request headers that clients cannot send to a process.
var quires = []string{"Connection", "Expect", "Forwarded", "Te", "Upgrade", "X-Forwarded", "X-Real-Ip", requestIDHeader}

// isQuires reports whether Quire itself sets a header, or whether it concerns a single
// connection. Many programs read X_Forwarded_For as X-Forwarded-For.
func isQuires(name string) bool {
	name = http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
	return strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(name, "Quire-") || slices.Contains(quires, name)
}

// ownCookie reports whether a cookie belongs to Quire.
func ownCookie(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__host-"), "__secure-")
	return strings.HasPrefix(name, "quire_") || strings.HasPrefix(name, "quire-")
}

// ofOrigin are response headers that apply to all paths of the origin, including the admin:
// which address answers, what browsers delete, report or never request over HTTP, and the
// scope of a service worker.
var ofOrigin = []string{"Alt-Svc", "Clear-Site-Data", "Nel", "Report-To", "Service-Worker-Allowed", "Strict-Transport-Security"}

// errSwitches refuses a response that switches to another protocol.
var errSwitches = errors.New("it switches to another protocol")

// takeHeaders removes Quire's own values of the headers that the response of the process
// has. From the response it removes what belongs to Quire or affects the whole origin.
func (b *beside) takeHeaders(x *request, a *http.Response) error {
	if a.StatusCode < http.StatusOK {
		return errSwitches
	}
	cookies := a.Header["Set-Cookie"]
	delete(a.Header, "Set-Cookie")
	for _, text := range cookies {
		if c, err := http.ParseSetCookie(text); err == nil && !ownCookie(c.Name) {
			a.Header.Add("Set-Cookie", text)
		}
	}
	for _, name := range ofOrigin {
		delete(a.Header, name)
	}
	for _, name := range []string{"Location", "Content-Location"} {
		if at := a.Header.Get(name); at != "" {
			a.Header.Set(name, b.outside(at))
		}
	}
	h := x.Header()
	for _, name := range []string{"Access-Control-Allow-Origin", "Content-Security-Policy"} {
		delete(h, name) // these values are for data
	}
	for name := range a.Header {
		delete(h, name)
	}
	return nil
}

// outside replaces an address of the process, which clients cannot reach, by its path.
func (b *beside) outside(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(u.Host, b.target.Host) || u.Scheme != "" && u.Scheme != b.target.Scheme {
		return address
	}
	u.Scheme, u.Host, u.User = "", "", nil
	if u.Path == "" {
		u.Path = "/"
	}
	if strings.HasPrefix(u.Path, "//") {
		return "/" // browsers would read the rest as a host
	}
	return u.String()
}

// final is a transport that drops preliminary responses, such as 103. Forwarding one would
// remove the headers that are already set.
type final struct{ http.RoundTripper }

// RoundTrip sends the request without the hooks for preliminary responses.
func (f final) RoundTrip(r *http.Request) (*http.Response, error) {
	return f.RoundTripper.RoundTrip(r.WithContext(unheard{r.Context()}))
}

// unheard is a context without values. The hooks for preliminary responses are such values.
type unheard struct{ context.Context }

// Value returns nothing.
func (unheard) Value(any) any { return nil }
