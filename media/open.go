package media

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"quire/index"
	"quire/store"
)

// ServedFile is a file as it is sent. The caller must close File.
type ServedFile struct {
	Object // as it is stored; other content never has the same name
	File   io.ReadSeekCloser
	Mime   string

	private bool
}

// Open opens the file with the url /uploads/NAME: a file that a record names, or one of its
// formats. Anything else in the storage is not found: the error is ErrNotFound. Reading
// ends with the context.
func (l *Library) Open(ctx context.Context, name string) (*ServedFile, error) {
	for range 2 { // a file that was just replaced has moved
		served, ok := l.locate(l.index.Snapshot(), name)
		if !ok {
			return nil, ErrNotFound
		}
		var err error
		served.File, served.Object, err = l.folder.Open(ctx, served.Name)
		if err == nil {
			return served, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, ErrNotFound
}

func (l *Library) locate(s *index.Snapshot, name string) (*ServedFile, bool) {
	if stored, ok := l.byURL(s, urlPrefix+name); ok {
		return &ServedFile{Object: Object{Name: stored.Hash + stored.Ext}, Mime: stored.Mime, private: stored.private}, true
	}
	format, original, _ := strings.Cut(name, "_")
	stored, ok := l.byURL(s, urlPrefix+original)
	if !ok {
		return nil, false
	}
	f, ok := stored.formats()[format]
	if !ok || f.URL != urlPrefix+name {
		return nil, false
	}
	return &ServedFile{Object: Object{Name: f.Hash + f.Ext}, Mime: f.Mime, private: stored.private}, true
}

// byURL finds the record with a url.
func (l *Library) byURL(s *index.Snapshot, url string) (Stored, bool) {
	return readStored(s.Lookup(l.files, store.Published).ByValue("url", store.TextValue(url)))
}

// SameContent reports whether two files have the same content. Errors are those of the reads.
func SameContent(a, b io.Reader) (bool, error) {
	p, q := make([]byte, 32<<10), make([]byte, 32<<10)
	for {
		n, errA := io.ReadFull(a, p)
		m, errB := io.ReadFull(b, q)
		if !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		if errA == nil && errB == nil {
			continue
		}
		for _, err := range []error{errA, errB} {
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return false, err
			}
		}
		return true, nil
	}
}
