package command

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
	"regexp"
	"strings"
	"testing"
	"time"
)

// command runs quire to its end. It returns the exit status and the output.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	code = run(t.Context(), args, &out, &errors)
	return code, out.String(), errors.String()
}

// succeed runs quire, which must succeed. On standard error it may only report who did
// the work.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	if code != 0 || stderr != "" && !strings.HasPrefix(stderr, "quire: done by ") {
		t.Fatalf("quire %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// refused reports whether a command ended without doing anything: with the usage and
// status 2 after misuse, with status 1 otherwise.
func refused(code int, stderr string) bool {
	if strings.Contains(stderr, "\nusage: ") {
		return code == 2
	}
	return code == 1
}

// program is quire running in the background.
type program struct {
	t      *testing.T
	url    string
	stdout chan string // lines; closed at the end
	stop   context.CancelFunc
	code   chan int
	stderr bytes.Buffer // read only after code was received
}

// begin starts quire, and waits until it prints its address.
func begin(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	p := &program{t: t, stdout: make(chan string, 1000), stop: stop, code: make(chan int, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.code <- run(ctx, args, writer, &p.stderr)
		writer.Close()
	}()
	go func() {
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			p.stdout <- lines.Text()
		}
		close(p.stdout)
	}()
	t.Cleanup(func() { stop(); <-ended }) // before its folder is removed
	line, ok := <-p.stdout
	if !ok {
		t.Fatalf("quire %s: exit %d\n%s", strings.Join(args, " "), <-p.code, p.stderr.String())
	}
	fmt.Sscanf(line, "Quire listens at %s", &p.url)
	return p
}

// end stops the program, and requires a clean end.
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
	requireNil(p.t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	requireNil(p.t, err)
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(v); err != nil {
		p.t.Fatalf("GET %s: %v", path, err)
	}
	return response.StatusCode
}

// inOrder is what check says of a site in order, with or without code.
var inOrder = regexp.MustCompile(`^(code of the project:\n(    \S+: runs\n)+)?no problems\n$`)

func TestStartersAreInOrder(t *testing.T) {
	for _, name := range starterNames {
		site := filepath.Join(t.TempDir(), name)
		succeed(t, "new", "--template", name, site)
		if got := succeed(t, "check", site); !inOrder.MatchString(got) {
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
		if path, ok := strings.CutPrefix(line, p.url); ok && !strings.HasPrefix(path, "/admin") {
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
		args  string
		want  string
		usage string // the command whose usage is shown, if the command line is wrong
	}{
		{"bake", `unknown command "bake"`, "quire COMMAND"},
		{"--nope", "unknown flag: --nope", "quire COMMAND"},
		{"serve a b", `"b" is one argument too many`, "quire serve [SITE] [flags]"},
		{"serve --nope", "unknown flag: --nope", "quire serve [SITE] [flags]"},
		{"serve --stop-delay soon", "invalid argument \"soon\"", "quire serve [SITE] [flags]"},
		{"serve /nowhere/at/all", "no site folder /nowhere/at/all", ""},
		{"serve --listen 1338 " + site, `--listen takes HOST:PORT, such as 127.0.0.1:1338 or :1338; not "1338"`, "quire serve "},
		{"serve --metrics 1338 " + site, "--metrics takes HOST:PORT", "quire serve "},
		{"demo --listen localhost", "--listen takes HOST:PORT", "quire demo "},
		{"status /nowhere/at/all", "no site folder /nowhere/at/all", ""},
		{"health /nowhere/at/all", "no site folder /nowhere/at/all", ""},
		{"status main_test.go", "no site folder main_test.go", ""},
		{"health main_test.go", "no site folder main_test.go", ""},
		{"token list main_test.go", "no site folder main_test.go", ""},
		{"diff monday.tar.zst " + site, "there is no monday.tar.zst; name a site folder, a backup or a data file", ""},
		{"start " + site, "Did you mean this?\n\tserve\n", "quire COMMAND"},
		{"token crate", "Did you mean this?\n\tcreate\n", "quire token COMMAND"},
		{"completion tcsh", `no script for "tcsh"; choose one of bash, `, "quire completion SHELL"},
		{"cluster status etcd://x", "a program built with -tags cluster has it", "quire COMMAND"},
		{"serve --cluster etcd://x " + site, "a program built with -tags cluster has it", "quire serve "},
		{"new", "quire: SITE is missing\n", "quire new "},
		{"webhook resend", "quire: WEBHOOK is missing\n", "quire webhook resend "},
		{"restore", "quire: FILE is missing\n", "quire restore "},
		{"import", "quire: FILE is missing\n", "quire import "},
		{"token create", "quire: --name and --type must be given\n", "quire token create "},
		{"import --csv dishes.csv " + site, "quire: --type must be given, too\n", "quire import "},
		{"new --template wild " + site, `no template "wild"`, "quire new "},
		{"token", `"quire token" needs one of its commands`, "quire token COMMAND"},
		{"user nope", `unknown command "nope" for "quire user"`, "quire user COMMAND"},
		{"user sign-out", "name the user", "quire user sign-out USER [SITE]"},
		{"token create --type full-access " + site, "--name must be given", "quire token create "},
		{"token create --name a --type owner " + site, `not "owner"`, "quire token create "},
		{"token create --name a --type custom " + site, "at least one permission", "quire token create "},
		{"token create --name a --type custom --permission api::x.x.find " + site, "unknown permissions: api::x.x.find", ""},
		{"token create --name a --type read-only --expires soon " + site, `not "soon"`, "quire token create "},
		{"token create --name a --type read-only --expires -1d " + site, `not "-1d"`, "quire token create "},
		{"token create --name a --type read-only --expires 99999999999d " + site, "not", "quire token create "},
		{"version x", `"x" is one argument too many`, "quire version"},
		{"backup " + site, "is a folder; name the file before it", "quire backup "},
		{"export a.tar.gz b.tar.gz " + site, site + `" is one argument too many`, "quire export "},
		{"restore main_test.go", "is not a site folder: it has neither src nor site.json", "quire restore "},
		{"restore --verify --replace x", "--replace and --verify exclude each other", "quire restore "},
		{"migrate rename --keep all a b c", `--keep is old or new, not "all"`, "quire migrate rename "},
		{"import --merge --replace a b", "--merge and --replace exclude each other", "quire import "},
		{"export a " + site, "should end in .tar.gz", "quire export "},
	} {
		if strings.Contains(test.want, "-tags cluster") && len(clusterCommands()) > 0 {
			continue // this program has it
		}
		code, stdout, stderr := command(t, strings.Fields(test.args)...)
		if stdout != "" || !strings.HasPrefix(stderr, "quire: ") || !strings.Contains(stderr, test.want) {
			t.Errorf("quire %s: stdout %q, stderr %q, want %q", test.args, stdout, stderr, test.want)
		}
		misused := strings.Contains(stderr, "\nusage: "+test.usage) && strings.Contains(stderr, " --help` says more\n")
		if test.usage != "" && (code != 2 || !misused) || test.usage == "" && (code != 1 || strings.Contains(stderr, "usage:")) {
			t.Errorf("quire %s: exit %d, stderr %q, want the usage of %q", test.args, code, stderr, test.usage)
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
	if got := succeed(t, "version"); !strings.HasPrefix(got, "quire ") || got != succeed(t, "--version") {
		t.Errorf("version: %s", got)
	}
	if got := succeed(t, "user", "--help"); strings.Contains(got, "COMMAND") || !strings.Contains(got, "quire user [command]") {
		t.Errorf("the help of a group: %s", got)
	}
}

func TestRoutesTable(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	got := succeed(t, "routes", site)
	for _, line := range []string{
		"GET /_health - anyone -",
		"GET /api/restaurants api::restaurant.restaurant.find public full-access,read-only,custom",
		"PUT /api/homepage api::homepage.homepage.update or updateDraft - full-access,custom",
		"POST /api/homepage/actions/publish api::homepage.homepage.publish - full-access,custom",
		"GET /api/homepage/schedule api::homepage.homepage.publish or unpublish - full-access,custom",
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

// The client sends the body of the request only when the server has begun to read it.
// The server is stopped in the middle.
func TestServerStopsAfterTheRequestsUnderWay(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "test", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	body, sender := io.Pipe()
	r, err := http.NewRequest("POST", p.url+"/api/cuisines", body)
	requireNil(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Expect", "100-continue")
	status := make(chan int, 1)
	go func() {
		response, err := (&http.Transport{ExpectContinueTimeout: time.Minute}).RoundTrip(r)
		if err != nil {
			status <- 0
			return
		}
		response.Body.Close()
		status <- response.StatusCode
	}()
	io.WriteString(sender, `{"data": `)
	p.stop()
	io.WriteString(sender, `{"name": "Late"}}`)
	sender.Close()
	if got := <-status; got != 201 {
		t.Errorf("the request under way was answered %d, want 201", got)
	}
	p.end()
}

// edit replaces text in a file of the site.
func edit(t *testing.T, site, file, from, to string) {
	t.Helper()
	rewrite(t, filepath.Join(site, file), from, to)
}

func rewrite(t *testing.T, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(name)
	requireNil(t, err)
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s does not contain %q", name, from)
	}
	requireNil(t, os.WriteFile(name, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}

const cuisineSchema = "src/api/cuisine/content-types/cuisine/schema.json"

// newGuide writes the starter site.
func newGuide(t *testing.T) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	return site
}
