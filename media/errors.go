package media

import (
	"errors"
	"fmt"
)

// ErrEmpty is a file of no bytes.
var ErrEmpty = errors.New("media: the file is empty")

// ErrNotFound is a file that has no record.
var ErrNotFound = errors.New("media: there is no such file")

// TooLargeError is a file that is larger than the site takes.
type TooLargeError struct {
	Filename string
	Limit    int64 // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is larger than %d bytes", e.Filename, e.Limit)
}

// TypeError is a file of a type that the site does not take.
type TypeError struct{ Filename, Mime string }

func (e *TypeError) Error() string {
	return fmt.Sprintf("%s is of the type %s, which is not taken here", e.Filename, e.Mime)
}

// ReadError is a file that did not arrive to its end.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return "media: the file could not be read: " + e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }
