package inspect

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// remainsOf are the prefixes of files that interrupted runs leave in the data folder: data
// files that were being created or copied, spools, annexes, indexes that were being saved, and
// the folder in which a socket is made.
var remainsOf = [...]string{".quire.db.new-", "quire.db.copy-", ".quire.db.spool-", ".quire.db.annex-", "indexes.bin~", ".socket-"}

// remains lists the files that interrupted runs have left. No server may be running.
func remains(folder string) (paths []string) {
	entries, _ := os.ReadDir(folder) // if it cannot be read, neither can the data file
	for _, e := range entries {
		if slices.ContainsFunc(remainsOf[:], func(begin string) bool { return strings.HasPrefix(e.Name(), begin) }) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

func (r *Report) checkRemains(folder string) {
	for _, path := range remains(folder) {
		r.Problem(path, "", "was left behind by a run that was cut off", "run `quire check --repair`, which removes it")
	}
}

// removeRemains removes what checkRemains reports. A folder with anything but a socket does
// not belong to Quire: it stays, and the error names it.
func (r *Report) removeRemains(folder string) error {
	var errs []error
	for _, path := range remains(folder) {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			_ = os.Remove(filepath.Join(path, "s"))
		}
		if err := os.Remove(path); err != nil {
			errs = append(errs, err)
			continue
		}
		r.note("%s: removed; a run that was cut off had left it behind", path)
	}
	return errors.Join(errs...)
}
