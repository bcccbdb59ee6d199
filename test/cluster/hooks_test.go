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

// receiver is what a webhook sends to: it counts what it has heard of.
type receiver struct {
	*httptest.Server

	mu      sync.Mutex
	arrived map[happening]map[string]int // how often each delivery, by its id
}

// happening is an event of a dish. Each time that it happens, there is another delivery.
type happening struct{ event, name string }

// newReceiver listens for deliveries until the test ends.
func newReceiver(t *testing.T) *receiver {
	r := &receiver{arrived: map[happening]map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var sent struct {
			Event string
			Entry struct{ Name string }
		}
		if err := json.NewDecoder(request.Body).Decode(&sent); err != nil {
			t.Errorf("a delivery: %v", err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		what := happening{sent.Event, sent.Entry.Name}
		if r.arrived[what] == nil {
			r.arrived[what] = map[string]int{}
		}
		r.arrived[what][request.Header.Get("webhook-id")]++
	}))
	t.Cleanup(r.Close)
	return r
}

// settings have a site send to the receiver what happens to dishes.
func (r *receiver) settings(events ...string) map[string]any {
	return map[string]any{
		"events": map[string]any{"allowPrivate": []string{"127.0.0.0/8"}},
		"webhooks": []any{map[string]any{
			"name": "dishes", "url": r.URL, "events": events, "types": []string{"api::dish.dish"},
		}},
	}
}

// times is how often something happened, and how often that arrived.
func (r *receiver) times(what happening) (happened, arrived int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, times := range r.arrived[what] {
		arrived += times
	}
	return len(r.arrived[what]), arrived
}

// missing returns how many creates of these names have not arrived, and how many more than
// once.
func (r *receiver) missing(names map[string]int) (none, twice int) {
	for name := range names {
		switch _, arrived := r.times(happening{"entry.create", name}); arrived {
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
