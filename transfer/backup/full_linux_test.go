package backup

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// withoutRoom runs fn while no file may grow beyond so many bytes.
func withoutRoom(t *testing.T, bytes uint64, fn func()) {
	t.Helper()
	var whole syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &whole))
	check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: whole.Max}))
	defer func() { check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &whole)) }()
	fn()
}

// A disk that is full leaves everything as it was, and no half file.
//
// The test runs in a process of its own: the limit is for all files of a process,
// and go test has its processes keep a log of the files that they open.
func TestDisksThatAreFull(t *testing.T) {
	const mark = "QUIRE_TEST_ALONE"
	if os.Getenv(mark) == "" {
		c := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		c.Env = append(os.Environ(), mark+"=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	from := newFolder(t, map[string]string{"a_1": string(noise)})
	path := saveFolder(t, from)
	folder := newFolder(t, map[string]string{"b_2": "b"})
	before := tree(t, folder)
	for _, limit := range []uint64{100_000, 1_000_000} {
		to := filepath.Join(t.TempDir(), "x")
		var saving, restoring error
		withoutRoom(t, limit, func() { _, saving = saveTo(t, from, to, false) })
		if !errors.Is(saving, syscall.EFBIG) {
			t.Errorf("saving into %d bytes: %v", limit, saving)
		}
		if left := tree(t, filepath.Dir(to)); len(left) > 0 {
			t.Errorf("saving into %d bytes leaves %d files", limit, len(left))
		}
		withoutRoom(t, limit, func() { _, restoring = Restore(t.Context(), path, folder, true, nil) })
		if !errors.Is(restoring, syscall.EFBIG) || isFileError(restoring) {
			t.Errorf("restoring into %d bytes: %v", limit, restoring)
		}
		if !maps.Equal(before, tree(t, folder)) {
			t.Errorf("restoring into %d bytes has changed the folder", limit)
		}
	}
}
