package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// FormatError is a file that cannot be imported.
type FormatError struct {
	File    string
	Problem string
	Err     error // the cause, if there is one
}

func (e *FormatError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s %s", e.File, e.Problem)
	}
	return fmt.Sprintf("%s %s: %v", e.File, e.Problem, e.Err)
}

func (e *FormatError) Unwrap() error { return e.Err }

// IsLines reports whether the file at path seems to be JSON lines and not an archive.
func IsLines(path string) (bool, error) {
	start, err := headOf(path)
	start = bytes.TrimLeft(start, " \r\n\t")
	return err == nil && (len(start) == 0 || start[0] == '{'), err
}

// IsPlain reports whether the file at path seems to be an archive that is not encrypted.
func IsPlain(path string) (bool, error) {
	head, err := headOf(path)
	return isGzip(head) || isTar(head), err
}

// headOf reads the beginning of a file.
func headOf(path string) (head []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	head, err = bufio.NewReader(f).Peek(headLength)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head, errors.Join(err, f.Close())
}

// headLength is how much of a file shows what it is: the first tar header.
const headLength = 512

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

func isTar(head []byte) bool { return len(head) == headLength && string(head[257:262]) == "ustar" }

// container is a tar file, compressed and encrypted or not.
type container struct {
	path  string
	key   string // of an encrypted one
	meter *Meter
}

// member is one file in a container. Its name is clean and does not lead out of a folder.
type member struct {
	name string // "entities/entities_00001.jsonl"
	size int64
	io.Reader
}

// each calls fn for every file of the container, in order. Errors of the container are
// *FormatErrors; other errors are fn's. The container is complete if each returns nil.
func (c *container) each(ctx context.Context, fn func(member) error) (err error) {
	file, err := os.Open(c.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	stream, err := c.open(c.meter.reader(&stoppable{ctx, file}))
	if err != nil {
		return err
	}
	if err := c.eachMember(tar.NewReader(stream), fn); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, stream); err != nil { // for the checksum at its end
		return c.damaged(err)
	}
	return nil
}

// stoppable ends with its context.
type stoppable struct {
	ctx context.Context
	io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}

func (c *container) damaged(err error) error {
	var format *FormatError
	if errors.As(err, &format) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &FormatError{c.path, "is damaged or cut off", err}
}

// open returns the tar stream.
func (c *container) open(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(headLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch plain := isGzip(head) || isTar(head); {
	case plain && c.key != "":
		return nil, &FormatError{File: c.path, Problem: "is not encrypted; leave the key out"}
	case !plain && c.key == "":
		return nil, &FormatError{File: c.path, Problem: "is not an archive of Strapi; if it is encrypted, give its key with --key-file or QUIRE_KEY in the environment"}
	case !plain:
		if in, head, err = c.decrypt(in); err != nil {
			return nil, err
		}
	}
	if !isGzip(head) {
		return in, nil
	}
	packed := &counter{from: in}
	z, err := gzip.NewReader(bufio.NewReader(packed)) // bufio, or it would read byte by byte
	if err != nil {
		return nil, c.damaged(err)
	}
	return &expanding{from: z, packed: packed, file: c.path}, nil
}

func (c *container) decrypt(r io.Reader) (*bufio.Reader, []byte, error) {
	block, err := newCipher(c.key)
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReaderSize(newDecrypter(r, block), 64<<10)
	head, err := in.Peek(headLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, c.damaged(err)
	}
	if !isGzip(head) && !isTar(head) {
		return nil, nil, c.damaged(errKey)
	}
	return in, head, nil
}

type counter struct {
	from io.Reader
	n    int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

// How far a compressed archive may expand: this many times its size, plus a constant.
// Content compresses to about a tenth; a file made to fill memory or the disk compresses to
// a thousandth.
const (
	mostExpanded  = 100
	freelyExpands = 256 << 20
)

// expanding reads a compressed stream and limits its expansion.
type expanding struct {
	from   io.Reader
	packed *counter
	file   string
	n      int64
}

func (e *expanding) Read(p []byte) (int, error) {
	n, err := e.from.Read(p)
	e.n += int64(n)
	if e.n > freelyExpands+mostExpanded*e.packed.n {
		return 0, &FormatError{File: e.file, Problem: fmt.Sprintf("expands to more than %d times its size; if it is meant to, unpack it with gunzip and import the .tar", mostExpanded)}
	}
	return n, err
}

func (c *container) eachMember(t *tar.Reader, fn func(member) error) error {
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return c.damaged(err)
		}
		switch {
		case h.Typeflag == tar.TypeReg && !isSparse(h):
		case h.Typeflag == tar.TypeDir:
			continue
		default:
			return &FormatError{File: c.path, Problem: fmt.Sprintf("holds %q, which is no plain file", h.Name)}
		}
		name, ok := cleanName(h.Name)
		if !ok {
			return &FormatError{File: c.path, Problem: fmt.Sprintf("holds a file that is called %q", h.Name)}
		}
		content := &faulty{from: t, container: c}
		if err := fn(member{name, h.Size, content}); err != nil {
			return err
		}
	}
}

// isSparse reports whether a file has holes that are not in the archive: a few bytes of one
// could expand to zeros for years.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// cleanName returns a name in a container without "./" before it; false for one that leads
// out of its folder.
func cleanName(name string) (string, bool) {
	clean := strings.TrimPrefix(name, "./")
	if clean == "" || clean != path.Clean(clean) || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(clean, "\\\x00") {
		return "", false
	}
	return clean, true
}

// faulty reads a member, and marks its errors as errors of the container.
type faulty struct {
	from      io.Reader
	container *container
}

func (f *faulty) Read(p []byte) (int, error) {
	n, err := f.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.container.damaged(err)
	}
	return n, err
}
