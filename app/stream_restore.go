package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quire/app/inspect"
	"quire/content/audit"
	"quire/schema"
	"quire/store"
	"quire/transfer/backup"
	"quire/transfer/stream"
)

// Streamed says which stream a command reads.
type Streamed struct {
	Of      string // id of the data folder; empty for that of the site, or the only one
	KeyFile string // empty for the one that site.json names
}

// ErrNoStream reports a site without a stream.
var ErrNoStream = errors.New("site.json names no stream: backup.stream says where it is")

// catalog lists what a stream has.
func (l Location) catalog(ctx context.Context, which Streamed) (*stream.Catalog, *schema.Site, error) {
	site, err := l.Load()
	if err != nil {
		return nil, nil, err
	}
	of := &site.Settings.Backup.Stream
	if !of.InUse() {
		return nil, nil, ErrNoStream
	}
	target, err := l.streamTarget(of)
	if err != nil {
		return nil, nil, err
	}
	ids, err := stream.IDs(ctx, target)
	if err != nil {
		return nil, nil, err
	}
	newest := which.Of
	if newest == "" && len(ids) > 1 {
		if newest, err = stream.Newest(ctx, target, ids); err != nil {
			return nil, nil, err
		}
	}
	id, err := l.chosen(ids, which.Of, newest)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", target, err)
	}
	c, err := stream.Load(ctx, target, id)
	if err != nil {
		return nil, nil, err
	}
	keyOf := func(id string) (*stream.Key, error) { return streamKey(of, which.KeyFile, id) }
	if c.Key, err = keyOf(id); err != nil {
		return nil, nil, err
	}
	return c, site, c.Trace(ctx, keyOf)
}

// chosen returns the stream to read of those that a target has. newest continues all others;
// it is empty if there is none.
func (l Location) chosen(ids []string, of, newest string) (string, error) {
	own, err := l.id()
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist): // there may be no data folder yet
		return "", err
	case len(ids) == 0:
		return "", &stream.NothingError{}
	case of != "" && slices.Contains(ids, of):
		return of, nil
	case of != "":
		return "", fmt.Errorf("there is no stream of the data folder %s, but of %s", of, strings.Join(ids, ", "))
	case slices.Contains(ids, own):
		return own, nil
	case len(ids) == 1:
		return ids[0], nil
	case newest != "":
		return newest, nil
	}
	return "", fmt.Errorf("there are streams of several data folders: %s; --of ID names the one to read", strings.Join(ids, ", "))
}

// StreamList is what can be restored from a stream.
type StreamList struct {
	Target string         `json:"target"`
	ID     string         `json:"id"`
	Bytes  int64          `json:"bytes"`
	Ranges []stream.Range `json:"ranges"`
}

// ListStream lists what can be restored.
func (l Location) ListStream(ctx context.Context, which Streamed) (list StreamList, err error) {
	c, _, err := l.catalog(ctx, which)
	if err != nil {
		return list, err
	}
	ranges, err := c.Ranges(ctx)
	return StreamList{c.Target.String(), c.ID, c.Bytes(), ranges}, err
}

// CheckStream reads the whole stream, and restores it into a temporary folder within the data
// folder, or that of the system if there is none.
func (l Location) CheckStream(ctx context.Context, which Streamed) (*stream.Checked, error) {
	c, _, err := l.catalog(ctx, which)
	if err != nil {
		return nil, err
	}
	parent := l.DataFolder()
	if _, err := os.Stat(parent); err != nil {
		parent = ""
	}
	return c.CheckIn(ctx, parent, inspect.StoredFiles)
}

// RestoreStream restores the site as it was at a moment; see backup.Restore.
func (l Location) RestoreStream(ctx context.Context, which Streamed, at time.Time, replace bool) (done backup.Restored, m *stream.Restored, err error) {
	if err := l.standsAlone(); err != nil {
		return done, nil, err
	}
	if err := backup.Admit(l.DataFolder(), replace); err != nil {
		return done, nil, err
	}
	c, site, err := l.catalog(ctx, which)
	if err != nil {
		return done, nil, err
	}
	fill := func(ctx context.Context, folder string) (*backup.Manifest, error) {
		if m, err = c.Restore(ctx, at, folder, inspect.StoredFiles); err != nil {
			return nil, err
		}
		return manifestOf(folder, m, site.Settings.Upload.Storage.Bucket)
	}
	done, err = backup.RestoreFrom(ctx, c.Target.String(), fill, l.DataFolder(), replace, audit.Of(byCommand(ctx, "restore")), passing()...)
	return done, m, err
}

// manifestOf describes what was restored from a stream. Uploads that it lacks are in the
// bucket, if the site has one.
func manifestOf(folder string, m *stream.Restored, bucket string) (*backup.Manifest, error) {
	data := filepath.Join(folder, "quire.db")
	if damage, err := store.CheckFile(context.Background(), data); err != nil || len(damage) > 0 {
		return nil, errors.Join(err, damaged(damage))
	}
	about := backup.About{Format: backup.Format, Program: m.Program, Made: m.At, Schemas: m.Schemas, Revision: m.Commit.Revision, DataFormat: store.FileFormat, Missing: m.Missing}
	if bucket != "" {
		about.Bucket, about.InBucket, about.Missing = bucket, len(m.Missing), nil
	}
	manifest := &backup.Manifest{About: about}
	names := []string{"quire.db"}
	for _, name := range m.Files {
		names = append(names, "uploads/"+name)
	}
	for _, name := range names {
		info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		manifest.Files = append(manifest.Files, backup.File{Name: name, Size: info.Size()})
	}
	return manifest, nil
}

func damaged(damage []*store.CorruptError) error {
	if len(damage) == 0 {
		return nil
	}
	return fmt.Errorf("the restored data file is damaged: %w", damage[0])
}
