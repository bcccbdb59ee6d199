package content_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"quire/content"
	"quire/content/contenttest"
	"quire/content/history"
	"quire/index"
	"quire/schema/settings"
	"quire/store"
)

// archivist keeps every version whole, as the commits report it, and compares the history
// with them.
type archivist struct {
	*contenttest.Gambler
	names []store.Name
	lives map[store.Name]*life

	rewriting uint64 // the revision that the current rewrite assigns

	mu    sync.Mutex
	clock time.Time
}

// life is the current state and the former states of an entry.
type life struct {
	now   *store.Entry
	since uint64 // when now began
	past  []*past
}

// past is a replaced version.
type past struct {
	entry   *store.Entry
	since   uint64
	ended   int64 // latest possible time of its end
	removed bool
	moved   bool // whether the next version differed only in its revision
	due     bool // whether it may have been removed
}

func newArchivist(t *testing.T, seed uint64) *archivist {
	a := &archivist{lives: map[store.Name]*life{}, clock: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)}
	site := contenttest.Guide(t)
	site.Settings.History = settings.History{Versions: 4, Age: time.Hour}
	f := contenttest.NewWith(t, site, content.WriterOptions{Now: a.tick})
	a.Gambler = &contenttest.Gambler{Fixture: f, Rand: rand.New(rand.NewPCG(seed, 1))}
	f.DB.Subscribe(a.hear)
	return a
}

// tick is the clock of the writer.
func (a *archivist) tick() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock = a.clock.Add(time.Second)
	return a.clock
}

func (a *archivist) now() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.clock.UnixMilli()
}

// hear records the changes of a commit.
func (a *archivist) hear(c store.Commit) {
	for _, change := range c.Changes {
		if t := a.Site.Type(change.Type); t == nil || t.BuiltIn {
			continue
		}
		name := change.Name()
		l := a.lives[name]
		if l == nil {
			l = &life{}
			a.lives[name], a.names = l, append(a.names, name)
		}
		if rewritten := change.Before != nil && change.Before.Stamp.Version == a.rewriting; rewritten {
			l.changeAgain(change.After)
		} else {
			l.change(change.Before, change.After, a.now(), a.rewriting != 0)
		}
		a.age(l)
	}
}

// change records one change of an entry, at the latest at that time.
func (l *life) change(before, after *store.Entry, at int64, rewritten bool) {
	l.now = after
	switch {
	case before == nil:
		l.since = after.Stamp.Version
	case after == nil:
		l.past = append(l.past, &past{entry: before, since: l.since, ended: at, removed: true})
	case before.Stamp == after.Stamp: // the version continues in its new state
	default:
		one := &past{entry: before, since: l.since, ended: at, moved: !rewritten && looksLike(before, after)}
		if l.past = append(l.past, one); !one.moved {
			l.since = after.Stamp.Version
		}
	}
}

// changeAgain records a change by the rewrite that has made the changed version.
func (l *life) changeAgain(after *store.Entry) {
	if l.now = after; after == nil && len(l.past) > 0 {
		l.past[len(l.past)-1].removed = true
	}
}

// looksLike reports whether two versions differ only in their revisions.
func looksLike(a, b *store.Entry) bool {
	moved := *a
	moved.Stamp.Version = b.Stamp.Version
	return a.ID == b.ID && moved.Stamp == b.Stamp && a.UpdatedAt == b.UpdatedAt && a.PublishedAt == b.PublishedAt && a.Fields.Equal(b.Fields)
}

// age marks the versions of an entry that need not be kept.
func (a *archivist) age(l *life) {
	limits := a.Site.Settings.History
	horizon, after := a.now()-limits.Age.Milliseconds(), 0
	for _, one := range slices.Backward(l.past) {
		if !one.moved {
			after++
		}
		one.due = one.due || limits.Off() || after > limits.Versions || one.ended-int64(time.Minute/time.Millisecond) < horizon
	}
}

// walk prunes the history, a few versions at a time, and calls between after each step.
func (a *archivist) walk(most int, between func()) {
	a.Helper()
	for at, first := (history.VersionKey{}), true; first || !at.IsZero(); first = false {
		var found []history.VersionKey
		err := a.DB.View(func(tx *store.Tx) (err error) {
			found, at, err = history.Expired(tx, at, a.Site.Settings.History, a.now(), most)
			return err
		})
		for _, l := range a.lives {
			a.age(l)
		}
		between()
		if err == nil {
			err = a.Writer.Record(context.Background(), func(tx *store.Tx) error { return history.Remove(tx, found) })
		}
		if err != nil {
			a.Fatal(err)
		}
	}
}

// compare requires that all kept versions are correct, and that only due ones are missing.
func (a *archivist) compare() {
	a.Helper()
	err := a.DB.View(func(tx *store.Tx) error {
		for _, name := range a.names {
			l := a.lives[name]
			if l.now == nil && len(l.past) == 0 {
				continue
			}
			all, err := history.Versions(tx, name.Type, name.Key.DocumentID)
			if err != nil {
				return err
			}
			all = slices.DeleteFunc(all, func(v history.Version) bool { return v.Key != name.Key })
			a.compareOne(tx, name, l, all)
		}
		lost, err := history.Check(context.Background(), tx)
		for _, one := range lost {
			a.Error(one.Err)
		}
		return err
	})
	if err != nil {
		a.Fatal(err)
	}
}

func (a *archivist) compareOne(tx *store.Tx, name store.Name, l *life, all []history.Version) {
	a.Helper()
	if current := len(all) > 0 && all[len(all)-1].Current(); current != (l.now != nil) {
		a.Errorf("%s: its current version is listed: %t", name, current)
	} else if current {
		a.version(tx, name, &all[len(all)-1], l.now, l.since)
		all = all[:len(all)-1]
	}
	for i, one := range slices.Backward(l.past) {
		switch {
		case one.moved:
		case len(all) > 0 && all[len(all)-1].Revision() == one.entry.Stamp.Version:
			v := &all[len(all)-1]
			if v.End.Removed != one.removed || v.End.At < one.ended-60_000 || v.End.At > one.ended {
				a.Errorf("%s: revision %d ended %+v, want %+v", name, v.Revision(), v.End, one)
			}
			a.version(tx, name, v, one.entry, one.since)
			all = all[:len(all)-1]
		case !one.due:
			a.Errorf("%s: revision %d is gone", name, one.entry.Stamp.Version)
			fallthrough
		default:
			l.past = l.past[i+1:]
			if len(all) > 0 {
				a.Errorf("%s: %d versions that never were, the last %+v, rather than %+v %+v", name, len(all), all[len(all)-1], one, one.entry)
			}
			return
		}
	}
	if len(all) > 0 {
		a.Errorf("%s: %d versions that never were, the last %+v", name, len(all), all[len(all)-1])
	}
}

// version requires that a version equals the former state of the entry.
func (a *archivist) version(tx *store.Tx, name store.Name, v *history.Version, e *store.Entry, since uint64) {
	a.Helper()
	if v.Stamp != e.Stamp || v.ID != e.ID || v.UpdatedAt != e.UpdatedAt || v.CreatedAt != e.CreatedAt || v.PublishedAt != e.PublishedAt {
		a.Errorf("%s: it is listed as %+v, and was %+v", name, v, e)
	}
	if v.Since != since && v.Since != e.Stamp.Version { // the second if the version before it is missing
		a.Errorf("%s: revision %d is said to be since %d, not %d", name, v.Revision(), v.Since, since)
	}
	got, err := history.Read(tx, name.Type, name.Key, v.Revision(), func() error { return nil })
	if err != nil || got == nil {
		a.Errorf("%s: revision %d is %v, %v", name, v.Revision(), got, err)
		return
	}
	if !got.Fields.Equal(e.Fields) || got.Stamp != e.Stamp || got.Key() != e.Key() || got.ID != e.ID || got.UpdatedAt != e.UpdatedAt || got.CreatedAt != e.CreatedAt {
		a.Errorf("%s: revision %d is %+v, want %+v", name, v.Revision(), got, e)
	}
}

// again writes a document under a former documentId.
func (a *archivist) again() {
	name := a.names[a.Rand.IntN(len(a.names))]
	t := a.Site.Type(name.Type)
	r := content.Restoration{Locale: name.Key.Locale, Status: name.Key.Status, Create: true}
	r.Step = content.Step{Type: t, DocumentID: name.Key.DocumentID}
	if l := a.lives[name]; len(l.past) > 0 {
		r.Revision = l.past[a.Rand.IntN(len(l.past))].entry.Stamp.Version
	}
	var dropped []content.Dropped
	_, _ = a.Writer.Together(context.Background(), []content.Write{content.ToRestore(r, func() error { return nil }, &dropped)})
}

// rewrite changes entries as commands do, some of them more than once: it writes an
// attribute that the schema does not have, or removes entries for a moment.
func (a *archivist) rewrite() {
	a.Helper()
	err := a.Writer.Alone(context.Background(), func() (*index.Index, error) {
		err := a.DB.Update(func(tx *store.Tx) error {
			r := history.NewRewrite(a.Site, tx.Sequence(history.VersionsSequence)+1, store.ActionMigrate, "migrate")
			r.At, a.rewriting = a.now(), r.Version
			for range 1 + a.Rand.IntN(4) {
				if err := a.rewriteOne(tx, r, a.names[a.Rand.IntN(len(a.names))]); err != nil {
					return err
				}
			}
			return tx.SetSequence(history.VersionsSequence, r.Version)
		})
		a.Index, a.rewriting = contenttest.Build(a.TB, a.Site, a.DB), 0
		return a.Index, err
	})
	if err != nil {
		a.Fatal(err)
	}
}

func (a *archivist) rewriteOne(tx *store.Tx, r *history.Rewrite, name store.Name) error {
	for range 1 + a.Rand.IntN(3) {
		before, err := tx.Entry(name.Type, name.Key)
		if err != nil || before == nil {
			return err
		}
		after := *before
		if a.Rand.IntN(2) == 0 {
			after.Fields = slices.Clone(before.Fields).Set("former", store.Value{Kind: store.Text, Text: fmt.Sprint("text ", a.Rand.IntN(9))})
		}
		changes := []store.Change{{Type: name.Type, Before: before, After: &after}}
		if a.Rand.IntN(4) == 0 {
			changes = []store.Change{{Type: name.Type, Before: before}, {Type: name.Type, After: &after}}
		}
		for _, c := range changes {
			if err := r.Apply(tx, r.Stamp(c)); err != nil {
				return err
			}
		}
	}
	return nil
}

// The history of every entry is correct after random writes, alone and in groups, done or
// refused, while the settings change and old versions are removed.
func TestHistoryOfRandomWrites(t *testing.T) {
	n := *seed
	if n == 0 {
		n = uint64(time.Now().UnixNano())
	}
	a := newArchivist(t, n)
	for i := range 500 {
		switch dice := a.Rand.IntN(40); {
		case dice == 0:
			a.Site.Settings.History = settings.History{Versions: a.Rand.IntN(7), Age: time.Duration(a.Rand.IntN(4)) * 2 * time.Minute}
		case dice == 1:
			a.walk(1+a.Rand.IntN(40), func() {})
		case dice == 11:
			if _, err := a.DB.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		case dice == 2:
			a.walk(1+a.Rand.IntN(5), func() { _ = a.Move() })
		case dice < 8 && len(a.names) > 0:
			a.again()
		case dice < 11 && len(a.names) > 0:
			a.rewrite()
		default:
			_ = a.Move()
		}
		if i%5 == 0 {
			a.compare()
		}
		if t.Failed() {
			t.Fatalf("seed %d, after move %d: %s; the history is %+v", n, i, a.Last, a.Site.Settings.History)
		}
	}
	a.compare()
}
