package history

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"quire/schema/settings"
	"quire/store"
)

// versionStore is a data file with several entries, and a plain list of what is kept of each.
type versionStore struct {
	*testing.T
	r      *rand.Rand
	db     *store.DB
	limits settings.History
	clock  int64 // milliseconds since 1970
	write  uint64
	now    map[shelved]*store.Entry
	was    map[shelved][]*state // oldest first
}

// shelved names an entry.
type shelved struct {
	uid string
	key store.Key
}

// state is a version that was replaced.
type state struct {
	entry *store.Entry
	ended int64
	due   bool // by the limits at a write of its entry or at a walk: it may be gone
}

func newVersionStore(t *testing.T, seed uint64) *versionStore {
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	return &versionStore{T: t, r: rand.New(rand.NewPCG(seed, 1)), db: db, clock: 1_700_000_000_000, limits: settings.History{Versions: 3, Age: 50 * time.Millisecond},
		now: map[shelved]*store.Entry{}, was: map[shelved][]*state{}}
}

func (s *versionStore) any() shelved {
	return shelved{fmt.Sprint("api::t", s.r.IntN(2)), store.Key{
		DocumentID: fmt.Sprint("d", s.r.IntN(3)), Locale: []string{"", "en"}[s.r.IntN(2)], Status: []store.Status{store.Draft, store.Published}[s.r.IntN(2)],
	}}
}

// set writes an entry, or removes it.
func (s *versionStore) set(at shelved, remove bool) {
	s.Helper()
	before := s.now[at]
	if before == nil && remove {
		return
	}
	s.write++
	var after *store.Entry
	if !remove {
		after = &store.Entry{ID: 1, DocumentID: at.key.DocumentID, Locale: at.key.Locale, Status: at.key.Status, UpdatedAt: s.clock, Fields: text(fmt.Sprint("state ", s.write))}
		after.Stamp.Version = s.write
	}
	err := s.db.Update(func(tx *store.Tx) error {
		c := store.Change{Type: at.uid, Before: before, After: after}
		if err := tx.Apply(c); err != nil {
			return err
		}
		return Keep(tx, c, End{Version: s.write, At: s.clock}, s.limits)
	})
	check(s, err)
	if delete(s.now, at); after != nil {
		s.now[at] = after
	}
	if s.limits.Off() {
		for _, at.key.Status = range []store.Status{store.Draft, store.Published} {
			s.age(at)
		}
		return
	}
	if before != nil {
		s.was[at] = append(s.was[at], &state{entry: before, ended: s.clock})
		s.age(at)
	}
}

// age marks what of an entry need not be kept.
func (s *versionStore) age(at shelved) {
	all := s.was[at]
	for i, one := range all {
		one.due = one.due || s.expired(all, i)
	}
}

// expired reports whether a state is not to be kept now.
func (s *versionStore) expired(all []*state, i int) bool {
	return s.limits.Off() || len(all)-i > s.limits.Versions || all[i].ended < s.clock-s.limits.Age.Milliseconds()
}

// walk goes over the history, a few versions at a time, with between between its steps.
func (s *versionStore) walk(most int, between func()) {
	s.Helper()
	var at VersionKey
	for {
		var found []VersionKey
		err := s.db.View(func(tx *store.Tx) (err error) {
			found, at, err = Expired(tx, at, s.limits, s.clock, most)
			return err
		})
		if err == nil {
			for at := range s.was {
				s.age(at)
			}
			between()
			err = s.db.Update(func(tx *store.Tx) error { return Remove(tx, found) })
		}
		check(s, err)
		if at.IsZero() {
			return
		}
	}
}

// compare demands that what is within the limits is kept and can be read, as it was, and
// that nothing is that never was. After a walk with nothing beside, what is due is gone.
func (s *versionStore) compare(walked bool) {
	s.Helper()
	for at, all := range s.was {
		now := map[*state]bool{}
		for i, one := range all {
			now[one] = s.expired(all, i)
		}
		s.was[at] = slices.DeleteFunc(all, func(one *state) bool {
			got := s.read(at, one.entry.Stamp.Version)
			switch {
			case got == nil && !one.due:
				s.Errorf("%v: revision %d is gone", at, one.entry.Stamp.Version)
			case got != nil && now[one] && walked:
				s.Errorf("%v: revision %d is still kept", at, one.entry.Stamp.Version)
			case got != nil && (!got.Fields.Equal(one.entry.Fields) || got.UpdatedAt != one.entry.UpdatedAt):
				s.Errorf("%v: revision %d is %v", at, one.entry.Stamp.Version, got)
			}
			return got == nil
		})
	}
	kept := 0
	for at := range maps.Values(s.was) {
		kept += len(at)
	}
	err := s.db.View(func(tx *store.Tx) error {
		if n, err := Count(tx); err != nil || n != kept {
			s.Errorf("%d versions are kept, not %d: %v", n, kept, err)
		}
		lost, err := Check(s.Context(), tx)
		for _, one := range lost {
			s.Error(one.Err)
		}
		return err
	})
	check(s, err)
}

func (s *versionStore) read(at shelved, revision uint64) (e *store.Entry) {
	s.Helper()
	err := s.db.View(func(tx *store.Tx) (err error) {
		e, err = Read(tx, at.uid, at.key, revision, func() error { return nil })
		return err
	})
	if err != nil {
		s.Error(err)
	}
	return e
}

// Whatever is written, while the limits change and the clock goes on, a walk leaves what
// they demand and nothing else, and writes beside it lose nothing.
func TestPruningKeepsWhatTheLimitsSay(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	s := newVersionStore(t, seed)
	for range 150 {
		for range s.r.IntN(12) {
			s.clock += s.r.Int64N(12)
			s.set(s.any(), s.r.IntN(6) == 0)
		}
		if s.compare(false); s.r.IntN(3) == 0 {
			s.limits = settings.History{Versions: s.r.IntN(6), Age: time.Duration(s.r.IntN(4)*30) * time.Millisecond}
		}
		switch s.r.IntN(3) {
		case 0:
			s.walk(1+s.r.IntN(5), func() {
				if s.r.IntN(3) == 0 {
					s.set(s.any(), false)
				}
			})
			s.compare(false)
		case 1:
			s.walk(1+s.r.IntN(5), func() {})
			s.compare(true)
		}
		if t.Failed() {
			t.Fatalf("seed %d, limits %+v", seed, s.limits)
		}
	}
}

// What was kept before the history was switched off is never taken for what an entry was
// before writes that came after.
func TestHistoryThatWasOff(t *testing.T) {
	n := open(t)
	for i := range 5 {
		n.set(text(fmt.Sprint("early ", i)))
	}
	n.limits.Versions = 0
	n.set(text("nobody knows"))
	n.limits = kept
	n.set(text("late"))
	n.set(nil)
	n.set(text("new"))
	for revision, want := range map[uint64]string{1: "", 4: "", 5: "", 6: "nobody knows", 7: "late"} {
		e, err := n.read(revision)
		if err != nil || (e == nil) != (want == "") || e != nil && e.Value("text").Text != want {
			t.Errorf("revision %d is %v, %v", revision, e, err)
		}
	}
	if _, values := n.size(); values != 2 {
		t.Errorf("%d values", values)
	}
}

// Neither what nobody can read nor what has a foreign key keeps a walk from its end.
func TestExpiredGoesOverDamage(t *testing.T) {
	n := open(t)
	for i := range 4 {
		n.set(text(fmt.Sprint("state ", i)))
	}
	err := n.db.Update(func(tx *store.Tx) error {
		one := Version{Key: noteKey, Stamp: store.Stamp{Version: 1}, End: End{Version: 2}}
		name := nameOf(uid, noteKey)
		for _, in := range []store.History{store.Removed, store.Replaced} {
			for key, value := range map[string]string{"zzz": "nor this", "12345678" + string(name[:len(name)-1]) + "x12345678": "no status"} {
				if err := tx.PutHistory(in, []byte(key), []byte(value)); err != nil {
					return err
				}
			}
		}
		return tx.PutHistory(store.Replaced, one.place(name).key, []byte("cut"))
	})
	check(t, err)
	var at VersionKey
	for steps := 0; steps == 0 || !at.IsZero(); steps++ {
		err := n.db.Update(func(tx *store.Tx) (err error) {
			var found []VersionKey
			if found, at, err = Expired(tx, at, kept, 100, 1); err == nil {
				err = Remove(tx, found)
			}
			return err
		})
		if err != nil || steps > 10 {
			t.Fatalf("step %d: %v", steps, err)
		}
	}
	if _, values := n.size(); values != 2 {
		t.Errorf("%d values are left, not the two that can be read", values)
	}
}
