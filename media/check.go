package media

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Findings are what does not fit between a folder of files and its records.
type Findings struct {
	Strays  []string // in the folder, and named by no record
	Missing []string // named by a record, and not in the folder
	Linked  bool     // the folder or the data folder is a link: strays may belong to others, and stay
}

// isBehindLink reports whether a folder of files, or the data folder that it is in,
// is a link.
func isBehindLink(path string) bool { return isLink(path) || isLink(filepath.Dir(path)) }

// Check compares the folder at path with the names on disk that all records
// together give. Nobody may be using the folder.
func Check(path string, named []string) (Findings, error) {
	found := Findings{Linked: isBehindLink(path)}
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return found, err
	}
	missing := make(map[string]bool, len(named))
	for _, name := range named {
		missing[name] = true
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partPrefix) {
			continue // an upload that goes on, or is given up at a start
		}
		if missing[e.Name()] && e.Type().IsRegular() {
			delete(missing, e.Name())
		} else {
			found.Strays = append(found.Strays, e.Name())
		}
	}
	found.Missing = slices.Sorted(maps.Keys(missing))
	return found, nil
}

// RemoveStrays removes what Check has found to belong to no record. A folder
// that holds something is none of ours: it stays, and is named in the error. Behind
// a link everything stays, and the error is ErrLink.
func RemoveStrays(path string, strays []string) error {
	if isBehindLink(path) {
		return ErrLink
	}
	var errs []error
	for _, name := range strays {
		errs = append(errs, os.Remove(filepath.Join(path, name)))
	}
	return errors.Join(errs...)
}
