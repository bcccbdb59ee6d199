package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type numbered struct {
	number uint64
	text   string
}

func newSorter(db *DB) *Sorter { return (&Tx{db: db}).NewSorter() }

func sortedBy(t *testing.T, s *Sorter) (all []numbered) {
	t.Helper()
	noError(t, s.All(func(n uint64, record []byte) error {
		all = append(all, numbered{n, string(record)})
		return nil
	}))
	return all
}

// Records come in the order of their numbers, and those of one number as they were put, in
// however many runs.
func TestASorterSorts(t *testing.T) {
	r := newRand(t)
	db := newDB(t)
	for _, run := range []int{1, 200, 5000, sorterRun} {
		s := newSorter(db)
		s.run = run
		var want []numbered
		for i := range 1000 {
			one := numbered{r.Uint64N(300) << r.IntN(56), fmt.Sprint(i, strings.Repeat("x", r.IntN(40)))}
			want = append(want, one)
			noError(t, s.Put(one.number, []byte(one.text)))
		}
		slices.SortStableFunc(want, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
		if got := sortedBy(t, s); !slices.Equal(got, want) {
			t.Errorf("with runs of %d bytes, of which there are %d, they are\n%v, want\n%v", run, len(s.ends), got, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(db.path)); err != nil || len(left) != 1 {
		t.Errorf("beside the data file there are %v, %v", left, err)
	}
}

// A Sorter holds in memory about one run, however much it is given.
func TestASorterKeepsOneRunInMemory(t *testing.T) {
	s := newSorter(newDB(t))
	t.Cleanup(func() { s.Close() })
	s.run = 1 << 12
	for i := range uint64(10_000) {
		noError(t, s.Put(i, []byte("twenty bytes or so..")))
		if n := cap(s.bytes) + cap(s.waits)*recordBytes; n > 4*s.run {
			t.Fatalf("after %d records %d bytes are in memory", i+1, n)
		}
	}
}

// A file that cannot be read any more is an error, and no end of the records. So is what fn
// returns.
func TestASorterThatFails(t *testing.T) {
	ours := errors.New("ours")
	for name, c := range map[string]struct {
		spoil func(*Sorter) error
		fn    error
		want  func(error) bool
	}{
		"closed":  {func(s *Sorter) error { return s.file.Close() }, nil, func(err error) bool { return errors.As(err, new(*WriteError)) }},
		"cut off": {func(s *Sorter) error { return s.file.Truncate(s.ends[0] - 1) }, nil, func(err error) bool { return errors.As(err, new(*WriteError)) }},
		"ours":    {func(*Sorter) error { return nil }, ours, func(err error) bool { return errors.Is(err, ours) }},
	} {
		s := newSorter(newDB(t))
		s.run = 1
		noError(t, errors.Join(s.Put(1, []byte("rex")), c.spoil(s)))
		if err := s.All(func(uint64, []byte) error { return c.fn }); !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		_ = s.Close()
	}
}
