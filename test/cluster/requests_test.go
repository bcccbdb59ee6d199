//go:build cluster

package cluster

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"quire/test/program"
)

// handler sends each request to the next node.
func (s *site) handler() http.Handler {
	var sent atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.nodes[int(sent.Add(1)-1)%len(s.nodes)]
		n.ServeHTTP(w, r)
	})
}

// straight sends requests as they are, and gives answers as they come.
var straight = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 100}

// ServeHTTP has the node answer a request. Where no answer comes, it is 502.
func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to, err := url.Parse(n.URL + r.URL.RequestURI())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out := r.Clone(r.Context())
	out.URL, out.Host, out.RequestURI = to, to.Host, ""
	answer, err := straight.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body) // what is missing shows
}

// settleTime bounds how long nodes may need until all of them show the same.
const settleTime = 3 * time.Minute

// settled waits until all nodes show the same commit, and returns which.
func (s *site) settled() (revision string) {
	s.t.Helper()
	for end := time.Now().Add(settleTime); ; {
		shown := map[string]bool{}
		for _, n := range s.nodes {
			revision = n.revision(s.token)
			shown[revision] = true
		}
		if len(shown) == 1 && revision != "" {
			return revision
		}
		if time.Now().After(end) {
			s.t.Fatalf("the nodes show %v", shown)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// revision is the commit that a node shows, empty where it does not answer.
func (n *node) revision(token string) string {
	r, err := http.NewRequest("GET", n.URL+"/api/dishes?pagination[pageSize]=1", nil)
	if err != nil {
		return ""
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := straight.RoundTrip(r)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body) // it is used again
	return answer.Header.Get("Quire-Revision")
}

// status is what quire cluster status reports, as far as tests read it.
type status struct {
	Revision uint64
	Nodes    []struct {
		Name, Problem string
		Revision      uint64
		Writes        bool
		OnDuty        bool
	}
}

func (s *site) status() (is status) {
	s.t.Helper()
	check(s.t, json.Unmarshal([]byte(program.Succeed(s.t, "cluster", "status", "--json", s.cluster)), &is))
	return is
}
