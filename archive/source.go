package archive

import (
	"io"
	"os"
)

// Source is a file of lines.
type Source struct {
	Name string // for people
	Size int64  // bytes; 0 when it is not known

	// Open begins at the first line. It may be called again when the reader
	// before has been closed.
	Open func() (io.ReadCloser, error)
}

// FileSource is a Source of the file at that path.
func FileSource(name, path string) (Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Source{}, err
	}
	return Source{Name: name, Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(path) }}, nil
}

// nameless makes a file that is gone when it is closed, at the latest with the
// process, where the system allows that.
func nameless() (*os.File, error) {
	f, err := os.CreateTemp("", "quire-")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}
