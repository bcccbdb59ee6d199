//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"quire/store"
)

// What the operating system forbids is told with the path and what to do. As
// root, whom nothing is forbidden, the program is started as somebody else.
func TestStartsThatAreForbidden(t *testing.T) {
	binary := buildQuire(t)
	model := filepath.Join(t.TempDir(), "model")
	sowSite(t, model)
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
			requireBadStart(t, site, c, unprivileged(t, exec.Command(binary, "serve", "--listen", "127.0.0.1:0", site)))
		})
	}
	t.Run("a site to be read, with data", func(t *testing.T) {
		site := ownSite(t, model)
		chmod(0o555, ".")(t, site)
		p := spawnCommand(t, unprivileged(t, exec.Command(binary, "serve", "--listen", "127.0.0.1:0", site)))
		p.kill()
	})
}

// A command that has the file open for a moment is waited for.
func TestStartWaitsForACommand(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc to see that the program has come to the file")
	}
	binary := buildQuire(t)
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	file := filepath.Join(site, "data", "quire.db")
	release, err := store.Hold(file)
	requireNil(t, err)
	c := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", site)
	said, err := c.StdoutPipe()
	requireNil(t, err)
	requireNil(t, c.Start())
	waitUntilOpen(t, c.Process.Pid, file)
	release()
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
	binary := buildQuire(t)
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	first := spawn(t, binary, site)
	defer first.kill()
	out, err := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", site).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "another process has "+filepath.Join(site, "data", "quire.db")+" open; stop it") {
		t.Errorf("%v: %s", err, out)
	}
}

// What is in the way of the socket is named, and the site served all the same:
// only the commands cannot reach it. A long path is no hindrance.
func TestStartWithoutASocket(t *testing.T) {
	binary := buildQuire(t)
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	requireNil(t, os.WriteFile(filepath.Join(site, "data", "quire.sock"), []byte("x"), 0o600))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	var list struct{ Data []any }
	if status := p.get("/api/restaurants", "", &list); status != 200 {
		t.Errorf("%d", status)
	}
	p.end()
	if text := p.stderr.String(); !strings.Contains(text, "quire.sock is in the way: it is no socket; remove it") {
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
	succeed(t, "new", deep)
	long := spawn(t, binary, deep)
	defer long.kill()
	if out, err := exec.Command(binary, "token", "list", deep).CombinedOutput(); err != nil || !strings.Contains(string(out), byServer) {
		t.Errorf("through a long path: %v, %s", err, out)
	}
}

// A disk that takes no more is told; what is there is left as it was.
func TestStartOnAFullDisk(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS != "linux" {
		t.Skip("needs bash to limit the size of files")
	}
	binary := buildQuire(t)
	model := filepath.Join(t.TempDir(), "model")
	sowSite(t, model)
	c := badStart{path: "data/quire.db", want: "file too large", fix: "make room on the disk"}
	full := func(site string) *exec.Cmd {
		return exec.Command("bash", "-c", `ulimit -f 16; exec "$0" serve --listen 127.0.0.1:0 "$1"`, binary, site)
	}
	t.Run("a new file", func(t *testing.T) {
		site := copySite(t, model)
		requireNil(t, os.Remove(filepath.Join(site, "data", "quire.db")))
		requireBadStart(t, site, c, full(site))
	})
	t.Run("a file that is there", func(t *testing.T) {
		site := copySite(t, model)
		before := snapshotOf(t, site)
		p := spawnCommand(t, full(site)) // it is served, as long as nothing is written
		p.kill()
		if after := snapshotOf(t, site); after != before {
			t.Errorf("%s became %s", before, after)
		}
	})
}
