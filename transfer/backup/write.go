package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"quire/store"
)

// Source is what a backup is made from.
type Source struct {
	Data    *store.DB
	Uploads string   // the folder of uploads
	Names   []string // of the uploads in records

	// The caller sets Program, Made and Schemas.
	About About

	Meter *Meter // counts the progress of Save; nil for none

	bucket inBucket
}

// Meter counts the progress of a backup. The zero value is ready, and safe for use by many
// goroutines.
type Meter struct{ files, bytes atomic.Int64 }

// Done returns the number of files in the backup, and their total size.
func (m *Meter) Done() (files, bytes int64) { return m.files.Load(), m.bytes.Load() }

// most is the maximum number of files in a backup, which limits the memory that a hostile
// one can take.
const most = 4 << 20

// writeBackup writes a backup.
func writeBackup(ctx context.Context, to io.Writer, s *Source) (*Manifest, error) {
	if n := len(s.Names) + len(s.bucket.fetched); n >= most {
		return nil, fmt.Errorf("the site has %d uploads, and a backup holds at most %d files", n, most)
	}
	if s.Meter == nil {
		s.Meter = new(Meter)
	}
	packed, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1)) // the site needs the other cores
	if err != nil {
		return nil, err
	}
	w := &writer{ctx: ctx, source: s, tar: tar.NewWriter(packed)}
	steps := []func() error{w.data, w.uploads, w.sums, w.tar.Close, packed.Close}
	for _, step := range steps {
		err := step()
		if stopped := ctx.Err(); stopped != nil { // bbolt would hide the context's error in a text
			return nil, stopped
		}
		if err != nil {
			return nil, err
		}
	}
	w.manifest.lose(w.gone)
	return &w.manifest, nil
}

type writer struct {
	ctx      context.Context
	source   *Source
	tar      *tar.Writer
	manifest Manifest
	gone     []File
}

// data writes the origin of the backup, and the data file.
func (w *writer) data() error {
	return w.source.Data.View(func(tx *store.Tx) error {
		w.manifest.About = w.source.About
		w.manifest.Format, w.manifest.Revision, w.manifest.DataFormat = Format, tx.Revision(), store.FileFormat
		if err := w.json(aboutName, w.manifest.About, mostAbout); err != nil {
			return err
		}
		return w.file(dataName, tx.Size(), func(to io.Writer) error {
			_, err := tx.WriteTo(to)
			return err
		})
	})
}

func (w *writer) uploads() error {
	names := slices.Sorted(slices.Values(slices.Concat(w.source.Names, w.source.bucket.fetched)))
	for _, name := range slices.Compact(names) {
		if err := w.upload(name); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) upload(name string) error {
	f, size, err := w.source.open(w.ctx, name)
	if errors.As(err, new(*goneError)) {
		w.gone = append(w.gone, File{Name: uploadsName + name, Gone: true})
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return w.file(uploadsName+name, size, func(to io.Writer) error {
		_, err := io.Copy(to, f)
		return err
	})
}

// file writes a file and records its sum. If the file does not have the given size, the tar
// writer returns an error.
func (w *writer) file(name string, size int64, content func(io.Writer) error) error {
	if err := w.header(name, size); err != nil {
		return err
	}
	sum := sha256.New()
	if err := content(io.MultiWriter(&stoppable{w.ctx, w.tar, w.source.Meter}, sum)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := w.tar.Flush(); err != nil { // fails if the content was too short
		return fmt.Errorf("%s: %w", name, err)
	}
	w.manifest.Files = append(w.manifest.Files, File{Name: name, Size: size, Sum: Sum(sum.Sum(nil))})
	w.source.Meter.files.Add(1)
	return nil
}

func (w *writer) sums() error {
	return w.json(manifestName, slices.Concat(w.manifest.Files, w.gone), mostManifest(len(w.manifest.Files)))
}

// json writes a file of limited length.
func (w *writer) json(name string, v any, most int64) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	if int64(len(text)) > most {
		return fmt.Errorf("so many uploads are missing, %d, that a backup cannot list them; see with quire check whether files are where they should be", len(w.source.About.Missing)+len(w.gone))
	}
	if err := w.header(name, int64(len(text))); err != nil {
		return err
	}
	_, err = w.tar.Write(text)
	return err
}

func (w *writer) header(name string, size int64) error {
	return w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.source.About.Made})
}

// stoppable ends with its context, and counts.
type stoppable struct {
	ctx   context.Context
	to    io.Writer
	meter *Meter
}

func (s *stoppable) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.to.Write(p)
	s.meter.bytes.Add(int64(n))
	return n, err
}
