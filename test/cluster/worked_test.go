//go:build cluster

package cluster

import (
	"encoding/json"
	"time"
)

// await waits until something holds.
func (w *work) await(what string, holds func() bool) {
	w.site.t.Helper()
	for end := time.Now().Add(settleTime); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			for _, n := range w.site.nodes {
				w.site.t.Logf("%s says\n%s", n.name, n.server.Log)
			}
			w.site.t.Fatalf("round %d: still not: %s", w.round, what)
		}
	}
}

// awaitDuty waits until a node other than one that is gone has the duties.
func (w *work) awaitDuty(gone *node) (has *node) {
	w.site.t.Helper()
	w.await("a node has the duties", func() bool {
		for _, state := range w.site.status().Nodes {
			for _, n := range w.site.nodes {
				if state.OnDuty && state.Problem == "" && n != gone && n.name == state.Name {
					has = n
				}
			}
		}
		return has != nil
	})
	return has
}

// awaitDone waits until all that was planned has been done.
func (w *work) awaitDone() {
	w.site.t.Helper()
	w.await("all that was planned is done", func() bool {
		for _, p := range w.waiting() {
			w.noteDone(p)
		}
		return len(w.waiting()) == 0
	})
}

// awaitArrived waits until all that was acknowledged has arrived.
func (w *work) awaitArrived() {
	w.site.t.Helper()
	w.await("all that was acknowledged has arrived at the webhook", func() bool {
		for what := range w.acked {
			if happened, _ := w.hook.times(what); happened == 0 {
				return false
			}
		}
		return true
	})
}

// judge demands that everything happened once, arrived, and arrived once where nothing failed,
// and that no release was ever half published.
func (w *work) judge() {
	t := w.site.t
	t.Helper()
	again := 0
	for what, calm := range w.acked {
		happened, arrived := w.hook.times(what)
		if happened != 1 || calm && arrived != 1 {
			t.Errorf("%s of %q happened %d times, and arrived %d times", what.event, what.name, happened, arrived)
		}
		if arrived > happened {
			again++
		}
	}
	for _, seen := range w.half {
		t.Errorf("a release is half published: %s", seen)
	}
	t.Logf("%d rounds: %d changes arrived, %d of them more than once; %d releases and schedules were done once", w.round, len(w.acked), again, len(w.plans))
}

// try sends a request whose outcome may be anything while something fails.
func (w *work) try(n *node, path, body string) (documentID string, status int) {
	status, text, err := n.send(w.site, "POST", path, body)
	var entry struct{ Data struct{ DocumentID string } }
	if err != nil || json.Unmarshal(text, &entry) != nil {
		return "", 0
	}
	return entry.Data.DocumentID, status
}

// read reads at a node while all are there.
func (w *work) read(path string, into any) {
	w.site.t.Helper()
	status, text, err := w.site.nodes[0].send(w.site, "GET", path, "")
	if err != nil || status != 200 || json.Unmarshal(text, into) != nil {
		w.site.t.Fatalf("%s: %d %s, %v", path, status, text, err)
	}
}
