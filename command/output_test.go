package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scripted are commands in an order in which each succeeds on a new site. SITE is its folder,
// and DIR another one. With printed, the command prints something even with --quiet.
var scripted = []struct {
	args    string
	printed bool
}{
	{"new SITE", false},
	{"version", true},
	{"completion bash", true},
	{"adopt DIR/project", false},
	{"check SITE", false},
	{"routes SITE", true},
	{"types SITE", true},
	{"types --out DIR/types.ts SITE", false},
	{"graphql-schema SITE", true},
	{"graphql-schema --out DIR/schema.graphql SITE", false},
	{"openapi SITE", true},
	{"openapi --out DIR/openapi.json SITE", false},
	{"token create --name a --type read-only SITE", true},
	{"token list SITE", true},
	{"token revoke a SITE", false},
	{"user create --username ana --email ana@example.org SITE", true},
	{"user list SITE", true},
	{"user reset-link ana SITE", true},
	{"user set-role ana public SITE", false},
	{"user block ana SITE", false},
	{"user unblock ana SITE", false},
	{"user sign-out ana SITE", false},
	{"user sign-out --all SITE", false},
	{"user delete ana SITE", false},
	{"admin create --name Ana --email ana@example.org SITE", true},
	{"admin create --name Bob --email bob@example.org SITE", true},
	{"admin list SITE", true},
	{"admin reset bob@example.org SITE", true},
	{"admin remove bob@example.org SITE", false},
	{"assistant create --account ana@example.org --name Claude SITE", true},
	{"assistant list SITE", true},
	{"assistant end Claude SITE", false},
	{"role list SITE", true},
	{"role show public SITE", true},
	{"import DIR/lines.ndjson SITE", false},
	{"status SITE", true},
	{"audit SITE", true},
	{"query cuisines SITE", true},
	{"undo --by token:a --since 1h SITE", true},
	{"export DIR/all.tar.gz SITE", false},
	{"export --ndjson - SITE", true},
	{"backup DIR/all.tar.zst SITE", false},
	{"diff DIR/all.tar.zst SITE", true},
	{"restore --verify DIR/all.tar.zst", false},
	{"restore --replace DIR/all.tar.zst SITE", false},
	{"compact SITE", false},
	{"migrate plan SITE", false},
	{"migrate rename --dry-run api::cuisine.cuisine title name SITE", false},
	{"migrate drop --backup DIR/b.tar.zst api::cuisine.cuisine title SITE", false},
	{"migrate rename-type --dry-run api::x.x api::cuisine.cuisine SITE", false},
	{"migrate convert SITE", false},
	{"migrate localization SITE", false},
	{"migrate format SITE", false},
	{"webhook list SITE", true},
	{"webhook deliveries deploy SITE", true},
	{"webhook resend --all deploy SITE", false},
	{"webhook secret deploy SITE", true},
	{"hook secret SITE", true},
}

// unscripted are the commands that have tests of their own, with the reasons.
var unscripted = map[string]string{
	"demo": "it serves", "serve": "it serves", "health": "it needs a server", "webhook test": "it needs a receiver", "promote": "it needs a follower", "push": "it needs two sites that were the same",
	"media move": "it needs an object store", "console": "it needs a project with code", "mcp": "it speaks a protocol",
}

// script runs every scripted command with a flag, and passes each result to look.
func script(t *testing.T, flag string, look func(args []string, printed bool, stdout, stderr string)) {
	t.Helper()
	dir := t.TempDir()
	site := filepath.Join(dir, "site")
	lines := filepath.Join(dir, "lines.ndjson")
	requireNil(t, os.WriteFile(lines, []byte(`{"type": "api::cuisine.cuisine", "data": {"name": "Soup"}}`), 0o600))
	writeIn(t, dir, "project/package.json", `{"dependencies": {"@strapi/strapi": "5.54.0"}}`)
	for _, one := range scripted {
		args := strings.Fields(strings.NewReplacer("SITE", site, "DIR", dir).Replace(one.args))
		if _, _, err := newRoot().Find(args); err != nil {
			continue // a command of the admin, in a program without it
		}
		args = append(args, flag)
		code, stdout, stderr := command(t, args...)
		if code != exitDone {
			t.Errorf("quire %s: exit %d: %s", strings.Join(args, " "), code, stderr)
		}
		look(args, one.printed, stdout, stderr)
		if args[0] == "new" {
			edit(t, site, "site.json", "{", `{"webhooks": [{"name": "deploy", "url": "https://example.org/"}],`)
		}
	}
}

// With --json, every command prints only JSON on standard output.
func TestEveryCommandPrintsJSON(t *testing.T) {
	script(t, "--json", func(args []string, _ bool, stdout, _ string) {
		if n, err := countJSON(stdout); n == 0 || err != nil {
			t.Errorf("quire %s: %v in %q", strings.Join(args, " "), err, stdout)
		}
	})
}

// countJSON counts the JSON values in a text.
func countJSON(text string) (n int, err error) {
	for d := json.NewDecoder(strings.NewReader(text)); ; n++ {
		if err := d.Decode(new(any)); err != nil {
			return n, ignoreEnd(err)
		}
	}
}

// With --quiet, a successful command prints only what it was called for.
func TestEveryCommandIsQuiet(t *testing.T) {
	script(t, "--quiet", func(args []string, printed bool, stdout, stderr string) {
		if stderr != "" || printed != (stdout != "") {
			t.Errorf("quire %s: stdout %q, stderr %q", strings.Join(args, " "), stdout, stderr)
		}
	})
}

// The lists above have every command. Each command has both flags and an example, and refuses
// an unknown flag with the status of misuse.
func TestEveryCommandObeys(t *testing.T) {
	seen := map[string]bool{}
	for _, one := range scripted {
		if c, _, err := newRoot().Find(strings.Fields(one.args)); err == nil {
			seen[strings.TrimPrefix(c.CommandPath(), "quire ")] = true
		}
	}
	for _, name := range leaves(newRoot()) {
		if !seen[name] && unscripted[name] == "" && !strings.HasPrefix(name, "cluster ") {
			t.Errorf("no test runs quire %s with --json and --quiet", name)
		}
		words := strings.Fields(name)
		code, stdout, stderr := command(t, append(words, "--nope")...)
		if code != exitMisuse || stdout != "" || !strings.Contains(stderr, "unknown flag: --nope") || !strings.Contains(stderr, "\nusage: quire "+name) {
			t.Errorf("quire %s --nope: exit %d, stdout %q, stderr %q", name, code, stdout, stderr)
		}
		help := succeed(t, append(words, "--help")...)
		for _, want := range []string{"Examples:\n", "--json ", "--quiet "} {
			if !strings.Contains(help, want) {
				t.Errorf("the help of quire %s has no %q", name, want)
			}
		}
	}
}

// A listening server prints one line of JSON. With --quiet it prints nothing, and logs only
// errors.
func TestServingPrintsJSON(t *testing.T) {
	site := newGuide(t)
	reader, writer := io.Pipe()
	p := &program{t: t, code: make(chan int, 1)}
	ctx, stop := context.WithCancel(t.Context())
	p.stop = stop
	go func() {
		p.code <- run(ctx, []string{"serve", "--json", "--quiet", "--listen", "127.0.0.1:0", site}, writer, &p.stderr)
	}()
	var where served
	requireNil(t, json.NewDecoder(reader).Decode(&where))
	p.url = where.URL
	go io.Copy(io.Discard, reader)
	if status := p.get("/api/cuisines", "", new(any)); status != 200 || where.ContentTypes != 7 || where.Site != site {
		t.Errorf("%d %+v", status, where)
	}
	if got := succeed(t, "health", "--json", site); strings.Join(strings.Fields(got), "") != `{"ready":true}` {
		t.Error(got)
	}
	if got := succeed(t, "health", "--quiet", site); got != "" {
		t.Error(got)
	}
	p.end()
	if p.stderr.Len() > 0 {
		t.Error(p.stderr.String())
	}
}

// The page about the command line has one table with all exit statuses.
func TestStatusesAreDescribed(t *testing.T) {
	page, err := os.ReadFile("../docs/cli.md")
	requireNil(t, err)
	var rows []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, row[1])
	}
	var want []string
	for _, status := range []int{exitDone, exitFailed, exitMisuse, exitIgnored} {
		want = append(want, fmt.Sprint(status))
	}
	if !slices.Equal(rows, want) {
		t.Errorf("the page has the statuses %v, the program %v", rows, want)
	}
	for status, err := range map[int]error{
		exitDone: nil, exitFailed: failure{errors.New("it failed")}, exitMisuse: misused("wrong"), exitIgnored: ignoring{errors.New("files")},
	} {
		if got := reportTo(io.Discard, newRoot(), err); got != status {
			t.Errorf("%v: exit %d, want %d", err, got, status)
		}
	}
}

// fullDisk fails every write.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// If a command cannot write its output, it fails, also if the output has many lines.
func TestNothingIsPrinted(t *testing.T) {
	site, project := newGuide(t), project(t, "landing")
	succeed(t, "hook", "secret", site) // creates the data file
	for _, args := range []string{"check " + site, "check --json " + site, "adopt --dry-run " + project, "status " + site, "routes " + site, "diff " + site + " " + site, "query cuisines " + site} {
		var stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), fullDisk{}, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("quire %s: exit %d, %s", args, code, &stderr)
		}
	}
}
