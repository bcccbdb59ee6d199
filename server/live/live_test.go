package live_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth"
	"quire/content/event"
	"quire/index"
	"quire/query"
	"quire/schema"
	"quire/server/live"
	"quire/store"
)

const dish = "api::dish.dish"

// bench is a hub with a caller who may see everything.
type bench struct {
	*live.Hub
	t     *testing.T
	path  string // of the data file
	token string
	who   live.Listener
	close func()
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, path: filepath.Join(t.TempDir(), "quire.db")}
	b.open()
	t.Cleanup(func() { b.close() })
	return b
}

// open opens the data file, as a start of the program does.
func (b *bench) open() {
	t := b.t
	t.Helper()
	site, err := schema.Load(os.DirFS("../../testdata/site"))
	check(t, err)
	db, err := store.Open(b.path, store.Options{Hasty: true})
	check(t, err)
	keys, err := auth.Open(db, site, auth.Options{})
	check(t, err)
	if b.token == "" {
		b.token, err = keys.CreateToken(t.Context(), auth.TokenSpec{Name: "full", Kind: auth.FullAccess})
		check(t, err)
		check(t, db.Update(func(tx *store.Tx) error { // the log begins
			return event.Append(tx, time.UnixMilli(1), []event.Event{{Type: dish, DocumentID: "old", Status: store.Published, Action: store.ActionCreate}})
		}))
	}
	identify := func() (auth.Identity, error) { return keys.Authenticate(b.token, nil) }
	b.who.Identify = identify
	b.who.Identity, err = identify()
	check(t, err)
	var x *index.Index
	check(t, db.View(func(tx *store.Tx) (err error) {
		x, err = index.Build(site, tx)
		return err
	}))
	b.Hub, err = live.New(live.Config{
		Site: site, DB: db, Index: x, Log: slog.New(slog.DiscardHandler),
		Decides: auth.Decides, Expired: keys.Expired,
		Actor: func(dst []byte, _ *auth.Caller, _ store.Actor) []byte { return append(dst, "null"...) },
		Sent:  func(int) {},
	})
	check(t, err)
	b.close = func() {
		b.Hub.Close()
		check(t, keys.Close(context.Background()))
		check(t, db.Close())
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// change commits updates of these documents.
func (b *bench) change(documents ...string) (revision uint64) {
	b.t.Helper()
	check(b.t, b.DB.Update(func(tx *store.Tx) error {
		revision = tx.Revision()
		var list []event.Event
		for _, id := range documents {
			list = append(list, event.Event{Type: dish, DocumentID: id, Status: store.Published, Action: store.ActionUpdate})
		}
		return event.Append(tx, time.UnixMilli(1), list)
	}))
	return revision
}

// listener receives a stream, one part after the other.
type listener struct {
	t      *testing.T
	parts  chan string
	begins chan struct{} // if not nil, receives a value when a part is about to be sent
	closed chan struct{}
	once   sync.Once
}

func (b *bench) listen(q *live.Subscription) *listener {
	l := &listener{t: b.t, parts: make(chan string), closed: make(chan struct{})}
	b.t.Cleanup(b.Add(q, b.who, b.Rights(), b.Now(), l))
	if first := l.next(); !strings.HasPrefix(first, ": hello\n") {
		b.t.Fatalf("it begins with %q", first)
	}
	return l
}

func (l *listener) Send(part []byte) error {
	select {
	case l.begins <- struct{}{}:
	default:
	}
	select {
	case l.parts <- string(part):
		return nil
	case <-l.closed:
		return errors.New("closed")
	}
}

func (l *listener) Close() { l.once.Do(func() { close(l.closed) }) }

func (l *listener) Settled() {}

// next returns the next part; empty at the end of the stream.
func (l *listener) next() string {
	for {
		select {
		case part := <-l.parts:
			if !strings.HasPrefix(part, ":\nid: ") { // a sign of life
				return part
			}
		case <-l.closed:
			return ""
		}
	}
}

// A panic in a stream ends only that stream, and affects no others.
func TestAPanicEndsOneStream(t *testing.T) {
	b := newBench(t)
	sound := b.listen(&live.Subscription{Text: "sound", Entry: entryOf(1)})
	for i := range 100 {
		faulty := b.listen(&live.Subscription{Text: "faulty", Entry: func(query.Host, *index.Snapshot, *event.Event, []byte) ([]byte, bool, error) {
			panic("fault")
		}})
		b.change(fmt.Sprint("document", i))
		if got := faulty.next(); got != "" {
			t.Fatal("it goes on:", got)
		}
		if got := sound.next(); !strings.Contains(got, `"entry":"x"`) {
			t.Fatal("another one hears", got)
		}
	}
}

// entryOf returns entries of that many bytes.
func entryOf(bytes int) func(query.Host, *index.Snapshot, *event.Event, []byte) ([]byte, bool, error) {
	return func(_ query.Host, _ *index.Snapshot, _ *event.Event, dst []byte) ([]byte, bool, error) {
		return append(append(append(dst, '"'), strings.Repeat("x", bytes)...), '"'), true, nil
	}
}

// The memory of entries that have been sent is free for others. An entry that is too long
// is left out.
func TestEntriesThatWereSentMakePlace(t *testing.T) {
	b := newBench(t)
	for i := range 200 {
		id := fmt.Sprint("document", i)
		l := b.listen(&live.Subscription{Text: id, Documents: map[string]bool{id: true}, Entry: entryOf(1<<20 - 100)})
		b.change(id)
		if got := l.next(); strings.Contains(got, "entryOmitted") || len(got) < 1<<20-100 {
			t.Fatalf("of the stream %d: %.300s", i, got)
		}
	}
	long := b.listen(&live.Subscription{Text: "long", Entry: entryOf(1 << 20)})
	b.change("long")
	if got := long.next(); !strings.Contains(got, `"entry":null,"entryOmitted":true}`) {
		t.Fatalf("%.300s", got)
	}
}

// A client that has fallen behind the commits in memory gets the rest from the file, in
// parts of limited size. If the log was trimmed meanwhile, the stream says that the log
// begins anew.
func TestFarBehind(t *testing.T) {
	for name, trimmed := range map[string]bool{"kept": false, "trimmed": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			l := b.listen(&live.Subscription{})
			l.begins = make(chan struct{}, 1)
			b.change("first")
			<-l.begins // with only the first change, so that the others come after it has fallen behind
			ahead := b.listen(&live.Subscription{Text: "last", Documents: map[string]bool{"last": true}})
			many := make([]string, 2000)
			for i := range many {
				many[i] = fmt.Sprint("document", i)
			}
			var want []string
			for range 10 {
				revision := b.change(many...)
				for i := range many[1:] {
					want = append(want, fmt.Sprint("id: ", revision, ".", i+1))
				}
				want = append(want, fmt.Sprint("id: ", revision))
			}
			last := b.change("last")
			if got := ahead.next(); !strings.Contains(got, fmt.Sprint("id: ", last, "\n")) {
				t.Fatal(got) // the hub has read everything
			}
			if trimmed {
				check(t, b.DB.Update(func(tx *store.Tx) error { _, err := tx.TrimLog(last-1, 100); return err }))
			}
			if got := l.next(); !strings.Contains(got, `"first"`) {
				t.Fatal(got)
			}
			if trimmed {
				if got := l.next(); !strings.HasPrefix(got, "event: reset\n") || l.next() != "" {
					t.Fatal(got)
				}
				return
			}
			for len(want) > 0 {
				part := l.next()
				if part == "" || len(part) > 65<<10 {
					t.Fatalf("a part of %d bytes", len(part))
				}
				for line := range strings.Lines(part) {
					if strings.HasPrefix(line, "id: ") {
						if line != want[0]+"\n" {
							t.Fatalf("%q instead of %q", line, want[0])
						}
						want = want[1:]
					}
				}
			}
			if got := l.next(); !strings.Contains(got, `"last"`) {
				t.Error(got)
			}
		})
	}
}

// A stream with nothing to send gives its client a new position from time to time, after
// changes that it may not see.
func TestHeartbeats(t *testing.T) {
	b, begun := newBench(t), time.Now()
	l := b.listen(&live.Subscription{Text: "one", Documents: map[string]bool{"one": true}})
	others := b.listen(&live.Subscription{Text: "other", Documents: map[string]bool{"other": true}})
	want := fmt.Sprint(":\nid: ", b.change("other"), "\n\n")
	if got := others.next(); !strings.Contains(got, `"other"`) {
		t.Fatal(got)
	}
	for got := ""; got != want; {
		b.Beat(time.Now().Add(16 * time.Second)) // for the streams that are idle now
		select {
		case got = <-l.parts:
			if !strings.HasPrefix(got, ":\nid: ") {
				t.Fatal(got)
			}
		case <-others.parts:
		case <-l.closed:
			t.Fatal("it has ended")
		default:
			runtime.Gosched()
		}
	}
	b.Beat(begun.Add(14 * time.Second)) // too early
	b.change("one")
	if got := <-l.parts; !strings.Contains(got, `"one"`) {
		t.Error(got)
	}
}

// However many accounts have a document open, an event names a few.
func TestMostPeople(t *testing.T) {
	b := newBench(t)
	var last *listener
	for i := range live.MostPeople + 3 {
		name := fmt.Sprint("stream", i)
		b.who.Present = &live.Present{Stream: name, Account: name, Name: name, UID: dish, DocumentID: "soup", Since: time.Unix(int64(i), 0)}
		last = &listener{t: t, parts: make(chan string, 1000), closed: make(chan struct{})}
		t.Cleanup(b.Add(&live.Subscription{}, b.who, b.Rights(), b.Now(), last))
	}
	first := last.next()
	if !strings.Contains(first, "event: stream\ndata: {\"stream\":\"stream52\"}\n\n") {
		t.Errorf("it begins with %q", first)
	}
	people := last.next()
	if n := strings.Count(people, `"account"`); n != live.MostPeople || !strings.HasPrefix(people, "event: presence\n") || !strings.Contains(people, `"stream0"`) {
		t.Errorf("%d people in %q", n, people)
	}
	if !b.SetEditing("stream52", "stream52", []string{"name"}) || b.SetEditing("stream52", "stream1", nil) || b.SetEditing("none", "stream1", nil) {
		t.Error("the wrong streams are found")
	}
}
