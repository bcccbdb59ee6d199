package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"quire/media"
	"quire/store"
)

// folder is a folder as a target, perhaps on another disk.
type folder struct {
	media.Storage
	path string
}

// Folder returns the folder at path as a target. It need not exist: Put creates it in an
// existing one.
func Folder(path string) Receiver { return &folder{media.Disk(path), path} }

// Receiver is a folder that stores what others send.
type Receiver interface {
	media.Storage

	// Receive stores what from has under a name, durably, all or nothing. A name that is taken
	// is an fs.ErrExist, one that cannot be used an fs.ErrInvalid, and errors of the disk are
	// *store.StorageError.
	Receive(ctx context.Context, name string, from io.Reader) error

	// Sweep removes what was not received to its end. Nothing may be arriving meanwhile.
	Sweep() error
}

// Receive implements Receiver.
func (f *folder) Receive(ctx context.Context, name string, from io.Reader) error {
	if !media.SafeName(name) {
		return fmt.Errorf("%q cannot be the name of a file: %w", name, fs.ErrInvalid)
	}
	err := f.create()
	if err == nil {
		err = f.store(name, from)
	}
	if err == nil {
		err = store.SyncFolder(f.path)
	}
	if errors.As(err, new(*fs.PathError)) {
		return &store.StorageError{Err: err}
	}
	return err
}

// Sweep implements Receiver.
func (f *folder) Sweep() error {
	left, err := filepath.Glob(filepath.Join(f.path, half+"*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// half is the beginning of the name of a file that is being written.
const half = ".quire-stream-"

// Put copies files, and never replaces one.
func (f *folder) Put(ctx context.Context, files ...media.LocalFile) error {
	if err := f.create(); err != nil {
		return err
	}
	for _, file := range files {
		if err := errors.Join(ctx.Err(), f.put(file)); err != nil {
			return err
		}
	}
	return store.SyncFolder(f.path)
}

// create creates the folder, unless the one above it is missing: its disk may be.
func (f *folder) create() error {
	err := os.Mkdir(f.path, 0o700)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return store.SyncFolder(filepath.Dir(f.path))
}

func (f *folder) put(file media.LocalFile) error {
	from, err := os.Open(file.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	return f.store(file.Name, from)
}

// store copies a file to a name that is free.
func (f *folder) store(name string, from io.Reader) error {
	made, err := os.CreateTemp(f.path, half) // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(made.Name())
	if _, err = io.Copy(made, from); err == nil {
		err = made.Sync()
	}
	if err = errors.Join(err, made.Close()); err != nil {
		return err
	}
	to := filepath.Join(f.path, name)
	err = os.Link(made.Name(), to) // unlike a rename, this replaces nothing
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, there := os.Lstat(to); !errors.Is(there, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already: %w", to, err)
	}
	return os.Rename(made.Name(), to) // a file system without links
}

// List lists what is there; a folder that does not exist has nothing.
func (f *folder) List(ctx context.Context, fn func(media.Object) error) error {
	err := f.Storage.List(ctx, fn)
	if _, missing := os.Stat(f.path); errors.Is(missing, fs.ErrNotExist) {
		return nil
	}
	return err
}

// The letters of objects in their names.
const (
	anewLetter   = 'a' // an image that begins anew
	imageLetter  = 'i' // an image that continues
	namesLetter  = 'n' // the files that an image names
	eachLetter   = 's' // a segment
	packedLetter = 'p' // segments of a minute, with every commit
	minuteLetter = 'm' // the last state in a minute
	dayLetter    = 'd' // the last state in a day
	fileLetter   = 'f'
)

// entry is an object in a target, by its name.
type entry struct {
	letter   byte
	from, to uint64 // numbers of segments; of an image that of the next segment, and its time
	file     string // hash of the name of an uploaded file
}

func (e entry) isImage() bool { return e.letter == imageLetter || e.letter == anewLetter }

// name returns the name of the object.
func (e entry) name(id string) string {
	switch e.letter {
	case fileLetter:
		return id + ".f." + e.file
	case eachLetter:
		return fmt.Sprintf("%s.%c.%012d", id, e.letter, e.from)
	}
	return fmt.Sprintf("%s.%c.%012d-%012d", id, e.letter, e.from, e.to)
}

// parseName reads the name of an object, and the id of its data folder.
func parseName(name string) (id string, e entry, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 3 || len(parts[1]) != 1 {
		return "", e, false
	}
	id, e.letter = parts[0], parts[1][0]
	from, to, several := strings.Cut(parts[2], "-")
	switch e.letter {
	case fileLetter:
		e.file = parts[2]
		return id, e, true
	case packedLetter, minuteLetter, dayLetter, imageLetter, anewLetter, namesLetter:
		if !several {
			return "", e, false
		}
	case eachLetter:
		to = from
	default:
		return "", e, false
	}
	var err, wrong error
	e.from, err = strconv.ParseUint(from, 10, 64)
	e.to, wrong = strconv.ParseUint(to, 10, 64)
	return id, e, err == nil && wrong == nil && e.from > 0 && (e.isImage() || e.letter == namesLetter || e.from <= e.to) && e.name(id) == name
}
