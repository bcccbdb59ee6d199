package edit

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
)

// temporary returns the name of the file that replaces another one. A name with a dot is
// not that of a type.
func temporary(name string) string {
	return path.Join(path.Dir(name), "."+path.Base(name)+".quire")
}

// write gives each file its content from text, nil for none. All contents are on the disk
// before the first file changes; each file changes at once.
func (in *Installation) write(root *os.Root, text func(recorded) []byte) error {
	for _, r := range in.record.Files {
		if text(r) != nil {
			if err := writeTemporary(root, r.Path, text(r)); err != nil {
				return errors.Join(err, in.sweepIn(root))
			}
		}
	}
	folders := map[string]bool{}
	for _, r := range in.record.Files {
		folders[path.Dir(r.Path)] = true
		err := error(nil)
		if text(r) != nil {
			err = root.Rename(temporary(r.Path), r.Path)
		} else if err = root.Remove(r.Path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	for folder := range folders {
		if err := syncIn(root, folder); err != nil {
			return err
		}
	}
	return in.sweepIn(root)
}

func writeTemporary(root *os.Root, name string, text []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	if info, err := root.Lstat(name); err == nil {
		mode = info.Mode().Perm()
	}
	_ = root.Remove(temporary(name)) // from an interrupted change; it may not exist
	f, err := root.OpenFile(temporary(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncIn makes the names in a folder, and in those above it, durable.
func syncIn(root *os.Root, folder string) error {
	for ; ; folder = path.Dir(folder) {
		f, err := root.Open(folder)
		if err == nil {
			err = syncNames(f)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if folder == "." {
			return nil
		}
	}
}

func (in *Installation) sweep() error {
	root, err := os.OpenRoot(in.site)
	if err != nil {
		return err
	}
	return errors.Join(in.sweepIn(root), root.Close())
}

// sweepIn removes temporary files, and folders of types that have become empty.
func (in *Installation) sweepIn(root *os.Root) (err error) {
	for _, r := range in.record.Files {
		if r.Path != SettingsFile && !ours.MatchString(r.Path) {
			continue
		}
		if wrong := root.Remove(temporary(r.Path)); wrong != nil && !errors.Is(wrong, fs.ErrNotExist) {
			err = errors.Join(err, wrong)
		}
		for folder := path.Dir(r.Path); strings.Count(folder, "/") >= 2; folder = path.Dir(folder) {
			if root.Remove(folder) != nil {
				break // it is not empty, or does not exist
			}
		}
	}
	return err
}

// syncNames makes the names in an open folder durable, and closes it.
func syncNames(folder *os.File) error {
	if runtime.GOOS == "windows" { // it has no such call
		return folder.Close()
	}
	return errors.Join(folder.Sync(), folder.Close())
}
