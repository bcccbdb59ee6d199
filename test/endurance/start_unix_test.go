//go:build unix

package endurance

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"quire/test/program"
)

// nobody is a user whom permissions bind.
const nobody = 65534

// unprivileged lets root start a program as nobody.
func unprivileged(t *testing.T, c *exec.Cmd) *exec.Cmd {
	t.Helper()
	if os.Geteuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		requireNil(t, os.Chmod(filepath.Dir(filepath.Dir(c.Path)), 0o755))
		requireNil(t, os.Chmod(filepath.Dir(c.Path), 0o755))
	}
	return c
}

// ownSite is a copy of a site that belongs to who is going to serve it.
func ownSite(t *testing.T, model string) string {
	t.Helper()
	site := program.CopySite(t, model)
	if os.Geteuid() != 0 {
		return site
	}
	for folder := filepath.Dir(site); folder != filepath.Dir(filepath.Dir(filepath.Dir(site))); folder = filepath.Dir(folder) {
		requireNil(t, os.Chmod(folder, 0o755))
	}
	requireNil(t, filepath.WalkDir(site, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, nobody, nobody)
		}
		return err
	}))
	return site
}
