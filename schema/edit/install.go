package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// Installation is the files of a draft in a site folder, as long as it is not certain
// that they stay.
type Installation struct {
	site    string // folder
	journal string // file that says how it was before
	record  record
}

// record is what the journal says.
type record struct {
	ID    string     `json:"id"`
	Files []recorded `json:"files"`
	Both  bool       `json:"both"` // it says what files become; journals of versions before did not
}

// recorded is one path of the folder, as it was before and as it is to be.
type recorded struct {
	Path   string `json:"path"`
	Before []byte `json:"before"` // nil where there was no file
	After  []byte `json:"after"`  // nil where there is to be none
}

// ErrTouched says that a file is not what it was when the draft was made.
var ErrTouched = errors.New("the files of the site have changed meanwhile")

// LinkError says that a path leads through a symbolic link, which is not followed.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return e.Path + " is a symbolic link, or no plain file: it is not written to"
}

// EditedError says which files of an installation that broke off somebody has edited since:
// they are neither what they were before nor what they were to be. Nothing was overwritten.
type EditedError struct{ Paths []string }

func (e *EditedError) Error() string {
	return fmt.Sprintf("edited since: %s. It is neither what it was before the change nor what the change made of it, and was not overwritten. "+
		"Move it out of the site folder and start again: what was there before comes back, and you can carry your edit over to it", strings.Join(e.Paths, ", "))
}

// CheckPaths refuses files that are not below src as types are, or that a link leads to. Of
// others, site.json alone may be written where it is there already.
// Errors are *LinkError and those of the file system.
func CheckPaths(site string, files []File) error {
	root, err := os.OpenRoot(site)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if f.Path == SettingsFile && (f.Before == nil || f.After == nil || f.From != "") {
			return fmt.Errorf("%s is neither made nor removed", SettingsFile)
		}
		for _, name := range []string{f.Path, f.From} {
			if name == "" {
				continue
			}
			if err := checkPath(root, name); err != nil {
				return err
			}
		}
	}
	return nil
}

var ours = regexp.MustCompile(`^src/(api/[A-Za-z0-9_][A-Za-z0-9_-]*/content-types/[A-Za-z0-9_][A-Za-z0-9_-]*/schema|components/[A-Za-z0-9_][A-Za-z0-9_-]*/[A-Za-z0-9_][A-Za-z0-9_-]*)\.json$`)

func checkPath(root *os.Root, name string) error {
	if name != SettingsFile && !ours.MatchString(name) {
		return fmt.Errorf("%q is no file of a type", name)
	}
	at := ""
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case at == name && !info.Mode().IsRegular(), at != name && !info.IsDir():
			return &LinkError{at}
		}
	}
	return nil
}

// Install writes the files of a draft into a site folder, all of them or none. The journal,
// which must not be there, stays until Keep or Undo. The id is what [Repair] asks for.
func Install(site, journal, id string, files []File) (*Installation, error) {
	if err := CheckPaths(site, files); err != nil {
		return nil, err
	}
	in := &Installation{site: site, journal: journal, record: record{ID: id, Both: true}}
	for _, f := range files {
		if f.From != "" && !slices.ContainsFunc(files, func(o File) bool { return o.Path == f.From }) {
			in.record.Files = append(in.record.Files, recorded{Path: f.From, Before: f.Before})
		}
		one := recorded{Path: f.Path, After: f.After}
		if f.From == "" {
			one.Before = f.Before
		} else if i := slices.IndexFunc(files, func(o File) bool { return o.From == f.Path }); i >= 0 {
			one.Before = files[i].Before
		}
		in.record.Files = append(in.record.Files, one)
	}
	root, err := os.OpenRoot(site)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, r := range in.record.Files {
		if now, err := root.ReadFile(r.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		} else if !bytes.Equal(now, r.Before) || (err == nil) != (r.Before != nil) {
			return nil, fmt.Errorf("%s: %w", r.Path, ErrTouched)
		}
	}
	if err := in.writeJournal(); err != nil {
		return nil, err
	}
	if err := in.write(root, func(r recorded) []byte { return r.After }); err != nil {
		return nil, errors.Join(err, in.Undo())
	}
	return in, nil
}

// writeJournal has the journal on the disk before anything else is.
func (in *Installation) writeJournal() error {
	text, err := json.Marshal(in.record)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(in.journal+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(in.journal+".new", in.journal); err != nil { // another one must not be replaced
		return err
	}
	return errors.Join(os.Remove(in.journal+".new"), syncFolder(filepath.Dir(in.journal)))
}

func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Undo puts the former files back, and forgets the journal. Where somebody has edited one of
// them since, it changes nothing, and the error is an *EditedError.
func (in *Installation) Undo() error {
	root, err := os.OpenRoot(in.site)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, r := range in.record.Files {
		if err := checkPath(root, r.Path); err != nil {
			return err
		}
	}
	if err := in.checkEdits(root); err != nil {
		return err
	}
	if err := in.write(root, func(r recorded) []byte { return r.Before }); err != nil {
		return err
	}
	return in.Keep()
}

// checkEdits finds files that are neither what they were nor what they were to be. One that
// is not there has no edit to lose.
func (in *Installation) checkEdits(root *os.Root) error {
	var edited []string
	for _, r := range in.record.Files {
		now, err := root.ReadFile(r.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case in.record.Both && !isOne(now, r.Before) && !isOne(now, r.After):
			edited = append(edited, r.Path)
		}
	}
	if edited == nil {
		return nil
	}
	return &EditedError{edited}
}

// isOne reports whether a file that is there is one that may be: nil is none.
func isOne(now, file []byte) bool { return file != nil && bytes.Equal(now, file) }

// Keep forgets the journal: the files stay as they are.
func (in *Installation) Keep() error {
	if err := os.Remove(in.journal); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncFolder(filepath.Dir(in.journal))
}

// Repair ends an installation that broke off, if there is one: the files stay where keep says
// so of its id, and otherwise the former ones come back. Files that somebody has edited since
// are not touched, nor is any other then: the error is an *EditedError.
func Repair(site, journal string, keep func(id string) (bool, error)) error {
	text, err := os.ReadFile(journal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	in := &Installation{site: site, journal: journal}
	if err := json.Unmarshal(text, &in.record); err != nil {
		return fmt.Errorf("%s: %w", journal, err)
	}
	stays, err := keep(in.record.ID)
	switch {
	case err != nil:
		return err
	case stays:
		return errors.Join(in.sweep(), in.Keep())
	}
	return in.Undo()
}

// Pending reports whether there is a journal. Where its folder is none, there is none.
func Pending(journal string) bool {
	_, err := os.Lstat(journal)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
