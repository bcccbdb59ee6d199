//go:build cluster

package cluster

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A subscription of GraphQL at one node sees what is written at another one, with the id after
// which it can go on at any of them.
func TestASubscriptionSeesWritesOfOtherNodes(t *testing.T) {
	t.Parallel()
	s := begin(t, startMembers(t, 1), "guide", 2, layout{settings: map[string]any{"graphql": map[string]any{"enabled": true}}})
	const query = `subscription { dishChanged { action documentId entry { name } } }`
	first, second := s.nodes[0].subscribe(s, query, ""), s.nodes[1].subscribe(s, query, "")
	last := ""
	for i, n := range s.nodes {
		name := fmt.Sprint("Soup of node ", i)
		id := n.write(s, "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": %q}}`, name), 201)
		want := fmt.Sprintf(`{"data":{"dishChanged":{"action":"publish","documentId":%q,"entry":{"name":%q}}}}`, id, name)
		for at, stream := range []*subscription{first, second} {
			event, data := stream.next(t)
			if data != want {
				t.Errorf("written at node %d, node %d sends %s, want %s", i, at, data, want)
			}
			if i == 0 && at == 0 {
				last = event
			}
		}
	}
	if _, data := s.nodes[1].subscribe(s, query, last).next(t); !strings.Contains(data, "Soup of node 1") {
		t.Errorf("after the first event at the other node: %s", data)
	}
}

// subscription is a stream of events.
type subscription struct{ lines *bufio.Scanner }

// subscribe opens a subscription, after the event with an id unless that is empty.
func (n *node) subscribe(s *site, query, after string) *subscription {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), settleTime)
	s.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", n.URL+"/graphql?query="+url.QueryEscape(query), nil)
	check(s.t, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Accept", "text/event-stream")
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	answer, err := straight.RoundTrip(r)
	check(s.t, err)
	s.t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("a subscription at %s is answered with %d", n.name, answer.StatusCode)
	}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() { // it hears of what comes after the first id
		if strings.HasPrefix(lines.Text(), "id: ") {
			return &subscription{lines}
		}
	}
	s.t.Fatalf("a subscription at %s begins without an id: %v", n.name, lines.Err())
	return nil
}

// next waits for the next event, and returns its id and its data.
func (s *subscription) next(t *testing.T) (id, data string) {
	t.Helper()
	for s.lines.Scan() {
		switch key, value, _ := strings.Cut(s.lines.Text(), ": "); key {
		case "id":
			id = value
		case "data":
			data = value
		case "":
			if data != "" {
				return id, data
			}
		}
	}
	t.Fatalf("the stream ends: %v", s.lines.Err())
	return "", ""
}
