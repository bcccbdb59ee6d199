package server_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"quire/auth"
	"quire/server"
)

// request sends a request directly to the handler. When it returns, the request has
// been counted.
func request(h http.Handler, token, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, h http.Handler, token string) map[string]*dto.MetricFamily {
	t.Helper()
	answer := fetch(h, "/metrics", token, "")
	if answer.Code != http.StatusOK {
		t.Fatal(answer.Code, answer.Body)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	check(t, err)
	return families
}

// value returns the counter or gauge with these labels, names and values in turn.
func value(t *testing.T, families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	t.Helper()
	for _, m := range families[name].GetMetric() {
		have := map[string]string{}
		for _, l := range m.GetLabel() {
			have[l.GetName()] = l.GetValue()
		}
		same := len(labels) == 2*len(have)
		for i := 0; i+1 < len(labels); i += 2 {
			same = same && have[labels[i]] == labels[i+1]
		}
		if same {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return 0
}

func TestMetricsCountWhatWasAnswered(t *testing.T) {
	t.Parallel()
	h, tokens := openSite(t)
	full := tokens["full"]
	for range 3 {
		request(h, full, "GET", "/api/dishes", "")
	}
	request(h, full, "GET", "/api/dishes/nope", "")
	request(h, full, "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	request(h, "", "GET", "/api/users/me", "")
	for _, path := range []string{"/wp-admin", "/api/zzz", "/api/dishes/a/b", "/?x=" + strings.Repeat("x", 1<<16)} {
		request(h, "", "GET", path, "")
	}
	request(h, "", "BREW", "/api/dishes", "")
	families := scrape(t, h, full)
	for _, test := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"quire_http_requests_total", []string{"method", "POST", "route", "/api/dishes", "code", "201"}, 1},
		{"quire_http_requests_total", []string{"method", "GET", "route", "/api/dishes", "code", "200"}, 3},
		{"quire_http_requests_total", []string{"method", "GET", "route", "/api/dishes/:documentId", "code", "404"}, 1},
		{"quire_http_requests_total", []string{"method", "GET", "route", "/api/users/me", "code", "403"}, 1},
		{"quire_http_requests_total", []string{"method", "any", "route", "other", "code", "404"}, 3},
		{"quire_http_requests_total", []string{"method", "any", "route", "other", "code", "405"}, 1},
		{"quire_http_requests_total", []string{"method", "any", "route", "other", "code", "414"}, 1},
		{"quire_http_request_duration_seconds", []string{"method", "GET", "route", "/api/dishes"}, 3},
		{"quire_http_requests_in_flight", nil, 1}, // the request for the metrics
		{"quire_entries", []string{"type", "api::dish.dish", "status", "published"}, 1},
		{"quire_ready", nil, 1},
	} {
		if got := value(t, families, test.name, test.labels...); got != test.want {
			t.Errorf("%s %v is %v, want %v", test.name, test.labels, got, test.want)
		}
	}
	for _, name := range []string{"quire_http_response_bytes_total", "quire_revision", "quire_data_file_bytes", "go_gc_heap_live_bytes", "process_open_fds"} {
		if value(t, families, name) <= 0 {
			t.Errorf("%s is not there", name)
		}
	}
}

// Requests of strangers create no further series.
func TestStrangersMakeNoSeries(t *testing.T) {
	t.Parallel()
	h, tokens := openSite(t)
	pester := func(word string) {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "OPTIONS", word} {
			for _, path := range []string{"/", "/" + word, "/api/" + word, "/api/dishes/" + word, "/uploads/" + word, "/api/users/" + word} {
				request(h, "", method, path, "", "X-Request-Id", word, "Host", word)
			}
		}
	}
	series := func() (n int) {
		for _, f := range scrape(t, h, tokens["full"]) {
			n += len(f.GetMetric())
		}
		return n
	}
	pester("FIRST")
	series() // creates a series for itself
	before := series()
	pester("SECOND")
	pester("THIRD")
	if now := series(); now != before {
		t.Errorf("%d series became %d", before, now)
	}
}

// Prometheus' own linter finds no problem in the names and units.
func TestMetricsAreWellNamed(t *testing.T) {
	t.Parallel()
	h, tokens := openSite(t)
	request(h, tokens["full"], "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	problems, err := promlint.New(fetch(h, "/metrics", tokens["full"], "").Body).Lint()
	check(t, err)
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "quire_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

func TestMetricsNeedTheirPermission(t *testing.T) {
	t.Parallel()
	s, keys, _ := open(t, t.TempDir(), sampleSite(t), slog.New(slog.DiscardHandler))
	h := s.Handler()
	custom, err := keys.CreateToken(t.Context(), auth.TokenSpec{Name: "prometheus", Kind: auth.Custom, Permissions: []string{"plugin::quire.metrics.read"}})
	check(t, err)
	for token, want := range map[string]int{
		"": 403, "nonsense": 401, createToken(t, keys, "readonly", auth.ReadOnly): 403,
		createToken(t, keys, "full", auth.FullAccess): 200, custom: 200,
	} {
		got := fetch(h, "/metrics", token, "")
		if got.Code != want || got.Header().Get("Cache-Control") != keepNever {
			t.Errorf("with the token %.10q: %d %v, want %d", token, got.Code, got.Header(), want)
		}
	}
}

// The listener for metrics requires no credential, and serves nothing else.
func TestMetricsOnTheirOwnListener(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t, t.TempDir(), sampleSite(t), slog.New(slog.DiscardHandler))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.ServeMetrics(ctx, l) }()
	for path, want := range map[string]int{"/metrics": 200, "/api/restaurants": 404, "/": 404} {
		answer, err := http.Get("http://" + l.Addr().String() + path)
		check(t, err)
		body, err := io.ReadAll(answer.Body)
		check(t, err)
		check(t, answer.Body.Close())
		if answer.StatusCode != want || strings.Contains(string(body), "quire_entries{") != (want == 200) {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	stop()
	check(t, <-ended)
}

func TestStatusSumsUpTheMetrics(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	begun := time.Now()
	h.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	h.send("full", "GET", "/api/dishes", "")
	h.send("", "GET", "/api/zzz", "")
	s, err := h.server.Status()
	check(t, err)
	r := s.Requests
	if r.Total != 3 || r.ByClass["2xx"] != 2 || r.ByClass["4xx"] != 1 || r.Bytes == 0 || r.P50 <= 0 || r.P99 < r.P50 || r.PerSecond <= 0 {
		t.Errorf("requests: %+v", r)
	}
	if s.Problem != "" || s.Memory == 0 || s.Started.After(begun) {
		t.Errorf("the server: %+v", s)
	}
	held, err := h.server.ContentSummary()
	check(t, err)
	if held.Revision == 0 || held.Size == 0 || held.Changed.IsZero() {
		t.Errorf("the file: %+v", held)
	}
	counts := map[string]server.TypeCount{}
	for _, n := range held.Entries {
		counts[n.Type] = n
	}
	if counts["api::dish.dish"].Published != 1 || counts["plugin::users-permissions.role"].Published == 0 || len(counts) != 2 {
		t.Errorf("entries: %+v", held.Entries)
	}
}
