package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// movers is the number of files that are copied at once.
const movers = 4

// Move copies files from one storage to another, while both may be in use. It skips files
// that already have the same content, so that an interrupted move continues where it was.
type Move struct {
	Folder *Folder // for files on their way
	From   Storage
	To     Storage

	files, bytes atomic.Int64
	copied       atomic.Int64
	missing      atomic.Int64
}

// Done returns the number of files that have been examined, and of bytes that have been
// copied.
func (m *Move) Done() (files, bytes int64) { return m.files.Load(), m.bytes.Load() }

// Copied returns the number of files that were copied, and of those in neither storage.
func (m *Move) Copied() (copied, missing int) {
	return int(m.copied.Load()), int(m.missing.Load())
}

// DifferentError is a name with different content in the storage that files are moved to.
type DifferentError struct{ Name, In string }

func (e *DifferentError) Error() string {
	return fmt.Sprintf("%s is in %s with another content; see which of them is right, and remove the other", e.Name, e.In)
}

// Copy copies the files with those names; kinds has their media types. It reads each file
// back: only a file with the same content counts as copied. It stops at the first error.
func (m *Move) Copy(ctx context.Context, kinds map[string]string) error {
	return m.each(ctx, slices.Sorted(maps.Keys(kinds)), func(ctx context.Context, name string) error {
		defer m.files.Add(1)
		return m.copy(ctx, name, kinds[name])
	})
}

// Remove removes the files with those names from their old storage, each only if the new
// one has it with the same content. It returns the number of removed files.
func (m *Move) Remove(ctx context.Context, names []string) (removed int, err error) {
	var n atomic.Int64
	err = m.each(ctx, names, func(ctx context.Context, name string) error {
		same, err := m.same(ctx, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && same {
			err = m.From.Delete(ctx, name)
			n.Add(1)
		}
		return err
	})
	return int(n.Load()), err
}

func (m *Move) each(ctx context.Context, names []string, do func(context.Context, string) error) error {
	all, each := errgroup.WithContext(ctx)
	all.SetLimit(movers)
	for _, name := range names {
		if each.Err() != nil || !SafeName(name) {
			continue
		}
		all.Go(func() error { return do(each, name) })
	}
	return errors.Join(all.Wait(), ctx.Err())
}

func (m *Move) copy(ctx context.Context, name, kind string) error {
	_, err := m.To.Stat(ctx, name)
	if err == nil {
		same, err := m.same(ctx, name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it need not be copied
			return nil
		case err == nil && !same:
			return &DifferentError{name, m.To.String()}
		}
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = m.send(ctx, name, kind)
	if errors.Is(err, fs.ErrNotExist) {
		m.missing.Add(1)
		return nil
	}
	return err
}

// send copies a file through the folder, and reads it back.
func (m *Move) send(ctx context.Context, name, kind string) error {
	from, _, err := m.From.Open(ctx, name)
	if err != nil {
		return err
	}
	defer from.Close()
	temp, err := m.Folder.create()
	if err != nil {
		return err
	}
	defer m.Folder.remove(filepath.Base(temp.Name()))
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(temp, sum), from)
	if err = errors.Join(err, finish(temp)); err != nil {
		return err
	}
	if err := m.To.Put(ctx, LocalFile{temp.Name(), name, kind}); err != nil {
		return err
	}
	copied, err := sumOf(ctx, m.To, name)
	if err != nil {
		return err
	}
	if !bytes.Equal(copied, sum.Sum(nil)) {
		return errors.Join(&DifferentError{name, m.To.String()}, m.To.Delete(ctx, name))
	}
	m.bytes.Add(n)
	m.copied.Add(1)
	return nil
}

// same reports whether a name has the same content in both storages. If one does not have
// it, the error is fs.ErrNotExist.
func (m *Move) same(ctx context.Context, name string) (bool, error) {
	there, err := m.To.Stat(ctx, name)
	if err != nil {
		return false, err
	}
	here, err := m.From.Stat(ctx, name)
	if err != nil || here.Size != there.Size {
		return false, err
	}
	a, err := sumOf(ctx, m.From, name)
	if err != nil {
		return false, err
	}
	b, err := sumOf(ctx, m.To, name)
	return bytes.Equal(a, b), err
}

func sumOf(ctx context.Context, in Storage, name string) ([]byte, error) {
	file, _, err := in.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return sum.Sum(nil), err
}
