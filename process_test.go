package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// long adds tests that take minutes, and more rounds of those that are random:
//
//	go test . -run 'Killed|Uploads' -long
var long = flag.Bool("long", false, "run the tests that take minutes too")

// process is quire as a program of its own, which can be killed and measured.
type process struct {
	*exec.Cmd
	url string
}

// buildQuire builds the program.
func buildQuire(t *testing.T) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "quire")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	return binary
}

// spawn starts the program on a site and waits until it says where it listens.
func spawn(t *testing.T, binary, site string) *process {
	t.Helper()
	return spawnCommand(t, exec.Command(binary, "serve", "--listen", "127.0.0.1:0", site))
}

// spawnCommand is spawn for a command of its own.
func spawnCommand(t *testing.T, c *exec.Cmd) *process {
	t.Helper()
	p, started := startCommand(t, c)
	if !started {
		t.Fatal("quire says nothing")
	}
	return p
}

// startCommand starts the program, and reports whether it came as far as saying
// where it listens. If not, it has ended.
func startCommand(t *testing.T, c *exec.Cmd) (p *process, started bool) {
	t.Helper()
	p = &process{Cmd: c}
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill) // also when the test breaks off
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	if err != nil {
		p.Wait()
		return p, false
	}
	fmt.Sscanf(line, "Quire listens at %s", &p.url)
	go io.Copy(io.Discard, lines)
	return p, true
}

// kill ends the program as a power cut would, and waits until it is gone.
func (p *process) kill() {
	p.Process.Kill()
	p.Wait()
}

// quire runs a command of the program to its end.
func quire(binary string, args ...string) (stdout string, err error) {
	c := exec.Command(binary, args...)
	out, err := c.Output()
	return strings.TrimSpace(string(out)), err
}
