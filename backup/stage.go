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

// bucketName is a file in the copy that names the bucket in which the other files are.
const bucketName = "bucket"

// Naming lists the uploads that the records of a data file name.
type Naming func(*store.Tx) ([]string, error)

// Stage makes a copy of a data folder as of one moment, in a new folder, while its server
// goes on: the data file and, in the folder uploads beside it, links to the files that its
// records name. The caller removes the folder.
//
// Uploads are not removed between that moment and the one at which all files have their
// second names; this takes as long as making the links. An upload that arrives later is
// not in the copy, nor is its record.
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
	if bucket := files.Bucket(); bucket != nil {
		if err := os.WriteFile(filepath.Join(folder, bucketName), []byte(bucket.String()), 0o600); err != nil {
			return "", err
		}
	}
	release := files.Hold()
	defer release()
	return folder, db.View(func(tx *store.Tx) error {
		names, err := naming(tx)
		if err != nil {
			return err
		}
		if err := linkAll(names, files.Path(), uploads); err != nil {
			return err
		}
		release()
		return tx.CopyTo(filepath.Join(folder, dataName))
	})
}

// linkAll gives the files second names in another folder, or copies them where that
// is not possible. It skips those that are missing.
func linkAll(names []string, from, to string) error {
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
	return writeSynced(to, f)
}

// writeSynced writes a file for its owner alone, and forces it to the disk.
func writeSynced(path string, content io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, content); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
