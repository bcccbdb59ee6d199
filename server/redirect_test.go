package server_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"quire/server"
)

func TestRedirect(t *testing.T) {
	t.Parallel()
	serves := func(host string) bool { return host == "guide.example.org" }
	for _, test := range []struct {
		method, url, port string
		status            int
		location          string
	}{
		{"GET", "http://guide.example.org/api/dishes?filters[name]=a%2Fb", "443", 308, "https://guide.example.org/api/dishes?filters[name]=a%2Fb"},
		{"HEAD", "http://guide.example.org:80/uploads/a%2Fb", "443", 308, "https://guide.example.org/uploads/a%2Fb"},
		{"GET", "http://guide.example.org/", "8443", 308, "https://guide.example.org:8443/"},
		{"GET", "http://guide.example.org//evil.example/", "443", 308, "https://guide.example.org//evil.example/"},
		{"GET", "http://evil.example/", "443", 421, ""},
		{"GET", "http://guide.example.org.evil.example/", "443", 421, ""},
		{"POST", "http://guide.example.org/api/auth/local", "443", 403, ""},
	} {
		w := httptest.NewRecorder()
		server.Redirect(serves, test.port).ServeHTTP(w, httptest.NewRequest(test.method, test.url, nil))
		if w.Code != test.status || w.Header().Get("Location") != test.location || test.status > 400 && !strings.Contains(w.Body.String(), `"data":null`) {
			t.Errorf("%s %s: %d %s %s", test.method, test.url, w.Code, w.Header().Get("Location"), w.Body)
		}
	}
}
