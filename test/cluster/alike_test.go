//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// While each node is asked to write, by several clients at a time, all of them come to
// have the same values.
func TestNodesEndAlike(t *testing.T) {
	t.Parallel()
	s := start(t, 3, 3)
	var all sync.WaitGroup
	for _, n := range s.nodes {
		for client := range 2 {
			all.Go(func() { n.live(s, fmt.Sprint(n.name, "-", client)) })
		}
	}
	all.Wait()
	s.endAlike()
}

// Nodes are stopped in order and started again, one after the other, and have what the
// others wrote meanwhile.
func TestNodesAreRestarted(t *testing.T) {
	t.Parallel()
	s := start(t, 3, 1)
	for i, n := range s.nodes {
		n.stop(t)
		other := s.nodes[(i+1)%len(s.nodes)]
		other.live(s, "while "+n.name+" is away")
		n.restart(t)
	}
	s.endAlike()
}

// live has a client create, change and delete dishes at a node.
func (n *node) live(s *site, name string) {
	for i := range 30 {
		made := n.writeAgain(s, "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "%s %d"}}`, name, i), 201)
		path := "/api/dishes/" + made
		n.writeAgain(s, "PUT", path, fmt.Sprintf(`{"data": {"price": %d}}`, i), 200)
		if i%3 == 0 {
			n.writeAgain(s, "DELETE", path, "", 204)
		}
	}
}

// writeAgain sends a write as write does, and sends it again while it is answered with 503: on a
// busy machine, the node that writes may be silent for so long that another one gives it up, and
// does not know whether the write was stored. If a delete was, it is 404 then.
func (n *node) writeAgain(s *site, method, path, body string, want int) (documentID string) {
	for end, sent := time.Now().Add(settleTime), 1; ; sent++ {
		status, text, err := n.send(s, method, path, body)
		switch {
		case err == nil && status == 503 && time.Now().Before(end):
			time.Sleep(50 * time.Millisecond)
		case err == nil && status == 404 && method == "DELETE" && sent > 1:
			return ""
		default:
			return n.documentIn(s, method, path, want, status, text, err)
		}
	}
}

// write sends a write that must be answered with a status, and returns the document's id.
func (n *node) write(s *site, method, path, body string, want int) (documentID string) {
	status, text, err := n.send(s, method, path, body)
	return n.documentIn(s, method, path, want, status, text, err)
}

// documentIn demands that a write was answered with a status, and returns the document's id.
func (n *node) documentIn(s *site, method, path string, want, status int, text []byte, err error) (documentID string) {
	var entry struct{ Data struct{ DocumentID string } }
	if err != nil || status != want || len(text) > 0 && json.Unmarshal(text, &entry) != nil {
		s.t.Errorf("%s %s at %s: %d %s, %v", method, path, n.name, status, text, err)
	}
	return entry.Data.DocumentID
}

// send sends a request with full access.
func (n *node) send(s *site, method, path, body string) (status int, text []byte, err error) {
	return n.sendAs(s.token, method, path, "application/json", body)
}

// sendAs sends a request with a credential; empty for none.
func (n *node) sendAs(token, method, path, contentType, body string) (status int, text []byte, err error) {
	r, err := http.NewRequest(method, n.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", contentType)
	answer, err := straight.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}
