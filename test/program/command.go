package program

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Who carried out a command, as on standard error.
const (
	ByServer  = "the running server"
	ByCommand = "this command, as no server is running"
)

// New returns a command of the program that has not been started.
func New(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return exec.Command(Path(t), args...)
}

// Run runs a command to its end and returns its exit status and what it printed.
func Run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, message bytes.Buffer
	c := New(t, args...)
	c.Stdout, c.Stderr = &out, &message
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), message.String()
}

// Succeed runs a command and requires that it succeeds. It may print on standard error only
// whether a running server did the work.
func Succeed(t testing.TB, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := Run(t, args...)
	if code != 0 || stderr != "" && !strings.HasPrefix(stderr, "quire: done by ") {
		t.Fatalf("quire %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// DoneBy runs a command and returns who carried it out.
func DoneBy(t testing.TB, args ...string) (by string) {
	t.Helper()
	code, stdout, stderr := Run(t, args...)
	by, ok := strings.CutPrefix(stderr, "quire: done by ")
	if code != 0 || !ok || strings.Count(stderr, "\n") != 1 {
		t.Fatalf("quire %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return strings.TrimSuffix(by, "\n")
}

// NewSite writes a starter site without content.
func NewSite(t testing.TB) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	Succeed(t, "new", site)
	return site
}

// guide is the starter site with its content, after it has been created.
var guide struct {
	once   sync.Once
	folder string
}

// NewGuide writes the starter site with its content, drafts, files and a token.
func NewGuide(t testing.TB) (site string) {
	t.Helper()
	Path(t)
	guide.once.Do(func() {
		folder := filepath.Join(built.folder, "guide")
		s := Start(t, New(t, "demo", "--listen", "127.0.0.1:0", folder))
		s.Signal(syscall.SIGTERM)
		if err := s.Wait(); err != nil {
			t.Fatalf("quire demo: %v\n%s", err, s.Log)
		}
		guide.folder = folder
	})
	if guide.folder == "" {
		t.Fatal("quire demo has made no site")
	}
	return CopySite(t, guide.folder)
}

// CopySite copies a site, including its data.
func CopySite(t testing.TB, from string) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	if err := os.CopyFS(site, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(site, likeNew); err != nil {
		t.Fatal(err)
	}
	return site
}

// likeNew gives a copied file the mode that it has on a new site.
func likeNew(path string, entry fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case entry.IsDir():
		return os.Chmod(path, 0o755)
	}
	return os.Chmod(path, 0o600)
}

// NewToken creates a token of full access to a site, or of another kind.
func NewToken(t testing.TB, site, name, kind string) (token string) {
	t.Helper()
	return strings.TrimSpace(Succeed(t, "token", "create", "--name", name, "--type", kind, site))
}

// Export returns the content of a site as lines.
func Export(t testing.TB, site string) string {
	t.Helper()
	code, stdout, stderr := Run(t, "export", "--ndjson", site, "-")
	if code != 0 {
		t.Fatalf("export: exit %d %s", code, stderr)
	}
	return stdout
}

// Find returns the path of another program, without which the test is skipped. See Found.
func Find(t testing.TB, name string) (path string) {
	t.Helper()
	path, found := Found(t, name)
	if !found {
		t.Skipf("there is no %s in PATH", name)
	}
	return path
}

// Found returns the path of another program, and false if this machine does not have it.
// If QUIRE_CI is set, as by the scripts in .ci, a missing program fails the test: there,
// nothing may be left out.
func Found(t testing.TB, name string) (path string, found bool) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("QUIRE_CI") != "" {
		t.Fatal(err)
	}
	return path, err == nil
}
