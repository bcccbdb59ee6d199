//go:build cluster

package cluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"quire/test/program"
)

// What is taken away through one node is refused by all of them as soon as the command has
// said that it is done, and ends the streams that it had opened.
func TestRightsEndEverywhereAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, 3, 1)
	for i, by := range s.nodes {
		name := fmt.Sprint("of node ", i)
		token := program.NewToken(t, by.folder, name, "full-access")
		s.everyNode("a new token", token, http.StatusOK)
		streams := s.listen(token)
		program.Succeed(t, "token", "revoke", name, s.nodes[(i+1)%3].folder)
		s.everyNode("a token that was revoked", token, http.StatusUnauthorized)
		for n, stream := range streams {
			if _, err := io.Copy(io.Discard, stream); err != nil {
				t.Errorf("the stream at %s: %v", s.nodes[n].name, err)
			}
		}
	}
	for i, end := range []string{"sign-out", "block", "set-role"} {
		user := fmt.Sprint("user", i)
		jwt := s.register(s.nodes[i], user)
		s.everyNode("a new user", jwt, http.StatusOK)
		want, args := http.StatusUnauthorized, []string{"user", end, user}
		if end == "set-role" {
			want, args = http.StatusForbidden, append(args, "public")
		}
		program.Succeed(t, append(args, s.nodes[(i+1)%3].folder)...)
		s.everyNode("after "+end, jwt, want)
	}
}

// everyNode demands that all nodes answer a read with a status, and refuse a write as well
// where they refuse the read.
func (s *site) everyNode(what, credential string, want int) {
	s.t.Helper()
	with := &site{t: s.t, token: credential}
	for _, n := range s.nodes {
		if status, text, err := n.send(with, "GET", "/api/reviews?pagination[pageSize]=1", ""); err != nil || status != want {
			s.t.Errorf("%s: a read at %s: %d %.200s, %v", what, n.name, status, text, err)
		}
		if want == http.StatusOK {
			continue
		}
		if status, text, err := n.send(with, "POST", "/api/reviews", `{"data": {}}`); err != nil || status != want {
			s.t.Errorf("%s: a write at %s: %d %.200s, %v", what, n.name, status, text, err)
		}
	}
}

// listen opens a stream at each node.
func (s *site) listen(token string) (streams []io.Reader) {
	s.t.Helper()
	for _, n := range s.nodes {
		r, err := http.NewRequestWithContext(s.t.Context(), "GET", n.URL+"/api/_events", nil)
		check(s.t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := straight.RoundTrip(r)
		check(s.t, err)
		s.t.Cleanup(func() { answer.Body.Close() })
		stream := bufio.NewReader(answer.Body)
		if line, err := stream.ReadString('\n'); err != nil || !strings.HasPrefix(line, ":") {
			s.t.Fatalf("a stream at %s begins with %d %q, %v", n.name, answer.StatusCode, line, err)
		}
		streams = append(streams, stream)
	}
	return streams
}

// register makes a user through a node, and returns its credential.
func (s *site) register(n *node, name string) (jwt string) {
	s.t.Helper()
	status, text, err := n.send(&site{t: s.t}, "POST", "/api/auth/local/register", fmt.Sprintf(`{"username": %q, "email": "%s@example.org", "password": "secret-1"}`, name, name))
	var made struct{ JWT string }
	if err != nil || status != http.StatusOK || json.Unmarshal(text, &made) != nil || made.JWT == "" {
		s.t.Fatalf("%d %s, %v", status, text, err)
	}
	return made.JWT
}

// Whoever tries passwords has no more tries on several nodes than on one, whatever its
// requests say about where they come from; and no node's port for clients is one for nodes.
func TestTriesOnAllNodesTogether(t *testing.T) {
	t.Parallel()
	s := begin(t, startMembers(t, 1), "guide", 3, layout{auth: `{"rateLimit": {"max": 5, "interval": "1h"}}`})
	s.nodes[0].write(s, "POST", "/api/dishes", `{"data": {"name": "So that one node writes"}}`, 201)
	s.register(s.nodes[0], "ana") // which is not a try
	codes := ""
	for i := range 9 {
		n := s.nodes[i%3]
		r, err := http.NewRequest("POST", n.URL+"/api/auth/local", strings.NewReader(`{"identifier": "ana", "password": "wrong"}`))
		check(t, err)
		forged := fmt.Sprintf("198.51.100.%d", i)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "X-Forwarded-For": forged, "Forwarded": "for=" + forged, "X-Real-Ip": forged,
			"Quire-Client": forged + ":1000", "Quire-Client-Scheme": "https", "Connection": "Quire-Client",
		} {
			r.Header.Set(name, value)
		}
		answer, err := straight.RoundTrip(r)
		check(t, err)
		check(t, answer.Body.Close())
		codes += fmt.Sprint(answer.StatusCode, " ")
	}
	if codes != "400 400 400 400 400 429 429 429 429 " {
		t.Errorf("nine tries are answered %s", codes)
	}
	for _, path := range []string{"/cluster/state", "/cluster/alive"} {
		if status, text, err := s.nodes[0].send(s, "GET", path, ""); err != nil || status != http.StatusNotFound {
			t.Errorf("%s: %d %s, %v", path, status, text, err)
		}
	}
}
