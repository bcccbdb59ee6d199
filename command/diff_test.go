package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
