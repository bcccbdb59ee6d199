package media

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/store"
)

// elsewhere is another folder in the place of a bucket, which a test can have fail.
type elsewhere struct {
	Storage
	down bool
}

// moveElsewhere has the files of a library go to another folder from now on.
func (l *library) moveElsewhere() *elsewhere {
	e := &elsewhere{Storage: Disk(l.t.TempDir())}
	l.folder.SetPlaces(Storages{Use: e, Other: l.folder.Disk()})
	return e
}

func (e *elsewhere) fault() error { return &UnreachableError{"elsewhere", errors.New("down")} }

// Put copies, as what goes to a bucket does.
func (e *elsewhere) Put(ctx context.Context, files ...LocalFile) error {
	if e.down {
		return e.fault()
	}
	for _, f := range files {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(e.Storage.(*disk).at(f.Name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (e *elsewhere) Open(ctx context.Context, name string) (io.ReadSeekCloser, Object, error) {
	if e.down {
		return nil, Object{}, e.fault()
	}
	return e.Storage.Open(ctx, name)
}

func (e *elsewhere) Delete(ctx context.Context, names ...string) error {
	if e.down {
		return e.fault()
	}
	return e.Storage.Delete(ctx, names...)
}

func (e *elsewhere) has(t *testing.T, name string) bool {
	t.Helper()
	_, err := e.Stat(t.Context(), name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

// nameOf is the name that a file has in its storage.
func (l *library) nameOf(documentID string) string {
	l.t.Helper()
	stored := l.record(documentID)
	return stored.Names()[0]
}

// sweep looks at claims as of some time from now.
func (l *library) sweep(in time.Duration, named ...string) int {
	l.t.Helper()
	removed, err := l.folder.SweepClaims(l.t.Context(), time.Now().Add(in), func() ([]string, error) { return named, nil })
	check(l.t, err)
	return removed
}

func TestWhatIsKeptElsewhereLeavesNothingHere(t *testing.T) {
	l := newLibrary(t)
	e := l.moveElsewhere()
	id := l.keepOne("a.txt", []byte("a"))
	name := l.nameOf(id)
	if !e.has(t, name) || len(l.onDisk()) != 0 {
		t.Errorf("there: %t, here: %v", e.has(t, name), l.onDisk())
	}
	check(t, l.Delete(t.Context(), id))
	if e.has(t, name) || len(l.onDisk()) != 0 {
		t.Errorf("deleted, and there: %t, here: %v", e.has(t, name), l.onDisk())
	}
}

// Where it is unknown whether a file has its record, it is looked at a day later.
func TestClaimsOfUncertainFilesAreSwept(t *testing.T) {
	l := newLibrary(t)
	e := l.moveElsewhere()
	l.folder.flushed = func() error { return &store.UncertainError{Err: errors.New("power cut")} }
	if _, err := l.Save(t.Context(), []*Upload{l.receive("a.txt", []byte("a"))}, nil); !store.Uncertain(err) {
		t.Fatal(err)
	}
	claims := l.onDisk()
	if len(claims) != 1 || !isClaim(claims[0]) {
		t.Fatalf("%v", claims)
	}
	name := claims[0][len(claimPrefix):]
	again, err := Open(l.path) // as the next start does
	check(t, err)
	check(t, again.Close())
	if n := l.sweep(23 * time.Hour); n != 0 || !e.has(t, name) || len(l.onDisk()) != 1 {
		t.Errorf("on the same day: %d removed, %v", n, l.onDisk())
	}
	if found, err := Check(l.path, nil); err != nil || len(found.Strays) != 0 {
		t.Errorf("a claim is a stray: %+v, %v", found, err)
	}
	check(t, l.folder.claim("recorded_1.txt"))
	check(t, os.WriteFile(e.Storage.(*disk).at("recorded_1.txt"), nil, 0o600))
	if n := l.sweep(25*time.Hour, "recorded_1.txt"); n != 1 || e.has(t, name) || !e.has(t, "recorded_1.txt") || len(l.onDisk()) != 0 {
		t.Errorf("a day later: %d removed, %v", n, l.onDisk())
	}
}

// What could not be removed because the store was down is removed later.
func TestClaimsOfDeletedFilesAreSwept(t *testing.T) {
	l := newLibrary(t)
	e := l.moveElsewhere()
	id, other := l.keepOne("a.txt", []byte("a")), l.keepOne("b.txt", []byte("b"))
	name := l.nameOf(id)
	e.down = true
	check(t, l.Delete(t.Context(), id))
	if _, err := l.folder.SweepClaims(t.Context(), time.Now().Add(25*time.Hour), func() ([]string, error) { return nil, nil }); !errors.As(err, new(*UnreachableError)) {
		t.Errorf("while it is down: %v", err)
	}
	e.down = false
	if !e.has(t, name) || len(l.onDisk()) != 1 {
		t.Fatalf("%v", l.onDisk())
	}
	if n := l.sweep(25 * time.Hour); n != 1 || e.has(t, name) || len(l.onDisk()) != 0 {
		t.Errorf("%d removed, %v", n, l.onDisk())
	}
	if left := l.nameOf(other); !e.has(t, left) {
		t.Error("a file that nobody claimed is gone")
	}
}

// A file is found wherever it is, and goes from wherever it is.
func TestFilesInBothPlaces(t *testing.T) {
	l := newLibrary(t)
	before := l.keepOne("before.txt", []byte("before"))
	e := l.moveElsewhere()
	after := l.keepOne("after.txt", []byte("after"))
	for id, want := range map[string]string{before: "before", after: "after"} {
		if got := l.read(l.record(id).URL); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
	name := l.nameOf(before)
	check(t, os.WriteFile(e.Storage.(*disk).at(name), []byte("before"), 0o600))
	check(t, l.Delete(t.Context(), before))
	if _, err := os.Stat(filepath.Join(l.path, name)); err == nil || e.has(t, name) {
		t.Error("it is still in one of the places")
	}
}

// An upload in pieces lies here until it is whole, over a restart, and then goes elsewhere.
func TestPiecesStayHereUntilTheyAreWhole(t *testing.T) {
	l := newLibrary(t)
	e := l.moveElsewhere()
	part := l.begin("ana", "long.txt", 6)
	_, _, err := l.WritePart(t.Context(), "ana", part.ID, 0, strings.NewReader("abc"))
	check(t, err)
	l.reopen()
	l.folder.SetPlaces(Storages{Use: e, Other: l.folder.Disk()})
	e.down = true
	if _, _, err := l.WritePart(t.Context(), "ana", part.ID, 3, strings.NewReader("def")); !errors.As(err, new(*UnreachableError)) {
		t.Errorf("while it is down: %v", err)
	}
	now, err := l.Part("ana", part.ID)
	if err != nil || now.Offset != 6 || now.Done {
		t.Fatalf("%+v, %v", now, err)
	}
	e.down = false
	done, _, err := l.WritePart(t.Context(), "ana", part.ID, 6, strings.NewReader(""))
	check(t, err)
	if name := l.nameOf(done.DocumentID); !done.Done || !e.has(t, name) || l.read(l.record(done.DocumentID).URL) != "abcdef" {
		t.Errorf("%+v", done)
	}
}
