package index

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"quire/schema"
	"quire/store"
)

// Where the file fails after bodies were put into it, the content is read again into
// memory, and it is said why.
func TestBodiesInAFileThatFails(t *testing.T) {
	w := newWriter(t)
	w.batch(50)
	before := w.index.Snapshot()
	failed := false
	all := func(*schema.Attribute) bool {
		failed = failed || failAnnex(t, filepath.Dir(w.db.Path()))
		return true
	}
	var x *Index
	err := w.db.View(func(tx *store.Tx) (err error) {
		x, err = BuildPart(withMemory(before.Site(), 0), tx, all)
		return err
	})
	if err != nil || !failed {
		t.Fatal(err, failed)
	}
	if s := x.Snapshot(); s.annex != nil || !errors.As(x.Shortage(), new(*store.WriteError)) {
		t.Errorf("bodies are in a file: %t; %v, want a WriteError", s.annex != nil, x.Shortage())
	}
	if d := diff(before, x.Snapshot()); d != "" {
		t.Error(d)
	}
}

// failAnnex makes what is written to an annex in a folder fail. It reports whether there is
// one.
func failAnnex(t *testing.T, folder string) bool {
	t.Helper()
	const open = "/proc/self/fd"
	files, err := os.ReadDir(open)
	check(t, err)
	for _, f := range files {
		name, err := os.Readlink(filepath.Join(open, f.Name()))
		if err != nil || !strings.HasPrefix(name, filepath.Join(folder, ".quire.db.annex-")) {
			continue
		}
		annex, err := strconv.Atoi(f.Name())
		unwritable, opened := os.Open(os.DevNull)
		check(t, errors.Join(err, opened))
		err = unix.Dup3(int(unwritable.Fd()), annex, unix.O_CLOEXEC)
		check(t, errors.Join(err, unwritable.Close()))
		return true
	}
	return false
}
