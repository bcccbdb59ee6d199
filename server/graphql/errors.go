package graphql

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"quire/query"
	"quire/query/params"
)

// The codes of errors, in extensions.code.
const (
	ParseFailed      = "GRAPHQL_PARSE_FAILED"
	ValidationFailed = "GRAPHQL_VALIDATION_FAILED"
	BadUserInput     = "BAD_USER_INPUT"
	BadRequest       = "BAD_REQUEST"
	NoOperation      = "OPERATION_RESOLUTION_FAILURE"
	Forbidden        = "FORBIDDEN"
	BadPagination    = "STRAPI_PAGINATION_ERROR"
	NotPersisted     = "PERSISTED_QUERY_NOT_FOUND"
	RolledBack       = "ROLLED_BACK"
)

// Error is one error of a response.
type Error struct {
	Message   string
	Code      string              // in extensions.code
	Name      string              // in extensions.error.name: Strapi's name of it; empty for an error of GraphQL itself
	Key       string              // in extensions.error.details.key: what was refused; empty for none
	Details   any                 // in extensions.error.details; nil for none
	Path      []any               // the field that failed: keys of the response, and positions in lists
	unplaced  bool                // it has no path
	Locations []gqlerror.Location // in the text of the query
}

func (e *Error) Error() string { return e.Message }

// Refusal is why a request does not run.
type Refusal struct {
	Errors []*Error
	// Started is set if the response has "data": null, and the status 200: the request is
	// right, and what it asks for does not exist.
	Started bool
}

func (r *Refusal) Error() string { return r.Errors[0].Message }

// refuse returns a Refusal with one error.
func refuse(code, message string) *Refusal {
	return &Refusal{Errors: []*Error{{Code: code, Message: message}}}
}

// refuseAll returns a Refusal with the errors of the parser or the validation.
func refuseAll(code string, all gqlerror.List) *Refusal {
	r := &Refusal{}
	for _, e := range all {
		r.Errors = append(r.Errors, &Error{Code: code, Message: e.Message, Locations: e.Locations})
	}
	return r
}

// CompileError returns the error of a response for an error of package query; nil for an
// error that is not the client's, and for none.
func CompileError(err error, path ...any) *Error {
	if err == nil {
		return nil
	}
	e := &Error{Message: err.Error(), Code: BadUserInput, Name: "ValidationError", Path: path}
	var key *query.KeyError
	var param *params.ParamError
	var pages *query.PaginationError
	var draft *query.DraftError
	switch {
	case errors.As(err, &key):
		e.Key = key.Key
	case errors.As(err, &param):
		e.Key = param.Key
	case errors.As(err, &pages):
		e.Code, e.Name = BadPagination, "PaginationError"
	case errors.As(err, &draft):
		e.Code, e.Name, e.Message = Forbidden, "ForbiddenError", "Forbidden access"
	default:
		return nil
	}
	return e
}

// faultList collects the errors of a response.
type faultList struct {
	errors []*Error
	bytes  int // size of the paths and messages of the faults so far
}

// mostFaultBytes is the maximum size of the paths and messages of all faults: an alias or a
// sort key can be long, and each of many faults has it.
const mostFaultBytes = 1 << 20

// addFaults adds what could not be shown inside a place of the response.
func (l *faultList) addFaults(faults *query.Faults, place ...any) {
	for _, f := range faults.All {
		e := errorOfFault(f, append(slices.Clone(place), f.Path...))
		if l.bytes += sizeOf(e.Path) + 2*len(e.Message) + len(e.Key); l.bytes > mostFaultBytes {
			return
		}
		l.errors = append(l.errors, e)
	}
}

// errorOfFault returns the error of a response for a place in it that has no value.
func errorOfFault(f query.Fault, path []any) *Error {
	if e := CompileError(f.Err, path...); e != nil {
		return e
	}
	if f.Forbidden {
		return &Error{Message: "Forbidden access", Code: Forbidden, Name: "ForbiddenError", Path: path}
	}
	return &Error{Message: "Cannot return null for non-nullable field " + f.Member + ".", Code: "INTERNAL_SERVER_ERROR", Path: path}
}

func sizeOf(path []any) (size int) {
	for _, step := range path {
		key, _ := step.(string)
		size += len(key) + 1
	}
	return size
}

// Response returns the body and the status of the response to a request that does not run.
func (r *Refusal) Response() (body []byte, status int) {
	body, status = []byte("{"), 400
	switch {
	case r.Started:
		body, status = append(body, `"data":null,`...), 200
	case r.Errors[0].Code == NotPersisted: // the client sends the text then
		status = 200
	}
	return append(appendErrors(body, r.Errors), '}'), status
}

// wireError is an error as the response has it.
type wireError struct {
	Message    string              `json:"message"`
	Locations  []gqlerror.Location `json:"locations,omitempty"`
	Path       []any               `json:"path,omitempty"`
	Extensions extensions          `json:"extensions"`
}

type extensions struct {
	Error *strapiError `json:"error,omitempty"`
	Code  string       `json:"code"`
}

type strapiError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Details any    `json:"details"`
}

// appendErrors appends the member with the errors.
func appendErrors(dst []byte, all []*Error) []byte {
	list := make([]wireError, len(all))
	for i, e := range all {
		list[i] = wireError{e.Message, e.Locations, e.Path, extensions{Code: e.Code}}
		if e.Name == "" {
			continue
		}
		details := e.Details
		switch {
		case e.Key != "":
			details = map[string]string{"key": e.Key}
		case details == nil:
			details = struct{}{}
		}
		list[i].Extensions.Error = &strapiError{e.Name, e.Message, details}
	}
	text, err := json.Marshal(list)
	if err != nil {
		text = []byte("[]")
	}
	return append(append(dst, `"errors":`...), text...)
}
