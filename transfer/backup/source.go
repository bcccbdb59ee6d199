package backup

import (
	"errors"
	"os"
	"path/filepath"

	"quire/store"
)

// Open opens a data folder as a Source. Nobody may change the folder until the Source is
// closed.
func Open(folder string, naming Naming) (s *Source, err error) {
	s = &Source{Uploads: filepath.Join(folder, "uploads")}
	if s.Data, err = store.Open(filepath.Join(folder, dataName), store.Options{ReadOnly: true}); err != nil {
		return nil, err
	}
	var named []string
	err = s.Data.View(func(tx *store.Tx) (err error) {
		named, err = naming(tx)
		return err
	})
	if err == nil {
		err = s.splitMissing(named)
	}
	if err == nil {
		err = s.readBucket(folder)
	}
	if err != nil {
		return nil, errors.Join(err, s.Data.Close())
	}
	return s, nil
}

// splitMissing lists the existing uploads, and the missing ones. A name that leads
// elsewhere is not an upload.
func (s *Source) splitMissing(named []string) error {
	for _, name := range named {
		if _, ok := uploadName(uploadsName + name); !ok {
			s.About.Missing = append(s.About.Missing, name)
			continue
		}
		_, err := os.Stat(filepath.Join(s.Uploads, name))
		switch {
		case err == nil:
			s.Names = append(s.Names, name)
		case errors.Is(err, os.ErrNotExist):
			s.About.Missing = append(s.About.Missing, name)
		default:
			return err
		}
	}
	return nil
}

// Close closes the data file.
func (s *Source) Close() error { return s.Data.Close() }
