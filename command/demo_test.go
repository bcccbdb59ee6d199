package command

import (
	"context"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// demoCuisines starts a demo in a folder. It counts the cuisines with the printed token.
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

// A demo in a folder can run again, and serves what was written before.
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

// If its port is taken, a demo uses another one and reports it. quire serve does not.
func TestDemoWhosePortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	requireNil(t, err)
	defer l.Close()
	p := begin(t, "demo", "--listen", l.Addr().String())
	var list struct{ Data []any }
	if status := p.get("/api/cuisines", "", &list); status != 200 || len(list.Data) == 0 || strings.HasSuffix(p.url, l.Addr().String()) {
		t.Errorf("at %s: %d", p.url, status)
	}
	p.end()
	if said := p.stderr.String(); !strings.Contains(said, "is taken; the demo uses port "+p.url[strings.LastIndex(p.url, ":")+1:]+"\n") {
		t.Errorf("it says %s", said)
	}
	if code, _, stderr := command(t, "serve", "--listen", l.Addr().String(), newGuide(t)); code != 1 || !strings.Contains(stderr, "--listen names another address") {
		t.Errorf("serve: exit %d, %s", code, stderr)
	}
}

// A demo that cannot listen says what to do, and leaves the folder unchanged.
func TestDemoThatCannotListen(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "try")
	code, stdout, stderr := command(t, "demo", "--listen", "192.0.2.1:1337", folder)
	if code != 1 || stdout != "" || !strings.Contains(stderr, "--listen names another address") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made")
	}
}

// The first page of a demo shows requests to try. Each of them works, and the page
// contains no secret. A served site has another page. The output of a demo has no colours.
func TestThePageAtTheTopOfADemo(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "try")
	p, token, _ := demoCuisines(t, folder)
	page := pageAt(t, p.url)
	if !strings.Contains(page, "The demo is running") || strings.Contains(page, token) || strings.Contains(page, "setup") {
		t.Error(page)
	}
	tried := regexp.MustCompile(`curl -g 'http://[^/]+([^']+)'`).FindAllStringSubmatch(page, -1)
	if len(tried) != 3 {
		t.Errorf("it suggests %d requests", len(tried))
	}
	for _, path := range tried {
		var list struct{ Data []any }
		if status := p.get(html.UnescapeString(path[1]), "", &list); status != 200 || len(list.Data) == 0 {
			t.Errorf("%s: %d with %d entries", path[1], status, len(list.Data))
		}
	}
	p.end()
	if said := p.stderr.String(); strings.Contains(said, "\x1b") {
		t.Errorf("it prints colours: %q", said)
	}
	p = begin(t, "serve", "--listen", "127.0.0.1:0", folder)
	defer p.end()
	if page := pageAt(t, p.url); strings.Contains(page, "demo") || !strings.Contains(page, "Content served by Quire.") {
		t.Error(page)
	}
}

// pageAt returns the page at / of a site.
func pageAt(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url + "/")
	requireNil(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v", response.StatusCode, err)
	}
	return string(text)
}

// A demo changes no other site.
func TestDemoInAnotherSite(t *testing.T) {
	site := newGuide(t)
	succeed(t, "hook", "secret", site) // creates the data file
	if code, _, stderr := command(t, "demo", "--listen", "127.0.0.1:0", site); code != 1 || !strings.Contains(stderr, "no demo made") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if got := succeed(t, "user", "list", site); strings.Contains(got, "demo") {
		t.Errorf("it has %s", got)
	}
	full := t.TempDir()
	requireNil(t, os.WriteFile(filepath.Join(full, "mine"), nil, 0o600))
	if code, _, stderr := command(t, "demo", "--listen", "127.0.0.1:0", full); code != 1 || !strings.Contains(stderr, "not empty") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if left := listFolder(t, full); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
}

// After a demo was stopped while it was created, it can be created again.
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

// listFolder returns the names in a folder.
func listFolder(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	requireNil(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
