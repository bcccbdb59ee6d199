package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"quire/store"
	"quire/transfer/backup"
	"quire/transfer/compare"
)

// Comparing is a comparison of two sites, backups or data files.
type Comparing struct {
	compare.Options
	From, To string // site folders, backups or data files
	Data     string // the data folder of what is a site folder; empty for "data" in it

	// At and Until, unless zero, are the moments that are compared instead: To is the site folder.
	// Without Until, the second is now. Moments is called first, with where the two come from.
	At, Until time.Time
	Moments   func([]ComparedSide) error

	// Schemas is called first, once, with what differs between the schemas: nil where those
	// of a side are not known.
	Schemas func(list []compare.SchemaChange, known bool) error
	Each    func(compare.Change) error // called for every document that differs
}

// ErrNoSchemas refuses to show values where neither side is a site folder.
var ErrNoSchemas = errors.New("values are shown only if one of the two is a site folder, whose schemas say which attributes are private")

// Compare finds what differs between two sites, backups or data files. Data that a server
// has open is read from a copy that the server makes; the data file of a backup is unpacked
// to a temporary folder, and all of the backup checked.
func Compare(ctx context.Context, c Comparing) (counts []compare.Count, err error) {
	if !c.At.IsZero() {
		return c.moments(ctx)
	}
	for _, path := range []string{c.From, c.To} { // before any is read, which may take long
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no %s; name a site folder, a backup or a data file", path)
		} else if err != nil {
			return nil, err
		}
	}
	from, done, err := openSide(ctx, c.From, c.Data)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	to, done2, err := openSide(ctx, c.To, c.Data)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done2()) }()
	if c.Values && from.Site == nil && to.Site == nil {
		return nil, ErrNoSchemas
	}
	var list []compare.SchemaChange
	known := from.Site != nil && to.Site != nil
	if known {
		list = compare.Schemas(from.Site, to.Site)
	}
	if err := c.Schemas(list, known); err != nil {
		return nil, err
	}
	return compare.Walk(ctx, from, to, c.Options, c.Each)
}

// openSide opens what a path names.
func openSide(ctx context.Context, path, data string) (s compare.DataFile, done func() error, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return s, nil, err
	case info.IsDir():
		at := Location{Site: path, Data: data}
		if s.Site, err = at.Load(); err != nil {
			return s, nil, err
		}
		s.DB, done, _, err = at.OpenData(ctx)
		return s, done, err
	case !info.Mode().IsRegular(): // a pipe may never be written to, and cannot be read twice
		return s, nil, fmt.Errorf("%s is not a file", path)
	}
	isBackup, err := beginsAs(path, zstdMagic)
	if err != nil {
		return s, nil, err
	}
	if isBackup {
		return openBackup(ctx, path)
	}
	var damaged *store.CorruptError
	var other *store.FormatError
	if s.DB, err = store.Open(path, store.Options{ReadOnly: true, Existing: true}); errors.As(err, &damaged) || errors.As(err, &other) {
		return s, nil, fmt.Errorf("%s is neither a backup nor a data file that can be opened", path)
	} else if err != nil {
		return s, nil, fmt.Errorf("%s is neither a backup nor a data file that can be opened: %w", path, err)
	}
	return s, s.DB.Close, nil
}

// zstdMagic begins every backup.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

func beginsAs(path string, magic []byte) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	begin := make([]byte, len(magic))
	if _, err := io.ReadFull(f, begin); err != nil {
		return false, fmt.Errorf("%s is neither a backup nor a data file: %w", path, err)
	}
	return bytes.Equal(begin, magic), nil
}

// openBackup unpacks the data file of a backup, and opens it.
func openBackup(ctx context.Context, path string) (s compare.DataFile, done func() error, err error) {
	folder, err := os.MkdirTemp("", "quire-diff-")
	if err != nil {
		return s, nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	data, err := backup.UnpackData(ctx, path, folder)
	if err == nil {
		s.DB, err = store.Open(data, store.Options{ReadOnly: true, Existing: true})
	}
	if err != nil {
		return s, nil, errors.Join(err, remove())
	}
	return s, func() error { return errors.Join(s.DB.Close(), remove()) }, nil
}
