package command

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	soup = `{"type": "api::cuisine.cuisine", "documentId": "aaaaaaaaaaaaaaaaaaaaaaaa", "data": {"name": "NAME"}}
`
	bread = `{"type": "api::cuisine.cuisine", "documentId": "bbbbbbbbbbbbbbbbbbbbbbbb", "data": {"name": "Bread"}}
`
)

// diffed returns a site with a user, and a backup of it; the site was changed after the
// backup.
func diffed(t *testing.T) (site, backup string) {
	t.Helper()
	site = newGuide(t)
	backup = filepath.Join(t.TempDir(), "b.tar.zst")
	succeed(t, "import", write(t, strings.ReplaceAll(soup, "NAME", "Soup")+bread), site)
	succeed(t, "user", "create", "--username", "ana", "--email", "ana@example.org", site)
	succeed(t, "backup", backup, site)
	return site, backup
}

// Diff names what has changed since a backup, by document and attribute, in both
// directions.
func TestDiffOfABackup(t *testing.T) {
	site, backup := diffed(t)
	if got := succeed(t, "diff", backup, site); strings.Contains(got, "~") || strings.Contains(got, "+") {
		t.Errorf("nothing has changed: %s", got)
	}
	added := `{"type": "api::cuisine.cuisine", "documentId": "cccccccccccccccccccccccc", "data": {"name": "Rice"}}`
	succeed(t, "import", "--merge", write(t, strings.ReplaceAll(soup, "NAME", "Soups")+added), site)
	got := succeed(t, "diff", backup, site)
	for _, want := range []string{
		"~ api::cuisine.cuisine aaaaaaaaaaaaaaaaaaaaaaaa\n", ": name, publishedAt, updatedAt\n", "+ api::cuisine.cuisine cccccccccccccccccccccccc\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, "bbbbbbbb") || !strings.Contains(strings.Join(strings.Fields(got), " "), "api::cuisine.cuisine - 1 0 1 1") {
		t.Error(got)
	}
	if got := succeed(t, "diff", site, backup); !strings.Contains(got, "- api::cuisine.cuisine cccccccccccccccccccccccc\n") {
		t.Errorf("backwards: %s", got)
	}
	if got := succeed(t, "diff", "--summary", backup, site); strings.Contains(got, "aaaa") || !strings.Contains(got, "CHANGED") {
		t.Error(got)
	}
	if got := succeed(t, "diff", "--values", backup, site); !strings.Contains(got, `name: "Soup" -> "Soups"`) {
		t.Error(got)
	}
}

// Diff never shows the values of passwords and private attributes.
func TestDiffHidesSecrets(t *testing.T) {
	site, backup := diffed(t)
	succeed(t, "user", "reset-link", "ana", site)
	edit(t, site, cuisineSchema, `"type": "string"`, `"private": true, "type": "string"`)
	succeed(t, "import", "--merge", write(t, strings.ReplaceAll(soup, "NAME", "Secret")), site)
	for _, args := range [][]string{{backup, site}, {site, backup}} {
		got := succeed(t, append([]string{"diff", "--values", "--json"}, args...)...)
		if strings.Contains(got, "Soup") || strings.Contains(got, "Secret") || !strings.Contains(got, `{"name":"name"}`) {
			t.Error(got)
		}
	}
	code, _, stderr := command(t, "diff", "--values", backup, backup)
	if code != exitMisuse || !strings.Contains(stderr, "only if one of the two is a site folder") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// Diff compares two sites with their schemas. With --json, every line is JSON.
func TestDiffOfSites(t *testing.T) {
	site, backup := diffed(t)
	other := newGuide(t)
	succeed(t, "restore", backup, other)
	edit(t, other, cuisineSchema, `"attributes": {`, `"attributes": {"hot": {"type": "boolean"},`)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	got := succeed(t, "diff", site, other)
	p.end()
	if !strings.HasPrefix(got, "+ schema api::cuisine.cuisine.hot: boolean\n") || strings.Contains(got, "\n~ ") {
		t.Error(got)
	}
	lines := 0
	for line := range strings.Lines(succeed(t, "diff", "--json", site, other)) {
		lines++
		if err := json.Unmarshal([]byte(line), new(map[string]any)); err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
	if lines != 2 {
		t.Errorf("%d lines", lines)
	}
}

// Diff refuses a path that is not a site, a backup or a data file.
func TestDiffErrors(t *testing.T) {
	site, backup := diffed(t)
	for _, test := range []struct{ args, want string }{
		{write(t, "a text that is long enough") + " " + site, "neither a backup nor a data file that can be opened\n"},
		{write(t, "") + " " + site, "neither a backup nor a data file"},
		{backup + "x " + site, "name a site folder, a backup or a data file"},
		{os.DevNull + " " + site, "is not a file"},
		{backup + " " + t.TempDir(), "is not a site folder"},
		{backup + " " + newGuide(t), "quire.db"},
		{write(t, "\x28\xb5\x2f\xfd and no more") + " " + site, "is no backup"},
	} {
		code, stdout, stderr := command(t, append([]string{"diff"}, strings.Fields(test.args)...)...)
		if code != exitFailed || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("quire diff %s: exit %d, stdout %q, stderr %q, want %q", test.args, code, stdout, stderr, test.want)
		}
	}
	if code, _, stderr := command(t, "diff", "--data", filepath.Join(site, "data"), site, site); code != exitMisuse || !strings.Contains(stderr, "--data is for one site folder") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	data := filepath.Join(site, "data", "quire.db")
	if got := succeed(t, "diff", backup, data); strings.Contains(got, "~ ") {
		t.Error(got)
	}
}

// Diff says what changed since a moment, and between two: from the stream of the site, or from what
// the data file knows.
func TestDiffSinceAMoment(t *testing.T) {
	for _, source := range []string{"history", "stream"} {
		t.Run(source, func(t *testing.T) { diffSince(t, source) })
	}
}

func diffSince(t *testing.T, source string) {
	site := newGuide(t)
	if source == "stream" {
		edit(t, site, "site.json", "{", `{"backup": {"stream": {"folder": "../target"}},`)
	}
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "t", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	var last time.Time          // updatedAt of the last write
	pause := func() time.Time { // until the next millisecond, because commits have no finer time
		from := time.Now()
		for time.Since(from) < 2*time.Millisecond {
		}
		return time.Now()
	}
	write := func(method, path, name string) (id, after string) {
		t.Helper()
		id, last = p.writeCuisine(t, token, method, path, name)
		after = pause().UTC().Format(time.RFC3339Nano)
		pause()
		return id, after
	}
	if write("POST", "/api/cuisines", "Tea"); source == "stream" {
		waitForStream(t, site, last) // it has nothing from before its first image
	}
	soup, first := write("POST", "/api/cuisines", "Soup")
	_, second := write("PUT", "/api/cuisines/"+soup, "Soups")
	bread, third := write("POST", "/api/cuisines", "Bread")
	_, fourth := write("PUT", "/api/cuisines/"+soup, "Stew")
	if status := p.send(token, "DELETE", "/api/cuisines/"+bread, "", new(any)); status != http.StatusNoContent {
		t.Fatal(status)
	}
	if source == "stream" {
		write("POST", "/api/cuisines", "Rice")
		waitForStream(t, site, last)
	}
	changed, added, removed := "~ api::cuisine.cuisine "+soup+"\n", "+ api::cuisine.cuisine "+bread+"\n", "- api::cuisine.cuisine "+bread+"\n"
	for _, test := range []struct {
		at, to    string
		values    string // of the changed one
		want, not []string
	}{
		{first, second, `"Soup" -> "Soups"`, []string{changed}, []string{added, removed}},
		{first, third, `"Soup" -> "Soups"`, []string{changed, added}, []string{removed}},
		{first, "", `"Soup" -> "Stew"`, []string{changed}, []string{added, removed}},
		{second, third, "", []string{added}, []string{changed, removed}},
		{third, "", `"Soups" -> "Stew"`, []string{changed, removed}, []string{added}},
		{fourth, "", "", []string{removed}, []string{changed, added}},
		{fourth, fourth, "", nil, []string{changed, added, removed}},
	} {
		args := []string{"diff", "--values", "--at", test.at}
		if test.to != "" {
			args = append(args, "--to", test.to)
		}
		got := succeed(t, append(args, site)...)
		for _, want := range append(test.want, test.values, " ("+source+") to ") {
			if !strings.Contains(got, want) {
				t.Errorf("%v: no %q in %s", args, want, got)
			}
		}
		for _, not := range test.not {
			if strings.Contains(got, not) {
				t.Errorf("%v: %q in %s", args, not, got)
			}
		}
		lines := strings.Split(strings.TrimSpace(succeed(t, append(args, "--json", site)...)), "\n")
		if !strings.HasPrefix(lines[0], `{"moments":[{"at":"`) || !strings.HasPrefix(lines[len(lines)-1], `{"summary":`) || strings.Contains(lines[1], `"schemas"`) {
			t.Errorf("%v: %s", args, lines)
		}
	}
	p.end()
	code, _, stderr := command(t, "diff", "--at", "2001-01-01T00:00:00Z", site)
	if code != exitFailed || !strings.Contains(stderr, "does not know what it had at 2001-01-01T00:00:00Z: its log of changes begins at 2") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	edit(t, site, cuisineSchema, `"type": "string"`, `"private": true, "type": "string"`)
	if got := succeed(t, "diff", "--values", "--at", first, site); strings.Contains(got, "Soup") || !strings.Contains(got, changed) {
		t.Errorf("a private attribute is shown: %s", got)
	}
}

// Moments that say nothing are refused.
func TestDiffMomentErrors(t *testing.T) {
	site := newGuide(t)
	for args, want := range map[string]string{
		"--at yesterday":            "--at takes a moment",
		"--at 2h --to soon":         "--to takes a moment",
		"--at 1h --to 2h":           "--to is before --at",
		"--at 2999-01-01T00:00:00Z": "not after now",
		"--to 1h " + site:           "--to goes with it",
		"--at= ":                    "--at says since when",
		"--at 1h " + site:           "is one argument too many",
	} {
		if code, _, stderr := command(t, append(append([]string{"diff"}, strings.Fields(args)...), site)...); code != exitMisuse || !strings.Contains(stderr, want) {
			t.Errorf("diff %s: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}
