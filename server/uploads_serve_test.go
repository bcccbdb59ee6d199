package server_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestServeFile(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	text := part{"files", "a.txt", "0123456789"}
	stored := c.uploaded(text)[0]
	whole := c.send("", "GET", stored.URL, "")
	for name, want := range map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "Content-Length": "10", "Cache-Control": "public, max-age=60",
		"X-Content-Type-Options": "nosniff", "Accept-Ranges": "bytes", "Content-Security-Policy": "",
	} {
		if got := whole.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	etag, modified := whole.header.Get("ETag"), whole.header.Get("Last-Modified")
	if whole.body != text.content || !strings.HasPrefix(etag, `"`) || modified == "" {
		t.Errorf("%q, ETag %s, Last-Modified %s", whole.body, etag, modified)
	}
	for _, test := range []struct {
		method, header, value string
		status                int
		body                  string
	}{
		{"GET", "Range", "bytes=2-4", 206, "234"},
		{"GET", "Range", "bytes=-3", 206, "789"},
		{"GET", "Range", "bytes=8-", 206, "89"},
		{"GET", "Range", "lines=1-2", 416, ""},
		{"GET", "If-None-Match", etag, 304, ""},
		{"GET", "If-None-Match", `"other", ` + etag, 304, ""},
		{"GET", "If-None-Match", `"other"`, 200, text.content},
		{"GET", "If-Modified-Since", modified, 304, ""},
		{"GET", "If-Match", `"other"`, 412, ""},
		{"HEAD", "", "", 200, ""},
	} {
		r, err := http.NewRequest(test.method, c.url+stored.URL, nil)
		check(t, err)
		if test.header != "" {
			r.Header.Set(test.header, test.value)
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		check(t, err)
		var body strings.Builder
		_, err = io.Copy(&body, response.Body)
		response.Body.Close()
		check(t, err)
		if response.StatusCode != test.status || test.body != "" && body.String() != test.body {
			t.Errorf("%s %s %s: %d %q", test.method, test.header, test.value, response.StatusCode, body.String())
		}
		if test.status == 206 && response.Header.Get("ETag") != etag {
			t.Errorf("a part has the ETag %s", response.Header.Get("ETag"))
		}
	}
	r, err := http.NewRequest("GET", c.url+stored.URL, nil)
	check(t, err)
	r.Header.Set("Range", "bytes=20-")
	response, err := http.DefaultTransport.RoundTrip(r)
	check(t, err)
	response.Body.Close()
	if response.StatusCode != 416 {
		t.Errorf("a range behind the end: %d", response.StatusCode)
	}
}

// A file that could run a script is served in a sandbox, whatever its name and type
// say.
func TestServedTypes(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct {
		filename, content, kind string
		sandboxed               bool
	}{
		{"a.svg", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, "image/svg+xml", true},
		{"a.jpg", `<svg xmlns="http://www.w3.org/2000/svg"/>`, "image/svg+xml", true},
		{"a.html", "<!DOCTYPE html><script>alert(1)</script>", "text/html; charset=utf-8", true},
		{"a.png", "<html><script>alert(1)</script>", "text/html; charset=utf-8", true},
		{"a.xml", `<?xml version="1.0"?><a/>`, "text/xml; charset=utf-8", true},
		{"a.xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`, "application/xhtml+xml", true},
		{"a.pdf", "%PDF-1.7\n", "application/pdf", true},
		{"a.html", "\x00\x01\x02", "application/octet-stream", true},
		{"a.js", "alert(1)", "text/plain; charset=utf-8", false},
		{"a.gif", "GIF89a<script>alert(1)</script>", "image/gif", false},
		{"dot.png", file(t, "dot.png").content, "image/png", false},
	} {
		a := c.send("", "GET", c.uploaded(part{"files", test.filename, test.content})[0].URL, "")
		policy := a.header.Get("Content-Security-Policy")
		if a.header.Get("Content-Type") != test.kind || strings.HasPrefix(policy, "sandbox;") != test.sandboxed || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s, %.20q: %s, %q", test.filename, test.content, a.header.Get("Content-Type"), policy)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	stored := c.uploaded(part{"files", "a.txt", "text"})[0]
	name := strings.TrimPrefix(stored.URL, "/uploads/")
	for _, path := range []string{
		"/uploads", "/uploads/", "/uploads/.", "/uploads/..", "/uploads/../quire.db", "/uploads/%2e%2e/quire.db", "/uploads/..%2fquire.db", "/uploads/%5c..%5cquire.db",
		"/uploads//etc/passwd", "/uploads/nothing.txt", "/uploads/" + name + "/x", "/uploads/x/../" + name, "/uploads/" + url.PathEscape(name+"\x00"),
		"/uploads/" + strings.ToUpper(name), "/uploads/thumbnail_" + name,
	} {
		r, err := http.NewRequest("GET", c.url, nil)
		check(t, err)
		r.URL.Opaque = strings.TrimPrefix(c.url, "http:") + path
		response, err := http.DefaultTransport.RoundTrip(r)
		check(t, err)
		var body strings.Builder
		_, err = io.Copy(&body, response.Body)
		response.Body.Close()
		check(t, err)
		if response.StatusCode != 404 || !strings.Contains(body.String(), `"data":null`) {
			t.Errorf("%s: %d %s", path, response.StatusCode, body.String())
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if a := c.send("full", method, stored.URL, ""); a.status != 405 {
			t.Errorf("%s: %d", method, a.status)
		}
	}
}
