package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/app"
)

func TestStatusAndHealth(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	if code, _, stderr := command(t, "status", site); code != 1 || !strings.Contains(stderr, "there is no data file") {
		t.Errorf("before there is anything: exit %d, %s", code, stderr)
	}
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "test", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	p.create(token, "/api/cuisines", `{"data": {"name": "Soup"}}`)
	for _, want := range []string{
		`address +` + p.url, `state +ready, up \d`, `requests +1, .*: 1 2xx`, `writes +\d+ in \d+ commits?, 0 failed`,
		`data file +\S+quire.db, \d+\.\d MiB`, `last commit +revision \d+, 20`, `uploads +0 files`, `last backup +none`, `load +\d connections?, 0 closed for others; 0 requests under way, 0 refused; 0 heavy queries waited`, `api::cuisine.cuisine +1 +0`,
	} {
		requireLine(t, succeed(t, "status", site), want)
	}
	if got := succeed(t, "health", site); got != "ready\n" {
		t.Errorf("health: %s", got)
	}
	file := filepath.Join(t.TempDir(), "site.tar.zst")
	succeed(t, "backup", site, file)
	requireLine(t, succeed(t, "status", site), `last backup +20\S+Z, \d+\.\d KiB, `+regexp.QuoteMeta(file))
	running := statusOf(t, site)
	p.end()

	stopped := statusOf(t, site)
	if running.Server == nil || running.Server.Requests.Total != 1 || running.Address != p.url {
		t.Errorf("while it runs: %+v", running)
	}
	if running.Backup == nil || stopped.Backup == nil || *stopped.Backup != *running.Backup || stopped.Backup.File != file {
		t.Errorf("the last backup is %+v while it runs, and then %+v", running.Backup, stopped.Backup)
	}
	if fmt.Sprint(stopped.Content.Entries) != fmt.Sprint(running.Content.Entries) || stopped.Content.Revision != running.Content.Revision || stopped.Server != nil {
		t.Errorf("from the file %+v, from the server %+v", stopped.Content, running.Content)
	}
	requireLine(t, succeed(t, "status", site), "server +none is running")
	if code, _, stderr := command(t, "health", site); code != 1 || !strings.Contains(stderr, "no server") {
		t.Errorf("health after the end: exit %d, %s", code, stderr)
	}
}

func statusOf(t *testing.T, site string) (s app.SiteStatus) {
	t.Helper()
	requireNil(t, json.Unmarshal([]byte(succeed(t, "status", "--json", site)), &s))
	return s
}

func requireLine(t *testing.T, text, want string) {
	t.Helper()
	if !regexp.MustCompile("(?m)^" + want).MatchString(text) {
		t.Errorf("no line like %q in\n%s", want, text)
	}
}

// create sends a body, and requires that the response is 201.
func (p *program) create(token, path, body string) {
	p.t.Helper()
	r, err := http.NewRequest("POST", p.url+path, strings.NewReader(body))
	requireNil(p.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	requireNil(p.t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		p.t.Fatalf("POST %s: %d", path, response.StatusCode)
	}
}

func TestMetricsAddress(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", "--template", "blank", site)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site)
	var address string
	for line := range p.stdout {
		if n, _ := fmt.Sscanf(line, "Metrics are at %s", &address); n == 1 {
			break
		}
	}
	response, err := http.Get(address)
	requireNil(t, err)
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || !strings.Contains(string(text), "quire_build_info{version=\""+app.Version()) || !strings.Contains(string(text), "quire_commit_duration_seconds_count") {
		t.Errorf("%s: %v\n%s", address, err, text)
	}
	taken := strings.TrimPrefix(strings.TrimSuffix(address, "/metrics"), "http://")
	other := filepath.Join(t.TempDir(), "other")
	succeed(t, "new", "--template", "blank", other)
	if code, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0", "--metrics", taken, other); code != 1 || !strings.Contains(stderr, "--metrics: ") {
		t.Errorf("an address that is taken: exit %d, %s", code, stderr)
	}
	p.end()
}

func TestLogFlags(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", "--template", "blank", site)
	for _, test := range []struct {
		environment, args, want string
	}{
		{"", "", `"level":"INFO","msg":"request"`},
		{"", "--log-format text", `level=INFO msg=request`},
		{"LOG_FORMAT=text", "", `level=INFO msg=request`},
		{"LOG_LEVEL=ERROR", "", ""},
		{"LOG_LEVEL=error", "--log-level info", `"msg":"request"`},
		{"", "--log-level warn", ""},
	} {
		t.Run(test.environment+test.args, func(t *testing.T) {
			if name, value, ok := strings.Cut(test.environment, "="); ok {
				t.Setenv(name, value)
			}
			p := begin(t, append([]string{"serve", "--listen", "127.0.0.1:0", site}, strings.Fields(test.args)...)...)
			p.get("/api/nothing", "", new(any))
			p.end()
			if got := p.stderr.String(); !strings.Contains(got, test.want) || test.want == "" && got != "" {
				t.Errorf("the log: %s", got)
			}
		})
	}
	for _, args := range []string{"--log-level loud", "--log-format xml"} {
		code, _, stderr := command(t, append([]string{"serve", site}, strings.Fields(args)...)...)
		if code != 2 || !strings.Contains(stderr, strings.Fields(args)[0]) || !strings.Contains(stderr, strings.Fields(args)[1]) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}

// slowFile keeps what is written, and counts the writes.
type slowFile struct {
	mu     sync.Mutex
	text   bytes.Buffer
	writes int
}

func (f *slowFile) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	return f.text.Write(p)
}

func (f *slowFile) lines() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Count(f.text.String(), "\n")
}

// All lines of many goroutines arrive, complete and in few writes.
func TestLogLosesNothing(t *testing.T) {
	f := &slowFile{}
	log, finish, err := openLog(f, logging{level: "info"})
	requireNil(t, err)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 500 {
				log.Info("request", "from", i, "number", j)
			}
		})
	}
	all.Wait()
	finish()
	if f.lines() != 4000 || f.writes > 400 {
		t.Errorf("%d lines in %d writes", f.lines(), f.writes)
	}
	for line := range strings.Lines(f.text.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("half a line: %s", line)
		}
	}
	log.Info("late")
	if f.lines() != 4001 {
		t.Error("what is logged after the end is lost")
	}
}

func TestErrorsAreLoggedAtOnce(t *testing.T) {
	f := &slowFile{}
	log, finish, err := openLog(f, logging{level: "info"})
	requireNil(t, err)
	defer finish()
	log.Info("before")
	for i, log := range []*slog.Logger{log, log.With("a", 1), log.WithGroup("g")} {
		log.Error("bad")
		if f.lines() != i+2 {
			t.Errorf("%d lines after %d errors", f.lines(), i+1)
		}
	}
}

// A log to /dev/null or to a file is for programs: JSON, and buffered.
func TestWhatIsATerminal(t *testing.T) {
	for name, want := range map[string]bool{
		os.DevNull:                              false,
		filepath.Join(t.TempDir(), "quire.log"): false,
		"/dev/ptmx":                             true,
	} {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil && want {
			t.Logf("there is no terminal to be had here: %v", err)
			continue
		}
		requireNil(t, err)
		if got := isTerminal(file); got != want {
			t.Errorf("%s: a terminal %v, want %v", name, got, want)
		}
		file.Close()
	}
}

// The service manager is notified when the site is served, and when it stops.
func TestServiceManagerIsTold(t *testing.T) {
	site, socket := filepath.Join(t.TempDir(), "site"), filepath.Join(t.TempDir(), "notify")
	succeed(t, "new", "--template", "blank", site)
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Skipf("this system has no such sockets: %v", err)
	}
	defer manager.Close()
	if err := manager.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil { // instead of waiting for ever
		t.Fatal(err)
	}
	t.Setenv("NOTIFY_SOCKET", socket)
	hear := func() string {
		message := make([]byte, 100)
		n, err := manager.Read(message)
		requireNil(t, err)
		return string(message[:n])
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	if got := hear(); got != "READY=1" {
		t.Errorf("it is told %q", got)
	}
	p.end()
	if got := hear(); got != "STOPPING=1" {
		t.Errorf("at the end it is told %q", got)
	}
}
