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
	"quire/archive"
)

// arrivalKept is for how long the file of an import is kept that nobody imports.
const arrivalKept = time.Hour

// arrival is the file of an import, which somebody has sent, and what was planned with it.
type arrival struct {
	path string // chosen here
	name string // what people call it
	form admin.FileForm

	delivery *Delivery // the one that was looked at last, nil for none
	planned  time.Time // when that was begun; zero where it may not be carried out
}

// arrivals is the folder of the files of imports, of which there is one at a time.
func (a *App) arrivals() string { return filepath.Join(a.at.DataFolder(), "imports") }

// Receive takes the file of an import. It is removed when it was imported, when something
// else begins, after an hour, and when the server ends.
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

// counted is a file of which the transfer says how much has come.
type counted struct {
	from io.Reader
	by   *transfers
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.by.note(func(job *admin.Transfer) { job.Bytes += int64(n) })
	return n, err
}

// receive writes the file of an import, for the owner of the process alone.
func (a *App) receive(ctx context.Context, name string, from io.Reader) (came *arrival, err error) {
	folder, err := filepath.Abs(a.arrivals())
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
	return &arrival{path: f.Name(), name: name, form: form}, err
}

// formOf finds what the file of an import is.
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

// expect keeps a file that has come, for a while.
func (t *transfers) expect(came *arrival) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.came = came
	if info, err := os.Stat(came.path); err == nil {
		t.job.Bytes, t.job.Size = info.Size(), info.Size()
	}
	t.discardLater(came)
}

// discardLater removes the file of an import after a while, or after the work on it.
func (t *transfers) discardLater(came *arrival) {
	time.AfterFunc(arrivalKept, func() {
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

// discard removes the file of an import, if there is one.
func (t *transfers) discard() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.discardLocked()
}

// discardLocked is discard. mu must be held.
func (t *transfers) discardLocked() {
	if t.came == nil {
		return
	}
	if err := os.Remove(t.came.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.app.log.Warn("the file of an import cannot be removed", "error", err)
	}
	t.came = nil
}
