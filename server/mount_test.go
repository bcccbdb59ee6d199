package server_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"quire/auth"
	"quire/server"
)

// openMount serves the test site with a handler at /extra.
func openMount(t *testing.T, handle func(h *accountSite, w http.ResponseWriter, r *http.Request)) *accountSite {
	t.Helper()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	h.server.Mount("/extra", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(h, w, r) }))
	return h
}

// as returns an Authenticator for a token.
func (h *accountSite) as(token string) server.Authenticator {
	return func() (auth.Identity, error) { return h.auth.Authenticate(h.tokens[token], nil) }
}

// onward returns the request for another path, with another body.
func onward(r *http.Request, method, target, body string) *http.Request {
	next := httptest.NewRequestWithContext(r.Context(), method, target, strings.NewReader(body))
	if body != "" {
		next.Header.Set("Content-Type", "application/json")
	}
	return next
}

func TestMountHasAllBelowIt(t *testing.T) {
	t.Parallel()
	h := openMount(t, func(h *accountSite, w http.ResponseWriter, r *http.Request) {
		h.server.SendJSON(r, http.StatusOK, []byte(`{"path":"`+r.URL.Path+`"}`))
	})
	for path, status := range map[string]int{"/extra": 200, "/extra/": 200, "/extra/a/b": 200, "/extras": 404, "/api/extra": 404, "/": 404} {
		if a := h.send("", "GET", path, ""); a.status != status {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	a := h.send("", "GET", "/extra/a", "", "X-Request-Id", "mine")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Request-Id": "mine",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if again := h.send("", "GET", "/extra/a", "", "If-None-Match", a.header.Get("Etag")); again.status != 304 {
		t.Errorf("with its tag: %d", again.status)
	}
	if !strings.Contains(h.log.String(), "path=/extra/a/b status=200") {
		t.Error("the log has no line of it")
	}
}

// The content API answers a request of a mount as usual, on behalf of the given caller.
func TestServeAs(t *testing.T) {
	t.Parallel()
	h := openMount(t, func(h *accountSite, w http.ResponseWriter, r *http.Request) {
		next := r.Clone(r.Context())
		next.URL.Path = "/api" + strings.TrimPrefix(r.URL.Path, "/extra")
		h.server.ServeAs(w, next, h.as("full"))
	})
	made := h.send("", "POST", "/extra/dishes?status=draft", `{"data":{"name":"Soup"}}`)
	if made.status != 201 {
		t.Fatalf("a create: %d %s", made.status, made.body)
	}
	drafts := h.send("", "GET", "/extra/dishes?status=draft", "", "Authorization", "Bearer nonsense")
	if drafts.status != 200 || !strings.Contains(drafts.body, "Soup") || drafts.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a list: %d %v %s", drafts.status, drafts.header, drafts.body)
	}
	if again := h.send("", "GET", "/extra/dishes?status=draft", "", "If-None-Match", drafts.header.Get("Etag")); again.status != 304 {
		t.Errorf("with its tag: %d", again.status)
	}
	if a := h.send("", "POST", "/extra/_batch", `{"requests":[{"method":"POST","url":"/api/dishes?status=draft","body":{"data":{"name":"Stew"}}}]}`); a.status != 200 {
		t.Errorf("a batch: %d %s", a.status, a.body)
	}
	if a := h.send("", "GET", "/extra/nothing", ""); a.status != 404 {
		t.Errorf("nothing: %d", a.status)
	}
	if !strings.Contains(h.log.String(), `path=/extra/dishes status=201`) || !strings.Contains(h.log.String(), `token \"full\"`) {
		t.Errorf("the log: %s", h.log)
	}
}

// An upload is forwarded as it arrives.
func TestServeAsTakesUploads(t *testing.T) {
	t.Parallel()
	h := openMount(t, func(h *accountSite, w http.ResponseWriter, r *http.Request) {
		next := r.Clone(r.Context())
		next.URL.Path = "/api/upload"
		h.server.ServeAs(w, next, h.as("full"))
	})
	const form = "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\nplain words\r\n--x--\r\n"
	a := h.send("", "POST", "/extra", form, "Content-Type", "multipart/form-data; boundary=x")
	if a.status != 201 || !strings.Contains(a.body, `"a.txt"`) {
		t.Errorf("an upload: %d %s", a.status, a.body)
	}
	if n := h.server.Counts(); n.Requests != 0 {
		t.Errorf("afterwards %d requests are under way", n.Requests)
	}
}

// An error of the Authenticator becomes the response.
func TestServeAsNobody(t *testing.T) {
	t.Parallel()
	h := openMount(t, func(h *accountSite, w http.ResponseWriter, r *http.Request) {
		h.server.ServeAs(w, onward(r, "GET", "/api/dishes", ""), func() (auth.Identity, error) {
			return auth.Identity{}, server.Problem(401, "Gone", "Nobody is there", nil)
		})
	})
	if a := h.send("full", "GET", "/extra", ""); a.status != 401 || a.text(t, "error.name") != "Gone" || a.header.Get("Www-Authenticate") != "" {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
}

// A mount can make its response from several requests of its own.
func TestServeAsWithin(t *testing.T) {
	t.Parallel()
	h := openMount(t, func(h *accountSite, w http.ResponseWriter, r *http.Request) {
		dst := []byte(`[`)
		for i, next := range []*http.Request{
			onward(r, "POST", "/api/dishes?status=draft", `{"data":{"name":"Soup"}}`),
			onward(r, "GET", "/api/dishes?status=draft&fields=name", ""),
			onward(r, "GET", "/api/dishes?sort=nonsense", ""),
			onward(r, "GET", "/api/_events", ""),
			onward(r, "GET", "/_health", ""),
		} {
			part := httptest.NewRecorder()
			h.server.ServeAs(part, next, h.as("full"))
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, part.Body.Bytes()...)
			if part.Code >= 400 && i < 2 {
				h.server.Fail(r, errors.New("it failed"))
				return
			}
		}
		h.server.SendJSON(r, 200, append(dst, ']'))
	})
	for range 2 {
		a := h.send("", "GET", "/extra", "")
		if a.status != 200 || strings.Count(a.body, `"Soup"`) < 2 || strings.Count(a.body, `"error"`) != 3 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if n := h.server.Counts(); n.Requests != 0 || n.Writes != 0 {
		t.Errorf("afterwards %d requests are under way, %d of them writes", n.Requests, n.Writes)
	}
}

// The limits on bodies also apply to those of a mount.
func TestMountReadsJSON(t *testing.T) {
	t.Parallel()
	h := openMount(t, func(h *accountSite, w http.ResponseWriter, r *http.Request) {
		text, err := h.server.ReadJSON(r, 100)
		if err != nil {
			h.server.Fail(r, err)
			return
		}
		h.server.SendJSON(r, 200, append(text, ' '))
	})
	for body, status := range map[string]int{`{"a":1}`: 200, strings.Repeat(" ", 101): 413} {
		if a := h.send("", "PUT", "/extra", body); a.status != status {
			t.Errorf("%d bytes: %d %s", len(body), a.status, a.body)
		}
	}
	if a := h.send("", "PUT", "/extra", `{"a":1}`, "Content-Type", "text/plain"); a.status != 400 {
		t.Errorf("text: %d %s", a.status, a.body)
	}
}

// Only behind a trusted proxy, X-Forwarded-Proto says whether the client uses TLS.
func TestOverTLS(t *testing.T) {
	t.Parallel()
	site := fstest.MapFS{"site.json": {Data: []byte(`{"auth":{"trustedProxies":["10.0.0.0/8"]}}`)}}
	h := openAccountSite(t, site, options{})
	var over bool
	h.server.Mount("/extra", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		over = h.server.OverTLS(r)
		h.server.SendJSON(r, 200, []byte("{}"))
	}))
	for _, test := range []struct {
		from, proto string
		want        bool
	}{
		{"10.1.2.3:1", "https", true}, {"10.1.2.3:1", "HTTPS, http", true}, {"10.1.2.3:1", "http", false},
		{"10.1.2.3:1", "", false}, {"192.0.2.1:1", "https", false},
	} {
		h.send("", "GET", "/extra", "", "From", test.from, "X-Forwarded-Proto", test.proto)
		if over != test.want {
			t.Errorf("%s from %s: %t", test.proto, test.from, over)
		}
	}
}
