package live_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"quire/content/event"
	"quire/server/live"
	"quire/store"
)

var tailSeed = flag.Uint64("tail-seed", 0, "`SEED` of TestReadersMissNothing, 0 for a new one")

// Readers that stall at random, beside commits of every size, restarts, and a log that is
// trimmed and begins again: what each of them reads is what was logged, in order, or else
// the stream says that the log has begun again.
func TestReadersMissNothing(t *testing.T) {
	seed := *tailSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-tail-seed %d", seed)
	l := &ledger{bench: newBench(t), Rand: rand.New(rand.NewPCG(seed, 0))}
	l.readFloor()
	subscriptions := []*live.Subscription{
		{Text: "all"}, {Text: "all"}, {Text: "all"}, {Text: "with entries", Entry: entryOf(300)},
		{Text: "some", Documents: map[string]bool{"document1": true, "document77": true}},
		{Text: "one", Documents: map[string]bool{"document3000": true}},
	}
	for _, q := range subscriptions {
		l.readers = append(l.readers, &reader{ledger: l, q: q})
	}
	for range 400 {
		r := l.readers[l.IntN(len(l.readers))]
		switch what := l.IntN(100); {
		case what < 50:
			l.write()
		case what < 90:
			r.read(l.IntN(12))
		case what < 94:
			r.read(1000) // until it has everything
		case what < 97:
			l.restart()
		case what < 98:
			l.trim()
		case what < 99:
			l.beginAgain()
		default:
			r.leave()
		}
	}
	for _, r := range l.readers {
		for r.isBehind() {
			r.read(1)
		}
		t.Logf("%s: %d events, %d resets", r.q.Text, r.events, r.resets)
	}
}

// A reader stalls after it was lent some commits of the tail. Meanwhile the hub forgets
// them.
func TestLentCommitsStay(t *testing.T) {
	b := newBench(t)
	l := b.listen(&live.Subscription{})
	ahead := b.listen(&live.Subscription{Text: "marks", Documents: map[string]bool{"mark": true}})
	mark := func() { // returns when the hub has read everything
		if b.change("mark"); !strings.Contains(ahead.next(), `"mark"`) {
			t.Fatal("the hub has ended")
		}
	}
	l.begins = make(chan struct{}, 1)
	b.change("first")
	<-l.begins
	want := []string{"first", "second", "third", "fourth", "mark"}
	for _, id := range want[1:4] {
		b.change(id)
	}
	mark()
	if got := l.next(); !strings.Contains(got, `"first"`) {
		t.Fatal(got)
	}
	<-l.begins // it sends the second
	many := make([]string, 9000)
	for i := range many {
		many[i] = fmt.Sprint("document", i)
	}
	for range 2 {
		b.change(many...)
	}
	mark()
	for _, id := range want[1:] {
		if got := l.next(); !strings.Contains(got, `"documentId":"`+id+`"`) {
			t.Fatalf("instead of %s it reads %.300s", id, got)
		}
	}
}

// ledger is the model: all that was ever logged, and from where on it can be read.
type ledger struct {
	*bench
	*rand.Rand
	logged   []event.Event
	floor    event.Position
	lastAnew uint64 // the last commit with which the log began again
	readers  []*reader
}

// write commits some changes: mostly a few, at times more than the hub keeps in memory.
func (l *ledger) write() {
	documents := make([]string, 1+l.IntN([]int{1, 3, 30, 500, 4000, 4000, 25000}[l.IntN(7)]))
	for i := range documents {
		documents[i] = fmt.Sprint("document", i)
	}
	revision := l.change(documents...)
	for i, id := range documents {
		e := event.Event{Position: event.Position{Revision: revision, Index: i + 1}, DocumentID: id}
		if i == len(documents)-1 {
			e.Position.Index = 0
		}
		l.logged = append(l.logged, e)
	}
}

// restart closes the data file and opens it again.
func (l *ledger) restart() {
	l.close()
	l.open()
	for _, r := range l.readers {
		if r.stream != nil {
			r.drain()
		}
	}
}

// trim removes the older half of the log.
func (l *ledger) trim() {
	if len(l.logged) == 0 {
		return
	}
	through := l.logged[len(l.logged)/2].Position.Revision
	check(l.t, l.DB.Update(func(tx *store.Tx) error {
		_, err := tx.TrimLog(through, 1<<20)
		return err
	}))
	l.readFloor()
}

func (l *ledger) readFloor() {
	check(l.t, l.DB.View(func(tx *store.Tx) (err error) {
		l.floor, err = event.Floor(tx)
		return err
	}))
}

// beginAgain makes the log begin again, as an import does.
func (l *ledger) beginAgain() {
	check(l.t, l.DB.Update(func(tx *store.Tx) error {
		l.lastAnew = tx.Revision()
		return tx.ResetLog()
	}))
	l.readFloor()
}

// reader is a client that resumes where its stream has ended.
type reader struct {
	*ledger
	q      *live.Subscription
	stream *listener
	leaves func()
	at     event.Position // up to here it knows everything
	known  int            // number of events in the ledger up to there

	events, resets int
}

// next returns the first event that the reader does not have; nil if it has all.
func (r *reader) next() *event.Event {
	for ; r.known < len(r.logged); r.known++ {
		e := &r.logged[r.known]
		if r.at.Before(e.Position) && (r.q.Documents == nil || r.q.Documents[e.DocumentID]) {
			return e
		}
	}
	return nil
}

// isBehind reports whether the stream has something to send: an event, or that the log has
// begun again.
func (r *reader) isBehind() bool {
	return r.next() != nil || r.stream != nil && r.at.Revision < r.lastAnew
}

// read reads at most so many parts.
func (r *reader) read(parts int) {
	for ; parts > 0 && r.isBehind(); parts-- {
		if r.stream == nil {
			r.enter()
			continue // it may have read the content, and so have everything
		}
		switch part := r.stream.next(); {
		case part == "":
			r.stream = nil
		case strings.HasPrefix(part, "event: reset\n"):
			r.reset(part)
		default:
			r.take(part)
		}
	}
}

// drain reads what is left of a stream that has ended.
func (r *reader) drain() {
	for part := r.stream.next(); part != ""; part = r.stream.next() {
		if strings.HasPrefix(part, "event: reset\n") {
			r.reset(part)
			return
		}
		r.take(part)
	}
	r.stream = nil
}

// leave disconnects the reader.
func (r *reader) leave() {
	if r.stream != nil {
		r.leaves()
		r.stream = nil
	}
}

// enter opens a stream from where the reader is. If the log does not reach back, the reader
// reads the content and listens from now on.
func (r *reader) enter() {
	from, resumed := r.at, true
	if err := r.CanSince(r.at); err != nil {
		if gone := new(event.GoneError); !errors.As(err, &gone) || !r.at.Before(r.floor) {
			r.t.Fatalf("%s: cannot resume at %s, the log begins at %s: %v", r.q.Text, r.at, r.floor, err)
		}
		from, resumed = r.Now(), false
	}
	r.stream = &listener{t: r.t, parts: make(chan string), closed: make(chan struct{})}
	r.leaves = r.Add(r.q, r.who, r.Rights(), from, r.stream)
	hello := r.stream.next()
	_, id, _ := strings.Cut(hello, "\nid: ")
	if at := r.position(strings.TrimSpace(id)); !resumed {
		r.at = at
		r.resets++
	} else if at != r.at {
		r.t.Fatalf("%s: resumes at %s and begins at %s", r.q.Text, r.at, at)
	}
}

func (r *reader) position(text string) event.Position {
	p, err := event.ParsePosition(text)
	check(r.t, err)
	return p
}

// take compares a part with what was logged.
func (r *reader) take(part string) {
	for message := range strings.SplitSeq(strings.TrimSuffix(part, "\n\n"), "\n\n") {
		id, data, _ := strings.Cut(message[strings.Index(message, "id: ")+4:], "\n")
		want := r.next()
		if want == nil || id != want.Position.String() || !strings.Contains(data, `"documentId":"`+want.DocumentID+`"`) {
			r.t.Fatalf("%s: after %s it reads %q, and not %+v", r.q.Text, r.at, message, want)
		}
		r.at = want.Position
		r.events++
	}
}

// reset reads that the log has begun again, which must be true. It may have begun once more
// since then; then the reader finds out when it resumes.
func (r *reader) reset(part string) {
	_, id, _ := strings.Cut(strings.TrimSpace(part), "\nid: ")
	at := r.position(id)
	if !r.at.Before(r.floor) || at.Before(r.at) {
		r.t.Fatalf("%s: is reset from %s to %s, the log begins at %s", r.q.Text, r.at, at, r.floor)
	}
	if r.stream.next() != "" {
		r.t.Fatalf("%s: the stream goes on after a reset", r.q.Text)
	}
	r.at, r.stream = at, nil
	r.resets++
}
