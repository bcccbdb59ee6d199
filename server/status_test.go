package server_test

import (
	"testing"
	"time"

	"quire/server"
)

func TestStatusSumsUpTheMetrics(t *testing.T) {
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
	held, err := h.server.Holdings()
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
