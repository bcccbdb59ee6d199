package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// checkFolder reports a folder that is no site at all, so that a mistyped path
// does not start an empty server.
func (l *loader) checkFolder() {
	for _, name := range []string{"src", siteFile} {
		if _, err := fs.Stat(l.fsys, name); !errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
	l.problems.add(Problem{
		File:    ".",
		Message: "is not a site folder: it has neither src nor site.json",
		Fix:     "name the folder that holds src/api",
	})
}

// open reads a JSON file. A missing one is no problem; one that cannot be
// read is, and its uid counts as broken.
func (l *loader) open(file, uid string) (object, bool) {
	data, err := fs.ReadFile(l.fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return object{}, false
	}
	if err != nil {
		l.unreadable(file, err)
		l.broken[uid] = true
		return object{}, false
	}
	fmt.Fprintf(l.sum, "%s %d\n%s", file, len(data), data)
	o, ok := parseFile(file, data, l.problems)
	if !ok {
		l.broken[uid] = true
	}
	return o, ok
}

// names lists a folder in order, either its folders or its files, without
// hidden ones. A missing folder is empty.
func (l *loader) names(dir string, folders bool) []string {
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
	l.problems.add(Problem{File: file, Message: "cannot be read: " + err.Error(), Fix: "make it readable or remove it"})
}

func (l *loader) exists(file string) bool {
	_, err := fs.Stat(l.fsys, file)
	return err == nil
}
