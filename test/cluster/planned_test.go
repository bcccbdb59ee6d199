//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"
)

// planned is a release, or something that is to be done with one dish at a time.
type planned struct {
	path   string   // that shows its state
	dishes []string // the ids of documents
	done   bool     // as was seen; the mutex of the work guards it
}

// plan has much published and unpublished around a moment to come, which it returns.
func (w *work) plan(random *rand.Rand) (due time.Time) {
	w.site.t.Helper()
	const each = 8
	n := w.site.nodes[random.IntN(len(w.site.nodes))]
	begun, releases, dishes := time.Now(), make([][]string, each), make([][]string, each)
	for i := range each {
		for k := range 3 {
			releases[i] = append(releases[i], w.dish(n, fmt.Sprintf("Released %d %d %d", w.round, i, k), "?status=draft", "entry.publish"))
		}
		dishes[i] = append(dishes[i],
			w.dish(n, fmt.Sprintf("Scheduled %d %d", w.round, i), "?status=draft", "entry.publish"),
			w.dish(n, fmt.Sprintf("Withdrawn %d %d", w.round, i), "", "entry.unpublish"))
	}
	due = time.Now().Add(8*time.Second + 2*time.Since(begun)) // a slow machine has planned all by then
	for i := range each {
		at := due.Add(time.Duration(i-each/2) * 120 * time.Millisecond).UTC().Format(`"2006-01-02T15:04:05.000Z"`)
		w.release(n, fmt.Sprintf("Release %d %d", w.round, i), at, releases[i])
		for k, action := range []string{"publish", "unpublish"} {
			id := dishes[i][k]
			n.write(w.site, "POST", "/api/dishes/"+id+"/actions/"+action, `{"at": `+at+`}`, 202)
			w.planned(&planned{path: "/api/_schedules?type=api::dish.dish&documentId=" + id, dishes: []string{id}})
		}
	}
	return due
}

// dish makes a dish to which an event is to happen.
func (w *work) dish(n *node, name, query, event string) (documentID string) {
	w.site.t.Helper()
	documentID = n.write(w.site, "POST", "/api/dishes"+query, fmt.Sprintf(`{"data": {"name": %q}}`, name), 201)
	w.ack("entry.create", name, false)
	w.ack(event, name, false)
	return documentID
}

// release plans a release that publishes dishes.
func (w *work) release(n *node, name, at string, dishes []string) {
	w.site.t.Helper()
	var steps []string
	for _, id := range dishes {
		steps = append(steps, fmt.Sprintf(`{"type": "api::dish.dish", "documentId": %q, "action": "publish"}`, id))
	}
	body := fmt.Sprintf(`{"data": {"name": %q, "at": %s, "steps": [%s]}}`, name, at, strings.Join(steps, ","))
	status, text, err := n.send(w.site, "POST", "/api/_releases", body)
	var made struct{ Data struct{ ID string } }
	if err != nil || status != 201 || json.Unmarshal(text, &made) != nil {
		w.site.t.Fatalf("%s: %d %s, %v", body, status, text, err)
	}
	w.planned(&planned{path: "/api/_releases/" + made.Data.ID, dishes: dishes})
}

func (w *work) planned(p *planned) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plans = append(w.plans, p)
}

// watch looks at a node until stop is closed whether a release is ever half published.
func (w *work) watch(n *node, stop <-chan struct{}) {
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for {
		for _, p := range w.waiting() {
			if len(p.dishes) > 1 {
				w.look(n, p)
			}
		}
		select {
		case <-stop:
			return
		case <-ticks.C:
		}
	}
}

// waiting is what was planned and is not known to be done.
func (w *work) waiting() (some []*planned) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.plans {
		if !p.done {
			some = append(some, p)
		}
	}
	return some
}

// look notes a release of which some dishes are published, and others not.
func (w *work) look(n *node, p *planned) {
	requested := url.Values{}
	for i, id := range p.dishes {
		requested.Set(fmt.Sprintf("filters[documentId][$in][%d]", i), id)
	}
	status, text, err := n.send(w.site, "GET", "/api/dishes?"+requested.Encode(), "")
	var shown struct{ Data []struct{ DocumentID string } }
	if err != nil || status != 200 || json.Unmarshal(text, &shown) != nil {
		return
	}
	if len(shown.Data) != 0 && len(shown.Data) != len(p.dishes) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.half = append(w.half, fmt.Sprintf("%s at %s: %d of %d", p.path, n.name, len(shown.Data), len(p.dishes)))
	}
}

// noteDone notes whether what was planned has been done. One that failed never will be.
func (w *work) noteDone(p *planned) {
	w.site.t.Helper()
	for _, n := range w.site.nodes {
		status, text, err := n.send(w.site, "GET", p.path, "")
		if err != nil || status != 200 {
			continue
		}
		if strings.Contains(string(text), `"state":"failed"`) {
			w.site.t.Fatalf("%s: %s", p.path, text)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		p.done = strings.Contains(string(text), `"state":"done"`)
		return
	}
}
