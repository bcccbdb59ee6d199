package server

import (
	"net/http"
	"strings"
)

// Headers that limit what browsers do with a response. All responses share these lists, and
// nobody writes to them.
var (
	noSniffing = []string{"nosniff"}
	dataPolicy = []string{"default-src 'none'; frame-ancestors 'none'"} // of responses that are data
	secureOnly = []string{"max-age=31536000"}

	noReferrer = []string{"no-referrer"}
	noFrames   = []string{"DENY"}
	embeddable = []string{"cross-origin"}
)

// setSecurityHeaders sets the headers of all responses. They are few, because with more
// than eight names the header of a response is another, slower kind of map. Data has no
// links, and its policy keeps it out of frames, so the other headers would have no effect
// on it; setPageHeaders and setFileHeaders set them if they have.
func (x *request) setSecurityHeaders() {
	h := x.Header()
	h["Access-Control-Allow-Origin"] = anybody // scripts of every origin may read the response
	h["X-Content-Type-Options"] = noSniffing
	h["Content-Security-Policy"] = dataPolicy
	if t := x.http.TLS; t != nil && public(t.ServerName) {
		h["Strict-Transport-Security"] = secureOnly
	}
}

// public reports whether a name is that of a public site rather than of the developer's
// machine, where other programs may have no certificate.
func public(name string) bool {
	return name != "" && name != "localhost" && !strings.HasSuffix(name, ".localhost")
}

// setPageHeaders sets the headers of a page, with the policy that it needs.
func (x *request) setPageHeaders(policy string) {
	h := x.Header()
	h["Content-Security-Policy"] = []string{policy}
	h["Referrer-Policy"] = noReferrer
	h["X-Frame-Options"] = noFrames
}

// setFileHeaders lets pages of other sites show a file, as in Strapi. A file that could run
// a script has a policy of its own.
func (x *request) setFileHeaders() {
	h := x.Header()
	delete(h, "Content-Security-Policy")
	h["Referrer-Policy"] = noReferrer
	h["Cross-Origin-Resource-Policy"] = embeddable
}

// Other origins may do what Strapi allows by default. The headers never allow credentials.
// So a page of another site can read what anybody can read, or what a token that it has
// allows, but never what a cookie would allow.
const (
	corsMethods = "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS"
	corsHeaders = "Content-Type,Authorization,Origin,Accept,If-Match,If-None-Match,Last-Event-ID,Strapi-Response-Format,Strapi-Encode-Source-Maps,X-Quire-Source"
	corsMaxAge  = "31536000"
)

// preflight answers a preflight request of a browser. It returns false for all other
// requests.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}

// expose lets scripts of other origins read a header of the response, except in a response
// of a mount.
func (x *request) expose(header string) {
	if x.mounted != "" {
		return
	}
	h := x.Header()
	if others := h["Access-Control-Expose-Headers"]; others != nil {
		header = others[0] + "," + header
	}
	h["Access-Control-Expose-Headers"] = []string{header}
}
