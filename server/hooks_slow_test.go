package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// heavyRead is the query of a response that takes all slots of slowHookSite.
const heavyRead = "?populate=*"

// slowHook is a hook that answers when the test lets it.
type slowHook struct {
	requested chan struct{} // receives once for each call
	answer    chan struct{} // closed to let all calls be answered
	end       func()        // closes answer
}

// slowHookSite is a site with one slot for heavy queries, and a hook for restaurants.
func slowHookSite(t *testing.T) (*accountSite, *slowHook) {
	t.Helper()
	slow := &slowHook{requested: make(chan struct{}, 100), answer: make(chan struct{})}
	slow.end = sync.OnceFunc(func() { close(slow.answer) })
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { slow.requested <- struct{}{}; <-slow.answer }))
	t.Cleanup(s.Close)
	t.Cleanup(slow.end)
	settings := unlimited + fmt.Sprintf(`, "limits": {"heavyCost": 1, "heavyQueries": 1}, "hooks": [{"name": "slow", "url": %q, "timeout": 30, "types": ["api::restaurant.restaurant"]}]`, s.URL)
	return openAccountSite(t, sampleWith(t, settings, noRoles), options{}), slow
}

// While hooks are asked, a write holds nothing that reads, or writes of other types,
// need.
func TestASlowHookStopsNothingElse(t *testing.T) {
	t.Parallel()
	for name, write := range map[string][2]string{
		"a write":      {"/api/restaurants" + heavyRead, `{"data": {"name": "Biscotte"}}`},
		"a batch":      {"/api/_batch", `{"requests": [{"method": "POST", "url": "/api/restaurants` + heavyRead + `", "body": {"data": {"name": "Biscotte"}}}]}`},
		"a large body": {"/api/restaurants", `{"data": {"name": "Biscotte", "story": "` + strings.Repeat("a", 1<<19) + `"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			h, slow := slowHookSite(t)
			answered := make(chan *answer, 3)
			for range cap(answered) {
				go func() { answered <- h.send("full", "POST", write[0], write[1]) }()
			}
			for range cap(answered) {
				select {
				case <-slow.requested:
				case a := <-answered:
					t.Fatalf("answered without the hook: %d %s", a.status, a.body)
				}
			}
			if a := h.send("full", "GET", "/api/restaurants"+heavyRead, ""); a.status != 200 {
				t.Errorf("a heavy read: %d %s", a.status, a.body)
			}
			if a := h.send("full", "POST", "/api/categories?populate=*", `{"data": {"name": "Breton"}}`); a.status != 201 {
				t.Errorf("a write of another type: %d %s", a.status, a.body)
			}
			slow.end()
			for range cap(answered) {
				if a := <-answered; a.status != 201 && a.status != 200 || a.header.Get("X-Quire-Omitted") != "" {
					t.Errorf("%d %s", a.status, a.body)
				}
			}
		})
	}
}
