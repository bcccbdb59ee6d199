package history

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
	"quire/store"
)

var kept = settings.History{Versions: 1000, Age: 90 * 24 * time.Hour}

// notebook is a data file and the one entry that a test writes to it.
type notebook struct {
	*testing.T
	db     *store.DB
	now    *store.Entry
	write  uint64
	limits settings.History
	states []*store.Entry // all that were replaced
}

const uid = "api::note.note"

func open(t *testing.T) *notebook {
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	return &notebook{T: t, db: db, limits: kept}
}

var noteKey = store.Key{DocumentID: "a", Locale: "en", Status: store.Draft}

// set writes the entry, or removes it when there are no fields.
func (n *notebook) set(fields store.Fields) {
	n.Helper()
	n.write++
	var after *store.Entry
	if fields != nil {
		after = &store.Entry{ID: 7, DocumentID: noteKey.DocumentID, Locale: "en", Status: store.Draft, CreatedAt: 1, UpdatedAt: int64(n.write), Fields: fields}
		after.Stamp = store.Stamp{Version: n.write, Action: store.ActionUpdate, UpdatedBy: "user:ada"}
	}
	err := n.db.Update(func(tx *store.Tx) error {
		c := store.Change{Type: uid, Before: n.now, After: after}
		if err := tx.Apply(c); err != nil {
			return err
		}
		return Keep(tx, c, End{Version: n.write, At: int64(n.write), Action: store.ActionUpdate, By: "token:3"}, n.limits)
	})
	check(n, err)
	if n.now != nil {
		n.states = append(n.states, n.now)
	}
	n.now = after
}

// move writes the entry as it is.
func (n *notebook) move() {
	n.Helper()
	moved := *n.now
	n.write++
	moved.Stamp.Version = n.write
	c := store.Change{Type: uid, Before: n.now, After: &moved}
	n.update(func(tx *store.Tx) error {
		if err := tx.Apply(c); err != nil {
			return err
		}
		return Keep(tx, c, End{Version: n.write, At: int64(n.write)}, n.limits)
	})
	n.now = &moved
}

func (n *notebook) read(revision uint64) (e *store.Entry, err error) {
	_ = n.db.View(func(tx *store.Tx) error {
		e, err = Read(tx, uid, noteKey, revision, func() error { return nil })
		return nil
	})
	return e, err
}

// versions lists the versions of the entry.
func (n *notebook) versions() (all []Version) {
	n.Helper()
	check(n, n.db.View(func(tx *store.Tx) (err error) {
		all, err = Versions(tx, uid, noteKey.DocumentID)
		return err
	}))
	return all
}

// size is how many bytes the history takes.
func (n *notebook) size() (bytes, values int) {
	_ = n.db.View(func(tx *store.Tx) error {
		for _, in := range []store.History{store.Removed, store.Replaced} {
			_ = each(tx, in, nil, nil, whole, func(one storedValue) error {
				bytes += len(one.key) + len(one.value)
				values++
				return nil
			})
		}
		return nil
	})
	return bytes, values
}

func text(s string) store.Fields { return store.Fields{{Name: "text", Value: store.TextValue(s)}} }

func prose(r *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%x ", r.Uint64()>>r.IntN(60))
	}
	return b.String()
}

// Every state that an entry has had can be read as it was.
func TestEveryStateCanBeRead(t *testing.T) {
	n := open(t)
	r := rand.New(rand.NewPCG(1, 2))
	body := prose(r, 30_000)
	for i := range 200 {
		at, to := r.IntN(len(body)), r.IntN(len(body))
		switch i % 5 {
		case 0:
			body = body[:at] + "X" + body[at:]
		case 1:
			body = body[:at] + body[min(at+r.IntN(500), len(body)):]
		case 2:
			body = body[min(at, to):] + body[:min(at, to)]
		case 3:
			body = body[:at] + prose(r, 300) + body[at:]
		case 4:
			if r.IntN(4) == 0 {
				n.set(nil)
			}
		}
		n.set(store.Fields{{Name: "n", Value: store.Value{Kind: store.Int, Num: int64(i)}}, {Name: "text", Value: store.TextValue(body)}})
	}
	for _, want := range n.states {
		got, err := n.read(want.Stamp.Version)
		if err != nil || got == nil || !got.Fields.Equal(want.Fields) || got.Stamp != want.Stamp || got.ID != want.ID || got.UpdatedAt != want.UpdatedAt {
			t.Fatalf("revision %d: %v", want.Stamp.Version, err)
		}
	}
	if e, err := n.read(n.write + 1); e != nil || err != nil {
		t.Errorf("a revision that is still to come: %v, %v", e, err)
	}
}

// A hundred small edits of a document of 20 KB take little.
func TestAHundredSmallEdits(t *testing.T) {
	n := open(t)
	r := rand.New(rand.NewPCG(3, 4))
	body := []byte(prose(r, 20_000))
	n.set(text(string(body)))
	for range 100 {
		copy(body[r.IntN(len(body)-10):], "new words")
		n.set(text(string(body)))
	}
	bytes, values := n.size()
	t.Logf("%d bytes for each of %d", bytes/values, values)
	if values != 100 || bytes/values > 200 {
		t.Errorf("%d edits take %d bytes each", values, bytes/values)
	}
}

// There are never more versions than the site says, nor older ones, and those that are
// left can be read.
func TestWritesPrune(t *testing.T) {
	n := open(t)
	n.limits.Versions = 5
	for i := range 20 {
		n.set(text(fmt.Sprint("state ", i)))
	}
	if _, values := n.size(); values < 5 || values > 7 {
		t.Errorf("%d versions are kept", values)
	}
	n.limits.Age = 3 * time.Millisecond
	for i := range 5 {
		n.set(text(fmt.Sprint("later ", i)))
	}
	if _, values := n.size(); values > 7 || values < 3 {
		t.Errorf("%d versions are kept of the last moments", values)
	}
	for i, want := range n.states {
		got, err := n.read(want.Stamp.Version)
		if left := i >= len(n.states)-3; err != nil || left != (got != nil) && left {
			t.Errorf("state %d: %v, %v", i, got, err)
		}
	}
}

// A write that leaves no trace but a version keeps nothing, and what was kept before can
// still be read.
func TestOnlyTheVersionMoves(t *testing.T) {
	n := open(t)
	n.set(text("one"))
	n.set(text("two"))
	n.move()
	versions := n.versions()
	if len(versions) != 2 || versions[0].Revision() != 1 || versions[1].Since != 2 || versions[1].Revision() != 3 {
		t.Errorf("%+v", versions)
	}
	if e, err := n.read(1); err != nil || e.Value("text").Text != "one" {
		t.Errorf("%v, %v", e, err)
	}
}

// A version is never made of what it does not belong to.
func TestForeignWritesAreNoticed(t *testing.T) {
	n := open(t)
	n.set(text("one"))
	n.set(text("two"))
	other := *n.now
	other.Fields = text("written by somebody who keeps nothing")
	check(t, n.db.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: uid, Before: n.now, After: &other}) }))
	if e, err := n.read(1); e != nil || err == nil {
		t.Errorf("revision 1 is %v, %v", e, err)
	}
	n.now = &other
	n.set(nil)
	if e, err := n.read(2); err != nil || e == nil || !e.Fields.Equal(other.Fields) {
		t.Errorf("what was removed whole is %v, %v", e, err)
	}
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte("the quick brown fox jumps over the lazy dog, and then over the fence and the moon"), []byte("over the fence and the moon, the quick brown fox jumps over the lazy dog, and back"), []byte{3, 0})
	f.Add([]byte{}, []byte("x"), []byte{2, 'x'})
	f.Add(bytes.Repeat([]byte{0}, 300), bytes.Repeat([]byte{0}, 299), []byte{255, 255, 255, 255, 15, 1})
	f.Fuzz(func(t *testing.T, from, to, difference []byte) {
		d := delta(nil, from, to)
		if back, err := patch(from, d, len(to)); err != nil || !bytes.Equal(back, to) {
			t.Fatalf("%q from %q by %x: %q, %v", to, from, d, back, err)
		}
		if len(d) > len(to)+20 {
			t.Errorf("the difference has %d bytes, the text %d", len(d), len(to))
		}
		if made, err := patch(from, difference, 1000); err == nil && len(made) != 1000 {
			t.Errorf("%d bytes instead of 1000", len(made))
		}
	})
}

func FuzzRecord(f *testing.F) {
	r := record{Version: Version{Key: noteKey, ID: 7, Stamp: store.Stamp{Version: 3, UpdatedBy: "user:ada"}, End: End{Version: 4, At: 5, By: "token:3"}}, size: 5000, body: bytes.Repeat([]byte("abc"), 2000)}
	p := r.place(nameOf(uid, r.Key))
	f.Add(p.key, r.encode(p))
	r.body, r.End.Removed = []byte{0x80}, true
	p = r.place(nameOf(uid, r.Key))
	f.Add(p.key, r.encode(p))
	f.Add(p.key, []byte{1})
	f.Add([]byte{0, 0}, []byte{})
	f.Fuzz(func(t *testing.T, key, value []byte) {
		for _, in := range []store.History{store.Removed, store.Replaced} {
			p := VersionKey{in, key}
			if len(value) >= headEnd {
				sum := checksum(p, value)
				value = bytes.Clone(value)
				copy(value[sumAt:flagsAt], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
			}
			w := wayBack{fields: []byte{0x80}}
			if r := w.step(storedValue{p, value}); r != nil && w.broken == nil {
				_, _ = r.entry(w.fields, nil)
			}
		}
	})
}

// What a document was is all of one moment: who reads it while it is removed, and made
// again, sees it before or after that, and never that there is none.
func TestVersionsOfOneMoment(t *testing.T) {
	n := open(t)
	n.set(text("first"))
	for _, next := range []store.Fields{nil, text("second")} {
		was := n.now
		check(t, n.db.View(func(tx *store.Tx) error {
			written := make(chan struct{})
			go func() { defer close(written); n.set(next) }()
			<-written
			all, err := Versions(tx, uid, noteKey.DocumentID)
			if err != nil {
				return err
			}
			if len(all) != 1 || all[0].Current() != (was != nil) {
				t.Errorf("before the write that comes meanwhile, the versions are %+v", all)
			}
			id, err := LastDocument(tx, uid)
			if id != noteKey.DocumentID {
				t.Errorf("the last document is %q", id)
			}
			return err
		}))
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
