package archive

import (
	"context"
	"io"
	"sync/atomic"

	"quire/store"
)

// Existing says what an import does with existing content.
type Existing uint8

const (
	Keep    Existing = iota // refuses to change it
	Merge                   // changes the documents that are imported again, and keeps the others
	Replace                 // deletes it first
)

// Options of an import.
type Options struct {
	Existing Existing

	// SkipErrors leaves out what cannot be imported, and lists it in the report. Without
	// it, an error means that nothing is imported.
	SkipErrors bool

	// HashPassword returns the stored form of a password; see content.WriterOptions.
	HashPassword func(ctx context.Context, password string) (string, error)

	Meter *Meter // may be nil

	// Ready, unless nil, is called when everything is prepared. If it fails, nothing is
	// changed.
	Ready func() error

	// Trial leaves the folder of files unchanged, and changes only the data file: a copy
	// that the caller removes.
	Trial bool
}

// conclude ends an import into db. If content was deleted first, the file has unused space
// and is rewritten, unless it is thrown away anyway.
func (o *Options) conclude(ctx context.Context, db *store.DB) error {
	if o.Existing == Replace && !o.Trial {
		if _, err := db.Compact(ctx); err != nil {
			return err
		}
	}
	if o.Ready == nil {
		return nil
	}
	return o.Ready()
}

// Meter shows the progress of an import or export. It may be read at any time; the zero
// Meter is ready, and a nil one counts nothing.
type Meter struct {
	total, read, entries atomic.Int64
}

// Bytes returns how many bytes have been processed, and the total; 0 if that is unknown.
func (m *Meter) Bytes() (done, total int64) { return m.read.Load(), m.total.Load() }

// Entries returns how many entries or lines have been processed.
func (m *Meter) Entries() int64 { return m.entries.Load() }

func (m *Meter) expect(bytes int64) {
	if m != nil {
		m.total.Add(bytes)
	}
}

func (m *Meter) count(entries int) {
	if m != nil {
		m.entries.Add(int64(entries))
	}
}

// reader counts what is read through it.
func (m *Meter) reader(r io.Reader) io.Reader {
	if m == nil {
		return r
	}
	return &meteredReader{m, r}
}

type meteredReader struct {
	meter *Meter
	from  io.Reader
}

func (r *meteredReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.meter.read.Add(int64(n))
	return n, err
}
