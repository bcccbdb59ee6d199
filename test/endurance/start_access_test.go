//go:build unix

package endurance

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"quire/test/program"
)

// If the operating system forbids something, the error has the path and what to do.
// Root may do everything, so as root the test starts the program as another user.
func TestStartsThatAreForbidden(t *testing.T) {
	t.Parallel()
	model := program.NewGuide(t)
	chmod := func(mode fs.FileMode, name string, without ...string) func(*testing.T, string) {
		return func(t *testing.T, site string) {
			for _, gone := range without {
				requireNil(t, os.RemoveAll(filepath.Join(site, gone)))
			}
			path := filepath.Join(site, name)
			requireNil(t, os.Chmod(path, mode))
			t.Cleanup(func() { os.Chmod(path, 0o700) })
		}
	}
	for _, c := range []badStart{
		{"a data folder to be read, without a file", chmod(0o500, "data", "data/quire.db"), "data/quire.db", "permission denied", "right to read and write"},
		{"a data folder to be read, without uploads", chmod(0o500, "data", "data/uploads"), "data/uploads", "permission denied", "right to read and write"},
		{"a closed data folder", chmod(0, "data"), "data/quire.db", "permission denied", "right to read and write"},
		{"a site to be read, without data", chmod(0o500, ".", "data"), "data", "permission denied", "right to read and write"},
		{"a data file to be read", chmod(0o400, "data/quire.db"), "data/quire.db", "permission denied", "right to read and write"},
		{"a closed folder of uploads", chmod(0, "data/uploads"), "data/uploads", "permission denied", "right to read and write"},
	} {
		t.Run(c.name, func(t *testing.T) {
			site := ownSite(t, model)
			c.spoil(t, site)
			requireBadStart(t, site, c, unprivileged(t, program.ServeCommand(t, site)))
		})
	}
	t.Run("a site to be read, with data", func(t *testing.T) {
		site := ownSite(t, model)
		chmod(0o555, ".")(t, site)
		p := program.Start(t, unprivileged(t, program.ServeCommand(t, site)))
		p.Kill()
	})
}

// A command that has the file open for a moment is waited for.
func TestStartWaitsForACommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc to see that the program has come to the file")
	}
	site := program.NewGuide(t)
	file := filepath.Join(site, "data", "quire.db")
	held, err := bbolt.Open(file, 0o600, nil)
	requireNil(t, err)
	c := program.ServeCommand(t, site)
	said, err := c.StdoutPipe()
	requireNil(t, err)
	requireNil(t, c.Start())
	waitUntilOpen(t, c.Process.Pid, file)
	requireNil(t, held.Close())
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "Quire listens at ") {
		t.Errorf("it says %q, %v", line, err)
	}
	c.Process.Kill()
	c.Wait()
}

// waitUntilOpen returns when a process has a file open, or has ended.
func waitUntilOpen(t *testing.T, pid int, file string) {
	t.Helper()
	open := fmt.Sprintf("/proc/%d/fd", pid)
	for {
		all, err := os.ReadDir(open)
		if err != nil || len(all) == 0 {
			return
		}
		for _, f := range all {
			if to, err := os.Readlink(filepath.Join(open, f.Name())); err == nil && to == file {
				return
			}
		}
		runtime.Gosched()
	}
}

// A file that another process has open is refused as long as it has.
func TestStartOfALockedSite(t *testing.T) {
	t.Parallel()
	site := program.NewGuide(t)
	program.Serve(t, site)
	out, err := program.ServeCommand(t, site).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "another process has "+filepath.Join(site, "data", "quire.db")+" open; stop it") {
		t.Errorf("%v: %s", err, out)
	}
}

// listened is a command, with all that it will say on standard error.
func listened(c *exec.Cmd) (*exec.Cmd, *bytes.Buffer) {
	message := new(bytes.Buffer)
	c.Stderr = message
	return c, message
}

// stop stops a server as an operator would, and demands a clean end.
func stop(t *testing.T, s *program.Server) {
	t.Helper()
	s.Signal(syscall.SIGTERM)
	if err := s.Wait(); err != nil {
		t.Errorf("the program ends with %v\n%s", err, s.Log)
	}
}

// What is in the way of the socket is named, and the site served all the same:
// only the commands cannot reach it. A long path is no hindrance.
func TestStartWithoutASocket(t *testing.T) {
	t.Parallel()
	site := program.NewGuide(t)
	requireNil(t, os.WriteFile(filepath.Join(site, "data", "quire.sock"), []byte("x"), 0o600))
	c, message := listened(program.ServeCommand(t, site))
	p := program.Start(t, c)
	if response, err := http.Get(p.URL + "/api/restaurants"); err != nil || response.StatusCode != 200 {
		t.Errorf("%v, %v", response, err)
	}
	stop(t, p)
	if text := message.String(); !strings.Contains(text, "quire.sock is in the way: it is no socket; remove it") {
		t.Errorf("it says %s", text)
	}
	if content, err := os.ReadFile(filepath.Join(site, "data", "quire.sock")); err != nil || string(content) != "x" {
		t.Errorf("what was in the way is %q, %v", content, err)
	}

	if runtime.GOOS != "linux" {
		t.Skip("long paths of sockets need /proc")
	}
	deep := filepath.Join(t.TempDir(), strings.Repeat("d", 120), "site")
	requireNil(t, os.MkdirAll(filepath.Dir(deep), 0o700))
	program.Succeed(t, "new", deep)
	program.Serve(t, deep)
	if out, err := program.New(t, "token", "list", deep).CombinedOutput(); err != nil || !strings.Contains(string(out), program.ByServer) {
		t.Errorf("through a long path: %v, %s", err, out)
	}
}

// A full disk is reported, and the existing data stays unchanged.
func TestStartOnAFullDisk(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs a system that limits the size of files")
	}
	bash := program.Find(t, "bash")
	model := program.NewGuide(t)
	c := badStart{path: "data/quire.db", want: "file too large", fix: "free space on the disk"}
	full := func(site string) *exec.Cmd {
		return exec.Command(bash, "-c", `ulimit -f 16; exec "$0" serve --listen 127.0.0.1:0 "$1"`, program.Path(t), site)
	}
	t.Run("a new file", func(t *testing.T) {
		site := program.CopySite(t, model)
		requireNil(t, os.Remove(filepath.Join(site, "data", "quire.db")))
		requireBadStart(t, site, c, full(site))
	})
	t.Run("a file that is there", func(t *testing.T) {
		site := program.CopySite(t, model)
		before := snapshotOf(t, site)
		p := program.Start(t, full(site)) // it is served, as long as nothing is written
		p.Kill()
		if after := snapshotOf(t, site); after != before {
			t.Errorf("%s became %s", before, after)
		}
	})
}

// A data folder that others can write is served, and both the log and the check
// say so, with the command that ends it.
func TestDataThatOthersCanWrite(t *testing.T) {
	t.Parallel()
	site := filepath.Join(t.TempDir(), "a site")
	requireNil(t, os.Rename(program.NewGuide(t), site))
	data, file := filepath.Join(site, "data"), filepath.Join(site, "data", "quire.db")
	if out := program.Succeed(t, "check", site); out != "no problems\n" {
		t.Errorf("at first the check says %s", out)
	}
	requireNil(t, os.Chmod(data, 0o777))
	requireNil(t, os.Chmod(file, 0o620))
	requireNil(t, os.Chmod(site, 0o755))
	out := program.Succeed(t, "check", site)
	c, message := listened(program.ServeCommand(t, site, "--log-format", "text"))
	p := program.Start(t, c)
	live := program.Succeed(t, "check", site)
	stop(t, p)
	for _, fix := range []string{"-rw--w---- chmod go-w '" + file + "'", "drwxrwxrwx chmod go-w '" + data + "'"} {
		mode, fix, _ := strings.Cut(fix, " ")
		for who, text := range map[string]string{"the check": out, "the check of a server": live, "the log": message.String()} {
			if !strings.Contains(text, mode) || !strings.Contains(text, fix) {
				t.Errorf("%s does not say %s, %s: %s", who, mode, fix, text)
			}
		}
		if out, err := exec.Command("sh", "-c", fix).CombinedOutput(); err != nil {
			t.Errorf("%s: %v, %s", fix, err, out)
		}
	}
	if out := program.Succeed(t, "check", site); out != "no problems\n" {
		t.Errorf("at last the check says %s", out)
	}
}
