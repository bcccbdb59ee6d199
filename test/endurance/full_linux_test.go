package endurance

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"quire/test/program"
)

// The disk becomes full, in two ways. Reads are answered, writes that need space are
// refused with 507, content can be deleted, and as soon as there is space everything
// works again. Nothing is lost or damaged.
func TestFull(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		name   string
		narrow func(*testing.T, *trial) (p *program.Server, widen func())
	}{
		{"file size limit", narrowLimit},
		{"small disk", narrowDisk},
	} {
		t.Run(each.name, func(t *testing.T) {
			seed, rounds := program.Chance(t, 1, 15)
			tr := newTrial(t, seed, 4)
			tr.Grow(50)
			p, widen := each.narrow(t, tr)
			for range rounds {
				tr.Fill()
				tr.Clear()
			}
			widen()
			t.Logf("writes were taken again after %v", tr.Recover())
			tr.Endure(5)
			tr.Compare()
			tr.end(p)
		})
	}
}

// narrowLimit has the operating system refuse to let any file grow beyond a limit
// within a page, so that the last write before it is cut short.
func narrowLimit(t *testing.T, tr *trial) (p *program.Server, widen func()) {
	p = tr.start()
	tr.Share()
	var whole unix.Rlimit
	narrow := unix.Rlimit{Cur: 3<<20 + 1000}
	err := unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, nil, &whole)
	narrow.Max = whole.Max
	if err = errors.Join(err, unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, &narrow, nil)); err != nil {
		t.Skipf("the limits of another process cannot be set: %v", err)
	}
	return p, func() {
		requireNil(t, unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, &whole, nil))
	}
}

// narrowDisk puts the data, uploads too, on a disk of its own.
func narrowDisk(t *testing.T, tr *trial) (p *program.Server, widen func()) {
	folder := filepath.Join(tr.Main.Site, "data")
	aside := folder + "-aside"
	requireNil(t, os.Rename(folder, aside))
	if err := errors.Join(os.Mkdir(folder, 0o700), syscall.Mount("none", folder, "tmpfs", 0, "size=6m,mode=700")); err != nil {
		t.Skipf("a small disk cannot be made: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
	requireNil(t, os.CopyFS(folder, os.DirFS(aside)))
	p = tr.start()
	tr.Share()
	return p, func() {
		requireNil(t, syscall.Mount("none", folder, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	}
}
