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

	"quire/inspect"
	"quire/schema"
	"quire/schema/source"
	"quire/store"
)

// Location is where a site and its data are. Its methods are what a command does to
// them, whether a server runs there or not.
type Location struct {
	Site string        // the site folder
	Data string        // the data folder; empty for "data" in the site folder
	Wait time.Duration // for another process to close the data file; 0 to try once
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

// UploadsFolder is the path of the folder of uploads.
func (l Location) UploadsFolder() string { return l.folder().Uploads() }

// folder is the data folder with what lies in it.
func (l Location) folder() inspect.Folder { return inspect.Folder(l.DataFolder()) }

// socket is where a running server takes commands.
func (l Location) socket() string { return filepath.Join(l.DataFolder(), "quire.sock") }

// Load reads the site folder. Its error is a *source.Problems where the files have
// problems.
func (l Location) Load() (*schema.Site, error) { return l.loadFrom(Location.files) }

// loadFrom loads a folder that is made of the site folder.
func (l Location) loadFrom(folder func(Location) (fs.FS, error)) (*schema.Site, error) {
	info, err := os.Stat(l.Site)
	if err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no site folder %s; `quire new %s` makes one", l.Site, l.Site)
	}
	files, err := folder(l)
	if err != nil {
		return nil, err
	}
	return schema.Load(files)
}

// Name is what the site is called: the name of its folder in words, "my-site" as "My site".
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

// SchemaFingerprint names the site folder as it is, in hexadecimal. It is empty when
// the files have problems, which are no reason to go without a backup. Without a site
// folder there is an error.
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

// folderID is what the file of the data folder's id holds. No backup holds that file:
// a data file may come from a backup of another site, and several sites may put their
// backups into one folder.
type folderID struct {
	ID     string `json:"id"`
	Folder string `json:"folder"` // whose id it is: a copy of that folder is another one
}

func (l Location) idFile() string { return filepath.Join(l.DataFolder(), "folder-id.json") }

// id returns the id of the data folder; it is empty when the folder has none of its
// own.
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

// ownID returns the id of the data folder, and gives it one if it has none.
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
	return own.ID, os.WriteFile(l.idFile(), text, 0o600)
}

func (l Location) realDataFolder() (string, error) {
	folder, err := filepath.Abs(l.DataFolder())
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(folder)
}

// folderError is a folder that cannot be used, with what to do about it.
type folderError struct {
	path string
	err  error
}

func (e *folderError) Error() string {
	return fmt.Sprintf("the folder %s cannot be used: %v; %s", e.path, e.err, e.remedy())
}

func (e *folderError) Unwrap() error { return e.err }

func (e *folderError) remedy() string {
	storage := &store.StorageError{Err: e.err} // it knows what the operating system says of the disk
	switch {
	case errors.Is(e.err, syscall.ENOTDIR), errors.Is(e.err, fs.ErrExist):
		return "what is there is no folder: move it out of the way"
	case errors.Is(e.err, fs.ErrPermission):
		return "give this user the right to read and write it, and the folder that it is in"
	case errors.Is(storage, store.ErrFull):
		return "make room on the disk"
	case errors.Is(storage, store.ErrUnwritable):
		return "make sure that the disk works and takes writes"
	}
	return "see to that and start again"
}
