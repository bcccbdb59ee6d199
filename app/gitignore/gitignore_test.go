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
		for _, dry := range []bool{true, false} {
			if line, err := Add(root, data, dry); !errors.Is(err, ErrNoFile) {
				t.Errorf("%s: %q, %v", target, line, err)
			}
		}
	}
}

// A folder is added once, with a line of its own, and only where it is not ignored yet.
func TestAdd(t *testing.T) {
	for before, want := range map[string]string{
		"":              "/data/\n",
		"a\nb":          "a\nb\n/data/\n",
		"a\n":           "a\n/data/\n",
		"data\n":        "data\n",
		"/data/*\n":     "/data/*\n",
		"data/a\n":      "data/a\n/data/\n",
		"/data/\n!data": "/data/\n!data\n/data/\n",
	} {
		root := tree(t, map[string]string{".gitignore": before})
		if _, err := Add(root, filepath.Join(root, "data"), true); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(filepath.Join(root, ".gitignore")); string(got) != before {
			t.Errorf("a dry run made of %q %q", before, got)
		}
		for range 2 {
			if _, err := Add(root, filepath.Join(root, "data"), false); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := os.ReadFile(filepath.Join(root, ".gitignore")); string(got) != want {
			t.Errorf("%q became %q", before, got)
		}
	}
}

// A missing file is made; a folder elsewhere is none of its business.
func TestAddMakesTheFile(t *testing.T) {
	root := t.TempDir()
	if line, err := Add(root, filepath.Join(root, "my [data]"), false); err != nil || line != `/my\ \[data]/` || !Ignored(root, filepath.Join(root, "my [data]", "x")) {
		t.Errorf("%q, %v", line, err)
	}
	for _, other := range []string{root, filepath.Dir(root), t.TempDir()} {
		if line, err := Add(root, other, false); line != "" || err != nil {
			t.Errorf("%s: %q, %v", other, line, err)
		}
	}
}
