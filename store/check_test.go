package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCheckFindsAllThatIsWrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db, err := Open(path, Options{})
	noError(t, err)
	put(t, db, dogs, text(1, "ada", "en", Draft, "Ada"), text(2, "rex", "en", Draft, "Rex"), text(3, "zoe", "", Draft, "Zoe"))
	if problems, err := db.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Fatalf("a sound file: %v, %v", problems, err)
	}
	update(t, db, func(tx *Tx) error {
		tx.dirty = true
		return errors.Join(
			tx.bucket(contentBucket, dogs, "en").Put(storedKey(Key{"rex", "en", Draft}), []byte("rex")),
			tx.bucket(contentBucket, dogs, "-").Put([]byte("zoe?"), []byte("zoe")),
			tx.bucket(sequenceBucket).Put([]byte("dogs"), []byte("7")),
		)
	})
	want := map[string]string{
		"content/api::dog.dog/en": "rex (draft, en)",
		"content/api::dog.dog/-":  "zoe?",
		"sequence":                "dogs",
	}
	live, err := db.Check(t.Context())
	requireProblems(t, live, err, want)
	noError(t, db.Close())
	atRest, err := CheckFile(t.Context(), path)
	requireProblems(t, atRest, err, want)
}

func requireProblems(t *testing.T, problems []*CorruptError, err error, want map[string]string) {
	t.Helper()
	if err != nil || len(problems) != len(want) {
		t.Errorf("%v, %v, want %d problems", problems, err, len(want))
	}
	for _, p := range problems {
		if want[p.Bucket] != p.Key || p.Key == "" {
			t.Errorf("not expected: %v", p)
		}
	}
}

func TestCheckFindsLostPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db, err := Open(path, Options{})
	noError(t, err)
	fill(t, db, 100, false)
	noError(t, db.Close())
	// The free list forgets all that it has.
	b := readFile(t, path)
	h, err := readHead(bytes.NewReader(b))
	noError(t, err)
	list := page(b[int64(h.free)*h.pageSize:])
	lost := list.count()
	order.PutUint16(list[10:], 0)
	writeFile(t, path, b)
	problems, err := CheckFile(t.Context(), path)
	if err != nil || len(problems) != lost || lost == 0 {
		t.Errorf("%d pages were lost, found %v, %v", lost, problems, err)
	}
	if _, err := Open(path, Options{}); !errors.As(err, new(*CorruptError)) {
		t.Errorf("Open: %v", err)
	}
}

func TestCheckStops(t *testing.T) {
	db := newDB(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	noError(t, db.Close())
	if _, err := db.Check(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// Check reads one commit while others follow it.
func TestCheckWhileWriting(t *testing.T) {
	db := newDB(t)
	fill(t, db, 500, true)
	done := make(chan error)
	go func() {
		for range 20 {
			if problems, err := db.Check(context.Background()); err != nil || len(problems) > 0 {
				done <- errors.Join(err, errors.New("problems were found in a sound file"))
				return
			}
		}
		done <- nil
	}()
	for n := uint64(0); ; n++ {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
		id := string(rune('a' + n%26))
		update(t, db, func(tx *Tx) error {
			e := text(n, id, "de", Draft, "written during the check")
			before, err := tx.Entry(benchType, e.Key())
			return errors.Join(err, tx.Apply(Change{Type: benchType, Before: before, After: e}))
		})
	}
}

// A free list of 65535 pages and more keeps its length elsewhere.
func TestLongFreeLists(t *testing.T) {
	const n = 70_000
	p := make(page, pageHead+8+8*n)
	order.PutUint16(p[8:], freePage)
	order.PutUint16(p[10:], longCount)
	order.PutUint64(p[pageHead:], n)
	if ids, err := p.freeIDs(); err != nil || len(ids) != 8*n {
		t.Errorf("%d bytes of ids, %v", len(ids), err)
	}
	order.PutUint64(p[pageHead:], n+1)
	if _, err := p.freeIDs(); err == nil {
		t.Error("more pages than there is room for were taken")
	}
	if _, err := p[:pageHead].freeIDs(); err == nil {
		t.Error("a list without its count was taken")
	}
}

func TestBackup(t *testing.T) {
	db := newDB(t)
	fill(t, db, 300, true)
	want, err := content(db)
	noError(t, err)
	path := filepath.Join(t.TempDir(), "copy.db")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	noError(t, err)
	// What is written while the copy is made is not in it.
	w := &writerThatWrites{f, func() { put(t, db, dogs, text(1, "rex", "", Draft, "Rex")) }}
	n, err := db.Backup(w)
	noError(t, errors.Join(err, f.Close()))
	if info, err := os.Stat(path); err != nil || info.Size() != n {
		t.Errorf("%d bytes were announced, %v, %v", n, info, err)
	}
	backup := open(t, path, Options{})
	requireContent(t, backup, want)
	if got := revision(t, backup); got != 1 {
		t.Errorf("the copy is of revision %d", got)
	}
	if _, err := db.Backup(&writerThatFails{}); !errors.Is(err, errTest) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type writerThatWrites struct {
	f    *os.File
	once func()
}

func (w *writerThatWrites) Write(b []byte) (int, error) {
	if w.once != nil {
		w.once()
		w.once = nil
	}
	return w.f.Write(b)
}

// writerThatFails takes the heads and no more.
type writerThatFails struct{ calls int }

func (w *writerThatFails) Write(b []byte) (int, error) {
	if w.calls++; w.calls > 2 {
		return 0, errTest
	}
	return len(b), nil
}

func TestStats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	fill(t, db, 1000, false)
	full, err := db.Statistics()
	noError(t, err)
	if info, err := os.Stat(path); err != nil || full.Size != info.Size() || full.Free <= 0 || full.Free >= full.Size {
		t.Errorf("%+v of a file of %v, %v", full, info.Size(), err)
	}
	update(t, db, func(tx *Tx) error {
		tx.dirty = true
		return tx.bolt.Bucket([]byte(contentBucket)).DeleteBucket([]byte(benchType))
	})
	if empty, err := db.Statistics(); err != nil || empty.Free <= full.Free || empty.Revision != full.Revision+1 || empty.Changed.Before(full.Changed) {
		t.Errorf("after deleting everything %+v, before it %+v, %v", empty, full, err)
	}
}

// A check that has to wait for another file to take the place of the data file reads
// that one, and not the one whose name it was.
func TestCheckWaitsForAnExchange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db, err := Open(path, Options{})
	noError(t, err)
	t.Cleanup(func() { db.Close() })
	put(t, db, dogs, text(1, "rex", "en", Draft, "Rex"))
	checked := make(chan error, 1)
	db.writing.Lock() // as Exchange does
	away := path + ".away"
	noError(t, os.Rename(path, away))
	go func() {
		problems, err := db.Check(t.Context())
		checked <- errors.Join(err, errors.Join(errorsOf(problems)...))
	}()
	for !waitsToCheck() && len(checked) == 0 {
		runtime.Gosched()
	}
	noError(t, os.Rename(away, path))
	db.writing.Unlock()
	if err := <-checked; err != nil {
		t.Errorf("the file was looked for before it was there: %v", err)
	}
}

func errorsOf(problems []*CorruptError) (errs []error) {
	for _, p := range problems {
		errs = append(errs, p)
	}
	return errs
}

// waitsToCheck reports whether a Check waits for the lock.
func waitsToCheck() bool {
	stacks := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "sync.(*Mutex).Lock") && strings.Contains(stack, "(*DB).Check") {
			return true
		}
	}
	return false
}
