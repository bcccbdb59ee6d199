package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
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
	twin := openHere(t, tr.twin)
	makeHasty(t, twin)
	serveHere(t, tr.twin, twin)
	for n := range writers {
		tr.writers = append(tr.writers, newWriter(n, seed))
	}
	return tr
}

// start starts the program under test.
func (tr *trial) start() *process {
	tr.t.Helper()
	p := spawn(tr.t, tr.binary, tr.main.site)
	tr.main.url = p.url
	return p
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

// begin has all writers write, until each has written so much or met with
// something that it cannot know the end of. Each write is told.
func (tr *trial) begin(writes int) (told chan struct{}) {
	told = make(chan struct{})
	var busy sync.WaitGroup
	for _, w := range tr.writers {
		busy.Go(func() {
			for n := 0; n < writes && w.flight == nil && !tr.t.Failed(); n++ {
				tr.write(w)
				told <- struct{}{}
			}
		})
	}
	go func() { busy.Wait(); close(told) }()
	return told
}

// endure has all writers write while faults come, and reads all the time.
func (tr *trial) endure(writes int) {
	tr.t.Helper()
	for range tr.begin(writes) {
		if status, answer, err := tr.main.ask("GET", views[0].path, "", nil); status != 200 || err != nil {
			tr.t.Errorf("reading while writes fail: %d %s, %v", status, answer, err)
		}
	}
}

// refused counts the writes that failed.
func (tr *trial) refused() (n int) {
	for _, w := range tr.writers {
		n += w.answers[503] + w.answers[507]
	}
	return n
}

// recover writes until that is taken again, and compares then. It returns how
// long it took.
func (tr *trial) recover() time.Duration {
	tr.t.Helper()
	begun := time.Now()
	for {
		status, answer, err := tr.main.send(op{method: "POST", path: "/api/cooks", body: `{"data": {"name": "probe "}}`, makes: "probe"})
		switch {
		case err != nil:
			tr.t.Fatalf("writes are not taken again: %d %s, %v", status, answer, err)
		case status == 201:
			took := time.Since(begun)
			if status, answer, err := tr.main.send(op{method: "DELETE", path: "/api/cooks/‹probe›"}); status != 204 {
				tr.t.Fatalf("deleting: %d %s, %v", status, answer, err)
			}
			tr.compare()
			return took
		case status != 503 && status != 507:
			tr.t.Fatalf("after a fault: %d %s", status, answer)
		}
	}
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

// end kills the program, and demands that what it leaves is whole.
func (tr *trial) end(p *process) {
	tr.t.Helper()
	p.kill()
	if tr.t.Failed() {
		return
	}
	tr.strays += repairStrays(tr.t, tr.binary, tr.main.site)
	tr.checkIndex()
	p = tr.start()
	checkFilesWhole(tr.t, &uploader{p.url, tr.main.token})
	tr.compare()
	p.kill()
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
	if done := answers[200] + answers[201] + answers[204]; done < 2*answers[400] || done < 10 {
		tr.t.Errorf("most writes were refused, which tries nothing")
	}
}
