package gitignore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// tree makes a folder with files of these texts.
func tree(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Git would commit a file unless a pattern above it says otherwise. Each case was compared
// with git check-ignore.
func TestCommitted(t *testing.T) {
	for _, test := range []struct {
		ignore, inner, exclude string
		want                   bool
	}{
		{"", "", "", true},
		{"data/", "", "", false}, {"data", "", "", false}, {"/site/data/", "", "", false}, {"/data/", "", "", true},
		{"site/data", "", "", false}, {"**/data/", "", "", false}, {"site/**", "", "", false}, {"*", "", "", false},
		{"", "/data/", "", false}, {"", "data/*", "", false}, {"", "*.db", "", false}, {"", "da?a", "", false}, {"", "[a-d]ata", "", false}, {"", "[!a-d]ata", "", true},
		{"", "", "data/", false}, {"data/\n!data/", "", "", true}, {"data/", "!data/", "", true}, {"site/\n!site/data/", "", "", false},
		{"# data/", "", "", true}, {"\\#data", "", "", true}, {"data/   ", "", "", false}, {"[data", "", "", true}, {"\ufeffdata/\r\n", "", "", false},
		{"quire.db/", "", "", true}, {"*.db", "!quire.db", "", true},
	} {
		root := tree(t, map[string]string{".gitignore": test.ignore, "site/.gitignore": test.inner, ".git/info/exclude": test.exclude})
		if got := Committed(filepath.Join(root, "site", "data", "quire.db")); got != test.want {
			t.Errorf("%q, %q, %q: %v", test.ignore, test.inner, test.exclude, got)
		}
	}
	if Committed(filepath.Join(tree(t, map[string]string{".gitignore": ""}), "data", "quire.db")) {
		t.Error("there is no git")
	}
}

// Nothing is read or written through a link: git would not, and it may lead out of the folder
// or to something without an end.
func TestLinks(t *testing.T) {
	for _, target := range []string{"/dev/zero", filepath.Join(tree(t, map[string]string{"away": "/data/\n"}), "away")} {
		root := tree(t, map[string]string{".git/info/exclude": ""})
		if err := os.Symlink(target, filepath.Join(root, ".gitignore")); err != nil {
			t.Skip("no links here:", err)
		}
		data := filepath.Join(root, "data")
		if !Committed(filepath.Join(data, "quire.db")) {
			t.Errorf("patterns of %s count", target)
		}
		if line, err := LineFor(root, data); !errors.Is(err, ErrNoFile) {
			t.Errorf("%s: %v, %v", target, line, err)
		}
	}
}
