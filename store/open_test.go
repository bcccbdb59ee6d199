package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

func TestANewFileIsForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	if revision(t, db) != 0 {
		t.Error("a new file has commits")
	}
	info, err := os.Stat(path)
	noError(t, err)
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("making it left %v, %v", files, err)
	}
}

func TestAFileIsOpenInOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	var locked *LockedError
	for _, o := range []Options{{}, {ReadOnly: true}, {Timeout: 60 * time.Millisecond}} {
		if _, err := Open(path, o); !errors.As(err, &locked) || !strings.Contains(err.Error(), path) {
			t.Errorf("%+v: %v, want a LockedError", o, err)
		}
	}
	if _, err := CheckFile(t.Context(), path); !errors.As(err, &locked) {
		t.Errorf("CheckFile: %v, want a LockedError", err)
	}
	put(t, db, dogs, text(1, "rex", "", Draft, "Rex")) // the file is still ours
}

// refusal says which error a file must cause, and what its text must contain.
type refusal struct {
	name string
	make func(t *testing.T, path string)
	o    Options
	as   error
	want string
}

func TestWhatCannotBeOpenedSaysWhy(t *testing.T) {
	bolt := func(fn func(*bbolt.Tx) error) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			db, err := bbolt.Open(path, 0o600, nil)
			noError(t, err)
			noError(t, errors.Join(db.Update(fn), db.Close()))
		}
	}
	quire := func(t *testing.T, path string) {
		db, err := Open(path, Options{})
		noError(t, err)
		noError(t, db.Close())
	}
	edited := func(fn func(*bbolt.Tx) error) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			quire(t, path)
			bolt(fn)(t, path)
		}
	}
	bytesOf := func(b []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) { writeFile(t, path, b) }
	}
	cutTo := func(n int) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			quire(t, path)
			writeFile(t, path, readFile(t, path)[:n])
		}
	}
	heads := func(at int) func(*testing.T, string) { // changes a byte of both
		return func(t *testing.T, path string) {
			quire(t, path)
			b := readFile(t, path)
			b[pageHead+at]++
			b[os.Getpagesize()+pageHead+at]++
			writeFile(t, path, b)
		}
	}
	set := func(bucket, key string, value []byte) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error { return tx.Bucket([]byte(bucket)).Put([]byte(key), value) }
	}
	page := os.Getpagesize()
	for _, c := range []refusal{
		{"absent, to be read", func(*testing.T, string) {}, Options{ReadOnly: true}, &AccessError{}, "check the path"},
		{"empty", bytesOf(nil), Options{}, &FormatError{}, "is empty"},
		{"text", bytesOf([]byte("{}\n")), Options{}, &FormatError{}, "is not a bbolt file"},
		{"long text", bytesOf([]byte(strings.Repeat("{}\n", 50_000))), Options{}, &FormatError{}, "is not a bbolt file"},
		{"zeros", bytesOf(make([]byte, 100_000)), Options{}, &FormatError{}, "is not a bbolt file"},
		{"a folder", func(t *testing.T, path string) { _ = os.Mkdir(path, 0o700) }, Options{}, &FormatError{}, "not a regular file"},
		{"bbolt, but foreign", bolt(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("x")); return err }), Options{}, &FormatError{}, "another program"},
		{"bbolt, but empty", bolt(func(*bbolt.Tx) error { return nil }), Options{}, &FormatError{}, "another program"},
		{"newer", edited(set(metaBucket, formatKey, storedNumber(FileFormat+1))), Options{}, &FormatError{}, "is in format 2, and this program knows formats up to 1"},
		{"format unreadable", edited(set(metaBucket, formatKey, []byte("1"))), Options{}, &FormatError{}, "another program"},
		{"bucket missing", edited(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte(contentBucket)) }), Options{}, &CorruptError{}, "content: it is missing"},
		{"value for a bucket", edited(set(contentBucket, "api::dog.dog", nil)), Options{}, &CorruptError{}, "content/api::dog.dog: it is a value"},
		{"type under another name", func(t *testing.T, path string) {
			db, err := Open(path, Options{})
			noError(t, err)
			put(t, db, dogs, text(1, "rex", "", Draft, "Rex"))
			noError(t, db.Close())
			writeFile(t, path, bytes.ReplaceAll(readFile(t, path), []byte(dogs), []byte(strings.Replace(dogs, "d", "e", 1))))
		}, Options{}, &CorruptError{}, "rex (draft)"},
		{"both heads damaged", heads(48), Options{}, &CorruptError{}, "both of its head pages"},
		{"a later bbolt", heads(4), Options{}, &FormatError{}, "bbolt file of another version"},
		{"cut within the first page", cutTo(100), Options{}, &CorruptError{}, "head pages are not whole"},
		{"cut to one page", cutTo(page), Options{}, &CorruptError{}, "file size too small"},
		{"cut to two pages", cutTo(2 * page), Options{}, &CorruptError{}, "cut off: 2 of"},
		{"cut within the last page", cutTo(4*page - 1), Options{}, &CorruptError{}, "cut off: 3 of"},
	} {
		t.Run(c.name, func(t *testing.T) { requireRefusal(t, c) })
	}
}

func requireRefusal(t *testing.T, c refusal) {
	path := filepath.Join(t.TempDir(), "quire.db")
	c.make(t, path)
	before, _ := os.ReadFile(path)
	if _, err := Open(path, c.o); !sameType(err, c.as) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v\nwant a %T with %q and the path", err, c.as, c.want)
	}
	c.o.ReadOnly = true
	if _, err := Open(path, c.o); !sameType(err, c.as) {
		t.Errorf("read-only: %v, want a %T", err, c.as)
	}
	problems, err := CheckFile(t.Context(), path)
	if err == nil && len(problems) == 0 {
		t.Error("CheckFile finds nothing wrong")
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("the file was written to")
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) > 1 {
		t.Errorf("files were left behind: %v", files)
	}
}

func sameType(err, want error) bool {
	switch want.(type) {
	case *AccessError:
		return errors.As(err, new(*AccessError))
	case *FormatError:
		return errors.As(err, new(*FormatError))
	case *CorruptError:
		return errors.As(err, new(*CorruptError))
	}
	return false
}

func TestAFileThatMayNotBeUsedSaysSo(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("needs a user whom permissions bind")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "quire.db")
	noError(t, open(t, path, Options{}).Close())
	chmod := func(name string, mode fs.FileMode) {
		noError(t, os.Chmod(name, mode))
	}
	refuse := func(name, path string, o Options) {
		var access *AccessError
		if _, err := Open(path, o); !errors.As(err, &access) || !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "give this user the right") {
			t.Errorf("%s: %v", name, err)
		}
	}
	chmod(path, 0o400)
	refuse("a file that may not be written", path, Options{})
	if err := open(t, path, Options{ReadOnly: true}).Close(); err != nil {
		t.Errorf("such a file to be read: %v", err)
	}
	chmod(path, 0)
	refuse("a file that may not be read", path, Options{ReadOnly: true})
	chmod(path, 0o600)
	chmod(folder, 0o500)
	defer chmod(folder, 0o700)
	if err := open(t, path, Options{}).Close(); err != nil {
		t.Errorf("a file in a folder that may not be written: %v", err)
	}
	refuse("a new file in such a folder", filepath.Join(folder, "new.db"), Options{})
}

func TestAMissingFolderIsNotMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "quire.db")
	var access *AccessError
	if _, err := Open(path, Options{}); !errors.As(err, &access) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "create its folder") {
		t.Errorf("%v", err)
	}
}

func TestTheRemedyFitsTheCause(t *testing.T) {
	for cause, want := range map[syscall.Errno]string{
		syscall.EROFS:  "right to read and write",
		syscall.ENOSPC: "free space",
		syscall.EIO:    "see to the cause",
	} {
		err := accessError("/data/quire.db", &fs.PathError{Op: "open", Path: "/data/quire.db", Err: cause})
		if !strings.Contains(err.Error(), want) || !errors.Is(err, cause) || errors.Is(err, ErrFull) != (cause == syscall.ENOSPC) {
			t.Errorf("%v: %v", cause, err)
		}
	}
}
