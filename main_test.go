package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// command runs quire to its end and returns its exit code and what it printed.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	code = run(t.Context(), args, &out, &errors)
	return code, out.String(), errors.String()
}

// succeed runs quire and demands that it succeeds. All that it may say on standard
// error is whether a running server did what was asked.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	if code != 0 || stderr != "" && !strings.HasPrefix(stderr, "quire: done by ") {
		t.Fatalf("quire %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// program is quire running in the background.
type program struct {
	t      *testing.T
	url    string
	stdout chan string // its lines; closed at the end
	stop   context.CancelFunc
	code   chan int
	stderr bytes.Buffer // to be read once code has been received
}

// begin starts quire and waits until it says where it listens.
func begin(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	p := &program{t: t, stdout: make(chan string, 1000), stop: stop, code: make(chan int, 1)}
	go func() {
		p.code <- run(ctx, args, writer, &p.stderr)
		writer.Close()
	}()
	go func() {
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			p.stdout <- lines.Text()
		}
		close(p.stdout)
	}()
	t.Cleanup(stop)
	line, ok := <-p.stdout
	if !ok {
		t.Fatalf("quire %s: exit %d\n%s", strings.Join(args, " "), <-p.code, p.stderr.String())
	}
	fmt.Sscanf(line, "Quire listens at %s", &p.url)
	return p
}

// end stops the program and demands a clean end.
func (p *program) end() {
	p.t.Helper()
	p.stop()
	if code := <-p.code; code != 0 {
		p.t.Errorf("exit %d\n%s", code, p.stderr.String())
	}
}

// get reads a path of the program into v, with a token unless it is empty.
func (p *program) get(path, token string, v any) int {
	p.t.Helper()
	r, err := http.NewRequest("GET", p.url+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(v); err != nil {
		p.t.Fatalf("GET %s: %v", path, err)
	}
	return response.StatusCode
}

func TestStartersAreInOrder(t *testing.T) {
	for _, name := range starterNames {
		site := filepath.Join(t.TempDir(), name)
		succeed(t, "new", "--template", name, site)
		if got := succeed(t, "check", site); got != "no problems\n" {
			t.Errorf("check of %s: %s", name, got)
		}
		if code, _, stderr := command(t, "new", site); code != 1 || !strings.Contains(stderr, "not empty") {
			t.Errorf("a second new: exit %d, %s", code, stderr)
		}
		ignored, err := os.ReadFile(filepath.Join(site, ".gitignore"))
		if err != nil || !strings.Contains(string(ignored), "/data/") {
			t.Errorf("%s: .gitignore: %q, %v", name, ignored, err)
		}
	}
}

func TestServe(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "test", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	if what := <-p.stdout; !strings.Contains(what, "7 content types and 0 entries") {
		t.Errorf("it says: %s", what)
	}

	r, _ := http.NewRequest("POST", p.url+"/api/cuisines", strings.NewReader(`{"data": {"name": "Soup"}}`))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil || response.StatusCode != 201 {
		t.Fatal(response, err)
	}
	response.Body.Close()

	p.end()
	logged := p.stderr.String()
	if !strings.Contains(logged, `"method":"POST","path":"/api/cuisines","status":201`) || !strings.Contains(logged, `token \"test\"`) || strings.Contains(logged, token) {
		t.Errorf("the log: %s", logged)
	}

	again := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer again.end()
	var list struct{ Data []struct{ Name string } }
	if status := again.get("/api/cuisines", "", &list); status != 200 || len(list.Data) != 1 || list.Data[0].Name != "Soup" {
		t.Errorf("after a restart: %d %v", status, list)
	}
}

func TestEnvironmentNamesTheAddress(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", "--template", "blank", site)
	t.Setenv("HOST", "localhost")
	t.Setenv("PORT", "0")
	p := begin(t, "serve", site)
	defer p.end()
	var answer map[string]any
	if status := p.get("/api/nothing", "", &answer); status != 404 || answer["error"] == nil {
		t.Errorf("%s: %d %v", p.url, status, answer)
	}
	if got := defaultListen(); got != "localhost:0" {
		t.Errorf("it listens at %s by default", got)
	}
}

func TestDemo(t *testing.T) {
	p := begin(t, "demo", "--listen", "127.0.0.1:0")
	defer p.end()
	token, tries := "", 0
	for line := range p.stdout {
		line = strings.TrimSpace(line)
		if path, ok := strings.CutPrefix(line, p.url); ok {
			tries++
			var answer map[string]json.RawMessage
			if status := p.get(path, "", &answer); status != 200 || len(answer["data"]) < 10 {
				t.Errorf("%s: %d %s", path, status, answer)
			}
		}
		if rest, ok := strings.CutPrefix(line, "TOKEN="); ok {
			token = rest
		}
		if strings.HasPrefix(line, "Stop") {
			break
		}
	}
	var drafts struct{ Data []struct{ Name string } }
	status := p.get("/api/restaurants?status=draft&filters[publishedAt][$null]=true&sort=name", token, &drafts)
	if status != 200 || len(drafts.Data) != 5 || tries < 5 {
		t.Errorf("drafts: %d %v; %d addresses to try", status, drafts, tries)
	}
}

func TestCommandLineErrors(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	for _, test := range []struct {
		args string
		want string
	}{
		{"bake", `unknown command "bake"`},
		{"serve a b", "at most 1 arg"},
		{"serve /nowhere/at/all", "no site folder /nowhere/at/all"},
		{"serve --listen nonsense " + site, "missing port"},
		{"new", "accepts 1 arg"},
		{"new --template wild " + site, `no template "wild"`},
		{"token create --type full-access " + site, `"name" not set`},
		{"token create --name a --type owner " + site, `not "owner"`},
		{"token create --name a --type custom " + site, "at least one permission"},
		{"token create --name a --type custom --permission api::x.x.find " + site, "unknown permissions: api::x.x.find"},
		{"token create --name a --type read-only --expires soon " + site, `not "soon"`},
		{"token create --name a --type read-only --expires -1d " + site, `not "-1d"`},
		{"token create --name a --type read-only --expires 99999999999d " + site, "not"},
	} {
		code, stdout, stderr := command(t, strings.Fields(test.args)...)
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "quire: ") || !strings.Contains(stderr, test.want) {
			t.Errorf("quire %s: exit %d, stdout %q, stderr %q, want %q", test.args, code, stdout, stderr, test.want)
		}
	}
}

func TestHelpHasExamples(t *testing.T) {
	for _, args := range [][]string{
		{"--help"}, {"demo", "--help"}, {"new", "--help"}, {"serve", "--help"}, {"import", "--help"}, {"export", "--help"}, {"check", "--help"}, {"status", "--help"}, {"health", "--help"}, {"migrate", "rename", "--help"}, {"migrate", "drop", "--help"},
		{"backup", "--help"}, {"restore", "--help"}, {"compact", "--help"}, {"migrate", "--help"}, {"migrate", "format", "--help"},
		{"routes", "--help"}, {"token", "create", "--help"}, {"version", "--help"},
	} {
		if got := succeed(t, args...); !strings.Contains(got, "Examples:") {
			t.Errorf("quire %s:\n%s", strings.Join(args, " "), got)
		}
	}
	if got := succeed(t, "completion", "bash"); !strings.Contains(got, "__start_quire") {
		t.Error("no completion for bash")
	}
	if got := succeed(t, "version"); !strings.HasPrefix(got, "quire ") {
		t.Errorf("version: %s", got)
	}
}

func TestRoutesTable(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	got := succeed(t, "routes", site)
	for _, line := range []string{
		"GET /_health - anyone -",
		"GET /api/restaurants api::restaurant.restaurant.find public full-access,read-only,custom",
		"PUT /api/homepage api::homepage.homepage.update - full-access,custom",
	} {
		found := false
		for _, have := range strings.Split(got, "\n") {
			found = found || strings.Join(strings.Fields(have), " ") == line
		}
		if !found {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
}
