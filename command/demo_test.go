package command

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// demoCuisines starts a demo in a folder and counts its cuisines, with the token that
// it prints.
func demoCuisines(t *testing.T, folder string) (p *program, token string, n int) {
	t.Helper()
	p = begin(t, "demo", "--listen", "127.0.0.1:0", folder)
	for token == "" {
		line, ok := <-p.stdout
		if !ok {
			t.Fatal("it prints no token")
		}
		_, token, _ = strings.Cut(line, "TOKEN=")
	}
	return p, token, p.count(token)
}

// A demo in a folder can be run again, and serves what was written before.
func TestDemoAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "try")
	p, first, before := demoCuisines(t, folder)
	if err := p.write(first, `{"data": {"name": "Soup"}}`); err != nil {
		t.Error(err)
	}
	p.end()
	p, second, after := demoCuisines(t, folder)
	defer p.end()
	if before == 0 || after != before+1 {
		t.Errorf("there are %d cuisines, and were %d", after, before)
	}
	if status := p.get("/api/cuisines", first, new(any)); status != 401 || first == second {
		t.Errorf("the former token is answered %d", status)
	}
}

// A demo whose port is taken says what to do, and leaves the folder as it was.
func TestDemoWhosePortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	folder := filepath.Join(t.TempDir(), "try")
	for _, args := range [][]string{{"demo"}, {"demo", folder}} {
		code, stdout, stderr := command(t, append(args, "--listen", l.Addr().String())...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, "--listen names another address") {
			t.Errorf("exit %d, %s%s", code, stdout, stderr)
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made")
	}
	if code, _, stderr := command(t, "serve", "--listen", l.Addr().String(), newGuide(t)); code != 1 || !strings.Contains(stderr, "--listen names another address") {
		t.Errorf("serve: exit %d, %s", code, stderr)
	}
}

// A demo touches no site but its own.
func TestDemoInAnotherSite(t *testing.T) {
	site := newGuide(t)
	succeed(t, "token", "list", site)
	if code, _, stderr := command(t, "demo", "--listen", "127.0.0.1:0", site); code != 1 || !strings.Contains(stderr, "no demo made") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if got := succeed(t, "user", "list", site); strings.Contains(got, "demo") {
		t.Errorf("it has %s", got)
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, "demo", "--listen", "127.0.0.1:0", full); code != 1 || !strings.Contains(stderr, "not empty") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if left := listFolder(t, full); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
}

// A demo that is stopped while it is being made can be made again.
func TestDemoThatIsStopped(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "try")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var out strings.Builder
	if code := run(stopped, []string{"demo", "--listen", "127.0.0.1:0", folder}, &out, &out); code != 1 {
		t.Errorf("exit %d, %s", code, out.String())
	}
	if left := listFolder(t, folder); len(left) != 0 {
		t.Errorf("the folder holds %v", left)
	}
	p, _, n := demoCuisines(t, folder)
	defer p.end()
	if n == 0 {
		t.Error("there are no cuisines")
	}
}

// listFolder lists a folder by name.
func listFolder(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
