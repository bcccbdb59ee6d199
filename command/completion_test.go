package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completed returns the completions of the last of some words.
func completed(t *testing.T, words ...string) (names []string) {
	t.Helper()
	code, stdout, _ := command(t, append([]string{"__complete"}, words...)...)
	if code != exitDone {
		t.Fatalf("quire __complete %s: exit %d", strings.Join(words, " "), code)
	}
	for line := range strings.Lines(stdout) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if name != "" && !strings.HasPrefix(name, ":") {
			names = append(names, name)
		}
	}
	return names
}

// Completion offers the names that the site has: types, attributes, tokens, users, roles,
// webhooks, backups.
func TestCompletionOfNames(t *testing.T) {
	site := newGuide(t)
	edit(t, site, "site.json", "{", `{"webhooks": [{"name": "deploy", "url": "https://example.org/"}],`)
	succeed(t, "token", "create", "--name", "reader", "--type", "read-only", site)
	succeed(t, "user", "create", "--username", "ana", "--email", "ana@example.org", site)
	requireNil(t, os.Mkdir(filepath.Join(site, "data", "backups"), 0o700))
	succeed(t, "backup", filepath.Join(site, "data", "backups", "monday.tar.zst"), site)
	t.Chdir(site)
	for _, test := range []struct{ words, want string }{
		{"tok", "token"},
		{"completion ", "bash zsh fish powershell"},
		{"token revoke ", "reader"},
		{"token create --type ", "full-access read-only custom"},
		{"query --as ", "full-access public reader"},
		{"query rest", "restaurants"},
		{"user block ", "ana"},
		{"user set-role ana pub", "public"},
		{"role show auth", "authenticated"},
		{"webhook test ", "deploy"},
		{"migrate drop api::cu", "api::cuisine.cuisine"},
		{"migrate rename api::cuisine.cuisine title na", "name"},
		{"import --csv --type cui", "cuisine"},
		{"export --csv --type st", "story"},
		{"token create --type custom --permission api::cuisine.cuisine.findO", "api::cuisine.cuisine.findOne"},
		{"restore ", "data/backups/monday.tar.zst"},
		{"status --j", "--json"},
	} {
		if got := completed(t, strings.Split(test.words, " ")...); !slices.Equal(got, strings.Fields(filepath.FromSlash(test.want))) {
			t.Errorf("quire %s: %q, want %q", test.words, got, test.want)
		}
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", ".")
	if got := completed(t, "token", "revoke", "rea"); !slices.Equal(got, []string{"reader"}) {
		t.Errorf("while a server runs: %q", got)
	}
	p.end()
}

// Without a site, completion offers nothing and creates nothing.
func TestCompletionWithoutASite(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, words := range [][]string{{"token", "revoke", ""}, {"user", "block", ""}, {"query", ""}, {"migrate", "drop", ""}, {"restore", ""}} {
		if got := completed(t, words...); len(got) > 0 {
			t.Errorf("quire %s: %q", strings.Join(words, " "), got)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// There is a script for each supported shell. Other shells are refused.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range shells {
		bare := succeed(t, "completion", "--no-descriptions", shell)
		if got := succeed(t, "completion", shell); len(got) < 1000 || got == bare || !strings.Contains(got, "quire") {
			t.Errorf("%s: %.200s", shell, got)
		}
	}
	if code, _, stderr := command(t, "completion", "tcsh"); code != exitMisuse || !strings.Contains(stderr, `no script for "tcsh"`) {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
