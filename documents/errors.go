package documents

import (
	"encoding/json"
	"errors"
)

// Kind is what an error means for whoever asked.
type Kind uint8

const (
	Internal     Kind = iota // a defect; nothing of it may be shown
	Invalid                  // the request must change
	Unauthorized             // the credential is missing or wrong
	Forbidden                // the caller may not do that
	NotFound                 // there is nothing that the caller may see
	Conflict                 // something else happened meanwhile
	Gone                     // it is no longer known
	Changed                  // the condition on the version is not met
	TooLarge                 // less at a time
	Throttled                // later
	Busy                     // the same request can succeed a little later
	Full                     // there is no space
	Refused                  // by a hook of the site, with a status of its own
)

// Problem is an error as whoever asked may see it.
type Problem struct {
	Kind    Kind
	Name    string // as Strapi names it: "ValidationError"
	Message string
	Details any // encodes to a JSON object; nil for none
	Status  int // of HTTP, that a hook of the site refused with; 0 for the one of the Kind
}

func (p *Problem) Error() string { return p.Message }

func forbidden() *Problem {
	return &Problem{Kind: Forbidden, Name: "ForbiddenError", Message: "Forbidden"}
}
func notFound() *Problem {
	return &Problem{Kind: NotFound, Name: "NotFoundError", Message: "Not Found"}
}
func invalid(message string) *Problem {
	return &Problem{Kind: Invalid, Name: "ValidationError", Message: message}
}
func busy(message string) *Problem {
	return &Problem{Kind: Busy, Name: "ServiceUnavailableError", Message: message}
}
func conflict(message string) *Problem {
	return &Problem{Kind: Conflict, Name: "ConflictError", Message: message}
}
func tooLarge(message string) *Problem {
	return &Problem{Kind: TooLarge, Name: "PayloadTooLargeError", Message: message}
}
func application(message string) *Problem {
	return &Problem{Kind: Invalid, Name: "ApplicationError", Message: message}
}
func gone(message string) *Problem { return &Problem{Kind: Gone, Name: "GoneError", Message: message} }

// keyed is a Problem with one key of the request.
func keyed(message, key, source string) *Problem {
	return &Problem{Kind: Invalid, Name: "ValidationError", Message: message, Details: BodyKey{key, nil, source}}
}

// Explain returns the Problem that an error is for whoever asked; nil for a defect, which
// concerns only the operator.
func Explain(err error) *Problem {
	if own, ok := errors.AsType[*Problem](err); ok {
		return own
	}
	for _, explain := range explanations {
		if p := explain(err); p != nil {
			return p
		}
	}
	return nil
}

// explanations are tried in this order. Each returns nil for an error that it does not know.
var explanations = []func(error) *Problem{
	explainUncertain, explainAccess, explainAccounts, explainQuery, explainContent, explainHooks, explainConflict,
	explainRelease, explainHistory, explainPreview, explainStore, explainMedia, ExplainDisk,
}

// QueryKey is the details about a refused key of a query.
type QueryKey struct {
	Key    string  `json:"key"`
	Path   *string `json:"path"`
	Source string  `json:"source"`
	Param  string  `json:"param"`
}

// BodyKey is the details about a refused key of a body.
type BodyKey struct {
	Key    string  `json:"key"`
	Path   *string `json:"path"`
	Source string  `json:"source"`
}

// denial is the details about something that the caller may not change.
type denial struct {
	Path   string `json:"path,omitempty"`
	Locale string `json:"locale,omitempty"`
}

// stageDetails are the details about a document that is not in the stage for publishing.
type stageDetails struct {
	Stage  string `json:"stage,omitempty"` // names
	Needed string `json:"neededStage"`
	Locale string `json:"locale,omitempty"`
}

// NullIfEmpty is a text that JSON shows as null if it is empty.
func NullIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// issue is one refused value in the details.
type issue struct {
	Path    []string        `json:"path"`
	Message string          `json:"message"`
	Name    string          `json:"name"`
	Value   json.RawMessage `json:"value,omitempty"`
}

// ChangedDetails is what the caller may know of a document that does not meet the
// condition of a write.
type ChangedDetails struct {
	Version uint64   `json:"version,omitempty"`
	Paths   []string `json:"paths,omitzero"` // absent if the differences are unknown
}

// Missing is the error for a document that the caller may not see, whether or not it exists.
func Missing() error { return notFound() }
