package inspect

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Folder is a data folder.
type Folder string

// File returns the path of the data file.
func (f Folder) File() string { return filepath.Join(string(f), "quire.db") }

// Uploads returns the folder of uploaded files.
func (f Folder) Uploads() string { return filepath.Join(string(f), "uploads") }

// Certificates returns the folder of the certificates that the server has obtained.
func (f Folder) Certificates() string { return filepath.Join(string(f), "certificates") }

// Exposed is a path that others than its owner can change.
type Exposed struct {
	Path string
	Mode fs.FileMode
}

// Exposed lists the data that others can change. Windows has no such modes.
func (f Folder) Exposed() (found []Exposed) {
	if runtime.GOOS == "windows" {
		return nil
	}
	for _, path := range []string{string(f), f.File(), f.Uploads(), f.Certificates()} {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&0o022 != 0 {
			found = append(found, Exposed{path, info.Mode()})
		}
	}
	return found
}

// Remedy returns the command after which only its owner can change it.
func (e Exposed) Remedy() string {
	if strings.ContainsAny(e.Path, " \t'\"\\$`&;()<>|*?#~") {
		return "chmod go-w '" + strings.ReplaceAll(e.Path, "'", `'\''`) + "'"
	}
	return "chmod go-w " + e.Path
}

// CheckOthers notes what of the data others can change.
func (r *Report) CheckOthers(f Folder) {
	for _, e := range f.Exposed() {
		r.note("%s: others on this machine can change it (its mode is %s); `%s` forbids that", e.Path, e.Mode, e.Remedy())
	}
}
