package openid

import (
	"errors"
	"fmt"

	"golang.org/x/oauth2"
)

// UnreachableError: the provider did not answer, or its response cannot be used. The cause
// may quote the provider; it is for operators.
type UnreachableError struct{ Err error }

func (e *UnreachableError) Error() string { return "the provider cannot be used: " + short(e.Err) }
func (e *UnreachableError) Unwrap() error { return e.Err }

// RefusedError: the provider did not let the person in, or did not accept the code.
type RefusedError struct {
	Code string // of RFC 6749, for example "access_denied"; at most 100 bytes, of a-z, 0-9, _ and -
}

func (e *RefusedError) Error() string { return "the provider refused: " + e.Code }

// UntrustedError: the response of the provider, or what the client sent, does not prove who
// is signing in. The cause is for operators.
type UntrustedError struct {
	Why string
	Err error // nil if Why says all
}

func (e *UntrustedError) Error() string {
	if e.Err == nil {
		return e.Why
	}
	return e.Why + ": " + short(e.Err)
}

func (e *UntrustedError) Unwrap() error { return e.Err }

// StateError: the request does not belong to an attempt that this browser began and that
// has not ended.
type StateError struct{ Why string }

func (e *StateError) Error() string { return e.Why }

// longestCause limits the quoted part of a cause, in bytes: it may quote whole responses.
const longestCause = 300

func short(err error) string {
	return fmt.Sprintf("%.*q", longestCause, err.Error())
}

// longestCode limits the error code of a provider, in bytes.
const longestCode = 100

// refused returns the refusal with a provider's code.
func refused(code string) *RefusedError {
	for _, c := range code {
		if c != '_' && c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return &RefusedError{"unknown"}
		}
	}
	if code == "" || len(code) > longestCode {
		return &RefusedError{"unknown"}
	}
	return &RefusedError{code}
}

// exchangeError returns why a code was not exchanged: the provider refused it, or did not
// answer.
func exchangeError(err error) error {
	if answered, ok := errors.AsType[*oauth2.RetrieveError](err); ok && answered.ErrorCode != "" {
		return refused(answered.ErrorCode)
	}
	return &UnreachableError{err}
}
