package backup

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"quire/content/audit"
	"quire/media"
	"quire/store"
)

// Prepared is a backup that was unpacked and checked in a data folder, and can replace the
// current data. It lives until Close.
type Prepared struct {
	*Manifest
	restore restore
	was     []string // files that it has replaced
}

// Prepare unpacks a backup in a data folder and checks all of it. It does not change the
// current data, so a server may continue to use it. Errors: *FileError, *LinkError, the
// context's and the file system's.
func Prepare(ctx context.Context, path, folder string) (p *Prepared, err error) {
	p = &Prepared{restore: restore{path: path, folder: folder}}
	p.restore.fill = p.restore.unpack
	if err := p.restore.refuseLinks(); err != nil {
		return nil, err
	}
	p.Manifest, err = p.restore.stage(ctx)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// UnpackData unpacks the data file of a backup into a folder, which has none, and returns its
// path. It checks all of the backup as Prepare does, and writes no uploads. Errors: as those
// of Prepare.
func UnpackData(ctx context.Context, path, folder string) (data string, err error) {
	data = filepath.Join(folder, dataName)
	_, err = readBackup(ctx, path, func(f File, content io.Reader) error {
		if f.Name != dataName {
			return nil // what is not read here is read and checked after it
		}
		return writeSynced(data, content)
	})
	if err != nil {
		return "", err
	}
	return data, checkData(ctx, path, data)
}

// Data returns the path of the unpacked data file. Nobody may have it open during Install.
func (p *Prepared) Data() string { return filepath.Join(p.restore.staged, dataName) }

// Spare returns an unused path next to the data file, for a copy of the current one. Close
// removes it.
func (p *Prepared) Spare() string { return filepath.Join(p.restore.staged, "former.db") }

// Install replaces the data file and the uploads of the folder with the backup, as Restore
// does, for a server that has the data file open: call it within store.DB.Exchange, with a
// copy of the current data file. Nothing of the former data is kept; make a backup first.
// After an error the data file is the former one, unless the folder could not be forced to
// the disk.
func (p *Prepared) Install(former string, by *audit.Source, forgotten ...string) error {
	if err := p.restore.succeed(p.Manifest, former, by, forgotten); err != nil {
		return err
	}
	was, err := p.restore.former()
	if err != nil {
		return err
	}
	p.was = was
	return p.restore.install(p.Manifest, true)
}

// RemoveFormer removes the former uploads that are not in the backup. Uploads in progress
// stay. It may be called again.
func (p *Prepared) RemoveFormer() error {
	var over []string
	for _, path := range p.was {
		if !media.IsTemporary(filepath.Base(path)) {
			over = append(over, path)
		}
	}
	return p.restore.removeFormer(p.Manifest, over)
}

// Close removes what was unpacked and not installed.
func (p *Prepared) Close() error { return p.restore.discard() }

// stage creates the folder into which the backup is unpacked, and unpacks it.
func (r *restore) stage(ctx context.Context) (m *Manifest, err error) {
	if r.staged, err = os.MkdirTemp(r.folder, unpacked); err != nil {
		return nil, err
	}
	if m, err = r.fill(ctx); err != nil {
		return nil, err
	}
	return m, store.SyncFolder(r.staged)
}

// discard removes the folder of stage.
func (r *restore) discard() error {
	if r.staged == "" {
		return nil
	}
	return os.RemoveAll(r.staged)
}
