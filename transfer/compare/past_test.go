package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"quire/content/contenttest"
	"quire/content/event"
	"quire/schema/settings"
	"quire/store"
)

// moment is a copy of a data file, and when it was made.
type moment struct {
	at   time.Time // that of the last commit
	side DataFile
}

// copied returns a copy of the data file of a fixture.
func copied(t *testing.T, f *contenttest.Fixture) (m moment) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "quire.db"))
	if err == nil {
		_, err = f.DB.Backup(file)
	}
	check(t, errors.Join(err, file.Close()))
	db, err := store.Open(file.Name(), store.Options{ReadOnly: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	m.side = DataFile{DB: db, Site: f.Site}
	return m
}

// lastCommit returns the time of the last commit in the log.
func lastCommit(t *testing.T, db *store.DB) (at time.Time) {
	t.Helper()
	check(t, db.View(func(tx *store.Tx) error {
		return event.ReadBack(tx, func(c event.Commit) bool { at = c.At; return false })
	}))
	return at
}

// pastOf returns a data file as it was.
func pastOf(t *testing.T, f DataFile, at time.Time) DataFile {
	t.Helper()
	check(t, f.DB.View(func(tx *store.Tx) (err error) {
		f.Past, err = ReadPast(tx, at, f.Site.Settings.History)
		return err
	}))
	return f
}

// seen are the entries of a side, without links to what is not there: nobody sees them, and they
// change without a write.
func seen(t *testing.T, f DataFile) (entries map[store.Name]*store.Entry, unknown map[store.Key]bool) {
	t.Helper()
	entries, unknown = map[store.Name]*store.Entry{}, map[store.Key]bool{}
	ids := map[store.Key]bool{}
	check(t, f.DB.View(func(tx *store.Tx) error {
		for _, uid := range f.types(tx) {
			for d, err := range f.documents(t.Context(), tx, uid) {
				if err != nil {
					return err
				}
				if d.unknown {
					unknown[store.Key{DocumentID: d.id, Locale: d.locale}] = true
				}
				for _, e := range []*store.Entry{d.draft, d.published} {
					if e != nil {
						entries[store.Name{Type: uid, Key: e.Key()}] = e
						ids[store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status}] = true
					}
				}
			}
		}
		return nil
	}))
	for name, e := range entries {
		one := *e
		one.Fields = slices.Clone(e.Fields)
		for i, field := range one.Fields {
			one.Fields[i].Value.Edges = slices.DeleteFunc(slices.Clone(field.Value.Edges), func(edge store.Edge) bool {
				k := store.Key{DocumentID: edge.Target}
				there := func(locale string, status store.Status) bool { k.Locale, k.Status = locale, status; return ids[k] }
				for _, locale := range []string{"", e.Locale, edge.Locale} {
					if there(locale, e.Status) || e.Locale == "" && there(locale, store.Draft) {
						return false
					}
				}
				return true
			})
		}
		entries[name] = &one
	}
	return entries, unknown
}

// The past that a data file knows is what it was, at every moment of random histories; and what it
// says about the time since is what a comparison of both moments says.
func TestThePastIsWhatItWas(t *testing.T) {
	said, unknown := 0, 0
	for seed := range uint64(12) {
		site := contenttest.Guide(t)
		site.Settings.History = settings.History{Versions: 1000, Age: 100 * 365 * 24 * time.Hour}
		g := &contenttest.Gambler{Fixture: contenttest.New(t, site), Rand: rand.New(rand.NewPCG(seed, 7))}
		var moments []moment
		for len(moments) < 14 {
			for range 1 + g.Rand.IntN(6) {
				_ = g.Move() // some are refused
			}
			m := copied(t, g.Fixture)
			if m.at = lastCommit(t, m.side.DB); !m.at.IsZero() {
				moments = append(moments, m)
			}
		}
		now := moments[len(moments)-1].side
		for i, m := range moments {
			what := fmt.Sprintf("seed %d, moment %d", seed, i)
			past := pastOf(t, now, m.at)
			lost := requireSame(t, what, m.side, past)
			unknown += len(lost)
			said += requireSameChanges(t, what+" and now", changesOf(t, m.side, now), changesOf(t, past, now), lost)
			later := moments[i+g.Rand.IntN(len(moments)-i)]
			then := pastOf(t, now, later.at)
			maps.Copy(lost, requireSame(t, what, later.side, then))
			said += requireSameChanges(t, what+" and later", changesOf(t, m.side, later.side), changesOf(t, past, then), lost)
		}
		if t.Failed() {
			return
		}
	}
	if said < 1000 || unknown > said/20 {
		t.Errorf("%d differences, and %d documents that are not known, prove little", said, unknown)
	}
}

// requireSameChanges demands that two comparisons differ only in documents that are not known, and in
// links that nobody sees. It returns how many lines there are.
func requireSameChanges(t *testing.T, what string, want, got map[difference]bool, unknown map[store.Key]bool) int {
	t.Helper()
	for line := range want {
		if !got[line] && !unknown[line.document] && !line.links {
			t.Errorf("%s: nothing says %+v", what, line)
		}
	}
	for line := range got {
		if !want[line] && !unknown[line.document] && !line.links {
			t.Errorf("%s: it says %+v", what, line)
		}
	}
	return len(got)
}

// requireSame demands that a past is what a copy has, and returns the documents that it does not
// know.
func requireSame(t *testing.T, what string, copy, past DataFile) map[store.Key]bool {
	t.Helper()
	was, _ := seen(t, copy)
	is, unknown := seen(t, past)
	for name, e := range was {
		if unknown[store.Key{DocumentID: name.Key.DocumentID, Locale: name.Key.Locale}] {
			continue
		}
		if got := is[name]; got == nil {
			t.Errorf("%s: %v is missing", what, name)
		} else if !got.Fields.EqualButNumbers(e.Fields) || got.UpdatedAt != e.UpdatedAt || got.PublishedAt != e.PublishedAt || got.CreatedAt != e.CreatedAt {
			t.Errorf("%s: %v was\n%v and is\n%v", what, name, e.Fields, got.Fields)
		}
	}
	for name := range is {
		if was[name] == nil && !unknown[store.Key{DocumentID: name.Key.DocumentID, Locale: name.Key.Locale}] {
			t.Errorf("%s: %v was not there", what, name)
		}
	}
	return unknown
}

// difference is one line of a comparison. links says that it is about links alone, which also change
// where nobody sees them; requireSame compares those that somebody sees.
type difference struct {
	document               store.Key
	uid, status, attribute string
	change                 Kind
	links                  bool
}

func changesOf(t *testing.T, from, to DataFile) map[difference]bool {
	t.Helper()
	all := map[difference]bool{}
	_, err := Walk(context.Background(), from, to, Options{}, func(c Change) error {
		one := difference{document: store.Key{DocumentID: c.DocumentID, Locale: c.Locale}, uid: c.Type, change: c.Change}
		whole := one
		whole.links = c.Change == Changed
		for _, v := range c.Versions {
			one.status, one.change, one.attribute, one.links = v.Status, v.Change, "", false
			if v.Change != Changed {
				all[one], whole.links = true, false
			}
			for _, at := range v.Attributes {
				a := from.Site.Type(c.Type).Attribute(at.Name)
				one.attribute, one.links = at.Name, a != nil && a.Relation != nil
				all[one], whole.links = true, whole.links && one.links
			}
		}
		all[whole] = true
		return nil
	})
	check(t, err)
	return all
}

// A moment before the log of changes begins is refused, with the moment from which it is known.
func TestAPastThatIsNotKnown(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	for _, write := range []bool{false, true} {
		if write {
			f.Create("category", `{"name": "Soup"}`)
		}
		err := f.DB.View(func(tx *store.Tx) error {
			_, err := ReadPast(tx, time.Unix(0, 0), f.Site.Settings.History)
			return err
		})
		var early *TooEarlyError
		if !errors.As(err, &early) || early.First.IsZero() == write {
			t.Errorf("%v", err)
		}
	}
}
