package server_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"quire/server"
)

// benchSite serves 100 restaurants and logs as a server does. It also returns a token.
func benchSite(t testing.TB) (*server.Server, string) {
	t.Helper()
	s, keys, _ := open(t, t.TempDir(), sampleSite(t), slog.New(slog.NewJSONHandler(io.Discard, nil)))
	h, token := s.Handler(), createToken(t, keys, "bench", "full-access")
	for i := range 100 {
		body := fmt.Sprintf(`{"data": {"name": "Restaurant %d", "story": %q, "stars": %d, "location": {"street": "Main street %d", "city": "Lyon"}}}`, i, strings.Repeat("saffron ", 40), i%6, i)
		r := httptest.NewRequest("POST", "/api/restaurants", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		if answer.Code != http.StatusCreated {
			t.Fatal(answer.Code, answer.Body)
		}
	}
	return s, token
}

// discarding is a connection that discards what it gets.
type discarding struct {
	header http.Header
	status int
	bytes  int
}

func (w *discarding) Header() http.Header { return w.header }
func (w *discarding) WriteHeader(s int)   { w.status = s }
func (w *discarding) Write(p []byte) (int, error) {
	w.bytes += len(p)
	return len(p), nil
}

// get returns a function that sends one request repeatedly.
func get(t testing.TB, h http.Handler, path string, headers ...string) (send func(), w *discarding) {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w = &discarding{header: http.Header{}}
	send = func() {
		clear(w.header)
		h.ServeHTTP(w, r)
	}
	send()
	return send, w
}

// BenchmarkHandler measures a request in the handler: everything except the connection. All but
// the first run their query each time.
func BenchmarkHandler(b *testing.B) {
	s, token := benchSite(b)
	h := s.Handler()
	b.Run("ListCached", func(b *testing.B) {
		send, _ := get(b, h, "/api/restaurants")
		b.ReportAllocs()
		for b.Loop() {
			send()
		}
	})
	s.StopCaching()
	send, w := get(b, h, "/api/restaurants")
	send()
	tag := w.header.Get("ETag")
	for _, request := range []struct {
		name, path string
		headers    []string
	}{
		{"List", "/api/restaurants", nil},
		{"ListByToken", "/api/restaurants", []string{"Authorization", "Bearer " + token}},
		{"ListHeld", "/api/restaurants", []string{"If-None-Match", tag}},
		{"ListGzip", "/api/restaurants", []string{"Accept-Encoding", "gzip"}},
		{"ListZstd", "/api/restaurants", []string{"Accept-Encoding", "zstd"}},
		{"Filter", "/api/restaurants?filters[stars][$gte]=4&sort=name:desc&populate=location", nil},
		{"Count", "/api/restaurants?pagination[pageSize]=1&fields=name", nil},
	} {
		b.Run(request.name, func(b *testing.B) {
			send, w := get(b, h, request.path, request.headers...)
			w.bytes = 0
			b.ReportAllocs()
			for b.Loop() {
				send()
			}
			b.ReportMetric(float64(w.bytes)/float64(b.N), "bytes/answer")
		})
	}
}

// A request may allocate only as much in the handler as docs/performance.md says.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector empties pools at random")
	}
	s, token := benchSite(t)
	h := s.Handler()
	_, w := get(t, h, "/api/restaurants")
	tag := w.header.Get("ETag")
	for _, test := range []struct {
		path    string
		headers []string
		status  int
		most    float64
	}{
		{"/api/restaurants", nil, 200, 40},
		{"/api/restaurants", []string{"Authorization", "Bearer " + token}, 200, 40},
		{"/api/restaurants", []string{"If-None-Match", tag}, 304, 40},
		{"/api/restaurants", []string{"Accept-Encoding", "gzip"}, 200, 50},
	} {
		send, w := get(t, h, test.path, test.headers...)
		if got := testing.AllocsPerRun(100, send); got > test.most || w.status != test.status {
			t.Errorf("%s %v: %d with %.0f allocations, want %d with %.0f at most", test.path, test.headers, w.status, got, test.status, test.most)
		} else {
			t.Logf("%s %.25q: %.0f allocations", test.path, test.headers, got)
		}
	}
}
