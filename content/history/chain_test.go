package history

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// update runs fn in a transaction.
func (n *notebook) update(fn func(tx *store.Tx) error) {
	n.Helper()
	check(n, n.db.Update(fn))
}

// check returns what is wrong with the history.
func (n *notebook) check() (lost []Unreadable) {
	n.Helper()
	check(n, n.db.View(func(tx *store.Tx) (err error) {
		lost, err = Check(context.Background(), tx)
		return err
	}))
	return lost
}

// revisions are those of the versions of the entry, without the current one.
func (n *notebook) revisions() (all []uint64) {
	n.Helper()
	for _, v := range n.versions() {
		if !v.Current() {
			all = append(all, v.Revision())
		}
	}
	return all
}

// readable demands that the versions are there, and as they were.
func (n *notebook) readable(revisions ...uint64) {
	n.Helper()
	if got := n.revisions(); !slices.Equal(got, revisions) {
		n.Errorf("the revisions %d are kept, want %d", got, revisions)
	}
	for _, revision := range revisions {
		want := n.states[slices.IndexFunc(n.states, func(e *store.Entry) bool { return e.Stamp.Version == revision })]
		if e, err := n.read(revision); err != nil || e == nil || !e.Fields.Equal(want.Fields) {
			n.Errorf("revision %d: %v, %v", revision, e, err)
		}
	}
	if lost := n.check(); len(lost) > 0 {
		n.Errorf("%d versions cannot be read, the first: %v", len(lost), lost[0].Err)
	}
}

// The versions of an entry that is removed and made again are one list.
func TestRemovedAndMadeAgain(t *testing.T) {
	n := open(t)
	for i := range 3 {
		n.set(text(fmt.Sprint("life ", i, " begins")))
		n.set(text(fmt.Sprint("life ", i, " ends")))
		n.set(nil)
	}
	n.readable(1, 2, 4, 5, 7, 8)
	check(t, n.db.View(func(tx *store.Tx) error {
		id, err := LastDocument(tx, uid)
		if id != noteKey.DocumentID {
			t.Errorf("the last document is %q", id)
		}
		return err
	}))
	n.set(text("now"))
	n.readable(1, 2, 4, 5, 7, 8)
	for at, more := (VersionKey{}), true; more; more = !at.IsZero() {
		n.update(func(tx *store.Tx) (err error) {
			at, err = ForgetType(tx, uid, at, 2)
			return err
		})
	}
	if _, values := n.size(); values != 0 {
		t.Errorf("%d values are left", values)
	}
}

// A Rewrite that changes, removes and makes an entry again leaves what was before it.
func TestOneRewriteChangesTwice(t *testing.T) {
	n := open(t)
	n.set(text("first"))
	n.set(text("second"))
	site := &schema.Site{}
	site.Settings.History = n.limits
	n.write++
	r := NewRewrite(site, n.write, store.ActionImport, "import")
	apply := func(fields store.Fields) {
		var after *store.Entry
		if fields != nil {
			after = &store.Entry{ID: 7, DocumentID: noteKey.DocumentID, Locale: "en", Status: store.Draft, UpdatedAt: int64(n.write), Fields: fields}
		}
		c := r.Stamp(store.Change{Type: uid, Before: n.now, After: after})
		n.update(func(tx *store.Tx) error { return r.Apply(tx, c) })
		n.now = c.After
	}
	n.states = append(n.states, n.now)
	apply(text("third, for now"))
	n.readable(1, 2)
	apply(text("third"))
	n.readable(1, 2)
	apply(nil)
	n.readable(1, 2)
	apply(text("made again"))
	n.readable(1, 2)
	n.set(text("fourth"))
	n.readable(1, 2, 3)
}

// A walk over the history removes what is too old or too much, and what it leaves hangs
// together.
func TestExpired(t *testing.T) {
	n := open(t)
	for i := range 40 {
		if i == 20 {
			n.set(nil)
		}
		n.set(text(fmt.Sprint("state ", i)))
	}
	sweep := func(limits settings.History, now int64, step int) {
		for at, first := (VersionKey{}), true; first || !at.IsZero(); first = false {
			n.update(func(tx *store.Tx) error {
				found, next, err := Expired(tx, at, limits, now, step)
				at = next
				if err == nil {
					err = Remove(tx, found)
				}
				return err
			})
		}
	}
	sweep(settings.History{Versions: 30, Age: time.Hour}, 41, 7)
	if got := n.revisions(); len(got) != 30 || got[0] != 10 {
		t.Errorf("the revisions %d are kept", got)
	}
	n.readable(n.revisions()...)
	sweep(settings.History{Versions: 30, Age: 10 * time.Millisecond}, 42, 7)
	if got := n.revisions(); len(got) != 10 || got[0] != 31 {
		t.Errorf("the revisions %d are kept", got)
	}
	n.readable(n.revisions()...)
	sweep(settings.History{}, 42, 7)
	if _, values := n.size(); values != 0 {
		t.Errorf("%d values are left", values)
	}
}

// Writes keep what is kept below one and a half times what the site says, where it said
// more before too.
func TestWritesBoundTheirHistory(t *testing.T) {
	n := open(t)
	n.limits.Versions = 40
	for i := range 120 {
		if i == 90 {
			n.limits.Versions = 10
		}
		n.set(text(fmt.Sprint("state ", i)))
		if got := len(n.revisions()); i < 90 && got > 60 || i > 110 && got > 15 {
			t.Fatalf("%d versions are kept after %d writes", got, i)
		}
	}
	n.readable(n.revisions()...)
}

// What is damaged is found, with all that cannot be read without it, and can be removed.
func TestCheckFindsDamage(t *testing.T) {
	middle := func(tx *store.Tx) storedValue {
		c := chainOf(tx, uid, noteKey, 6, whole)
		c.next()
		one, _ := c.next() // what revision 4 was
		return one
	}
	for name, damage := range map[string]func(tx *store.Tx) error{
		"a byte": func(tx *store.Tx) error {
			one := middle(tx)
			one.value[len(one.value)-1]++
			return tx.PutHistory(one.in, one.key, one.value)
		},
		"a value that is gone": func(tx *store.Tx) error {
			one := middle(tx)
			return tx.DeleteHistory(one.in, one.key)
		},
		"a value cut off": func(tx *store.Tx) error {
			one := middle(tx)
			return tx.PutHistory(one.in, one.key, one.value[:5])
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := open(t)
			for i := range 6 {
				n.set(text(fmt.Sprint("state ", i)))
			}
			n.readable(1, 2, 3, 4, 5)
			n.update(damage)
			lost := n.check()
			if len(lost) < 3 {
				t.Fatalf("%d versions are found", len(lost))
			}
			for _, revision := range []uint64{1, 2, 3, 4} {
				if e, err := n.read(revision); e != nil {
					t.Errorf("revision %d is %v, %v", revision, e, err)
				}
			}
			n.update(func(tx *store.Tx) error {
				places := make([]VersionKey, len(lost))
				for i, one := range lost {
					places[i] = one.VersionKey
				}
				return Remove(tx, places)
			})
			n.readable(5)
		})
	}
}

// Types whose content is cleared lose their history, and others keep theirs.
func TestClear(t *testing.T) {
	n := open(t)
	for i := range 4 {
		n.set(text(fmt.Sprint("state ", i)))
		n.set(nil)
	}
	clear := func(of string) {
		n.update(func(tx *store.Tx) error { return Clear(tx, func(uid string) bool { return uid == of }) })
	}
	clear("api::other.other")
	n.readable(1, 3, 5, 7)
	clear(uid)
	if _, values := n.size(); values != 0 {
		t.Errorf("%d values are left", values)
	}
}

// Where the history is switched off and on again while a walk removes what was kept,
// nothing of what is left is lost.
func TestSwitchedOnWithinAWalk(t *testing.T) {
	for steps := range 8 {
		n := open(t)
		for i := range 3 {
			n.set(text(fmt.Sprint("first ", i)))
		}
		n.set(nil)
		for i := range 3 {
			n.set(text(fmt.Sprint("second ", i)))
		}
		var at VersionKey
		for range steps {
			n.update(func(tx *store.Tx) error {
				found, next, err := Expired(tx, at, settings.History{}, 10, 1)
				at = next
				if err == nil {
					err = Remove(tx, found)
				}
				return err
			})
		}
		n.set(text("third"))
		n.readable(n.revisions()...)
	}
}

// However often the revision of an entry moves and nothing else, what was kept of it can
// be read, and grows by one value at most.
func TestRevisionsThatMoveTakeNoRoom(t *testing.T) {
	n := open(t)
	n.set(text("one"))
	n.set(text("two"))
	for range 50 {
		n.move()
	}
	n.readable(1)
	if _, values := n.size(); values != 2 {
		t.Errorf("%d values", values)
	}
	n.set(text("three"))
	n.readable(1, 52)
	n.set(nil)
	n.set(text("four"))
	n.move()
	n.readable(1, 52, 53)
	if _, values := n.size(); values != 4 {
		t.Errorf("%d values", values)
	}
}

// A Rewrite may leave an entry as it is at first, and change it then.
func TestOneRewriteMovesAndChanges(t *testing.T) {
	n := open(t)
	n.limits = kept
	site := &schema.Site{}
	site.Settings.History = kept
	for i, texts := range [][]string{{"one"}, {"one", "two"}, {"two", "three"}} {
		r := NewRewrite(site, uint64(i+1), store.ActionImport, "import")
		if n.now != nil {
			n.states = append(n.states, n.now)
		}
		for _, s := range texts {
			after := &store.Entry{ID: 7, DocumentID: noteKey.DocumentID, Locale: "en", Status: store.Draft, UpdatedAt: 1, Fields: text(s)}
			c := r.Stamp(store.Change{Type: uid, Before: n.now, After: after})
			n.update(func(tx *store.Tx) error { return r.Apply(tx, c) })
			n.now = c.After
		}
	}
	n.readable(1, 2)
}
