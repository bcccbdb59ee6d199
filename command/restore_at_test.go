package command

import (
	"path/filepath"
	"strings"
	"testing"
)

// What is asked of a stream in a wrong way, or of a site without one, is refused before
// anything is touched.
func TestRestoreOfAMomentThatIsRefused(t *testing.T) {
	dir := t.TempDir()
	site, none := filepath.Join(dir, "site"), filepath.Join(dir, "none")
	for _, path := range []string{site, none} {
		if code, _, stderr := command(t, "new", path); code != exitDone {
			t.Fatal(stderr)
		}
	}
	edit(t, site, "site.json", "{", `{"backup": {"stream": {"folder": "../target", "keyFile": "`+filepath.ToSlash(filepath.Join(dir, "key"))+`"}},`)
	for args, want := range map[string]string{
		"--at yesterday SITE":                  `--at "yesterday" is no time; write it like 2026-11-23T14:32:10Z, or latest`,
		"--at 2026-11-23 SITE":                 "is no time",
		"--at= SITE":                           "--at needs a time",
		"--at latest FILE SITE":                "is one argument too many",
		"--at latest --list SITE":              "exclude each other",
		"--check --list SITE":                  "exclude each other",
		"--list --replace SITE":                "exclude each other",
		"--check --verify SITE":                "exclude each other",
		"--at latest --from http://a SITE":     "exclude each other",
		"--of 1a2b FILE SITE":                  "--of goes with --at, --list or --check",
		"--key-file FILE FILE SITE":            "--key-file goes with --at, --list or --check",
		"--list NONE":                          `site.json names no stream: backup.stream says where it is: "backup": {"stream": {"folder"`,
		"--check NONE":                         "site.json names no stream",
		"--at latest NONE":                     "site.json names no stream",
		"--at latest SITE":                     "there is nothing to restore: the target has no image of this data folder",
		"--list SITE":                          "there is nothing to restore",
		"--check SITE":                         "there is nothing to restore",
		"--at latest " + dir + "/missing-site": "there is no site folder",
	} {
		words := strings.Fields(strings.NewReplacer("SITE", site, "NONE", none, "FILE", filepath.Join(dir, "x")).Replace(args))
		code, stdout, stderr := command(t, append([]string{"restore"}, words...)...)
		if code == exitDone || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("restore %s: exit %d, %q %q, want %q", args, code, stdout, stderr, want)
		}
	}
	for _, path := range []string{filepath.Join(dir, "target"), filepath.Join(site, "data")} {
		if names, err := filepath.Glob(filepath.Join(path, "*")); err != nil || len(names) > 0 {
			t.Errorf("in %s there are %v, %v", path, names, err)
		}
	}
}
