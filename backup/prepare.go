package backup

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"quire/audit"
	"quire/media"
	"quire/store"
)

// Prepared is a backup that was unpacked and checked in a data folder, and may take the
// place of what is there. It lives until Close.
type Prepared struct {
	*Manifest
	restore restore
	was     []string // files whose place it has taken
}

// Prepare unpacks a backup in a data folder and checks all of it. What is there stays as
// it is, so a server may go on using it. Errors: *FileError, *LinkError, the context's and
// the file system's.
func Prepare(ctx context.Context, path, folder string) (p *Prepared, err error) {
	p = &Prepared{restore: restore{path: path, folder: folder}}
	if err := p.restore.refuseLinks(); err != nil {
		return nil, err
	}
	p.Manifest, err = p.restore.stage(ctx)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Data is the path of the unpacked data file. Nobody may have it open during Install.
func (p *Prepared) Data() string { return filepath.Join(p.restore.staged, dataName) }

// Spare is a path beside the data file that nothing has, for a copy of the one in use. It
// goes with Close.
func (p *Prepared) Spare() string { return filepath.Join(p.restore.staged, "former.db") }

// Install puts the backup into the place of the data file and the uploads of the folder,
// as Restore does, for a server that has the data file open: call it within
// store.DB.Exchange, with a copy of the data file as it is. Nothing is kept of what was
// there; make a backup first. After an error the data file is the former one, except where
// the folder could not be forced to the disk.
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

// RemoveFormer removes the uploads that were there before Install and are not in the
// backup. Uploads that are on their way stay. It may be called again.
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

// stage makes the folder into which the backup is unpacked, and unpacks it.
func (r *restore) stage(ctx context.Context) (m *Manifest, err error) {
	if r.staged, err = os.MkdirTemp(r.folder, unpacked); err != nil {
		return nil, err
	}
	if m, err = r.unpack(ctx); err != nil {
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
