package body

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"quire/schema"
)

// ValidationError is a body whose values cannot be accepted. It lists all errors at once
// that can be found.
type ValidationError struct {
	// Message is set instead of Issues if no single attribute is wrong, as for a link to a
	// document that does not exist.
	Message string
	Issues  []Issue
}

// Issue is one refused value.
type Issue struct {
	// Path leads from the data object to the value: attribute names, and
	// positions in lists as decimal text. It is empty for the body as a whole.
	Path    []string
	Message string
	// Value is the refused value, as JSON; nil if there was none.
	Value json.RawMessage
}

// Error returns the message of the only issue, or says how many there are, as in Strapi.
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
	// UnknownKey is a key that the type does not have. KeyError.Path is the object with the
	// key, empty at the top level.
	UnknownKey KeyFault = iota
	// ReservedKey is an attribute that only the system writes, or a relation to a type that
	// the caller may not find. KeyError.Path is its own path.
	ReservedKey
	// IdentityKey is id or documentId; Strapi has no path for them.
	IdentityKey
)

// KeyError is a key that is not allowed in a body.
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

// Refuse returns a *ValidationError without an attribute.
func Refuse(format string, args ...any) error {
	return &ValidationError{Message: fmt.Sprintf(format, args...)}
}

// Issues collects the errors of one body.
type Issues []Issue

// maxIssues limits the listed errors.
const maxIssues = 100

// Add adds an error of the value at a path, unless there are 100 issues already. value is
// the value in the body; nil if there is none, or if it must not be repeated.
func (l *Issues) Add(at Path, value JSON, format string, args ...any) {
	if len(*l) == maxIssues {
		return
	}
	*l = append(*l, Issue{Path: at.steps(), Message: fmt.Sprintf(format, args...), Value: json.RawMessage(value)})
}

// Err returns a *ValidationError with the issues, nil if there are none.
func (l Issues) Err() error {
	if len(l) == 0 {
		return nil
	}
	return &ValidationError{Issues: l}
}

// WrongShape adds a value of another kind; raw is nil for one that must not be repeated.
func (l *Issues) WrongShape(shape string, raw JSON, at Path) {
	if raw == nil {
		l.Add(at, nil, "%s must be a `%s` type", at, shape)
		return
	}
	l.Add(at, raw, "%s must be a `%s` type"+shownAs+"`%s`.", at, shape, raw.show())
}

// shownAs separates, in messages, what a value must be from what it is.
const shownAs = ", but the final value was: "

// Concealed returns the error for a caller with that sight of its type: without the issues
// of attributes that the caller may not know.
func Concealed(sight *schema.Sight, e *ValidationError) *ValidationError {
	known := slices.DeleteFunc(slices.Clone(e.Issues), func(i Issue) bool { return !sight.KnowsPath(i.Path) })
	if len(known) < len(e.Issues) {
		known = append(known, Issue{Path: []string{}, Message: "Something that you may not see is not valid; ask somebody who may"})
	}
	return &ValidationError{Message: e.Message, Issues: known}
}

// Conceal removes the refused value from the issue and from its message.
func (i *Issue) Conceal() {
	i.Value = nil
	i.Message, _, _ = strings.Cut(i.Message, shownAs)
}
