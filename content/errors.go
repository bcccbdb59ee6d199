package content

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrClosed is the answer to a write on a Writer that has been closed.
var ErrClosed = errors.New("content: the writer is closed")

// ValidationError is a body whose values cannot be accepted. All that is wrong
// is listed at once, as far as one look can tell.
type ValidationError struct {
	// Message is set instead of Issues when no single attribute is at fault,
	// as for a link to a document that does not exist.
	Message string
	Issues  []Issue
}

// Issue is one refused value.
type Issue struct {
	// Path leads from the data object to the value: attribute names, and
	// positions in lists as decimal text. It is empty for the body as a whole.
	Path    []string
	Message string
	// Value is what was refused, as JSON; nil when nothing was given.
	Value json.RawMessage
}

// Error is the message of the only issue, or says how many there are, as the
// reference API does.
func (e *ValidationError) Error() string {
	switch {
	case e.Message != "":
		return e.Message
	case len(e.Issues) == 1:
		return e.Issues[0].Message
	}
	return fmt.Sprintf("%d errors occurred", len(e.Issues))
}

// KeyFault says why a key of a body is refused.
type KeyFault uint8

const (
	// UnknownKey is a key that the type does not have. KeyError.Path is the
	// object that holds it, empty at the top.
	UnknownKey KeyFault = iota
	// ReservedKey is an attribute that only the system writes, or a relation to
	// a type that the caller may not find. KeyError.Path is its own path.
	ReservedKey
	// IdentityKey is id or documentId; the reference names no path for them.
	IdentityKey
)

// KeyError is a key that a body must not have.
type KeyError struct {
	Key   string
	Path  string // attribute names joined by dots, without list positions
	Fault KeyFault
}

func (e *KeyError) Error() string {
	if e.Fault == UnknownKey && e.Path != "" {
		return "Invalid key " + e.Key + " at " + e.Path
	}
	return "Invalid key " + e.Key
}

// NotFoundError is a write to a document that does not exist.
type NotFoundError struct {
	Type       string // uid
	DocumentID string
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("%s has no document %s", e.Type, e.DocumentID)
}

// ApplicationError is a body that is sound in itself and does not fit the
// document that it is for.
type ApplicationError struct{ Message string }

func (e *ApplicationError) Error() string { return e.Message }

// PanicError is a defect that a write ran into. The write was not done; the
// other writes of its batch were not affected, unless they got the same error.
type PanicError struct {
	Cause any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("content: panic in a write: %v", e.Cause) }

// refuse is a ValidationError without a place.
func refuse(format string, args ...any) error {
	return &ValidationError{Message: fmt.Sprintf(format, args...)}
}

// issues gathers what is wrong with one body.
type issues []Issue

// maxIssues bounds how many are listed, whatever a body contains.
const maxIssues = 100

func (l *issues) add(at path, value json.RawMessage, format string, args ...any) {
	if len(*l) == maxIssues {
		return
	}
	*l = append(*l, Issue{Path: at.steps(), Message: fmt.Sprintf(format, args...), Value: value})
}

// err is nil when nothing is wrong.
func (l issues) err() error {
	if len(l) == 0 {
		return nil
	}
	return &ValidationError{Issues: l}
}
