package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// What these functions do is on the disk when they return. A file that was synced can still
// lose its name in a power cut: names are in folders, which have to be synced too.

// ReplaceFile puts a text in the place of a file, completely or not at all. It is on the disk
// when ReplaceFile returns. What an interruption leaves has the name of the file and "~".
func ReplaceFile(path string, text []byte, mode fs.FileMode) error {
	return replaceWith(path, mode, func(f *os.File) error {
		_, err := f.Write(text)
		return errors.Join(err, f.Chmod(mode))
	})
}

// replaceWith puts what write writes into a file in the place of another one.
func replaceWith(path string, mode fs.FileMode, write func(*os.File) error) error {
	passing := path + "~"
	f, err := os.OpenFile(passing, os.O_CREATE|os.O_TRUNC|os.O_RDWR, mode)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = Replace(passing, path)
	}
	if err != nil {
		_ = os.Remove(passing) // unless only the name of the new file may not be on the disk yet
	}
	return err
}

// SyncFolder makes the names of files in a folder durable.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such call
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// MakeFolder creates a folder, and those above it that are missing.
func MakeFolder(path string, mode fs.FileMode) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(path, mode) // it is there, or the error says what is in the way
	}
	above := filepath.Dir(path)
	if err := MakeFolder(above, mode); err != nil {
		return err
	}
	if err := os.Mkdir(path, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncFolder(above)
}

// SyncTree makes a file durable, or a folder with everything in it, but for its own name.
func SyncTree(path string) error {
	return filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return SyncFolder(path)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
