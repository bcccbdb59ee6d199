package program

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"testing"
	"testing/fstest"
)

// Template returns a function that fills a folder of a test with files. Its first call runs
// fill to make them; all tests of a package get copies of the same.
func Template(fill func(folder string) error) func(t testing.TB, folder string) {
	files := sync.OnceValues(func() (fs.FS, error) {
		folder, err := os.MkdirTemp("", "quire-template-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		if err := fill(folder); err != nil {
			return nil, err
		}
		return inMemory(os.DirFS(folder))
	})
	return func(t testing.TB, folder string) {
		t.Helper()
		copied, err := files()
		if err = errors.Join(err, os.CopyFS(folder, copied)); err != nil {
			t.Fatal(err)
		}
	}
}

// inMemory returns copies of the files of a folder, so that nothing has to be removed when
// the tests end.
func inMemory(files fs.FS) (fs.FS, error) {
	copied := fstest.MapFS{}
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(files, path)
		copied[path] = &fstest.MapFile{Data: data, Mode: info.Mode()}
		return err
	})
	return copied, err
}
