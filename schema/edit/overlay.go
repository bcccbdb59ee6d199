package edit

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// overlay is a folder with the files of a draft in place of its own.
type overlay struct {
	fs.FS                   // the folder without the draft
	after map[string][]byte // nil for a removed file
}

// Over returns the folder with the files of a draft.
func Over(folder fs.FS, files []File) fs.FS {
	o := overlay{folder, map[string][]byte{}}
	for _, f := range files {
		if f.From != "" && o.after[f.From] == nil {
			o.after[f.From] = nil
		}
		o.after[f.Path] = f.After
	}
	return o
}

// ReadFile reads a file.
func (o overlay) ReadFile(name string) ([]byte, error) {
	text, ours := o.after[name]
	switch {
	case !ours:
		return fs.ReadFile(o.FS, name)
	case text == nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return text, nil
}

// Stat returns the description of a path.
func (o overlay) Stat(name string) (fs.FileInfo, error) {
	if text, ours := o.after[name]; ours {
		if text == nil {
			return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
		}
		return &plannedInfo{path.Base(name), int64(len(text)), 0o644}, nil
	}
	for file, text := range o.after {
		if text != nil && strings.HasPrefix(file, name+"/") {
			return &plannedInfo{path.Base(name), 0, fs.ModeDir | 0o755}, nil
		}
	}
	return fs.Stat(o.FS, name)
}

// ReadDir lists a folder.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		text, ours := o.after[path.Join(name, e.Name())]
		return ours && text == nil
	})
	for file, text := range o.after {
		rest, below := strings.CutPrefix(file, name+"/")
		first, _, _ := strings.Cut(rest, "/")
		if text == nil || !below || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == first }) {
			continue
		}
		one, wrong := o.Stat(path.Join(name, first))
		if wrong != nil {
			return nil, wrong
		}
		entries = append(entries, fs.FileInfoToDirEntry(one))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if len(entries) > 0 && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return entries, err
}

// plannedInfo describes a file that is not written yet, or its folder.
type plannedInfo struct {
	name string
	size int64
	mode fs.FileMode
}

func (i *plannedInfo) Name() string       { return i.name }
func (i *plannedInfo) Size() int64        { return i.size }
func (i *plannedInfo) Mode() fs.FileMode  { return i.mode }
func (i *plannedInfo) ModTime() time.Time { return time.Time{} }
func (i *plannedInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *plannedInfo) Sys() any           { return nil }
