package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"quire/schema/source"
)

// checkFolder reports a folder that is not a site, so that a mistyped path does not start
// an empty server.
func (l *loader) checkFolder() {
	for _, name := range []string{"src", siteFile} {
		if _, err := fs.Stat(l.fsys, name); !errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
	l.problems.Add(source.Problem{
		File:    ".",
		Message: "is not a site folder: it has neither src nor site.json",
		Fix:     "name the folder that holds src/api",
	})
}

// openFile reads a JSON file, and returns false if it has no object. A missing file is no
// problem; one that cannot be read is, and makes its uid broken.
func (l *loader) openFile(file, uid string) (source.Object, bool) {
	data, err := source.ReadFile(l.fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return source.Object{}, false
	}
	if err != nil {
		l.unreadable(file, err)
		l.broken[uid] = true
		return source.Object{}, false
	}
	fmt.Fprintf(l.sum, "%s %d\n%s", file, len(data), data)
	o, ok := source.Parse(file, data, l.problems)
	if !ok {
		l.broken[uid] = true
	}
	return o, ok
}

// listFolder lists a folder in order, either its folders or its files, without hidden ones.
// A missing folder is empty.
func (l *loader) listFolder(dir string, folders bool) []string {
	entries, err := fs.ReadDir(l.fsys, dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.unreadable(dir, err)
		}
		return nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := fs.Stat(l.fsys, path.Join(dir, e.Name())) // follows links
		if err != nil {
			l.unreadable(path.Join(dir, e.Name()), err)
			continue
		}
		if info.IsDir() == folders {
			names = append(names, e.Name())
		}
	}
	return names
}

func (l *loader) unreadable(file string, err error) {
	l.problems.Add(source.Problem{File: file, Message: "cannot be read: " + err.Error(), Fix: "make it readable or remove it"})
}

func (l *loader) exists(file string) bool {
	_, err := fs.Stat(l.fsys, file)
	return err == nil
}
