package gitignore

import (
	"os"
	"path/filepath"
	"testing"
)

// add adds the line for a folder, and returns it.
func add(t *testing.T, root, folder string) *Line {
	t.Helper()
	line, err := LineFor(root, folder)
	if err == nil {
		err = line.Add()
	}
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// A folder is added once, with a line of its own, and only where it is not ignored yet. Taken
// back, the file is what it was.
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
		name := filepath.Join(root, ".gitignore")
		first, second := add(t, root, filepath.Join(root, "data")), add(t, root, filepath.Join(root, "data"))
		if got, _ := os.ReadFile(name); string(got) != want || second.Text != "" {
			t.Errorf("%q became %q, %+v", before, got, second)
		}
		for _, line := range []*Line{second, first, first} {
			if err := line.TakeBack(); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); string(got) != before || err != nil {
			t.Errorf("%q was taken back to %q, %v", before, got, err)
		}
	}
}

// A missing file is made, and removed when that is taken back; a folder elsewhere is none of
// its business.
func TestAddMakesTheFile(t *testing.T) {
	root := t.TempDir()
	line := add(t, root, filepath.Join(root, "my [data]"))
	if line.Text != `/my\ \[data]/` || !Ignored(root, filepath.Join(root, "my [data]", "x")) {
		t.Errorf("%+v", line)
	}
	if err := line.TakeBack(); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{root, filepath.Dir(root), t.TempDir()} {
		if line := add(t, root, other); line.Text != "" {
			t.Errorf("%s: %+v", other, line)
		}
	}
	if _, err := os.Lstat(filepath.Join(root, ".gitignore")); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

// What somebody else has added meanwhile stays.
func TestTakeBackOfAChangedFile(t *testing.T) {
	root := tree(t, map[string]string{".gitignore": "a\n"})
	line, name := add(t, root, filepath.Join(root, "data")), filepath.Join(root, ".gitignore")
	if err := os.WriteFile(name, []byte("a\n/data/\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := line.TakeBack()
	if got, _ := os.ReadFile(name); string(got) != "a\n/data/\nb\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
