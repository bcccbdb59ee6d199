package media

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"quire/schema/settings"
)

// Upload is a file that has arrived and has no record yet. Its owner must either save it
// with a Library or discard it.
type Upload struct {
	// Info is what the client writes about the file; it may be set until the upload is
	// saved.
	Info FileInfo

	documentID string // of its record; empty for a new one

	folder   *Folder
	filename string // the client's name for it
	mime     string
	ext      string
	bytes    int64
	picture  picture
	temp     string          // its temporary name
	kept     *originalRecord // the original of an edited picture
}

// Receive stores what r yields, finds its type and makes its formats. It keeps only a few
// buffers of it in memory, whatever its size, except while a picture is processed; see
// pictureMemory.
//
// Errors: *TooLargeError, *TypeError and ErrEmpty for files that the site does not accept,
// *ReadError if r fails, the context's, and the file system's.
func (f *Folder) Receive(ctx context.Context, r io.Reader, filename string, rules *settings.Upload) (u *Upload, err error) {
	file, err := f.create()
	if err != nil {
		return nil, err
	}
	u = &Upload{folder: f, filename: filename, temp: filepath.Base(file.Name())}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, u.Discard())
			u = nil
		}
	}()
	if err := u.copy(file, r, rules); err != nil {
		return u, err
	}
	u.picture, err = f.process(ctx, u.mime, file, u.bytes)
	return u, err
}

// KeepTemporary keeps what r yields in a temporary file, which its owner drops. It is for files that
// belong to no record, and have no rules but a limit of bytes. Errors are those of
// [Folder.Receive]. The path is absolute.
func (f *Folder) KeepTemporary(r io.Reader, filename string, limit int64) (path string, size int64, err error) {
	file, err := f.create()
	if err != nil {
		return "", 0, err
	}
	in := &bodyReader{r: r}
	size, err = io.Copy(file, io.LimitReader(in, limit+1))
	switch {
	case in.err != nil:
		err = in.err
	case size > limit:
		err = &TooLargeError{Filename: filename, Limit: limit}
	default:
		err = storageError(err)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", 0, errors.Join(err, f.Drop(file.Name()))
	}
	path, err = filepath.Abs(file.Name())
	return path, size, err
}

// Drop removes a file that KeepTemporary has made.
func (f *Folder) Drop(path string) error { return f.remove(filepath.Base(path)) }

// copy writes the file and finds its type and size.
func (u *Upload) copy(file *os.File, r io.Reader, rules *settings.Upload) error {
	in := &bodyReader{r: r}
	head, _ := io.ReadAll(io.LimitReader(in, sniffLength))
	switch {
	case in.err != nil:
		return in.err
	case len(head) == 0:
		return ErrEmpty
	}
	u.mime = sniff(head, u.filename)
	u.ext = extensionFor(u.mime, u.filename)
	if !rules.Takes(u.mime) {
		return &TypeError{Filename: u.filename, Mime: u.mime}
	}
	whole := io.MultiReader(bytes.NewReader(head), in)
	n, err := io.Copy(file, io.LimitReader(whole, rules.SizeLimit+1))
	switch {
	case in.err != nil:
		return in.err
	case err != nil:
		return storageError(err)
	case n > rules.SizeLimit:
		return &TooLargeError{Filename: u.filename, Limit: rules.SizeLimit}
	}
	u.bytes = n
	return storageError(file.Sync())
}

// bodyReader records why reading failed. It distinguishes an interrupted file from one that
// ended, and from one that could not be written.
type bodyReader struct {
	r   io.Reader
	err error
}

func (a *bodyReader) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if err != nil && err != io.EOF {
		a.err = &ReadError{err}
	}
	return n, err
}

// Discard removes an upload that was not saved. It does nothing after Save.
func (u *Upload) Discard() error {
	if u == nil || u.temp == "" {
		return nil
	}
	names := append(temporaryNames(u.picture.formats), u.temp)
	u.temp = ""
	return u.folder.remove(names...)
}
