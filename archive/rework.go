package archive

import (
	"errors"
	"fmt"
	"os"

	"quire/store"
)

// Rework lets fn change a copy of the data file, and puts the copy into its
// place when fn succeeds. Until that one moment the original stays as it is, and
// can be read; updates of it wait. A process that dies on the way leaves the
// original, and beside it a half-made copy that the next Rework overwrites.
//
// Errors are fn's, and the store's.
func Rework(db *store.DB, fn func(*store.DB) error) error {
	return db.Exchange(func(path string) error {
		work := path + ".import"
		err := backup(db, work)
		if err == nil {
			err = change(work, fn)
		}
		if err != nil {
			_ = os.Remove(work) // it may not have come to be
			return err
		}
		return store.Replace(work, path)
	})
}

func backup(db *store.DB, to string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = db.Backup(f)
	return errors.Join(err, f.Close())
}

// change has fn change the file, all of which is on the disk when it returns nil.
func change(path string, fn func(*store.DB) error) error {
	db, err := store.Open(path, store.Options{Hasty: true})
	if err != nil {
		return fmt.Errorf("the copy to work on: %w", err)
	}
	return errors.Join(fn(db), db.Close())
}
