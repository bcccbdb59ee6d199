package objects

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

func TestMain(m *testing.M) { program.Main(m) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The credentials of the store, of which the secret must be seen nowhere.
const (
	access = "quire"
	secret = "not-to-be-seen"
)

// objectStore is a running object store, with one bucket, and the line to it.
type objectStore struct {
	*line
	folder string // of the bucket
}

// startStore starts an object store that ends with the test.
func startStore(t *testing.T) *objectStore {
	t.Helper()
	gateway := os.Getenv("VERSITYGW")
	if gateway == "" {
		var err error
		if gateway, err = exec.LookPath("versitygw"); err != nil {
			t.Skip("there is no versitygw, an object store, in PATH, and VERSITYGW names none; see the comment of the package")
		}
	}
	root := t.TempDir()
	s := &objectStore{folder: filepath.Join(root, "guide")}
	check(t, os.Mkdir(s.folder, 0o700))
	address := freeAddress(t)
	c := exec.Command(gateway, "--port", address, "posix", root)
	c.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+access, "ROOT_SECRET_KEY="+secret)
	check(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	awaitListener(t, address)
	s.line = openLine(t, address)
	t.Setenv("AWS_ACCESS_KEY_ID", access)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer l.Close()
	return l.Addr().String()
}

// awaitListener waits until somebody listens at an address.
func awaitListener(t *testing.T, address string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			check(t, conn.Close())
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
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
