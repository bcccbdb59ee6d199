package gateway

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"quire/test/program"
)

// The credentials of the store. The secret must not appear anywhere.
const (
	Access = "quire"
	Secret = "not-to-be-seen"
)

// Bucket is the one bucket of a Store.
const Bucket = "guide"

// Store is a running object store.
type Store struct {
	Address string // HOST:PORT
	Folder  string // of its bucket

	root string
	path string // of the program
	runs *exec.Cmd
}

// Program is the name of the program.
const Program = "versitygw"

// Start starts an object store that ends with the test, and sets its credentials in the
// environment. They stay there, as those of all stores are the same.
func Start(t *testing.T) *Store {
	t.Helper()
	os.Setenv("AWS_ACCESS_KEY_ID", Access)
	os.Setenv("AWS_SECRET_ACCESS_KEY", Secret)
	path, root := program.Find(t, Program), t.TempDir()
	s := &Store{Address: program.FreeAddress(t), Folder: filepath.Join(root, Bucket), root: root, path: path}
	if err := os.Mkdir(s.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s.Restart(t)
	t.Cleanup(s.Kill)
	return s
}

// Restart starts the store again after Kill, with its content.
func (s *Store) Restart(t testing.TB) {
	t.Helper()
	s.runs = exec.Command(s.path, "--port", s.Address, "posix", s.root)
	s.runs.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+Access, "ROOT_SECRET_KEY="+Secret)
	if err := s.runs.Start(); err != nil {
		t.Fatal(err)
	}
	awaitListener(t, s.Address)
}

// Kill kills the store, whatever it is doing.
func (s *Store) Kill() {
	_ = s.runs.Process.Kill()
	_ = s.runs.Wait()
}

// awaitListener waits until something listens at an address.
func awaitListener(t testing.TB, address string) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
