package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"

	"quire/server/edge"
)

// What a request, and the response to it, has on its way to a process beside the site and
// back. Both share the origin of the admin: neither may have what belongs to the whole of
// it.

// rewrite makes of a request of a client one to the process. Headers that say where a
// request comes from are Quire's own, so that no client can forge them.
func (b *beside) rewrite(x *exchange, p *httputil.ProxyRequest) {
	out := p.Out
	out.URL.Scheme, out.URL.Host, out.Host = b.target.Scheme, b.target.Host, ""
	out.URL.RawQuery = p.In.URL.RawQuery
	out.Trailer = nil
	for name := range out.Header {
		if isQuires(name) {
			delete(out.Header, name)
		}
	}
	keepCookies(out)
	if from := x.client(); from.IsValid() {
		out.Header.Set("X-Forwarded-For", from.String())
	}
	proto := "http"
	if edge.OverTLS(p.In, x.edition.site.Settings.Accounts.Proxies) {
		proto = "https"
	}
	out.Header.Set("X-Forwarded-Host", p.In.Host)
	out.Header.Set("X-Forwarded-Proto", proto)
	out.Header[requestIDHeader] = x.id[:]
}

// quires are the headers of requests that clients cannot send to a process.
var quires = []string{"Connection", "Expect", "Forwarded", "Te", "Upgrade", "X-Forwarded", "X-Real-Ip", requestIDHeader}

// isQuires reports whether a header is one that Quire sets, or that concerns its own
// connection. To many programs X_Forwarded_For is the same as X-Forwarded-For.
func isQuires(name string) bool {
	name = http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
	return strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(name, "Quire-") || slices.Contains(quires, name)
}

// keepCookies leaves out the cookies by which the admin knows its accounts, and users sign
// in at providers.
func keepCookies(r *http.Request) {
	cookies := r.Cookies()
	delete(r.Header, "Cookie")
	for _, c := range cookies {
		if !ownCookie(c.Name) {
			r.AddCookie(c)
		}
	}
}

// ownCookie reports whether a cookie is one of Quire's.
func ownCookie(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimPrefix(strings.TrimPrefix(name, "__host-"), "__secure-")
	return strings.HasPrefix(name, "quire_") || strings.HasPrefix(name, "quire-")
}

// ofOrigin are headers of responses that would count for all paths of the origin, also for
// the admin: which address answers, what browsers delete, report or never ask over HTTP,
// and how far a service worker reaches.
var ofOrigin = []string{"Alt-Svc", "Clear-Site-Data", "Nel", "Report-To", "Service-Worker-Allowed", "Strict-Transport-Security"}

// errSwitches is a response that would take the connection over.
var errSwitches = errors.New("it switches to another protocol")

// takeHeaders has a response of the process take the place of the headers that Quire sets
// for its own. It leaves out what belongs to Quire or to all of the origin.
func (b *beside) takeHeaders(x *exchange, a *http.Response) error {
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
		delete(h, name) // they are for data
	}
	for name := range a.Header {
		delete(h, name)
	}
	return nil
}

// outside makes of an address at the process, which clients cannot reach, the path of it.
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
		return "/" // the rest would be read as a host
	}
	return u.String()
}

// final is a transport that keeps preliminary responses, such as 103, to itself: passing one
// on would remove the headers that are set already.
type final struct{ http.RoundTripper }

// RoundTrip sends the request without what listens to preliminary responses.
func (f final) RoundTrip(r *http.Request) (*http.Response, error) {
	return f.RoundTripper.RoundTrip(r.WithContext(unheard{r.Context()}))
}

// unheard is a context without values: those that listen to a request are among them.
type unheard struct{ context.Context }

// Value returns nothing.
func (unheard) Value(any) any { return nil }
