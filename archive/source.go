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

// ReaderSource is a Source of what can be read only once, such as standard
// input. What has been read is kept in a temporary file, which has no name.
func ReaderSource(name string, r io.Reader) Source {
	var kept *os.File
	return Source{Name: name, Open: func() (io.ReadCloser, error) {
		if kept == nil {
			var err error
			if kept, err = nameless(); err != nil {
				return nil, err
			}
			return io.NopCloser(io.TeeReader(r, kept)), nil
		}
		if _, err := kept.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		return io.NopCloser(kept), nil
	}}
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
