//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Whichever node a write is sent to, its hook is asked about it once, and so it is about a
// schedule.
func TestHooksAreAskedOnce(t *testing.T) {
	t.Parallel()
	var requested atomic.Int64
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requested.Add(1) }))
	t.Cleanup(hook.Close)
	s := begin(t, startMembers(t, 1), "guide", 2, layout{settings: map[string]any{
		"hooks": []any{map[string]any{"name": "dishes", "url": hook.URL, "types": []string{"api::dish.dish"}}},
	}})
	once := func(what string) {
		t.Helper()
		if n := requested.Swap(0); n != 1 {
			t.Errorf("%s: the hook was asked %d times", what, n)
		}
	}
	for i, n := range s.nodes {
		status, text, err := n.send(s, "POST", "/api/dishes?status=draft", fmt.Sprintf(`{"data": {"name": "Dish %d"}}`, i))
		if err != nil || status != http.StatusCreated {
			t.Fatalf("a write at %s: %d %s, %v", n.name, status, text, err)
		}
		once("a write at " + n.name)
		var created struct{ Data struct{ DocumentID string } }
		check(t, json.Unmarshal(text, &created))
		path := "/api/dishes/" + created.Data.DocumentID
		for later := 3 * time.Second; ; later *= 2 {
			at := time.Now().Add(later).UTC().Format(time.RFC3339Nano)
			status, text, err := n.send(s, "POST", path+"/actions/publish", fmt.Sprintf(`{"at": %q}`, at))
			if status == http.StatusAccepted {
				break
			}
			if err != nil || !strings.Contains(string(text), "must be in the future") { // where the machine is busy, that comes late
				t.Fatalf("a schedule at %s: %d %s, %v", n.name, status, text, err)
			}
		}
		for end := time.Now().Add(settleTime); ; time.Sleep(50 * time.Millisecond) {
			if status, _, err := n.send(s, "GET", path, ""); err == nil && status == http.StatusOK {
				break
			}
			if time.Now().After(end) {
				t.Fatal("the schedule is not done")
			}
		}
		once("a schedule of " + n.name)
	}
}
