package app

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/app/inspect"
	"quire/schema"
	"quire/schema/source"
	"quire/store"
)

// Location says where a site and its data are. Its methods do the work of commands, whether
// or not a server runs.
type Location struct {
	Site string        // path of the site folder
	Data string        // path of the data folder; empty for "data" in the site folder
	Wait time.Duration // how long to wait for another process to close the data file; 0 for one try
}

// DataFolder is the path of the data folder.
func (l Location) DataFolder() string {
	if l.Data != "" {
		return l.Data
	}
	return filepath.Join(l.Site, "data")
}

// DataFile is the path of the data file.
func (l Location) DataFile() string { return l.folder().File() }

// HasData reports whether there is a data file, or something else in its place.
func (l Location) HasData() bool {
	_, err := os.Stat(l.DataFile())
	return !errors.Is(err, fs.ErrNotExist)
}

// NoDataError is a data file that is missing. Its name may be mistyped.
type NoDataError struct{ Path string }

func (e *NoDataError) Error() string {
	return fmt.Sprintf("there is no data file %s; `quire serve` makes it", e.Path)
}

// UploadsFolder is the path of the folder of uploads.
func (l Location) UploadsFolder() string { return l.folder().Uploads() }

// folder is the data folder with its contents.
func (l Location) folder() inspect.Folder { return inspect.Folder(l.DataFolder()) }

// socket is the path of the socket of a running server.
func (l Location) socket() string { return filepath.Join(l.DataFolder(), "quire.sock") }

// Load reads the site folder. If its files have problems, the error is a *source.Problems.
func (l Location) Load() (*schema.Site, error) { return l.loadFrom(Location.files) }

// loadFrom loads a folder that is derived from the site folder.
func (l Location) loadFrom(folder func(Location) (fs.FS, error)) (*schema.Site, error) {
	if err := l.requireFolder(); err != nil {
		return nil, err
	}
	files, err := folder(l)
	if err != nil {
		return nil, err
	}
	return schema.Load(files)
}

// requireFolder returns an error if there is no folder of this name.
func (l Location) requireFolder() error {
	if info, err := os.Stat(l.Site); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no site folder %s; `quire new %s` makes one", l.Site, l.Site)
	}
	return nil
}

// requireData returns an error if there is no data file, and names what is missing.
func (l Location) requireData() error {
	if l.Data == "" {
		if err := l.requireFolder(); err != nil {
			return err
		}
	}
	if !l.HasData() {
		return &NoDataError{l.DataFile()}
	}
	return nil
}

// Name returns the name of the site: that of its folder in words, "My site" for "my-site".
func (l Location) Name() string {
	name := l.Site
	if whole, err := filepath.Abs(l.Site); err == nil {
		name = filepath.Base(whole)
	}
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || unicode.IsSpace(r) }), " ")
	if first, n := utf8.DecodeRuneInString(name); n > 0 {
		return string(unicode.ToUpper(first)) + name[n:]
	}
	return "Quire"
}

// SchemaFingerprint identifies the current state of the site folder, in hexadecimal. It is
// empty if the files have problems, because a backup can be made anyway. If there is no
// site folder, it returns an error.
func (l Location) SchemaFingerprint() (string, error) {
	site, err := l.Load()
	var problems *source.Problems
	switch {
	case errors.As(err, &problems):
		return "", nil
	case err != nil:
		return "", err
	}
	return fingerprintOf(site), nil
}

func fingerprintOf(site *schema.Site) string { return hex.EncodeToString(site.Fingerprint[:]) }

// folderID is the content of the file with the id of the data folder. Backups do not
// contain that file, because a data file can come from a backup of another site, and
// several sites can use one folder for their backups.
type folderID struct {
	ID     string `json:"id"`
	Folder string `json:"folder"` // path of the folder with this id; a copy at another path does not have it
}

func (l Location) idFile() string { return filepath.Join(l.DataFolder(), "folder-id.json") }

// id returns the id of the data folder, or an empty string if it has none of its own.
func (l Location) id() (string, error) {
	folder, err := l.realDataFolder()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(l.idFile())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var stored folderID
	if err != nil || json.Unmarshal(text, &stored) != nil || stored.Folder != folder {
		return "", err
	}
	return stored.ID, nil
}

// ownID returns the id of the data folder. If it has none, ownID assigns one.
func (l Location) ownID() (string, error) {
	if id, err := l.id(); err != nil || id != "" {
		return id, err
	}
	folder, err := l.realDataFolder()
	if err != nil {
		return "", err
	}
	id := make([]byte, 6)
	rand.Read(id) // never fails
	own := folderID{ID: hex.EncodeToString(id), Folder: folder}
	text, err := json.Marshal(own)
	if err != nil {
		return "", err
	}
	return own.ID, store.ReplaceFile(l.idFile(), text, 0o600)
}

func (l Location) realDataFolder() (string, error) {
	folder, err := filepath.Abs(l.DataFolder())
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// folderError reports that a folder cannot be used, and how to fix it.
type folderError struct {
	path string
	err  error
}

func (e *folderError) Error() string {
	return fmt.Sprintf("the folder %s cannot be used: %v; %s", e.path, e.err, e.remedy())
}

func (e *folderError) Unwrap() error { return e.err }

func (e *folderError) remedy() string {
	storage := &store.StorageError{Err: e.err} // it explains errors of the disk
	switch {
	case errors.Is(e.err, syscall.ENOTDIR), errors.Is(e.err, fs.ErrExist):
		return "what is there is no folder: move it out of the way"
	case errors.Is(e.err, fs.ErrPermission):
		return "give this user the right to read and write it, and the folder that it is in"
	case errors.Is(storage, store.ErrFull):
		return "free space on the disk"
	case errors.Is(storage, store.ErrUnwritable):
		return "make sure that the disk works and takes writes"
	}
	return "see to that and start again"
}
