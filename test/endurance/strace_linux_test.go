package endurance

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"quire/test/program"
)

// injected are the system calls that fail, and their results. A write that writes
// nothing is a possible result of a kernel without space. TestFull makes the kernel
// write a part of a page.
var injected = []struct {
	call, answer string
	bulk         int // of the texts, where the file has to grow for the call to be made
}{
	{"fdatasync", "error=EIO", 1},
	{"fdatasync", "error=ENOSPC", 1},
	{"pwrite64", "error=EIO", 1},
	{"pwrite64", "error=ENOSPC", 1},
	{"pwrite64", "retval=0", 1},
	{"fsync", "error=EIO", 1},
	{"fsync", "error=ENOSPC", 1},
	{"?rename,?renameat,?renameat2", "error=EIO", 1},
	{"ftruncate", "error=ENOSPC", 100},
	{"ftruncate", "error=EIO", 100},
}

// tracing is strace at work on a program.
type tracing struct {
	*exec.Cmd
	log string
}

// trace has the n-th call of each thread fail, and then each that is n calls on.
func trace(t *testing.T, pid int, call, answer string, n int) *tracing {
	t.Helper()
	s := &tracing{log: filepath.Join(t.TempDir(), "strace.log")}
	s.Cmd = exec.Command("strace", "-f", "-p", strconv.Itoa(pid), "-o", s.log,
		"-e", "trace=fadvise64,"+call, "-e", fmt.Sprintf("inject=%s:%s:when=%d+%d", call, answer, n, n))
	said, err := s.StderrPipe()
	requireNil(t, err)
	requireNil(t, s.Start())
	line, err := bufio.NewReader(said).ReadString('\n')
	if !strings.Contains(line, "attached") {
		t.Fatalf("strace says %q, %v", line, err)
	}
	return s
}

// end lets the program go on untraced, and returns how many calls have failed,
// and how often it has dropped what the system's cache held of the data file.
func (s *tracing) end(t *testing.T) (failed, dropped int) {
	t.Helper()
	s.Process.Signal(syscall.SIGINT)
	s.Wait()
	log, err := os.ReadFile(s.log)
	requireNil(t, err)
	return strings.Count(string(log), "(INJECTED)"), strings.Count(string(log), "POSIX_FADV_DONTNEED")
}

// needTracing skips the test where no program can be traced.
func needTracing(t *testing.T) {
	t.Helper()
	out, err := exec.Command(program.Find(t, "strace"), "-o", os.DevNull, "true").CombinedOutput()
	if err != nil {
		t.Skipf("strace is not allowed: %v %s", err, out)
	}
}

// The disk fails under the program itself, at every n-th call in turn. It goes on
// reading, takes writes again without a restart, and has what it acknowledged.
func TestSystemCallsFail(t *testing.T) {
	t.Parallel()
	needTracing(t)
	seed, rounds := program.Chance(t, 2, 25)
	tr := newTrial(t, seed, 4)
	p := tr.start()
	tr.Share()
	tried := map[string]int{}
	for _, each := range injected {
		tr.Grow(each.bulk)
		failed, dropped, slowest := 0, 0, time.Duration(0)
		for n := 1; n <= max(1, rounds/each.bulk); n++ {
			s := trace(t, p.Process.Pid, each.call, each.answer, n)
			before := tr.Refused()
			tr.Endure(5 + n)
			for more := 20; n == 1 && more > 0 && tr.Refused() == before; more-- { // what is rare
				tr.Endure(5)
			}
			more, again := s.end(t)
			failed, dropped = failed+more, dropped+again
			slowest = max(slowest, tr.Recover())
		}
		t.Logf("%s %s: failed %d times, the file was read again from the disk %d times, writes were taken again after %v at most", each.call, each.answer, failed, dropped, slowest)
		tried[each.call] += failed
		if each.call == "fdatasync" && each.answer == "error=EIO" && dropped == 0 {
			t.Error("after a failed fdatasync the file was not read from the disk")
		}
	}
	for call, failed := range tried {
		if failed == 0 {
			t.Errorf("%s never failed", call)
		}
	}
	tr.end(p)
}
