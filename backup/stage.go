package backup

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"quire/media"
	"quire/store"
)

// Naming lists the uploads that the records of a data file name.
type Naming func(*store.Tx) ([]string, error)

// Stage sets aside, in a new folder, a data folder of one moment while its server
// goes on: a copy of the data file and, beside it in the folder uploads, links to
// the files that its records name. Whoever called it removes the folder.
//
// No upload can be removed between the moment at which the data file is looked at
// and the one at which its files have second names: that takes as long as making
// the links. An upload that comes later is in neither.
func Stage(db *store.DB, files *media.Folder, data string, naming Naming) (folder string, err error) {
	if folder, err = os.MkdirTemp(data, staged); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	uploads := filepath.Join(folder, "uploads")
	if err := os.Mkdir(uploads, 0o700); err != nil {
		return "", err
	}
	release := files.Hold()
	defer release()
	return folder, db.View(func(tx *store.Tx) error {
		names, err := naming(tx)
		if err != nil {
			return err
		}
		if err := link(names, files.Path(), uploads); err != nil {
			return err
		}
		release()
		return writeTo(filepath.Join(folder, dataName), tx)
	})
}

func writeTo(path string, tx *store.Tx) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = tx.WriteTo(f)
	return errors.Join(err, f.Close())
}

// link gives the files second names in another folder, or copies them where that
// is not possible. One that is missing is passed over.
func link(names []string, from, to string) error {
	for _, name := range names {
		err := linkOrCopy(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func linkOrCopy(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return put(to, f)
}

// put writes a file for its owner alone, and has it on the disk.
func put(path string, content io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, content); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
