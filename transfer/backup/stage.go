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

// bucketName is a file in the copy with the name of the bucket that has the other files.
const bucketName = "bucket"

// Naming lists the uploads in the records of a data file.
type Naming func(*store.Tx) ([]string, error)

// Stage makes a copy of a data folder as of one moment, in a new folder, while its server
// continues: the data file and, in the folder uploads next to it, links to the files in its
// records. The caller removes the folder.
//
// Uploads are not removed between that moment and the time when all files have their links;
// this takes as long as making the links. The copy contains neither a later upload nor its
// record.
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
	release := files.Lock()
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

// linkAll makes links to the files in another folder, or copies if links are not possible.
// It skips missing files.
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

// writeSynced writes a file that only its owner can read, and forces it to the disk.
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
