//go:build !noadmin

package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"quire/admin"
	"quire/transfer/archive"
)

// importFileKept is how long the file of an import is kept if nobody imports it.
const importFileKept = time.Hour

// importFile is an uploaded file for an import, with the plan that was made for it.
type importFile struct {
	path string // chosen by the server
	name string // the name of the file on the user's machine
	form admin.FileForm

	delivery *Delivery // the delivery of the last plan; nil for none
	planned  time.Time // when that plan was started; zero if it cannot be carried out
}

// importFolder is the folder for the files of imports. There is one such file at a time.
func (a *App) importFolder() string { return filepath.Join(a.at.DataFolder(), "imports") }

// Receive stores the file of an import. The file is removed after the import, when another
// operation starts, after an hour, and when the server stops.
func (t *transfers) Receive(ctx context.Context, name string, file io.Reader) error {
	t.mu.Lock()
	ctx, stop, err := t.claimLocked(ctx, admin.Receiving, name)
	t.mu.Unlock()
	if err != nil {
		return err
	}
	defer stop()
	err = t.app.guarded(func() error {
		came, err := t.app.receive(ctx, name, &counted{file, t})
		if err != nil {
			return err
		}
		t.expect(came)
		return nil
	})
	t.end(ctx, err)
	return err
}

// counted is a file that reports to the transfer how many bytes have arrived.
type counted struct {
	from io.Reader
	by   *transfers
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.by.note(func(job *admin.Transfer) { job.Bytes += int64(n) })
	return n, err
}

// receive writes the file of an import. Only the owner of the process can read it.
func (a *App) receive(ctx context.Context, name string, from io.Reader) (came *importFile, err error) {
	folder, err := filepath.Abs(a.importFolder())
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(folder, "file-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	n, err := io.Copy(&stoppable{ctx, f}, from)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, admin.ErrEmpty
	}
	form, err := formOf(f.Name())
	return &importFile{path: f.Name(), name: name, form: form}, err
}

// formOf detects the format of the file of an import.
func formOf(path string) (admin.FileForm, error) {
	if lines, err := archive.IsLines(path); lines || err != nil {
		return admin.FormLines, err
	}
	plain, err := archive.IsPlain(path)
	if plain {
		return admin.FormArchive, err
	}
	return admin.FormSealed, err
}

// expect keeps an uploaded file for a limited time.
func (t *transfers) expect(came *importFile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.came = came
	if info, err := os.Stat(came.path); err == nil {
		t.job.Bytes, t.job.Size = info.Size(), info.Size()
	}
	t.discardLater(came)
}

// discardLater removes the file of an import after a limited time, or after the work on it.
func (t *transfers) discardLater(came *importFile) {
	time.AfterFunc(importFileKept, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		switch {
		case t.came != came:
		case t.job.Running:
			t.discardLater(came)
		default:
			t.discardLocked()
		}
	})
}

// Discard removes the file of an import.
func (t *transfers) Discard() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.idleLocked(); err != nil {
		return err
	}
	if t.came == nil {
		return admin.ErrNoFile
	}
	t.discardLocked()
	t.job, t.meter = nil, nil
	return nil
}

// discard removes the file of an import if there is one.
func (t *transfers) discard() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.discardLocked()
}

// discardLocked is discard for callers that hold mu.
func (t *transfers) discardLocked() {
	if t.came == nil {
		return
	}
	if err := os.Remove(t.came.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.app.log.Warn("cannot remove the file of an import", "error", err)
	}
	t.came = nil
}
