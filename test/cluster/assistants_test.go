//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"quire/test/program"
)

// assistant is an assistant of an account, whose tools are called at any node.
type assistant struct {
	t     *testing.T
	token string
}

// newAssistant makes an assistant of the account of the admin through a node.
func (s *site) newAssistant(name string, n *node) *assistant {
	s.t.Helper()
	token := program.Succeed(s.t, "assistant", "create", "--account", "ana@example.org", "--name", name, "--publish", "ask", n.folder)
	return &assistant{s.t, strings.TrimSpace(token)}
}

// call calls a tool at a node, and returns its text.
func (a *assistant) call(n *node, tool, arguments string) (text string, failed bool) {
	a.t.Helper()
	status, answer, err := n.sendAs(a.token, "POST", "/mcp", "application/json", fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": %q, "arguments": %s}}`, tool, arguments))
	var m struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err == nil {
		err = json.Unmarshal(answer, &m)
	}
	if err != nil || status != http.StatusOK || len(m.Result.Content) != 1 {
		a.t.Fatalf("%s at %s: %d %s, %v", tool, n.name, status, answer, err)
	}
	return m.Result.Content[0].Text, m.Result.IsError
}

// What waits for a person since a call at one node is approved or rejected at another, once, and all
// nodes show what came of it. Messages to all nodes count together.
func TestChangeSetsAreDecidedAtOtherNodes(t *testing.T) {
	t.Parallel()
	s := begin(t, startMembers(t, 1), "guide", 2, layout{settings: map[string]any{"mcp": map[string]any{"enabled": true, "limits": map[string]any{"calls": 20}}}})
	person := s.signInToAdmin()
	claude := s.newAssistant("Claude", s.nodes[1])
	at := func(n int) *owner { person.requested = n + 1; return person } // the next request goes to node n
	for i, n := range s.nodes {
		other := 1 - i
		made, failed := claude.call(n, "write", fmt.Sprintf(`{"items": [{"type": "api::dish.dish", "data": {"name": "Dish %d"}}]}`, i))
		id := regexp.MustCompile(`[a-z][a-z0-9]{23}`).FindString(made)
		if failed || id == "" {
			t.Fatalf("a draft at %s: %s", n.name, made)
		}
		sets := []string{}
		for range 2 {
			waits, _ := claude.call(n, "act", fmt.Sprintf(`{"action": "publish", "items": [{"type": "api::dish.dish", "documentId": %q}]}`, id))
			found := regexp.MustCompile(`/admin/changes/([0-9a-f]{16})`).FindStringSubmatch(waits)
			if found == nil {
				t.Fatalf("to publish at %s: %s", n.name, waits)
			}
			sets = append(sets, found[1])
		}
		at(other).ask("POST", "/changes/"+sets[1]+"/reject", nil, http.StatusNoContent)
		at(other).ask("POST", "/changes/"+sets[0]+"/approve", nil, http.StatusNoContent)
		at(i).ask("POST", "/changes/"+sets[0]+"/approve", nil, http.StatusConflict)
		at(i).ask("POST", "/changes/"+sets[1]+"/approve", nil, http.StatusConflict)
		for n := range s.nodes {
			if shown := string(at(n).ask("GET", "/changes/"+sets[0], nil, http.StatusOK)); !strings.Contains(shown, `"state":"approved"`) {
				t.Errorf("%s shows %s", s.nodes[n].name, shown)
			}
			at(n).ask("GET", "/content/dishes/"+id, nil, http.StatusOK)
		}
	}
	other := s.newAssistant("Other", s.nodes[0])
	for n := 0; ; n++ {
		if text, failed := other.call(s.nodes[0], "describe", `{}`); failed && strings.Contains(text, "may use 20 calls in a minute") {
			break
		} else if failed || n > 20 {
			t.Fatalf("message %d: %s", n, text)
		}
	}
	if text, failed := other.call(s.nodes[1], "describe", `{}`); !failed {
		t.Errorf("another node counts for itself: %s", text)
	}
	s.endAlike()
}
