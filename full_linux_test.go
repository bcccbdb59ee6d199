package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"quire/store"
)

// There is no room left, in three ways. Reads go on, writes that need room are
// refused with 507, content can be deleted, and as soon as there is room all goes
// on. Nothing is lost, and nothing is damaged.
func TestFull(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	for _, each := range []struct {
		name   string
		narrow func(*testing.T, *trial) (widen func())
	}{
		{"MaxSize", narrowOption},
		{"file size limit", narrowLimit},
		{"small disk", narrowDisk},
	} {
		t.Run(each.name, func(t *testing.T) {
			seed, rounds := chance(t, 1, 15)
			tr := newTrial(t, seed, 4)
			tr.grow(50)
			widen := each.narrow(t, tr)
			for range rounds {
				tr.fill()
				tr.clear()
			}
			widen()
			t.Logf("writes were taken again after %v", tr.recover())
			tr.endure(5)
			tr.compare()
			tr.tell()
		})
	}
}

// grow has all writers write texts that are so many times as long.
func (tr *trial) grow(bulk int) {
	for _, w := range tr.writers {
		w.bulk = bulk
	}
}

// fill writes until there is no room any more.
func (tr *trial) fill() {
	tr.t.Helper()
	before := tr.refused()
	for tr.refused() < before+5 {
		if tr.endure(5); tr.t.Failed() {
			tr.t.FailNow()
		}
		tr.settleFlights()
	}
}

// settleFlights finds out what came of writes of which nothing is known.
func (tr *trial) settleFlights() {
	for _, w := range tr.writers {
		if w.flight != nil {
			tr.recover()
			return
		}
	}
}

// clear deletes what all writers have made. Deleting takes some room too, which
// there is as soon as a few of them were done.
func (tr *trial) clear() {
	tr.t.Helper()
	done := 0
	for _, w := range tr.writers {
		for kind, names := range w.docs {
			for _, name := range append([]string(nil), names...) {
				o := op{method: "DELETE", path: plurals[kind] + "/‹" + name + "›", removes: name}
				if kind == "restaurant" {
					o.path += "?locale=*"
				}
				if status, answer, err := tr.main.send(o); err == nil && status < 300 {
					tr.follow(w, o, status, answer)
					done++
				} else if status != 507 {
					tr.t.Fatalf("%v: %d %s, %v", o, status, answer, err)
				}
			}
		}
	}
	if done == 0 {
		tr.t.Error("nothing can be deleted")
	}
	tr.recover()
}

// narrowOption bounds the data file.
func narrowOption(t *testing.T, tr *trial) (widen func()) {
	a := openHere(t, tr.main)
	makeHasty(t, a)
	resize := func(to int64) {
		seam[store.Options](t, a.db, "options").MaxSize = to
		if err := a.db.Reopen(); err != nil {
			t.Fatal(err)
		}
	}
	resize(6 << 20)
	serveHere(t, tr.main, a)
	tr.share()
	return func() {
		requireFreshIndex(t, a)
		requireNothingStaged(t, a)
		resize(0)
	}
}

// narrowLimit has the operating system refuse to let any file grow beyond a limit
// within a page, so that the last write before it is cut short.
func narrowLimit(t *testing.T, tr *trial) (widen func()) {
	p := tr.start()
	t.Cleanup(func() { tr.end(p) })
	tr.share()
	var whole unix.Rlimit
	narrow := unix.Rlimit{Cur: 3<<20 + 1000}
	err := unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, nil, &whole)
	narrow.Max = whole.Max
	if err = errors.Join(err, unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, &narrow, nil)); err != nil {
		t.Skipf("the limits of another process cannot be set: %v", err)
	}
	return func() {
		if err := unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, &whole, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// narrowDisk puts the data, uploads too, on a disk of its own.
func narrowDisk(t *testing.T, tr *trial) (widen func()) {
	folder := filepath.Join(tr.main.site, "data")
	aside := folder + "-aside"
	if err := os.Rename(folder, aside); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(folder, 0o700), syscall.Mount("none", folder, "tmpfs", 0, "size=6m")); err != nil {
		t.Skipf("a small disk cannot be made: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
	if err := os.CopyFS(folder, os.DirFS(aside)); err != nil {
		t.Fatal(err)
	}
	p := tr.start()
	t.Cleanup(func() { tr.end(p) })
	tr.share()
	return func() {
		if err := syscall.Mount("none", folder, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
			t.Fatal(err)
		}
	}
}
