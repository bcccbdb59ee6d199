//go:build !noadmin

package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quire/admin"
	"quire/auth"
	"quire/index"
	"quire/schema"
	"quire/store"
	"quire/transfer/archive"
)

// exportKept is how long the file of an export is kept.
const exportKept = time.Hour

// exports is the folder for the files of exports. There is one such file at a time.
func (a *App) exports() string { return filepath.Join(a.at.DataFolder(), "exports") }

// Export starts to write the content of the site to a file. The file is removed after an
// hour, when another operation starts, and when the server stops.
func (t *transfers) Export(ctx context.Context, what admin.ExportForm) error {
	if err := t.idle(); err != nil { // before the following steps, which may wait
		return err
	}
	serving := t.app.serving()
	site, now := serving.site, serving.index.Snapshot()
	for _, uid := range what.Types {
		if !slices.ContainsFunc(slices.Collect(site.Served()), func(one *schema.Type) bool { return one.UID == uid }) {
			return &admin.TypeNameError{UID: uid}
		}
	}
	folder, err := filepath.Abs(t.app.at.Site)
	if err != nil {
		return err
	}
	name := filepath.Base(folder) + "-" + time.Now().UTC().Format("20060102-150405")
	if name += ".tar.gz"; what.Lines {
		name = strings.TrimSuffix(name, ".tar.gz") + ".ndjson"
	}
	meter := new(archive.Meter)
	err = t.begin(ctx, admin.Exporting, name, func(ctx context.Context) error {
		t.note(func(job *admin.Transfer) { job.Phase, job.Total = admin.PhaseWrite, entriesOf(site, now, what.Types) })
		t.measure(meter)
		return t.export(ctx, site, name, what, meter)
	})
	if err == nil {
		t.app.noted(ctx, "data.export", map[string]string{"file": name})
	}
	return err
}

// entriesOf counts the entries of the named types, or of all types if none is named.
func entriesOf(site *schema.Site, s *index.Snapshot, uids []string) (n int64) {
	for _, t := range site.Types {
		if t.IsComponent() || len(uids) > 0 && !slices.Contains(uids, t.UID) {
			continue
		}
		n += int64(s.Table(t, store.Published).Len())
		if t.DraftAndPublish {
			n += int64(s.Table(t, store.Draft).Len())
		}
	}
	return n
}

// measure makes the transfer report the counts of a meter.
func (t *transfers) measure(m *archive.Meter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.meter = m
}

// export writes the file from a copy of the data, and keeps it for a limited time.
func (t *transfers) export(ctx context.Context, site *schema.Site, name string, what admin.ExportForm, m *archive.Meter) (err error) {
	copied, err := t.app.copyData()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(copied)) }()
	db, err := store.Open(copied, store.Options{Existing: true, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	files, err := t.app.at.Files(ctx, site)
	if err != nil {
		return err
	}
	from := archive.Origin{Site: site, Folder: os.DirFS(t.app.at.Site), DB: db, Files: files, Roles: auth.ListedRoles(site), Types: what.Types}
	path := filepath.Join(t.app.exports(), name)
	if err := os.MkdirAll(t.app.exports(), 0o700); err != nil {
		return err
	}
	err = writeExport(path, func(w io.Writer) (err error) {
		to := &stoppable{ctx, w}
		if what.Lines {
			_, err = archive.ExportLines(ctx, from, to, m)
		} else {
			_, err = archive.ExportArchive(ctx, from, to, archive.Packing{}, m)
		}
		return err
	})
	if err == nil {
		t.keep(path)
	}
	return err
}

// writeExport writes a file that only its owner can read, and removes it if that fails.
func writeExport(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// stoppable is a writer that fails when a context is done.
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

// keep keeps a finished file for a limited time.
func (t *transfers) keep(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made = path
	time.AfterFunc(exportKept, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.made == path {
			t.dropLocked()
		}
	})
}

// drop removes the last finished file.
func (t *transfers) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropLocked()
}

// dropLocked is drop for callers that hold mu.
func (t *transfers) dropLocked() {
	if t.made != "" {
		if err := os.Remove(t.made); err != nil {
			t.app.log.Warn("cannot remove the file of an export", "error", err)
		}
	}
	t.made, t.meter = "", nil
}

// Exported opens the file of the last export.
func (t *transfers) Exported() (io.ReadSeekCloser, time.Time, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.made == "" || t.job.Running {
		return nil, time.Time{}, admin.ErrNoExport
	}
	f, err := os.Open(t.made)
	return f, t.job.StartedAt, err
}
