package command

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/app"
)

// codeSite is the starter site with code.
func codeSite(t *testing.T) string {
	t.Helper()
	site := filepath.Join(t.TempDir(), "notes")
	succeed(t, "new", "--template", "code", site)
	return site
}

// The starter site with code has no problems, and its own test passes against a server.
func TestStarterWithCode(t *testing.T) {
	site := codeSite(t)
	requireParts(t, succeed(t, "check", site), "    src/api/note/controllers/note.js: runs\n", "no problems\n")
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "t", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	var longest struct{ Error struct{ Message string } }
	if status := p.get("/api/notes/longest", "", &longest); status != 404 || longest.Error.Message != "There are no notes yet" {
		t.Errorf("%d %+v", status, longest)
	}
	node, err := exec.LookPath("node")
	if err != nil && os.Getenv("QUIRE_CI") == "" {
		t.Skip("there is no node here")
	}
	run := exec.CommandContext(t.Context(), node, "--test")
	run.Dir, run.Env = site, append(os.Environ(), "URL="+p.url, "TOKEN="+token)
	if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "pass 3") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The routes of a project's code are listed, in place of those that they replace.
func TestRoutesOfCode(t *testing.T) {
	site := codeSite(t)
	edit(t, site, "src/api/note/routes/note.js", "config:", "except: ['delete'], config:")
	edit(t, site, "src/api/note/routes/01-longest.js", "handler: 'note.longest' }", "handler: 'note.longest' }, { method: 'GET', path: '/open', handler: 'note.longest', config: { auth: false } }")
	var lines []string
	for line := range strings.Lines(succeed(t, "routes", site)) {
		if line = strings.Join(strings.Fields(line), " "); strings.Contains(line, "/api/notes ") || strings.Contains(line, "/api/notes/:") && !strings.Contains(line, "/actions/") || strings.Contains(line, "longest") || strings.Contains(line, "/open") {
			lines = append(lines, line)
		}
	}
	for _, want := range []string{
		"GET /api/notes/longest api::note.note.longest public full-access,custom", "GET /api/open - anyone -",
		"GET /api/notes api::note.note.find public full-access,read-only,custom", "PUT /api/notes/:id api::note.note.update - full-access,custom",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "DELETE /api/notes/:") || strings.HasPrefix(line, "PUT /api/notes/:documentId ") {
			t.Errorf("it lists %s", line)
		}
	}
}

// A console runs scripts and lines in a running server, or in the site alone. Both write
// through the hooks of the code.
func TestConsole(t *testing.T) {
	site := codeSite(t)
	succeed(t, "token", "create", "--name", "t", "--type", "full-access", site)
	run := func(script string) (code int, stdout, stderr string) {
		t.Helper()
		putStdin(t, script)
		return command(t, "console", site)
	}
	requireOut := func(script, want string) {
		t.Helper()
		if code, stdout, stderr := run(script); code != 0 || strings.TrimSpace(stdout) != want {
			t.Errorf("%s: exit %d\n%s%s", script, code, stdout, stderr)
		}
	}
	requireOut("await strapi.documents('api::note.note').create({ data: { text: 'a b c' } });\nreturn strapi.documents('api::note.note').count();", "1")
	if code, _, stderr := run("throw new Error('not today')"); code != 1 || !strings.Contains(stderr, "not today") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	requireOut("(await strapi.documents('api::note.note').findFirst()).words", "3")
	if log := succeed(t, "audit", "--json", site); strings.Count(log, `"console.run"`) != 3 {
		t.Errorf("three scripts have left this in the audit log:\n%s", log)
	}

	console, who, err := app.Location{Site: site}.OpenConsole(t.Context(), nil)
	requireNil(t, err)
	if who != app.ByServer {
		t.Error(who)
	}
	var out bytes.Buffer
	typed := "const note = await strapi.documents('api::note.note').findFirst();\nnote.text\nlet { words } = note;\nwords * 2\n[\n1,\n2].length\nstrapi.none.none\nvoid 0\n"
	requireNil(t, prompt(t.Context(), console, bufio.NewReader(strings.NewReader(typed)), &out))
	requireParts(t, out.String(), "> 'a b c'\n", "> 6\n", "> ... ... 2\n")
	if strings.Count(out.String(), "TypeError") != 1 {
		t.Errorf("the error is not printed once:\n%s", &out)
	}
}

// A site without code has no console.
func TestConsoleWithoutCode(t *testing.T) {
	site := newGuide(t)
	succeed(t, "token", "create", "--name", "t", "--type", "full-access", site)
	putStdin(t, "1")
	if code, _, stderr := command(t, "console", site); code != 1 || !strings.Contains(stderr, "the site has no code that runs") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
