package media

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Findings are the differences between a folder of files and its records.
type Findings struct {
	Strays  []string // in the folder, and named by no record
	Missing []string // named by a record, and not in the folder
	Linked  bool     // the folder or the data folder is a link: strays may belong to others, and stay
	Left    []string // in the bucket for long, and not named by a record of this site: they may belong to others, and stay
}

// isBehindLink reports whether a folder of files, or the data folder around it, is a link.
func isBehindLink(path string) bool { return isLink(path) || isLink(filepath.Dir(path)) }

// Check compares the folder at path with the file names in all records. Nobody may be using
// the folder.
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
		if strings.HasPrefix(e.Name(), partPrefix) || isClaim(e.Name()) {
			continue // an upload that continues, or is given up at a start; a file in a bucket
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

// strayAge is how long a file must be in a bucket before it is a stray: its record may not
// be written yet, or may not have reached this node.
const strayAge = 24 * time.Hour

// CheckBucket continues after Check with the files in a bucket, which others may use too:
// files that are there are not missing.
func CheckBucket(ctx context.Context, bucket Storage, found *Findings, named []string) error {
	known := make(map[string]bool, len(named))
	for _, name := range named {
		known[name] = true
	}
	missing := make(map[string]bool, len(found.Missing))
	for _, name := range found.Missing {
		missing[name] = true
	}
	old := time.Now().Add(-strayAge)
	err := bucket.List(ctx, func(o Object) error {
		delete(missing, o.Name)
		if !known[o.Name] && o.Modified.Before(old) {
			found.Left = append(found.Left, o.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	found.Missing = slices.Sorted(maps.Keys(missing))
	return nil
}

// RemoveStrays removes the strays that Check has found. A folder with content does not
// belong to Quire: it stays, and the error names it. Behind a link everything stays, and
// the error is ErrLink.
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
