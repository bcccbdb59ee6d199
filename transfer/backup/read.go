package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"
)

const (
	mostAbout  = 1 << 20  // bytes of about.json, which lists missing uploads
	mostLine   = 1 << 10  // bytes of a file in manifest.json
	mostGone   = 1 << 20  // bytes of the removed files in manifest.json
	mostWindow = 64 << 20 // bytes of memory for unpacking

	// A backup may unpack to this many times its size, plus a constant. One that was made
	// to fill the disk unpacks to many thousand times its size.
	mostUnpacked  = 200
	freelyUnpacks = 1 << 30
)

// mostManifest returns the maximum length of manifest.json for a number of files, in bytes.
func mostManifest(files int) int64 { return int64(files+1)*mostLine + mostGone }

// readBackup reads the backup at path, calls take for each file in it, in order, and makes
// all checks that need not understand the files. It reads what take leaves unread. Errors
// of the backup are *FileErrors; other errors are take's, the context's and the file
// system's.
func readBackup(ctx context.Context, path string, take func(File, io.Reader) error) (*Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return examine(ctx, path, f, take, (*reader).run)
}

// ReadAbout reads the origin of a backup, and nothing after that: the rest may be damaged.
// Errors: *FileError and the file system's.
func ReadAbout(path string) (About, error) {
	f, err := os.Open(path)
	if err != nil {
		return About{}, err
	}
	defer f.Close()
	m, err := examine(context.Background(), path, f, nil, (*reader).about)
	if err != nil {
		return About{}, err
	}
	return m.About, nil
}

// examine opens a packed file and reads its content with fn.
func examine(ctx context.Context, path string, from io.Reader, take func(File, io.Reader) error, much func(*reader) error) (*Manifest, error) {
	packed := &source{ctx: ctx, from: from}
	unpacked, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return nil, err
	}
	defer unpacked.Close()
	stream := &unpacking{from: unpacked, packed: packed}
	r := &reader{path: path, stream: stream, tar: tar.NewReader(stream), take: take}
	if err := much(r); err != nil {
		return nil, r.classify(err, packed.err)
	}
	return &r.manifest, nil
}

// reader reads one backup.
type reader struct {
	path     string
	stream   io.Reader
	tar      *tar.Reader
	take     func(File, io.Reader) error
	manifest Manifest
	foreign  error // of take
}

// broken is an error in a backup.
type broken struct{ what string }

func (b *broken) Error() string { return b.what }

func brokenf(format string, args ...any) error { return &broken{fmt.Sprintf(format, args...)} }

// classify turns errors of the backup into *FileErrors, and returns other errors unchanged.
func (r *reader) classify(err, outside error) error {
	switch known := new(FileError); {
	case r.foreign != nil:
		return r.foreign
	case outside != nil:
		return outside
	case errors.As(err, &known):
		return err
	case r.manifest.Format == 0:
		return &FileError{r.path, "is no backup of Quire", err}
	}
	return &FileError{r.path, "is damaged or cut off, use another backup", err}
}

func (r *reader) run() error {
	if err := r.about(); err != nil {
		return err
	}
	for {
		h, err := r.nextHeader()
		if err != nil {
			return err
		}
		if h.Name == manifestName {
			return r.end(h)
		}
		if err := r.file(h); err != nil {
			return err
		}
	}
}

func (r *reader) nextHeader() (*tar.Header, error) {
	h, err := r.tar.Next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, io.ErrUnexpectedEOF // its sums are missing
	case err != nil:
		return nil, err
	case h.Typeflag != tar.TypeReg:
		return nil, brokenf("it holds %q, which is no plain file", h.Name)
	}
	for key := range h.PAXRecords { // among others, files with holes can have any size
		if key != "path" && key != "size" {
			return nil, brokenf("%s has the unknown property %q", h.Name, key)
		}
	}
	return h, nil
}

// about reads the beginning.
func (r *reader) about() error {
	h, err := r.nextHeader()
	if err != nil {
		return err
	}
	if h.Name != aboutName {
		return brokenf("it begins with %q", h.Name)
	}
	var about About
	if err := r.json(h, mostAbout, &about); err != nil {
		return err
	}
	if about.Format > Format {
		return &FileError{Path: r.path, Problem: fmt.Sprintf("is a backup of format %d, and this program knows formats up to %d; use the newer program that wrote it", about.Format, Format)}
	}
	if about.Format < 1 {
		return brokenf("it has no format")
	}
	about.makePrintable()
	r.manifest.About = about
	return nil
}

func (r *reader) json(h *tar.Header, most int64, v any) error {
	if h.Size > most {
		return brokenf("%s is %d bytes long", h.Name, h.Size)
	}
	text, err := io.ReadAll(r.tar)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return brokenf("%s: %v", h.Name, err)
	}
	return nil
}

// file passes one file to take, and records its sum.
func (r *reader) file(h *tar.Header) error {
	if err := r.expected(h.Name); err != nil {
		return err
	}
	f := File{Name: h.Name, Size: h.Size}
	sum := sha256.New()
	content := &content{from: io.TeeReader(r.tar, sum)}
	if err := r.take(f, content); err != nil {
		if content.err == nil {
			r.foreign = err
		}
		return err
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return err
	}
	f.Sum = Sum(sum.Sum(nil))
	r.manifest.Files = append(r.manifest.Files, f)
	return nil
}

// expected reports whether a file may come next: the data file comes first, then the
// uploads, sorted and within their folder.
func (r *reader) expected(name string) error {
	n := len(r.manifest.Files)
	switch _, upload := uploadName(name); {
	case n == 0 && name != dataName:
		return brokenf("it holds %q where the data file should be", name)
	case n == 0:
		return nil
	case !upload:
		return brokenf("it holds a file that is called %q", name)
	case n > 1 && name <= r.manifest.Files[n-1].Name:
		return brokenf("%s occurs twice, or is in the wrong place", name)
	case n >= most:
		return brokenf("it holds more than %d files", most)
	}
	return nil
}

// end compares the sums, and reads the rest.
func (r *reader) end(h *tar.Header) error {
	var files []File
	if err := r.json(h, mostManifest(len(r.manifest.Files)), &files); err != nil {
		return err
	}
	files, err := r.loseGone(files)
	if err != nil {
		return err
	}
	if len(files) != len(r.manifest.Files) {
		return brokenf("it holds %d files and lists %d", len(r.manifest.Files), len(files))
	}
	if len(files) == 0 {
		return brokenf("it holds no data file")
	}
	for i, f := range files {
		if f != r.manifest.Files[i] {
			return brokenf("%s is not what was written", r.manifest.Files[i].Name)
		}
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return brokenf("something follows its end")
	}
	_, err = io.Copy(io.Discard, r.stream) // for the checksum at the end
	return err
}

// loseGone removes the missing uploads from the end of the list.
func (r *reader) loseGone(files []File) ([]File, error) {
	n := slices.IndexFunc(files, func(f File) bool { return f.Gone })
	if n < 0 {
		return files, nil
	}
	for _, f := range files[n:] {
		if _, upload := uploadName(f.Name); !f.Gone || !upload {
			return nil, brokenf("it lists %q after what is gone", f.Name)
		}
	}
	if len(files)-n > r.manifest.FromBucket {
		return nil, brokenf("more is gone than was to be fetched")
	}
	r.manifest.lose(files[n:])
	return files[:n], nil
}

// content is a file in a backup. It remembers an error of reading, to distinguish it from
// an error of writing it elsewhere.
type content struct {
	from io.Reader
	err  error
}

func (c *content) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// source reads the packed file, and remembers an error of the file system.
type source struct {
	ctx  context.Context
	from io.Reader
	n    int64
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	n, err := s.from.Read(p)
	s.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// unpacking reads the unpacked stream, and limits its length.
type unpacking struct {
	from   io.Reader
	packed *source
	n      int64
}

func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	u.n += int64(n)
	if u.n > freelyUnpacks+mostUnpacked*u.packed.n {
		return 0, brokenf("it unpacks to more than %d times its size", mostUnpacked)
	}
	return n, err
}

// FileError is a file that is not a backup, or not a reliable one. It was not changed.
type FileError struct {
	Path    string
	Problem string // "is damaged or cut off"
	Err     error  // the cause, if there is one
}

func (e *FileError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s %s", e.Path, e.Problem)
	}
	return fmt.Sprintf("%s %s: %s", e.Path, e.Problem, printable(e.Err.Error()))
}

func (e *FileError) Unwrap() error { return e.Err }
