package mediatest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"quire/media"
)

// Storage checks an empty storage against the promises of media.Storage. Files are created
// in folder before they are put.
func Storage(t *testing.T, s media.Storage, folder string) {
	c := &checked{s, folder}
	for _, test := range []struct {
		name string
		run  func(*testing.T, *checked)
	}{
		{"what is put is there, whole and in parts", putAndOpen},
		{"what is not there is said to be missing", missing},
		{"a name that is taken keeps its content", taken},
		{"several files come together or not at all", together},
		{"many put files at once", race},
		{"no name leads elsewhere", names},
		{"all files are listed", list},
		{"work that was given up is an error", givenUp},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, c)
			must(t, c.Delete(t.Context(), c.all(t)...))
		})
	}
}

// checked is a storage with the operations of the tests.
type checked struct {
	media.Storage
	folder string
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// localFile creates a file that can be put.
func (c *checked) localFile(t *testing.T, name, content string) media.LocalFile {
	t.Helper()
	file, err := os.CreateTemp(c.folder, ".upload-*")
	must(t, err)
	_, err = file.WriteString(content)
	must(t, errors.Join(err, file.Close()))
	return media.LocalFile{Path: file.Name(), Name: name, Mime: "text/plain"}
}

func (c *checked) put(t *testing.T, name, content string) error {
	t.Helper()
	return c.Put(t.Context(), c.localFile(t, name, content))
}

// requireFile requires that a name has a content.
func (c *checked) requireFile(t *testing.T, name, content string) {
	t.Helper()
	file, object, err := c.Open(t.Context(), name)
	must(t, err)
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil || string(data) != content || object.Size != int64(len(content)) || object.Name != name {
		t.Errorf("%s is %q, %+v, %v", name, data, object, err)
	}
}

// lacks requires that a name does not exist.
func (c *checked) lacks(t *testing.T, name string) {
	t.Helper()
	if _, err := c.Stat(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat of %s: %v", name, err)
	}
	if file, _, err := c.Open(t.Context(), name); !errors.Is(err, fs.ErrNotExist) || file != nil {
		t.Errorf("Open of %s: %v", name, err)
	}
}

func (c *checked) all(t *testing.T) (names []string) {
	t.Helper()
	must(t, c.List(t.Context(), func(o media.Object) error {
		names = append(names, o.Name)
		return nil
	}))
	slices.Sort(names)
	return names
}

func putAndOpen(t *testing.T, c *checked) {
	content := strings.Repeat("0123456789", 50_000)
	must(t, c.put(t, "a_1.txt", content))
	c.requireFile(t, "a_1.txt", content)
	object, err := c.Stat(t.Context(), "a_1.txt")
	if err != nil || object.Size != int64(len(content)) || object.Modified.IsZero() {
		t.Errorf("%+v, %v", object, err)
	}
	file, _, err := c.Open(t.Context(), "a_1.txt")
	must(t, err)
	defer file.Close()
	for _, part := range []struct{ whence, offset, at int }{{io.SeekStart, 12_345, 12_345}, {io.SeekEnd, -7, len(content) - 7}, {io.SeekStart, 3, 3}, {io.SeekCurrent, 2, 9}} {
		if at, err := file.Seek(int64(part.offset), part.whence); err != nil || at != int64(part.at) {
			t.Fatalf("%+v: at %d, %v", part, at, err)
		}
		piece := make([]byte, 4)
		if _, err := io.ReadFull(file, piece); err != nil || string(piece) != content[part.at:part.at+4] {
			t.Errorf("%+v: %q, %v", part, piece, err)
		}
	}
	if end, err := file.Seek(0, io.SeekEnd); err != nil || end != int64(len(content)) {
		t.Errorf("it ends at %d, %v", end, err)
	}
	if n, err := file.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("past its end: %d, %v", n, err)
	}
	if _, err := file.Seek(-1, io.SeekStart); err == nil {
		t.Error("there is something before its beginning")
	}
}

func missing(t *testing.T, c *checked) {
	c.lacks(t, "nowhere_1.txt")
	must(t, c.put(t, "nowhere_1.txt.bak", "x"))
	c.lacks(t, "nowhere_1.txt")
	must(t, c.Delete(t.Context(), "nowhere_1.txt"))
	must(t, c.Delete(t.Context()))
	must(t, c.Delete(t.Context(), "nowhere_1.txt", "nowhere_1.txt.bak"))
	c.lacks(t, "nowhere_1.txt.bak")
}

func taken(t *testing.T, c *checked) {
	must(t, c.put(t, "taken_1.txt", "first"))
	if err := c.put(t, "taken_1.txt", "second"); err == nil {
		t.Error("a name that is taken is given again")
	}
	c.requireFile(t, "taken_1.txt", "first")
}

func together(t *testing.T, c *checked) {
	must(t, c.Put(t.Context(), c.localFile(t, "one_1.txt", "one"), c.localFile(t, "two_1.txt", "two")))
	c.requireFile(t, "one_1.txt", "one")
	c.requireFile(t, "two_1.txt", "two")
	if err := c.Put(t.Context(), c.localFile(t, "three_1.txt", "three"), c.localFile(t, "two_1.txt", "again")); err == nil {
		t.Error("no error where the second is taken")
	}
	c.lacks(t, "three_1.txt")
	c.requireFile(t, "two_1.txt", "two")
	if err := c.Put(t.Context(), c.localFile(t, "four_1.txt", "four"), media.LocalFile{Path: filepath.Join(c.folder, ".upload-gone"), Name: "five_1.txt"}); err == nil {
		t.Error("no error where the second never arrived")
	}
	c.lacks(t, "four_1.txt")
}

func race(t *testing.T, c *checked) {
	var all sync.WaitGroup
	errs := make([]error, 8)
	files := make([]media.LocalFile, len(errs))
	for i := range files {
		files[i] = c.localFile(t, "own_"+string(rune('a'+i))+".txt", strings.Repeat("x", 100*i))
	}
	for i, file := range files {
		all.Go(func() { errs[i] = c.Put(context.WithoutCancel(t.Context()), file) })
	}
	all.Wait()
	must(t, errors.Join(errs...))
	for i, file := range files {
		c.requireFile(t, file.Name, strings.Repeat("x", 100*i))
	}
}

func names(t *testing.T, c *checked) {
	for _, name := range []string{"", "..", ".hidden", "../a_1.txt", "a/b", "/etc/passwd", "a\\b", "a b", "ü.txt", "a\x00b"} {
		if err := c.put(t, name, "x"); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
		c.lacks(t, name)
		must(t, c.Delete(t.Context(), name))
	}
}

func list(t *testing.T, c *checked) {
	var want []string
	for i := range 12 {
		name := "file_" + string(rune('a'+i)) + ".txt"
		must(t, c.put(t, name, name))
		want = append(want, name)
	}
	if got := c.all(t); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	enough := errors.New("enough")
	n := 0
	if err := c.List(t.Context(), func(media.Object) error { n++; return enough }); !errors.Is(err, enough) || n != 1 {
		t.Errorf("after %d files: %v", n, err)
	}
}

func givenUp(t *testing.T, c *checked) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Put(ctx, c.localFile(t, "late_1.txt", "late")); !errors.Is(err, context.Canceled) {
		t.Errorf("Put: %v", err)
	}
	c.lacks(t, "late_1.txt")
	must(t, c.put(t, "there_1.txt", "there"))
	if err := c.List(ctx, func(media.Object) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("List: %v", err)
	}
}
