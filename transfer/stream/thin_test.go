package stream

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quire/media"
	"quire/store"
)

// writeAt commits something at another time, and sends it.
func (s *site) writeAt(at time.Time) {
	s.t.Helper()
	check(s.t, s.sender.Close()) // it gets the commit below instead
	clock := &earlier{s.sender.queue, at}
	check(s.t, s.db.SetRecorder(clock))
	s.write()
	s.ledger[len(s.ledger)-1].at = at.Add(time.Millisecond)
	check(s.t, s.sender.queue.Close())
	s.begin()
	s.send()
}

// earlier passes commits on with another time.
type earlier struct {
	*Queue
	at time.Time
}

func (e *earlier) Record(c store.Recorded) {
	c.Time = e.at.UnixMilli()
	e.Queue.Record(c)
}

// letters are those of the segments, the oldest first.
func (s *site) letters() (letters string) {
	for _, e := range s.catalog().segments {
		letters += string(e.letter)
	}
	return letters
}

// As a stream becomes older, fewer moments of it are kept, and those are exact. The newest
// segment stays as it is.
func TestAStreamIsThinned(t *testing.T) {
	for _, passphrase := range []string{"", "a passphrase"} {
		s := newKeyedSite(t, passphrase)
		noon := time.Date(2100, 6, 1, 12, 0, 0, 0, time.UTC) // later than the image
		for i := range 12 {
			s.writeAt(noon.Add(time.Duration(i) * 20 * time.Second))
		}
		for i := range 4 {
			s.writeAt(noon.Add(time.Duration(i+1) * 24 * time.Hour))
		}
		thin := func(age time.Duration, want string) {
			t.Helper()
			for range mergings { // each takes one step
				check(t, s.catalog().Thin(t.Context(), t.TempDir(), noon.Add(age)))
			}
			if got := s.letters(); got != want {
				t.Fatalf("after %v there are %q, want %q", age, got, want)
			}
			checked, err := s.catalog().CheckIn(t.Context(), t.TempDir(), namesIn)
			if err != nil || len(checked.Problems) > 0 {
				t.Fatalf("after %v: %+v, %v", age, checked, err)
			}
		}
		thin(time.Hour, "ssssssssssssssss")
		thin(2*time.Hour, "ppppssss")
		s.requireLedger()
		thin(26*time.Hour, "mmmmpsss")
		for _, i := range []int{2, 5, 8, 11, 12, 13, 14, 15} {
			s.requireMoment(s.ledger[i])
		}
		thin(9*24*time.Hour, "ddmms")
		for _, i := range []int{11, 12, 13, 14, 15} {
			s.requireMoment(s.ledger[i])
		}
		thin(30*24*time.Hour, "dddds")
		ranges, err := s.catalog().Ranges(t.Context())
		if err != nil || len(ranges) != 1 || len(ranges[0].Every) != 2 || ranges[0].Every[0].Every != "day" || ranges[0].Every[1].Every != "commit" {
			t.Errorf("%+v, %v", ranges, err)
		}
		s.write() // the stream goes on
		s.send()
		last := s.ledger[len(s.ledger)-1]
		last.at = Latest
		s.requireMoment(last)
	}
}

// A merging that was interrupted before it removed what it has merged changes nothing, and is
// completed.
func TestAThinningThatWasInterrupted(t *testing.T) {
	s := newSite(t)
	s.send()
	noon := time.Date(2100, 6, 1, 12, 0, 0, 0, time.UTC)
	for i := range 6 {
		s.writeAt(noon.Add(time.Duration(i) * time.Second))
	}
	f := s.target
	c := s.catalog()
	c.Target = &faulty{Storage: keeping{f}}
	check(t, c.Thin(t.Context(), t.TempDir(), noon.Add(2*time.Hour)))
	if c := s.catalog(); len(c.covered) != 5 || len(c.segments) != 2 {
		t.Fatalf("%+v and %+v", c.segments, c.covered)
	}
	s.requireLedger()
	check(t, s.catalog().Thin(t.Context(), t.TempDir(), noon.Add(2*time.Hour)))
	if c := s.catalog(); len(c.covered) != 0 || len(c.segments) != 2 {
		t.Errorf("%+v and %+v", c.segments, c.covered)
	}
	s.requireLedger()
}

// midway is a target that does something in the middle of what reads it.
type midway struct {
	media.Storage
	opens atomic.Int64 // objects that are opened before it
	lists bool         // in the middle of the next listing instead
	do    func()
	done  sync.Once
}

func (m *midway) Open(ctx context.Context, name string) (io.ReadSeekCloser, media.Object, error) {
	if m.opens.Add(-1) < 0 && !m.lists {
		m.done.Do(m.do)
	}
	return m.Storage.Open(ctx, name)
}

// List lists single segments last, as an object store does.
func (m *midway) List(ctx context.Context, fn func(media.Object) error) error {
	for _, last := range []bool{false, true} {
		err := m.Storage.List(ctx, func(o media.Object) error {
			if strings.Contains(o.Name, ".s.") != last {
				return nil
			}
			return fn(o)
		})
		if err != nil {
			return err
		}
		if m.lists {
			m.done.Do(m.do)
		}
	}
	return nil
}

// A thinning in the middle of a restore changes nothing, wherever it begins: segments that
// are merged by then are found in what they were merged into.
func TestAThinningDuringARestore(t *testing.T) {
	s := newSite(t)
	s.send()
	noon := time.Now().Truncate(time.Minute).Add(2 * time.Minute) // the clock goes back then, and moments do not
	for i := range 7 {
		s.writeAt(noon.Add(time.Duration(i) * 20 * time.Second))
	}
	s.sender.state.Anew = true
	s.send()
	for i := range 4 {
		s.writeAt(noon.Add(time.Duration(7+i) * 20 * time.Second))
	}
	whole := s.target
	for _, age := range []time.Duration{2 * time.Hour, 26 * time.Hour} {
		for opens := -1; opens < 12; opens += 1 + s.random.IntN(3) {
			copied := filepath.Join(t.TempDir(), "target")
			check(t, os.CopyFS(copied, os.DirFS(whole.(*folder).path)))
			for i := s.random.IntN(4); i < len(s.ledger); i += 4 {
				p := s.ledger[i]
				m := &midway{Storage: Folder(copied), lists: opens < 0}
				m.opens.Store(int64(opens))
				m.do = func() { thinAll(t, copied, noon.Add(age)) }
				s.target = m
				got, _, err := s.restored(p.at)
				m.done.Do(func() {}) // waits for a thinning that has begun while segments are read in advance
				check(t, err)
				exact := age < 26*time.Hour
				if got.commit != p.commit && (exact || !slices.ContainsFunc(s.ledger[:i], func(p page) bool { return p.commit == got.commit && p.content == got.content }) && got.commit.Revision > 0) {
					t.Fatalf("a thinning of %v after %d objects: moment %d of %v is %v", age, opens, i, p.commit, got.commit)
				}
				if got.commit == p.commit && got.content != p.content {
					t.Fatalf("a thinning of %v after %d objects: moment %d has another content", age, opens, i)
				}
			}
			s.target = Folder(copied)
			if checked, err := s.catalog().CheckIn(t.Context(), t.TempDir(), namesIn); err != nil || len(checked.Problems) > 0 {
				t.Fatalf("%+v, %v", checked, err)
			}
		}
	}
}

// thinAll takes all steps of thinning.
func thinAll(t *testing.T, target string, now time.Time) {
	t.Helper()
	for range mergings {
		c, err := Load(t.Context(), Folder(target), "1a2b")
		check(t, err)
		check(t, c.Thin(t.Context(), t.TempDir(), now))
	}
}

// What is older than a year goes, but for an image from which the rest is restored. Of old
// images, one for each month stays.
func TestOldImagesGo(t *testing.T) {
	s := newSite(t)
	s.send()
	for range 5 {
		s.write()
		s.send()
		check(t, s.sender.putImage(t.Context(), imageLetter))
	}
	c := s.catalog()
	if len(c.images) != 6 {
		t.Fatalf("%+v", c.images)
	}
	check(t, c.dropOld(t.Context(), time.Now().Add(40*24*time.Hour)))
	if c := s.catalog(); len(c.images) != 1 || len(c.segments) != 5 {
		t.Fatalf("of one month there are %+v and %+v", c.images, c.segments)
	}
	s.requireLedger()
	check(t, s.sender.putImage(t.Context(), imageLetter))
	check(t, s.catalog().dropOld(t.Context(), time.Now().Add(400*24*time.Hour)))
	if c := s.catalog(); len(c.images) != 1 || len(c.segments) != 0 {
		t.Errorf("of the former year there are %+v and %+v", c.images, c.segments)
	}
	last := s.ledger[len(s.ledger)-1]
	last.at = Latest
	s.requireMoment(last)
}

// Segments before and after a gap are never merged.
func TestWhatBeginsAnewIsNotMerged(t *testing.T) {
	s := newSite(t)
	s.send()
	noon := time.Date(2100, 6, 1, 12, 0, 0, 0, time.UTC)
	s.writeAt(noon)
	s.writeAt(noon.Add(time.Second))
	s.sender.state.Anew = true
	s.send()
	for i := range 3 {
		s.writeAt(noon.Add(time.Duration(i+2) * time.Second))
	}
	check(t, s.catalog().Thin(t.Context(), t.TempDir(), noon.Add(2*time.Hour)))
	var got [][2]uint64
	for _, e := range s.catalog().segments {
		got = append(got, [2]uint64{e.from, e.to})
	}
	if !slices.Equal(got, [][2]uint64{{1, 2}, {3, 4}, {5, 5}}) {
		t.Errorf("%v", got)
	}
}
