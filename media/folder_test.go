package media

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOpenRemovesWhatNeverArrived(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uploads")
	f, err := Open(path)
	check(t, err)
	check(t, f.Put(t.Context(), "kept_1.txt", "", strings.NewReader("kept")))
	check(t, os.WriteFile(filepath.Join(path, temporary+"123"), nil, 0o600))
	check(t, f.Close())
	if f, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if names, err := f.names(); err != nil || !slices.Equal(names, []string{"kept_1.txt"}) {
		t.Errorf("%v, %v", names, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := Open(filepath.Join(path, "kept_1.txt", "x")); err == nil {
		t.Error("a folder inside a file")
	}
}

// What arrives at one process is not removed by another one that starts.
func TestOpenLeavesWhatOthersReceive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uploads")
	first, err := Open(path)
	check(t, err)
	file, err := first.create()
	check(t, err)
	name := filepath.Base(file.Name())
	second, err := Open(path)
	check(t, err)
	check(t, finish(file))
	check(t, first.put(t.Context(), []LocalFile{{first.at(name), "arrived_1.txt", ""}}))
	_, err = first.create() // for an upload that will never end
	check(t, err)
	check(t, errors.Join(first.Close(), second.Close()))
	third, err := Open(path)
	check(t, err)
	defer third.Close()
	if names, err := third.names(); err != nil || !slices.Equal(names, []string{"arrived_1.txt"}) {
		t.Errorf("%v, %v", names, err)
	}
}

func TestPut(t *testing.T) {
	f, err := Open(filepath.Join(t.TempDir(), "uploads"))
	check(t, err)
	check(t, f.Put(t.Context(), "a.txt", "", strings.NewReader("first")))
	check(t, f.Put(t.Context(), "a.txt", "", strings.NewReader("second")))
	if data, err := os.ReadFile(f.at("a.txt")); err != nil || string(data) != "second" {
		t.Errorf("%q, %v", data, err)
	}
	for _, name := range []string{"", "..", "../a", temporary + "a", "a/b"} {
		if f.Put(t.Context(), name, "", strings.NewReader("")) == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
	if f.Put(t.Context(), "b.txt", "", &broken{[]byte("b")}) == nil {
		t.Error("a file that broke off is stored")
	}
	if names, err := f.names(); err != nil || !slices.Equal(names, []string{"a.txt"}) {
		t.Errorf("%v, %v", names, err)
	}
}

// A name that is taken, by whatever accident, costs nobody a file.
func TestKeepNeverReplaces(t *testing.T) {
	f, err := Open(filepath.Join(t.TempDir(), "uploads"))
	check(t, err)
	for _, name := range []string{"taken", temporary + "1", temporary + "2"} {
		check(t, os.WriteFile(f.at(name), []byte(name), 0o600))
	}
	if f.put(t.Context(), []LocalFile{{f.at(temporary + "1"), "new", ""}, {f.at(temporary + "2"), "taken", ""}}) == nil {
		t.Error("it is no error")
	}
	if data, err := os.ReadFile(f.at("taken")); err != nil || string(data) != "taken" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Stat(f.at("new")); err == nil {
		t.Error("the other file has its name all the same")
	}
}

func TestCheck(t *testing.T) {
	path := t.TempDir()
	for _, name := range []string{"a.txt", "stray.txt", temporary + "9"} {
		check(t, os.WriteFile(filepath.Join(path, name), nil, 0o600))
	}
	check(t, os.MkdirAll(filepath.Join(path, "folder", "inner"), 0o700))
	found, err := Check(path, []string{"a.txt", "gone.txt", "folder", "gone.txt"})
	check(t, err)
	if !slices.Equal(found.Strays, []string{temporary + "9", "folder", "stray.txt"}) || !slices.Equal(found.Missing, []string{"folder", "gone.txt"}) {
		t.Errorf("%+v", found)
	}
	if err := RemoveStrays(path, found.Strays); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder that holds something: %v", err)
	}
	if found, err = Check(path, []string{"a.txt"}); err != nil || !slices.Equal(found.Strays, []string{"folder"}) {
		t.Errorf("after removing: %+v, %v", found, err)
	}
	if found, err := Check(filepath.Join(path, "nowhere"), []string{"b", "a"}); err != nil || !slices.Equal(found.Missing, []string{"a", "b"}) || found.Strays != nil {
		t.Errorf("no folder at all: %+v, %v", found, err)
	}
}

// What is no plain file is none of ours, wherever it leads.
func TestLinksAreNotFollowed(t *testing.T) {
	f, err := Open(filepath.Join(t.TempDir(), "uploads"))
	check(t, err)
	secret := filepath.Join(t.TempDir(), "secret")
	check(t, os.WriteFile(secret, []byte("secret"), 0o600))
	check(t, os.Symlink(secret, f.at("link.txt")))
	check(t, os.Mkdir(f.at("folder"), 0o700))
	for _, name := range []string{"link.txt", "folder", "missing"} {
		if file, _, err := f.Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) || file != nil {
			t.Errorf("%s is opened: %v", name, err)
		}
	}
	check(t, f.Put(t.Context(), "link.txt", "", strings.NewReader("new")))
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("storing a file wrote through the link: %q, %v", data, err)
	}
}

// Behind a link may be what belongs to others.
func TestNothingIsSweptBehindALink(t *testing.T) {
	away, path := t.TempDir(), filepath.Join(t.TempDir(), "uploads")
	if err := os.Symlink(away, path); err != nil {
		t.Skip("no links here:", err)
	}
	for _, name := range []string{temporary + "1", "mine.jpg"} {
		check(t, os.WriteFile(filepath.Join(away, name), nil, 0o600))
	}
	f, err := Open(path)
	check(t, err)
	check(t, f.Put(t.Context(), "kept_1.txt", "", strings.NewReader("kept")))
	found, err := Check(path, []string{"kept_1.txt"})
	if err != nil || !found.Linked || len(found.Strays) != 2 || len(found.Missing) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if err := RemoveStrays(path, found.Strays); !errors.Is(err, ErrLink) {
		t.Errorf("strays are removed: %v", err)
	}
	if names, err := f.names(); err != nil || len(names) != 3 {
		t.Errorf("%v, %v", names, err)
	}
	check(t, os.RemoveAll(away))
	if _, err := Open(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to nothing: %v", err)
	}
}
