package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"quire/store"
)

// Save makes a backup and gives it the name path when it is complete, on the disk and
// verified; only this user can read it. If path exists, the error is an *ExistsError,
// unless replace is set. If Save fails, nothing has changed.
func Save(ctx context.Context, path string, s *Source, replace bool) (*Manifest, error) {
	if info, err := os.Lstat(path); err == nil && (!replace || !info.Mode().IsRegular()) {
		return nil, &ExistsError{path}
	}
	f, err := os.CreateTemp(filepath.Dir(path), half) // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name()) // when it has its name, there is nothing to remove
	m, err := writeBackup(ctx, f, s)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if _, err := Verify(ctx, f.Name()); err != nil {
		return nil, fmt.Errorf("what was written cannot be read back: %w", err)
	}
	return m, giveName(f.Name(), path, replace)
}

// giveName gives a finished file its name.
func giveName(made, path string, replace bool) error {
	if replace {
		return store.Replace(made, path)
	}
	err := os.Link(made, path) // unlike a rename, this replaces nothing
	switch {
	case errors.Is(err, fs.ErrExist):
		return &ExistsError{path}
	case err != nil: // a file system without links
		return store.Replace(made, path)
	}
	return store.SyncFolder(filepath.Dir(path))
}

// Verify reads a whole backup, compares every sum, and checks its data file page by page
// and entry by entry; for that it unpacks the data file next to the backup for a while.
// Errors: *FileError for errors of the backup, the context's and the file system's.
func Verify(ctx context.Context, path string) (*Manifest, error) {
	data, err := os.CreateTemp(filepath.Dir(path), half)
	if err != nil {
		return nil, err
	}
	defer os.Remove(data.Name())
	m, err := readBackup(ctx, path, func(f File, content io.Reader) error {
		if f.Name != dataName {
			return nil
		}
		_, err := io.Copy(data, content)
		return err
	})
	if err = errors.Join(err, data.Close()); err != nil {
		return nil, err
	}
	return m, checkData(ctx, path, data.Name())
}

// checkData checks the data file of a backup, unpacked at data. For one of an earlier
// format, only its sum is checked.
func checkData(ctx context.Context, path, data string) error {
	damage, err := store.CheckFile(ctx, data)
	var format *store.FormatError
	switch {
	case errors.As(err, &format) && format.Older:
		return nil
	case errors.As(err, &format):
		return &FileError{Path: path, Problem: "holds a data file that " + format.Problem + "; " + format.Remedy}
	case err != nil:
		return err
	case len(damage) > 0:
		return &FileError{path, "holds a data file that was damaged when the backup was made; use another backup", damage[0].Err}
	}
	return nil
}
