package server_test

import (
	"crypto/tls"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// The headers for browsers in each kind of response; "" for none.
func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	picture := c.uploaded(file(t, "dot.png"))[0].URL
	drawing := c.uploaded(part{"files", "a.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`})[0].URL
	const data = "default-src 'none'; frame-ancestors 'none'"
	for _, test := range []struct {
		method, path     string
		policy, referrer string
		frames, embedded string
	}{
		{"GET", "/api/dishes", data, "", "", ""},
		{"GET", "/api/nothing", data, "", "", ""},
		{"GET", "/_health", data, "", "", ""},
		{"OPTIONS", "/api/dishes", data, "", "", ""},
		{"GET", "/api/openapi.json", data, "", "", ""},
		{"GET", "/api/docs", "default-src 'none'; base-uri", "no-referrer", "DENY", ""},
		{"GET", picture, "", "no-referrer", "", "cross-origin"},
		{"GET", drawing, "sandbox;", "no-referrer", "", "cross-origin"},
		{"GET", "/uploads/nothing.png", data, "", "", ""},
	} {
		h := c.send("full", test.method, test.path, "").header
		if !strings.HasPrefix(h.Get("Content-Security-Policy"), test.policy) || test.policy == "" && h.Get("Content-Security-Policy") != "" ||
			h.Get("Referrer-Policy") != test.referrer || h.Get("X-Frame-Options") != test.frames || h.Get("Cross-Origin-Resource-Policy") != test.embedded {
			t.Errorf("%s %s: %v", test.method, test.path, h)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s %s: %v", test.method, test.path, h)
		}
	}
}

// Browsers are asked to use only TLS if they have used TLS, and never for the
// developer's machine.
func TestStrictTransport(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	for name, want := range map[string]string{
		"guide.example.org": "max-age=31536000", "localhost": "", "guide.localhost": "", "": "",
	} {
		r := httptest.NewRequest("GET", "/_health", nil)
		r.TLS = &tls.ConnectionState{ServerName: name}
		w := httptest.NewRecorder()
		h.handler.ServeHTTP(w, r)
		if got := w.Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
