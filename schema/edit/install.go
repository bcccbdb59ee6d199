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

// Installation is the set of files of a draft in a site folder, until it is certain that
// they stay.
type Installation struct {
	site    string // folder
	journal string // file with the state before
	record  record
}

// record is what the journal says.
type record struct {
	ID    string     `json:"id"`
	Files []recorded `json:"files"`
	Both  bool       `json:"both"` // the journal has the files after the change too; journals of earlier versions do not
}

// recorded is one path of the folder, before and after the change.
type recorded struct {
	Path   string `json:"path"`
	Before []byte `json:"before"` // nil if there was no file
	After  []byte `json:"after"`  // nil if the file is removed
}

// ErrTouched reports that a file has changed since the draft was made.
var ErrTouched = errors.New("the files of the site have changed meanwhile")

// LinkError reports a path that leads through a symbolic link. Links are not followed.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return e.Path + " is a symbolic link, or no plain file: it is not written to"
}

// EditedError lists files of an interrupted installation that somebody has edited since:
// they equal neither the state before nor the state after it. Nothing was overwritten.
type EditedError struct{ Paths []string }

func (e *EditedError) Error() string {
	return fmt.Sprintf("edited since: %s. It is neither what it was before the change nor what the change made of it, and was not overwritten. "+
		"Move it out of the site folder and start again: what was there before comes back, and you can carry your edit over to it", strings.Join(e.Paths, ", "))
}

// CheckPaths refuses files that are not below src in the places of types, or that a link
// leads to. Of other files, only site.json may be written. Errors are
// *LinkError and those of the file system.
func CheckPaths(site string, files []File) error {
	root, err := os.OpenRoot(site)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if f.Path == SettingsFile && (f.After == nil || f.From != "") {
			return fmt.Errorf("%s is neither moved nor removed", SettingsFile)
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
		return fmt.Errorf("%q is not the file of a type", name)
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
// which must not exist, stays until Keep or Undo. id is the id that [Repair] passes to
// keep.
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

// writeJournal writes the journal to the disk before anything else.
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
	if err := in.claimJournal(); err != nil {
		return err
	}
	if err := os.Rename(in.journal+".new", in.journal); err != nil {
		return errors.Join(err, os.Remove(in.journal))
	}
	return syncFolder(filepath.Dir(in.journal))
}

// claimJournal makes an empty journal, which the finished one replaces. An existing journal
// must not be replaced. A hard link would do the same in one step, but not all file systems
// have them.
func (in *Installation) claimJournal() error {
	f, err := os.OpenFile(in.journal, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return syncNames(f)
}

// Undo restores the former files, and removes the journal. If somebody has edited one of
// the files since, it changes nothing, and the error is an *EditedError.
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

// checkEdits finds files that equal neither their state before nor their state after the
// change. A missing file has no edit to lose.
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

// isOne reports whether a file that exists equals an expected one; nil is none.
func isOne(now, file []byte) bool { return file != nil && bytes.Equal(now, file) }

// Keep removes the journal: the files stay.
func (in *Installation) Keep() error {
	if err := os.Remove(in.journal); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncFolder(filepath.Dir(in.journal))
}

// Repair ends an interrupted installation, if there is one: the files stay if keep returns
// true for its id, otherwise the former ones are restored. If somebody has edited one of
// the files since, Repair changes none of them, and the error is an *EditedError.
func Repair(site, journal string, keep func(id string) (bool, error)) error {
	text, err := os.ReadFile(journal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	in := &Installation{site: site, journal: journal}
	if len(text) == 0 {
		return in.Keep() // it was interrupted before it changed a file
	}
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

// Pending reports whether there is a journal. Without the folder of the journal, there is
// none.
func Pending(journal string) bool {
	_, err := os.Lstat(journal)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
