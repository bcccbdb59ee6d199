package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"
)

// Errors that any use of a DB can return.
var (
	// ErrClosed: the DB was closed.
	ErrClosed = errors.New("store: the data file is closed")

	// ErrReadOnly: a write inside a View, or on a file opened with ReadOnly.
	ErrReadOnly = errors.New("store: the transaction is read-only")

	// ErrFull: the disk, the quota or Options.MaxSize leaves no space for the write. Alone
	// it means that nothing was written. An UncertainError whose cause is a full disk
	// matches it too.
	ErrFull = errors.New("store: there is no space left for the data file")

	// ErrUnwritable: the disk fails, or accepts no writes.
	ErrUnwritable = errors.New("store: the disk cannot be written to")

	// ErrInUse: another process uses the data, a server or a command.
	ErrInUse = errors.New("store: another process uses the data")
)

// LockedError: another process has the file open. It matches ErrInUse.
type LockedError struct{ Path string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("store: another process has %s open; stop it, or wait until it ends", e.Path)
}

// Is reports ErrInUse.
func (e *LockedError) Is(target error) bool { return target == ErrInUse }

// AccessError: the file or its folder is missing, or the operating system does not let this
// user read, write or create it. Nothing was changed.
type AccessError struct {
	Path string
	Err  error // the operating system's, for errors.Is
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("store: cannot open %s: %v; %s", e.Path, e.Err, e.remedy())
}

func (e *AccessError) Unwrap() error { return e.Err }

// Is reports a full disk as ErrFull.
func (e *AccessError) Is(target error) bool { return target == ErrFull && noRoom(e.Err) }

func (e *AccessError) remedy() string {
	switch {
	case errors.Is(e.Err, fs.ErrNotExist):
		return "check the path and create its folder"
	case errors.Is(e.Err, fs.ErrPermission), errors.Is(e.Err, syscall.EROFS):
		return "give this user the right to read and write the file and its folder"
	case noRoom(e.Err):
		return "free space on the disk"
	}
	return "nothing was changed; see to the cause and start again"
}

// WriteError: a file other than the data file, for example a copy, could not be written.
// The data file has not changed.
type WriteError struct {
	Path string
	Err  error // the operating system's, for errors.Is
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("store: cannot write %s: %v; the data file is as it was", e.Path, e.Err)
}

func (e *WriteError) Unwrap() error { return e.Err }

// Is reports a full disk as ErrFull.
func (e *WriteError) Is(target error) bool { return target == ErrFull && noRoom(e.Err) }

// StorageError is the operating system's error about a file next to the data file. It
// matches ErrFull or ErrUnwritable if that is the cause.
type StorageError struct{ Err error }

func (e *StorageError) Error() string { return e.Err.Error() }

func (e *StorageError) Unwrap() error { return e.Err }

// Is reports why the file cannot be written.
func (e *StorageError) Is(target error) bool {
	switch target {
	case ErrFull:
		return noRoom(e.Err)
	case ErrUnwritable:
		return errors.Is(e.Err, syscall.EIO) || errors.Is(e.Err, syscall.EROFS)
	}
	return false
}

// FormatError: the file is not one that this program can read. It was not changed.
type FormatError struct {
	Path    string
	Problem string // "is empty", "is not a bbolt file"
	Remedy  string
	Older   bool // it is a data file of an earlier format, which Migrate can convert to this one
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("store: %s %s; %s", e.Path, e.Problem, e.Remedy)
}

// CorruptError: the content of the file cannot be what was written. Bucket and Key name the
// place if it is known: a path of buckets ("content/api::dog.dog/en") and a key in readable
// form ("j3m1…, draft").
type CorruptError struct {
	Path   string
	Bucket string
	Key    string
	Err    error
}

func (e *CorruptError) Error() string {
	place := ""
	if e.Bucket != "" {
		place = " in bucket " + e.Bucket
	}
	if e.Key != "" {
		place += fmt.Sprintf(" at key %q", e.Key)
	}
	return fmt.Sprintf("store: %s is damaged%s: %v; keep a copy of it and restore the latest backup with `quire restore --replace FILE SITE`", e.Path, place, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// EntryError: a change that cannot be stored; the transaction may continue without it.
type EntryError struct {
	Type string
	Key  Key
	Err  error // names the field, if one is wrong
}

func (e *EntryError) Error() string {
	return fmt.Sprintf("store: cannot apply the change to %s %s: %v", e.Type, e.Key, e.Err)
}

func (e *EntryError) Unwrap() error { return e.Err }

// UncertainError: the commit failed, and it is unknown whether the transaction is in the
// file. Reads continue and show the content of the file; updates are refused with a
// SuspendedError until Reopen.
type UncertainError struct {
	Path string
	Err  error
}

func (e *UncertainError) Error() string {
	remedy := ""
	if noRoom(e.Err) {
		remedy = "free space on the disk; "
	}
	return fmt.Sprintf("store: %s: the commit failed and it is unknown whether the write was stored: %v; %sno more writes are taken until the file is reopened", e.Path, e.Err, remedy)
}

func (e *UncertainError) Unwrap() error { return e.Err }

// Is reports a full disk as ErrFull.
func (e *UncertainError) Is(target error) bool { return target == ErrFull && noRoom(e.Err) }

// UndecidedError: it is unknown whether the journal has stored the write. Updates continue:
// if it was stored, the feed shows it.
type UndecidedError struct {
	Path string
	Err  error // the journal's
}

func (e *UndecidedError) Error() string {
	return fmt.Sprintf("store: %s: it is unknown whether the write was stored: the journal did not answer: %v", e.Path, e.Err)
}

func (e *UndecidedError) Unwrap() error { return e.Err }

// RefusedError: the journal has certainly not stored the write, and says why.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("store: the journal does not take the write: %v", e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// PastError: the file has the content as it was at a moment, and takes no writes.
type PastError struct{ At time.Time }

func (e *PastError) Error() string {
	return fmt.Sprintf("This is the site as it was at %s, and nothing can be changed in it", e.At.UTC().Format(time.RFC3339))
}

// JournalError: the journal cannot be read, or its content does not follow from that of the
// file. The file has not changed.
type JournalError struct {
	Path string
	Err  error
}

func (e *JournalError) Error() string {
	return fmt.Sprintf("store: %s cannot follow its journal: %v", e.Path, e.Err)
}

func (e *JournalError) Unwrap() error { return e.Err }

// TooLargeError: one Update wrote more than a journal accepts at once. Nothing was written.
type TooLargeError struct{ Ops, Bytes int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("store: one write of %d values and %d bytes is more than a journal takes at once, which is %d and %d; write less at a time", e.Ops, e.Bytes, MaxOps, MaxBytes)
}

// Uncertain reports whether err belongs to a write that may have been stored. A write that
// was refused because of an earlier one like that is not stored.
func Uncertain(err error) bool {
	if errors.As(err, new(*SuspendedError)) {
		return false
	}
	return errors.As(err, new(*UncertainError)) || errors.As(err, new(*UndecidedError))
}

// SuspendedError: the DB accepts no updates, because of the commit that failed (Cause is
// its UncertainError) or because Reopen did not succeed.
type SuspendedError struct {
	Path  string
	Cause error
}

func (e *SuspendedError) Error() string {
	return fmt.Sprintf("store: %s takes no writes: %v; see to the cause, then reopen the file or restart", e.Path, e.Cause)
}

func (e *SuspendedError) Unwrap() error { return e.Cause }

// Suspends reports whether the DB accepts no updates after err, until Reopen.
func Suspends(err error) bool {
	return errors.As(err, new(*UncertainError)) || errors.As(err, new(*SuspendedError))
}

// noRoom reports whether err is the operating system's error for a file that cannot grow.
// bbolt returns some of these only as text, so their texts are compared too.
func noRoom(err error) bool {
	for _, cause := range [...]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, cause) || err != nil && strings.Contains(err.Error(), cause.Error()) {
			return true
		}
	}
	return false
}
