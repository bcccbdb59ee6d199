package archive

import (
	"context"
	"errors"
	"fmt"
	"os"

	"quire/store"
)

// Rework lets fn change a copy of the data file. When fn succeeds, a compact copy
// of that takes the original's place: what many writes in no order leave behind
// is a third of unused room. Until that one moment the original stays as it is,
// and can be read; updates of it wait. A process that dies on the way leaves the
// original, and beside it half-made copies that the next Rework overwrites.
//
// Errors are fn's, the context's, and the store's.
func Rework(ctx context.Context, db *store.DB, fn func(*store.DB) error) error {
	return db.Exchange(func(path string) error {
		work, made := path+".import", path+".import-compact"
		err := backup(db, work)
		if err == nil {
			err = change(ctx, work, made, fn)
		}
		_ = os.Remove(work) // it may not have come to be
		if err != nil {
			_ = os.Remove(made)
			return err
		}
		return store.Replace(made, path)
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

// change has fn change the file at path, and makes a compact copy of what it came
// to, which is on the disk when nil is returned.
func change(ctx context.Context, path, made string, fn func(*store.DB) error) error {
	db, err := store.Open(path, store.Options{Hasty: true})
	if err != nil {
		return fmt.Errorf("the copy to work on: %w", err)
	}
	if err = fn(db); err == nil {
		err = db.CopyCompact(ctx, made)
	}
	return errors.Join(err, db.Close())
}
