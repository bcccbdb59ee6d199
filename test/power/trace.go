package power

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// orderVariable gives an order to the program that is traced.
const orderVariable = "QUIRE_TEST_POWER"

// Ordered returns what the test is to do under strace, and the folder in which it does it;
// empty for the test that has it traced.
func Ordered() (order, folder string) {
	folder, order, _ = strings.Cut(os.Getenv(orderVariable), ",")
	return order, folder
}

// Trace is what a program did in a folder, which was empty.
type Trace struct {
	Folder string
	lines  []string
	at     []int // the lines that name something in the folder
}

// Record runs this test under strace, with an order. Without strace, it skips the test.
func Record(t *testing.T, order string) *Trace {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil && os.Getenv("QUIRE_CI") == "" {
		t.Skip("there is no strace")
	}
	tr := &Trace{Folder: t.TempDir()}
	log := filepath.Join(t.TempDir(), "strace.log")
	c := exec.Command(strace, "-f", "--seccomp-bpf", "-y", "-xx", "-s", "16777216", "-o", log, "-e", "signal=none",
		"-e", "trace=openat,lseek,read,write,pwrite64,ftruncate,fallocate,fsync,fdatasync,mkdirat,mkdir,renameat,renameat2,rename,linkat,link,unlinkat,unlink,rmdir,copy_file_range,sendfile,splice,pwritev,writev",
		"-e", "inject=copy_file_range,sendfile:error=ENOSYS", // so that every write has its bytes in the log
		os.Args[0], "-test.run", "^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
	c.Env = append(os.Environ(), orderVariable+"="+tr.Folder+","+order)
	if out, err := c.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "ptrace") {
			t.Skipf("strace is not allowed: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	if tr.lines, err = readLines(log); err != nil {
		t.Fatal(err)
	}
	name := `\x` + strings.ReplaceAll(fmt.Sprintf("% x", tr.Folder), " ", `\x`)
	for i, line := range tr.lines {
		if strings.Contains(line, name) {
			tr.at = append(tr.at, i)
		}
	}
	return tr
}

func readLines(path string) (lines []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for r := bufio.NewReaderSize(f, 1<<20); ; {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
}

// Calls returns the number of system calls.
func (tr *Trace) Calls() int { return len(tr.lines) }

// Cut cuts the power a number of times at random moments of the trace, on a disk that ignores
// the syncs that leaves names. check gets the folder that is left and the notes of the program
// until then. Cut returns what is wrong according to it, and all notes.
func (tr *Trace) Cut(t *testing.T, seed uint64, cuts int, leaves func(sync string) bool, check func(left, notes string) error) (wrong []error, notes string) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 37))
	at := map[int]int{}
	for range cuts {
		at[tr.at[random.IntN(len(tr.at))]]++
	}
	d := NewDisk(tr.Folder, leaves)
	for i, line := range tr.lines {
		if err := d.Follow(line); err != nil {
			t.Fatal(err)
		}
		for range at[i] {
			left := filepath.Join(t.TempDir(), "left")
			if err := os.Mkdir(left, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := d.Cut(random, left); err != nil {
				t.Fatal(err)
			}
			if err := check(left, string(d.notes)); err != nil {
				wrong = append(wrong, fmt.Errorf("a cut after line %d: %w", i+1, err))
			}
			if err := os.RemoveAll(left); err != nil {
				t.Fatal(err)
			}
		}
	}
	return wrong, string(d.notes)
}
