package ledger

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/test/program"
)

// A Trial is a program under test, its twin and the writers to both.
type Trial struct {
	Main *Peer // under test: the caller serves it
	Twin *Peer

	t       *testing.T
	serving *program.Server // the twin
	writers []*writer

	whole, absent int // writes in flight that turned out to be stored or not, to be logged at the end
}

// New makes a trial with a number of writers, and serves the twin.
func New(t *testing.T, seed uint64, writers int) *Trial {
	t.Helper()
	tr := &Trial{t: t, Main: NewPeer(t), Twin: NewPeer(t)}
	tr.serveTwin()
	for n := range writers {
		tr.writers = append(tr.writers, newWriter(n, seed))
	}
	return tr
}

func (tr *Trial) serveTwin() {
	tr.t.Helper()
	tr.serving = program.Serve(tr.t, tr.Twin.Site)
	tr.Twin.URL = tr.serving.URL
}

// Share creates the documents that all writers link to.
func (tr *Trial) Share() {
	for n := range sharedCuisines {
		name := fmt.Sprintf("%scuisine-%d", shared, n)
		for _, p := range []*Peer{tr.Main, tr.Twin} {
			o := Op{Method: "POST", Path: "/api/cuisines", Body: fmt.Sprintf(`{"data": {"name": %q}}`, name), Makes: name}
			if status, answer, err := p.Send(o); status != 201 || err != nil {
				tr.t.Fatalf("%d %s, %v", status, answer, err)
			}
		}
	}
}

// Begin makes all writers write, until each has made its number of writes or has a write
// with an unknown outcome. The channel gets a value for each write, and is closed at the
// end.
func (tr *Trial) Begin(writes int) (written <-chan struct{}) {
	each := make(chan struct{})
	var busy sync.WaitGroup
	for _, w := range tr.writers {
		busy.Go(func() {
			for n := 0; n < writes && w.flight == nil && !tr.t.Failed(); n++ {
				tr.write(w)
				each <- struct{}{}
			}
		})
	}
	go func() { busy.Wait(); close(each) }()
	return each
}

// Endure makes all writers write while faults occur, and reads all the time.
func (tr *Trial) Endure(writes int) {
	tr.t.Helper()
	for range tr.Begin(writes) {
		if status, answer, err := tr.Main.Ask("GET", views[0], "", nil); status != 200 || err != nil {
			tr.t.Errorf("reading while writes fail: %d %s, %v", status, answer, err)
		}
	}
}

// Refused counts the writes that failed.
func (tr *Trial) Refused() (n int) {
	for _, w := range tr.writers {
		n += w.answers[503] + w.answers[507]
	}
	return n
}

// Recover writes until a write is accepted again, and compares then. It returns how long
// that took.
func (tr *Trial) Recover() time.Duration {
	tr.t.Helper()
	begun := time.Now()
	for {
		status, answer, err := tr.Main.Send(Op{Method: "POST", Path: "/api/cooks", Body: `{"data": {"name": "probe "}}`, Makes: "probe"})
		switch {
		case err != nil:
			tr.t.Fatalf("writes are not taken again: %d %s, %v", status, answer, err)
		case status == 201:
			took := time.Since(begun)
			tr.removeProbe()
			tr.Compare()
			return took
		case status != 503 && status != 507:
			tr.t.Fatalf("after a fault: %d %s", status, answer)
		}
	}
}

// removeProbe deletes what Recover created. A server that is reloading the site returns 503
// meanwhile.
func (tr *Trial) removeProbe() {
	tr.t.Helper()
	for status := 503; status != 204; {
		var answer []byte
		var err error
		status, answer, err = tr.Main.Send(Op{Method: "DELETE", Path: "/api/cooks/‹probe›"})
		if status != 204 && status != 503 {
			tr.t.Fatalf("deleting: %d %s, %v", status, answer, err)
		}
	}
}

// write makes up a write, carries it out, and if it is acknowledged repeats it on the twin.
func (tr *Trial) write(w *writer) {
	o := w.next()
	status, answer, err := tr.Main.Send(o)
	w.answers[status]++
	switch {
	case err != nil, status == 503 && strings.Contains(string(answer), "unknown whether"):
		w.flight = &o
		return
	case status == 503, status == 507:
		return
	}
	tr.repeat(w, o, status, answer)
}

// repeat repeats a write on the twin.
func (tr *Trial) repeat(w *writer, o Op, status int, answer []byte) {
	is, said, err := tr.Twin.Send(o)
	if err != nil || is != status || status >= 500 {
		tr.t.Errorf("%v\nis answered %d %s\nand by the twin %d %s, %v", o, status, answer, is, said, err)
	}
	if status < 300 {
		w.done(o)
	}
}

// Compare requires that the program shows everything that it acknowledged, and of what was
// in flight either all or nothing, and that deleted documents have the same history.
func (tr *Trial) Compare() {
	tr.t.Helper()
	is, model := tr.Main.state(tr.t), tr.Twin.state(tr.t)
	for _, w := range tr.writers {
		if w.flight == nil {
			continue
		}
		if is.of(w.prefix).difference(model.of(w.prefix)) == "" {
			tr.absent++
		} else {
			tr.whole++
			tr.repeat(w, *w.flight, created(*w.flight), nil)
		}
		w.flight = nil
	}
	if d := is.difference(tr.Twin.state(tr.t)); d != "" {
		tr.t.Fatal(d)
	}
	for _, w := range tr.writers {
		gone := w.gone[max(0, len(w.gone)-comparedGone):]
		if d := tr.Main.past(tr.t, gone).difference(tr.Twin.past(tr.t, gone)); d != "" {
			tr.t.Fatal(d)
		}
	}
}

// comparedGone is how many of a writer's deleted documents are compared.
const comparedGone = 8

// created returns the status of a write that is done.
func created(o Op) int {
	switch {
	case o.Method == "POST" && o.Makes != "":
		return 201
	case o.Method == "DELETE" && !strings.HasPrefix(o.Path, plurals["file"]):
		return 204
	}
	return 200
}

// Finish requires that the twin, whose indexes have followed every write, shows the same
// after they have been read from its file, and logs the result of the trial.
func (tr *Trial) Finish() {
	tr.t.Helper()
	followed := tr.Twin.state(tr.t)
	tr.serving.Kill()
	tr.serveTwin()
	if d := tr.Twin.state(tr.t).difference(followed); d != "" {
		tr.t.Errorf("after a restart %s", d)
	}
	answers := map[int]int{}
	for _, w := range tr.writers {
		for status, n := range w.answers {
			answers[status] += n
		}
	}
	tr.t.Logf("answers by status (0: none): %v; in flight: %d whole, %d absent", answers, tr.whole, tr.absent)
	if done := answers[200] + answers[201] + answers[204]; done < 2*answers[400] || done < 10 {
		tr.t.Errorf("most writes were refused, which tries nothing")
	}
}

// Grow makes all writers write texts that are several times as long.
func (tr *Trial) Grow(bulk int) {
	for _, w := range tr.writers {
		w.bulk = bulk
	}
}

// Fill writes until there is no space left.
func (tr *Trial) Fill() {
	tr.t.Helper()
	before := tr.Refused()
	for tr.Refused() < before+5 {
		if tr.Endure(5); tr.t.Failed() {
			tr.t.FailNow()
		}
		tr.resolveFlights()
	}
}

// resolveFlights finds the outcome of writes that is unknown.
func (tr *Trial) resolveFlights() {
	for _, w := range tr.writers {
		if w.flight != nil {
			tr.Recover()
			return
		}
	}
}

// Clear deletes everything that all writers have created. Deleting needs some space too,
// which there is after a few deletes.
func (tr *Trial) Clear() {
	tr.t.Helper()
	done := 0
	for _, w := range tr.writers {
		for kind, names := range w.docs {
			for _, name := range append([]string(nil), names...) {
				o := Op{Method: "DELETE", Path: plurals[kind] + "/‹" + name + "›", Removes: name}
				if kind == "restaurant" {
					o.Path += "?locale=*"
				}
				if status, answer, err := tr.Main.Send(o); err == nil && status < 300 {
					tr.repeat(w, o, status, answer)
					done++
				} else if status != 507 {
					tr.t.Fatalf("%v: %d %s, %v", o, status, answer, err)
				}
			}
		}
	}
	if done == 0 {
		tr.t.Error("nothing can be deleted")
	}
	tr.Recover()
}
