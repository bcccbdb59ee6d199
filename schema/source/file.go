package source

import (
	"errors"
	"io/fs"
)

// MaxFile is how many bytes a file of a site folder may have.
const MaxFile = 8 << 20

// Why a file is not read.
var (
	errNoFile  = errors.New("it is not a file")
	errTooLong = errors.New("it has more than 8 MiB")
)

// ReadFile reads a file of a site folder. It returns an *fs.PathError, and reads nothing, if
// the file is longer than [MaxFile], or is something that may never end, such as a pipe or a
// device.
func ReadFile(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return nil, err
	}
	if err := whyNot(info); err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return fs.ReadFile(folder, name)
}

// whyNot is why something is not read; nil for a file that is.
func whyNot(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return errNoFile
	case info.Size() > MaxFile:
		return errTooLong
	}
	return nil
}
