package pull

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// A disk that is full keeps nothing of a download, because others need it, and is no reason
// to ask again.
//
// The test runs in a process of its own: the limit is for all files of a process.
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
	o := newOrigin(t, 300_000)
	folder := t.TempDir()
	var whole syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &whole))
	check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100_000, Max: whole.Max}))
	_, err := o.pull(o.remote(), folder)
	check(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &whole))
	if !errors.Is(err, syscall.EFBIG) || len(o.requested) != 2 {
		t.Errorf("%q, %v", o.requested, err)
	}
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
	file, err := o.pull(o.remote(), folder)
	o.require(file, err)
}
