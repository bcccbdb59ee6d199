package app

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"quire/media"
	"quire/schema"
	"quire/schema/source"
	"quire/server"
	"quire/store"
	"quire/transfer/push"
)

// A site is sent to another one as a tar file, compressed with zstd, of a site folder: the files
// that say what the site is, the data file, and those files of the library that the other site
// lacks.

const (
	sentData    = "data/quire.db"
	sentUploads = "data/uploads/"

	mostSent        = 64 << 30 // bytes of a site, before compression
	mostSentFiles   = 20_000
	mostSentSchemas = 2_000    // files that say what the site is
	mostSentWindow  = 64 << 20 // bytes of memory for unpacking
)

// notingFS is a site folder that notes what is read of it.
type notingFS struct {
	fs.FS
	read map[string]string
}

// ReadFile implements [fs.ReadFileFS].
func (n notingFS) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(n.FS, name)
	if err == nil {
		n.read[name] = string(text)
	}
	return text, err
}

// siteFiles returns the files that say what a site is, and the site that they make.
func (l Location) siteFiles() (files map[string]string, site *schema.Site, err error) {
	files = map[string]string{}
	site, err = l.loadFrom(func(l Location) (fs.FS, error) { return notingFS{os.DirFS(l.Site), files}, nil })
	return files, site, err
}

// servedFiles returns the files of the site folder, if it is what is served.
func (a *App) servedFiles() (map[string]string, error) {
	files, site, err := a.at.siteFiles()
	if err != nil || fingerprintOf(site) != *a.schemas.Load() {
		return nil, server.Problem(http.StatusConflict, "ConflictError", "The site folder of this server is not the one that it serves; it is being changed, or cannot be loaded", nil)
	}
	return files, nil
}

// isSiteFile reports whether a file may say what a site is. None of them is in a folder that
// could be another one of them.
func isSiteFile(name string) bool {
	isSchema := strings.HasPrefix(name, "src/") && path.Ext(name) == ".json" && !strings.Contains(name, ".json/")
	return fs.ValidPath(name) && (name == "site.json" || isSchema)
}

// makeSiteFolder writes the files of a site into a new folder.
func makeSiteFolder(folder string, files map[string]string) error {
	for name, text := range files {
		if !isSiteFile(name) {
			return fmt.Errorf("%.100q is no file of a site folder", name)
		}
		if err := saveSent(filepath.Join(folder, filepath.FromSlash(name)), strings.NewReader(text)); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(folder, filepath.FromSlash(sentUploads)), 0o700)
}

// pack writes a site, with some files of its library.
func (f *pushedFrom) pack(to io.Writer, files map[string]string, uploads []string) error {
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	add := func(name string, size int64) error {
		return t.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600})
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := add(name, int64(len(files[name]))); err != nil {
			return err
		}
		if _, err := io.WriteString(t, files[name]); err != nil {
			return err
		}
	}
	err = f.db.View(func(tx *store.Tx) error {
		if err := add(sentData, tx.Size()); err != nil {
			return err
		}
		_, err := tx.WriteTo(t)
		return err
	})
	for _, name := range uploads {
		if err == nil {
			err = f.packUpload(t, name, add)
		}
	}
	return errors.Join(err, t.Close(), z.Close())
}

func (f *pushedFrom) packUpload(to io.Writer, name string, add func(string, int64) error) error {
	file, err := f.files.Open(name)
	if err != nil {
		return fmt.Errorf("the file %s: %w", name, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = add(sentUploads+name, info.Size())
	}
	if err == nil {
		_, err = io.Copy(to, file)
	}
	return err
}

// errSent is a site that was not packed by this program, or did not arrive completely.
var errSent = errors.New("what was sent is not a whole site for a push")

// unpackSite writes what pack has written into an empty folder. The error is errSent or a
// *store.StorageError.
func unpackSite(folder string, from io.Reader) error {
	z, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostSentWindow))
	if err != nil {
		return err
	}
	defer z.Close()
	t, files := tar.NewReader(io.LimitReader(z, mostSent)), map[string]string{}
	for range mostSentFiles {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return makeSiteFolder(folder, files)
		case err != nil || h.Typeflag != tar.TypeReg:
			return errors.Join(errSent, err)
		case isSiteFile(h.Name) && h.Size <= source.MaxFile && len(files) < mostSentSchemas:
			text, err := io.ReadAll(t)
			if err != nil {
				return errors.Join(errSent, err)
			}
			files[h.Name] = string(text)
			continue
		}
		if upload, is := strings.CutPrefix(h.Name, sentUploads); h.Name != sentData && (!is || !media.SafeName(upload)) {
			return errSent
		}
		if err := saveSent(filepath.Join(folder, filepath.FromSlash(h.Name)), t); err != nil {
			return err
		}
	}
	return errSent
}

// saveSent writes a new file.
func saveSent(name string, from io.Reader) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return &store.StorageError{Err: err}
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return errSent
	}
	if err == nil {
		_, err = io.Copy(f, from)
		err = errors.Join(err, f.Close())
	}
	switch {
	case errors.As(err, new(*fs.PathError)): // of the disk; others are of what was sent
		return &store.StorageError{Err: err}
	case err != nil:
		return errors.Join(errSent, err)
	}
	return nil
}

// receivePush makes the changes of a site that a client sends; see [server.Receiver].
func (a *App) receivePush(ctx context.Context, o server.PushOptions, receive func(func(io.Reader) error) error) (json.RawMessage, error) {
	folder, err := os.MkdirTemp(a.at.DataFolder(), ".restore-") // which backup.Sweep removes after a crash
	if err != nil {
		return nil, &store.StorageError{Err: err}
	}
	defer os.RemoveAll(folder)
	if err := receive(func(body io.Reader) error { return unpackSite(folder, body) }); err != nil {
		return nil, refusedPush(err)
	}
	damage, err := store.CheckFile(ctx, filepath.Join(folder, filepath.FromSlash(sentData)))
	if err == nil && len(damage) > 0 {
		err = damage[0]
	}
	if err != nil {
		return nil, refusedPush(errors.Join(errSent, err))
	}
	out, err := a.push(ctx, PushRequest{From: folder, Name: o.From, Partial: true, SkipConflicts: o.SkipConflicts, Do: o.Do})
	if err != nil {
		return nil, refusedPush(err)
	}
	return json.Marshal(out)
}

// refusedPush returns an error of a push as a client sees it.
func refusedPush(err error) error {
	switch {
	case errors.Is(err, errSent), errors.As(err, new(*source.Problems)):
		return server.Problem(http.StatusBadRequest, "ValidationError", err.Error(), nil)
	case errors.Is(err, push.ErrNoPast), errors.Is(err, push.ErrOvertaken), errors.As(err, new(*push.TooMuchError)), errors.As(err, new(*SchemasError)), errors.As(err, new(*PushStepError)):
		return server.Problem(http.StatusConflict, "ConflictError", err.Error(), nil)
	}
	return err
}
