package objects

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/gateway"
	"quire/test/program"
)

func TestMain(m *testing.M) { program.Main(m) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// secret must be seen nowhere.
const secret = gateway.Secret

// objectStore is a running object store, with one bucket, and the line to it.
type objectStore struct {
	*line
	folder string // of the bucket
}

// startStore starts an object store that ends with the test.
func startStore(t *testing.T) *objectStore {
	t.Helper()
	s := gateway.Start(t)
	return &objectStore{openLine(t, s.Address), s.Folder}
}

// keys are the objects below a prefix.
func (s *objectStore) keys(t *testing.T, prefix string) (keys []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(s.folder, prefix), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !strings.Contains(path, ".sgwtmp") {
			keys = append(keys, e.Name())
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return keys
}
