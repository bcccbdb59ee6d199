package server

import "strings"

// What tells browsers to do no more with an answer than it is meant for. The
// lists are shared by all answers and never written to.
var (
	noSniffing = []string{"nosniff"}
	dataPolicy = []string{"default-src 'none'; frame-ancestors 'none'"} // of answers that are data
	secureOnly = []string{"max-age=31536000"}

	noReferrer = []string{"no-referrer"}
	noFrames   = []string{"DENY"}
	embeddable = []string{"cross-origin"}
)

// secure sets the headers that all answers have. They are few: with more than
// eight names the header of an answer is another, slower kind of map. Data refers
// to nobody, and its policy keeps it out of frames, so that the others would say
// nothing new; page and embed set them where they do.
func (x *exchange) secure() {
	h := x.Header()
	h["Access-Control-Allow-Origin"] = anybody // scripts of every origin may read the answer
	h["X-Content-Type-Options"] = noSniffing
	h["Content-Security-Policy"] = dataPolicy
	if t := x.request.TLS; t != nil && public(t.ServerName) {
		h["Strict-Transport-Security"] = secureOnly
	}
}

// public reports whether a name is that of a site rather than of the machine that
// somebody works on, where other programs may not have a certificate.
func public(name string) bool {
	return name != "" && name != "localhost" && !strings.HasSuffix(name, ".localhost")
}

// page sets the headers of a page, which has the policy that it needs.
func (x *exchange) page(policy string) {
	h := x.Header()
	h["Content-Security-Policy"] = []string{policy}
	h["Referrer-Policy"] = noReferrer
	h["X-Frame-Options"] = noFrames
}

// embed lets pages of other sites show a file, as they may in the reference. One
// that could run a script has a policy of its own.
func (x *exchange) embed() {
	h := x.Header()
	delete(h, "Content-Security-Policy")
	h["Referrer-Policy"] = noReferrer
	h["Cross-Origin-Resource-Policy"] = embeddable
}
