package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// A trial is a program under test, its twin and those who write to both.
type trial struct {
	t       *testing.T
	binary  string
	main    *peer
	twin    *peer
	writers []*writer

	// Counted over all rounds, to be told at the end.
	whole, absent, strays int // writes in flight that were there after all or not; files without a record
}

func newTrial(t *testing.T, seed uint64, writers int) *trial {
	t.Helper()
	tr := &trial{t: t, binary: buildQuire(t)}
	tr.main, tr.twin = newPeer(t, tr.binary), newPeer(t, tr.binary)
	p := spawn(t, tr.binary, tr.twin.site)
	t.Cleanup(p.kill)
	tr.twin.url = p.url
	for n := range writers {
		tr.writers = append(tr.writers, newWriter(n, seed))
	}
	return tr
}

// share makes what all writers link to.
func (tr *trial) share() {
	for n := range sharedCuisines {
		name := fmt.Sprintf("%scuisine-%d", shared, n)
		for _, p := range []*peer{tr.main, tr.twin} {
			o := op{method: "POST", path: "/api/cuisines", body: fmt.Sprintf(`{"data": {"name": %q}}`, name), makes: name}
			if status, answer, err := p.send(o); status != 201 || err != nil {
				tr.t.Fatalf("%d %s, %v", status, answer, err)
			}
		}
	}
}

// begin has all writers write, until each has met with something that it cannot
// know the end of. Each write that is answered is told.
func (tr *trial) begin() (told chan struct{}) {
	told = make(chan struct{})
	var busy sync.WaitGroup
	for _, w := range tr.writers {
		busy.Go(func() {
			for w.flight == nil && !tr.t.Failed() {
				tr.write(w)
				told <- struct{}{}
			}
		})
	}
	go func() { busy.Wait(); close(told) }()
	return told
}

// write makes up a write, has it carried out, and if it is acknowledged has the
// twin do the same.
func (tr *trial) write(w *writer) {
	o := w.next()
	status, answer, err := tr.main.send(o)
	w.answers[status]++
	switch {
	case err != nil, status == 503 && strings.Contains(string(answer), "unknown whether"):
		w.flight = &o
		return
	case status == 503, status == 507:
		return
	}
	tr.follow(w, o, status, answer)
}

// follow has the twin do what was done.
func (tr *trial) follow(w *writer, o op, status int, answer []byte) {
	is, said, err := tr.twin.send(o)
	if err != nil || is != status || status >= 500 {
		tr.t.Errorf("%v\nis answered %d %s\nand by the twin %d %s, %v", o, status, answer, is, said, err)
	}
	if status < 300 {
		w.settle(o)
	}
}

// compare demands that the program shows all that it acknowledged, and of what
// was in flight either all or nothing.
func (tr *trial) compare() {
	tr.t.Helper()
	is, model := tr.main.state(tr.t), tr.twin.state(tr.t)
	for _, w := range tr.writers {
		if w.flight == nil {
			continue
		}
		if is.of(w.prefix).difference(model.of(w.prefix)) == "" {
			tr.absent++
		} else {
			tr.whole++
			tr.follow(w, *w.flight, created(*w.flight), nil)
		}
		w.flight = nil
	}
	if d := is.difference(tr.twin.state(tr.t)); d != "" {
		tr.t.Fatal(d)
	}
}

// created is how a write is answered that is done.
func created(o op) int {
	switch {
	case o.method == "POST" && o.makes != "":
		return 201
	case o.method == "DELETE" && !strings.HasPrefix(o.path, plurals["file"]):
		return 204
	}
	return 200
}

// tell logs what came of the trial.
func (tr *trial) tell() {
	answers := map[int]int{}
	for _, w := range tr.writers {
		for status, n := range w.answers {
			answers[status] += n
		}
	}
	tr.t.Logf("answers by status (0: none): %v; in flight: %d whole, %d absent; %d strays removed", answers, tr.whole, tr.absent, tr.strays)
	if done := answers[200] + answers[201] + answers[204]; done < 2*answers[400] {
		tr.t.Errorf("most writes were refused, which tries nothing")
	}
}
