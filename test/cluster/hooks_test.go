//go:build cluster

package cluster

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// receiver is what a webhook sends to: it counts which dishes it has heard of.
type receiver struct {
	*httptest.Server

	mu    sync.Mutex
	times map[string]int // by name
}

// newReceiver listens for deliveries until the test ends.
func newReceiver(t *testing.T) *receiver {
	r := &receiver{times: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var sent struct{ Entry struct{ Name string } }
		if err := json.NewDecoder(request.Body).Decode(&sent); err != nil {
			t.Errorf("a delivery: %v", err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.times[sent.Entry.Name]++
	}))
	t.Cleanup(r.Close)
	return r
}

// settings have a site send to the receiver which dishes are created.
func (r *receiver) settings() map[string]any {
	return map[string]any{
		"events": map[string]any{"allowPrivate": []string{"127.0.0.0/8"}},
		"webhooks": []any{map[string]any{
			"name": "dishes", "url": r.URL, "events": []string{"entry.create"}, "types": []string{"api::dish.dish"},
		}},
	}
}

// missing returns how many of these names have not arrived, and how many more than once.
func (r *receiver) missing(names map[string]int) (none, twice int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name := range names {
		switch r.times[name] {
		case 0:
			none++
		case 1:
		default:
			twice++
		}
	}
	return none, twice
}

// judgeDeliveries waits until each dish that was acknowledged has been sent.
func (h *history) judgeDeliveries() {
	h.site.t.Helper()
	for end := time.Now().Add(settleTime); ; time.Sleep(50 * time.Millisecond) {
		none, twice := h.hook.missing(h.created)
		switch {
		case none == 0:
			h.site.t.Logf("all %d creates have arrived at the webhook, %d of them more than once", len(h.created), twice)
			return
		case time.Now().After(end):
			h.site.t.Errorf("%d of %d creates have not arrived at the webhook", none, len(h.created))
			return
		}
	}
}
