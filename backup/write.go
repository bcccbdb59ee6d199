package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"quire/store"
)

// Source is what a backup is made from.
type Source struct {
	Data    *store.DB
	Uploads string   // the folder of uploads
	Names   []string // of the uploads that records name

	// Of it, Program, Made and Schemas are the caller's to fill in.
	About About
}

// most is how many files a backup may hold, so that what a hostile one takes of
// the memory is bounded.
const most = 4 << 20

// writeBackup writes a backup.
func writeBackup(ctx context.Context, to io.Writer, s *Source) (*Manifest, error) {
	if len(s.Names) >= most {
		return nil, fmt.Errorf("the site has %d uploads, and a backup holds at most %d files", len(s.Names), most)
	}
	packed, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1)) // the other cores have a site to serve
	if err != nil {
		return nil, err
	}
	w := &writer{ctx: ctx, source: s, tar: tar.NewWriter(packed)}
	steps := []func() error{w.data, w.uploads, w.sums, w.tar.Close, packed.Close}
	for _, step := range steps {
		err := step()
		if stopped := ctx.Err(); stopped != nil { // which bbolt would pass on as text
			return nil, stopped
		}
		if err != nil {
			return nil, err
		}
	}
	return &w.manifest, nil
}

type writer struct {
	ctx      context.Context
	source   *Source
	tar      *tar.Writer
	manifest Manifest
}

// data writes what the backup is about, and the data file.
func (w *writer) data() error {
	return w.source.Data.View(func(tx *store.Tx) error {
		w.manifest.About = w.source.About
		w.manifest.Format, w.manifest.Revision, w.manifest.DataFormat = Format, tx.Revision(), store.FileFormat
		if err := w.json(aboutName, w.manifest.About); err != nil {
			return err
		}
		return w.file(dataName, tx.Size(), func(to io.Writer) error {
			_, err := tx.WriteTo(to)
			return err
		})
	})
}

func (w *writer) uploads() error {
	names := slices.Sorted(slices.Values(w.source.Names))
	for _, name := range slices.Compact(names) {
		if err := w.upload(name); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) upload(name string) error {
	f, err := os.Open(filepath.Join(w.source.Uploads, name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.file(uploadsName+name, info.Size(), func(to io.Writer) error {
		_, err := io.Copy(to, f)
		return err
	})
}

// file writes a file and notes its sum. A file that is not as long as it was said
// to be is an error of the tar writer's.
func (w *writer) file(name string, size int64, content func(io.Writer) error) error {
	if err := w.header(name, size); err != nil {
		return err
	}
	sum := sha256.New()
	if err := content(io.MultiWriter(&stoppable{w.ctx, w.tar}, sum)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := w.tar.Flush(); err != nil { // fails when the content was too short
		return fmt.Errorf("%s: %w", name, err)
	}
	w.manifest.Files = append(w.manifest.Files, File{name, size, Sum(sum.Sum(nil))})
	return nil
}

func (w *writer) sums() error { return w.json(manifestName, w.manifest.Files) }

func (w *writer) json(name string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
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

// stoppable ends with its context.
type stoppable struct {
	ctx context.Context
	to  io.Writer
}

func (s *stoppable) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.to.Write(p)
}
