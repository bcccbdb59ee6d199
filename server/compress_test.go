package server_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// decoded returns the body of a response without its coding.
func (a *answer) decoded(t *testing.T) string {
	t.Helper()
	var r io.Reader = strings.NewReader(a.body)
	switch coding := a.header.Get("Content-Encoding"); coding {
	case "gzip":
		z, err := gzip.NewReader(r)
		check(t, err)
		r = z
	case "zstd":
		z, err := zstd.NewReader(r)
		check(t, err)
		defer z.Close()
		r = z
	case "":
	default:
		t.Fatalf("Content-Encoding %s", coding)
	}
	text, err := io.ReadAll(r)
	check(t, err)
	return string(text)
}

// fillDishes creates a list that is large enough to be compressed.
func fillDishes(c *client) {
	for i := range 20 {
		c.send("full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Dish number %d"}}`, i))
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	fillDishes(c)
	plainly := c.send("full", "GET", "/api/dishes", "", plain...)
	tag := plainly.header.Get("ETag")
	for _, test := range []struct{ accept, coding string }{
		{"", ""},
		{"identity", ""},
		{"br", ""},
		{"gzip", "gzip"},
		{"GZIP", "gzip"},
		{"deflate, gzip;q=1.0, *;q=0.5", "gzip"},
		{"zstd", "zstd"},
		{"gzip, deflate, br, zstd", "zstd"},
		{"gzip;q=0.9, zstd;q=0.8", "gzip"},
		{"gzip;q=0, zstd;q=0.1", "zstd"},
		{"gzip;q=0", ""},
		{"gzip; q=0.0, zstd;q=0", ""},
		{"gzip;q=x", ""},
		{"*", ""},
	} {
		got := c.send("full", "GET", "/api/dishes", "", "Accept-Encoding", test.accept)
		if coding := got.header.Get("Content-Encoding"); coding != test.coding {
			t.Errorf("Accept-Encoding %q: %q, want %q", test.accept, coding, test.coding)
			continue
		}
		want := tag
		if test.coding != "" {
			want = strings.TrimSuffix(tag, `"`) + "-" + test.coding + `"`
		}
		if got.decoded(t) != plainly.body || got.header.Get("ETag") != want {
			t.Errorf("Accept-Encoding %q: tag %s, want %s; the body is the same: %t", test.accept, got.header.Get("ETag"), want, got.decoded(t) == plainly.body)
		}
		if vary := got.header["Vary"]; !slices.Equal(vary, []string{variesBy}) {
			t.Errorf("Accept-Encoding %q: Vary %q", test.accept, vary)
		}
		if test.coding != "" && len(got.body) > len(plainly.body)/3 {
			t.Errorf("%s: %d bytes of %d", test.coding, len(got.body), len(plainly.body))
		}
	}
}

// Each coding is a separate response with its own tag. A client only gets a coding that
// it accepts.
func TestConditionsOnCompressedAnswers(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	fillDishes(c)
	tag := c.send("full", "GET", "/api/dishes", "", plain...).header.Get("ETag")
	gzipped, zstded := strings.TrimSuffix(tag, `"`)+`-gzip"`, strings.TrimSuffix(tag, `"`)+`-zstd"`
	for _, test := range []struct{ held, accept, want string }{
		{tag, "gzip", tag},
		{tag, "", tag},
		{gzipped, "gzip", gzipped},
		{"W/" + gzipped, "zstd, gzip", gzipped},
		{zstded, "gzip, zstd", zstded},
		{zstded + ", " + gzipped, "gzip", gzipped},
		{gzipped, "", ""},
		{gzipped, "zstd", ""},
		{gzipped, "gzip;q=0", ""},
		{zstded, "gzip", ""},
	} {
		got := c.send("full", "GET", "/api/dishes", "", "If-None-Match", test.held, "Accept-Encoding", test.accept)
		switch {
		case test.want == "" && got.status != 200:
			t.Errorf("%s, Accept-Encoding %q: %d, want the answer", test.held, test.accept, got.status)
		case test.want != "" && (got.status != 304 || got.header.Get("ETag") != test.want || got.header.Get("Content-Encoding") != "" || got.body != ""):
			t.Errorf("%s, Accept-Encoding %q: %d %s, want 304 %s", test.held, test.accept, got.status, got.header.Get("ETag"), test.want)
		}
	}
}

func TestWhatIsNotCompressed(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	fillDishes(c)
	for _, test := range []struct {
		method, path, body string
		coded              bool
	}{
		{"GET", "/api/dishes", "", true},
		{"GET", "/api/dishes?pagination[pageSize]=1", "", false},
		{"HEAD", "/api/dishes", "", false},
		{"GET", "/api/dishes/nope", "", false},
		{"POST", "/api/dishes", `{"data": {"name": "` + strings.Repeat("Soup ", 40) + `"}}`, false},
		{"POST", "/api/restaurants", `{"data": {"name": "Long", "story": "` + strings.Repeat("Soup ", 400) + `"}}`, true},
	} {
		got := c.send("full", test.method, test.path, test.body, "Accept-Encoding", "gzip")
		if coded := got.header.Get("Content-Encoding") == "gzip"; coded != test.coded {
			t.Errorf("%s %.40s: compressed %t, want %t", test.method, test.path, coded, test.coded)
		}
		if length := got.header.Get("Content-Length"); !test.coded && length == "" {
			t.Errorf("%s %.40s: no Content-Length", test.method, test.path)
		}
	}
}

// Files of the media library are not compressed, with or without ranges.
func TestFilesAreNotCompressed(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	text := strings.Repeat("All work and no play. ", 200)
	url := c.uploaded(part{"files", "long.txt", text})[0].URL
	whole := c.send("", "GET", url, "", "Accept-Encoding", "gzip, zstd")
	if whole.body != text || whole.header.Get("Content-Encoding") != "" || whole.header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("%d bytes, %v", len(whole.body), whole.header)
	}
	some := c.send("", "GET", url, "", "Accept-Encoding", "gzip, zstd", "Range", "bytes=4-7")
	if some.status != 206 || some.body != "work" {
		t.Errorf("a range: %d %q", some.status, some.body)
	}
}

// counting is a connection that counts the bytes written to it.
type counting struct {
	http.ResponseWriter
	writes [][]byte
}

func (w *counting) Write(p []byte) (int, error) {
	w.writes = append(w.writes, p)
	return w.ResponseWriter.Write(p)
}

// A client that wants no compression pays nothing for it: the body goes to the
// connection in one piece.
func TestUncompressedAnswersGoStraightToTheConnection(t *testing.T) {
	t.Parallel()
	handler, tokens := openSite(t)
	h := httptest.NewServer(handler)
	t.Cleanup(h.Close)
	fillDishes(&client{t, h.URL, tokens})
	for accept, coded := range map[string]bool{"": false, "br": false, "gzip": true} {
		r := httptest.NewRequest("GET", "/api/dishes", nil)
		if accept != "" {
			r.Header.Set("Accept-Encoding", accept)
		}
		answer := httptest.NewRecorder()
		w := &counting{ResponseWriter: answer}
		handler.ServeHTTP(w, r)
		whole := len(w.writes) == 1 && answer.Header().Get("Content-Length") == fmt.Sprint(len(w.writes[0])) && bytes.HasPrefix(w.writes[0], []byte(`{"data":[{`))
		if whole == coded {
			t.Errorf("Accept-Encoding %q: %d writes, %v", accept, len(w.writes), answer.Header())
		}
	}
}
