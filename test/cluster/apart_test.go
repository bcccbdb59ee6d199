//go:build cluster

package cluster

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// Nodes that are started while etcd is gone serve what they have to whoever need not see
// everything, say that it may be old, and take no writes. They join the others by
// themselves.
func TestNodesStartWithoutEtcd(t *testing.T) {
	t.Parallel()
	s := begin(t, startMembers(t, 1), "guide", 2, layout{reads: `{"reads": {"anonymous": "local"}}`})
	one, two := s.nodes[0], s.nodes[1]
	one.write(s, "POST", "/api/dishes", `{"data": {"name": "Borshch"}}`, 201)
	s.settled()
	one.stop(t)
	two.kill()
	s.members[0].kill()
	for _, n := range s.nodes {
		n.restart(t)
		if stale, status, text := n.anonymous(t, "/api/dishes"); status != 200 || stale != "true" || !strings.Contains(text, "Borshch") {
			t.Errorf("a read at %s: %d, stale %q, %.200s", n.name, status, stale, text)
		}
		if _, status, text := n.anonymous(t, "/_health"); status != 204 {
			t.Errorf("/_health at %s: %d %s", n.name, status, text)
		}
		n.ready(t)
		if status, text, err := n.send(s, "GET", "/api/dishes", ""); err != nil || status != 503 {
			t.Errorf("a read at %s that must see everything: %d %s, %v", n.name, status, text, err)
		}
		if status, text, err := n.send(s, "POST", "/api/dishes", `{"data": {"name": "Kissel"}}`); err != nil || status != 503 || strings.Contains(string(text), "unknown") {
			t.Errorf("a write at %s: %d %s, %v", n.name, status, text, err)
		}
	}
	s.members[0].restart(t)
	for _, n := range s.nodes {
		n.writeAtLast(s)
	}
	s.endAlike()
}

// What was replaced while a node was down is what it serves, once etcd is there.
func TestANodeThatStartedWithoutEtcdLoadsWhatWasReplaced(t *testing.T) {
	t.Parallel()
	s := begin(t, startMembers(t, 1), "guide", 2, layout{reads: `{"reads": {"anonymous": "local"}}`})
	one, two := s.nodes[0], s.nodes[1]
	one.write(s, "POST", "/api/dishes", `{"data": {"name": "Borshch"}}`, 201)
	s.settled()
	two.stop(t)
	lines := filepath.Join(t.TempDir(), "dishes.jsonl")
	check(t, os.WriteFile(lines, []byte(`{"type": "api::dish.dish", "data": {"name": "Kissel"}}`+"\n"), 0o600))
	program.Run(t, "import", "--replace", one.folder, lines)
	one.stop(t)
	s.members[0].kill()
	two.restart(t)
	if _, _, text := two.anonymous(t, "/api/dishes"); !strings.Contains(text, "Borshch") {
		t.Errorf("it serves %.200s", text)
	}
	s.members[0].restart(t)
	two.writeAtLast(s)
	if _, _, text := two.anonymous(t, "/api/dishes"); strings.Contains(text, "Borshch") || !strings.Contains(text, "Kissel") {
		t.Errorf("then it serves %.200s", text)
	}
	one.restart(t)
	s.endAlike()
}

// A node that has no content yet, or may lack some of it, does not start without etcd, and
// says what to do.
func TestANodeWithoutContentNeedsEtcd(t *testing.T) {
	t.Parallel()
	cluster := "etcd://" + program.FreeAddress(t) + "/guide"
	folder := newFolder(t, layout{})
	code, stdout, stderr := program.Run(t, "serve", "--listen", program.FreeAddress(t), "--cluster", cluster, folder)
	address := strings.TrimSuffix(strings.TrimPrefix(cluster, "etcd://"), "/guide")
	for _, message := range []string{"etcd cannot be reached", address + ": connect: connection refused", "start the members of etcd"} {
		if !strings.Contains(stderr, message) {
			t.Errorf("it does not say %q: exit %d\n%s%s", message, code, stdout, stderr)
		}
	}
	if code != 1 {
		t.Errorf("exit %d", code)
	}
}

// ready waits until a node has built its indexes, and requires that it is ready then.
func (n *node) ready(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(settleTime); ; time.Sleep(50 * time.Millisecond) {
		switch _, status, text := n.anonymous(t, "/_ready"); {
		case status == 204:
			return
		case !strings.Contains(text, "indexes that were in use") || time.Now().After(end):
			t.Errorf("/_ready at %s: %d %s", n.name, status, text)
			return
		}
	}
}

// anonymous reads without a credential.
func (n *node) anonymous(t *testing.T, path string) (stale string, status int, text string) {
	t.Helper()
	r, err := http.NewRequest("GET", n.URL+path, nil)
	check(t, err)
	answer, err := straight.RoundTrip(r)
	check(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(t, err)
	return answer.Header.Get("Quire-Stale"), answer.StatusCode, string(body)
}
