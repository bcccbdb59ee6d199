package release

import (
	"errors"
	"fmt"
	"time"

	"quire/content"
	"quire/schema"
	"quire/store"
)

// Release is a set of steps that are done together.
type Release struct {
	ID   string    `json:"id"`
	Name string    `json:"name,omitempty"` // empty for a schedule
	At   time.Time `json:"at,omitzero"`    // when it is due; zero for no time

	State State       `json:"state"`
	By    store.Actor `json:"by,omitempty"` // who requested it in its current form

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	DoneAt    time.Time `json:"doneAt,omitzero"`
	FailedAt  time.Time `json:"failedAt,omitzero"` // the last attempt

	// WaitsSince, RetryAt and PassedOver are set while hooks cannot be asked: since when, when
	// the release is tried again, and how often hooks were not asked about it since they last
	// were, because they could not be asked about another one.
	WaitsSince time.Time `json:"waitsSince,omitzero"`
	RetryAt    time.Time `json:"retryAt,omitzero"`
	PassedOver int       `json:"passedOver,omitempty"`

	StepCount int       `json:"stepCount"`
	Steps     []Step    `json:"steps,omitempty"`
	Failures  []Failure `json:"failures,omitempty"` // of the last attempt, in the order of the steps

	Revision uint64 `json:"revision"` // of the commit that stored it
	stored   []byte // its record as it was read
}

// State is the state of a release.
type State string

// The states of a release.
const (
	Planned   State = "planned"   // waits to be published or scheduled
	Scheduled State = "scheduled" // will be done at its time
	Done      State = "done"
	Failed    State = "failed" // its time came, and nothing was done
)

// Step does one thing to one document.
type Step struct {
	Type       string        `json:"type"`                 // uid
	DocumentID string        `json:"documentId,omitempty"` // empty for single types
	Action     schema.Action `json:"action"`               // schema.Publish or schema.Unpublish

	// Locales are the locales to act on, as in content.Step: none for the default one.
	Locales []string `json:"locales,omitempty"`

	// DiscardDraft makes Unpublish replace the draft with what was published.
	DiscardDraft bool `json:"discardDraft,omitempty"`
}

// Failure is why a step cannot be done.
type Failure struct {
	Step     int       `json:"step"` // from 0
	Reason   string    `json:"reason"`
	Problems []Problem `json:"problems,omitempty"` // values of the draft that prevent publishing

	cause error // of errors that only the log may have
}

// Problem is an error in one value. It does not contain the value.
type Problem struct {
	Path    []string `json:"path"`
	Message string   `json:"message"`
}

// Limits of what clients can request.
const (
	MaxSteps         = 1_000
	MaxReleases      = 1_000
	MaxSchedules     = 10_000   // of a site, including failed ones
	MaxOfDocument    = 100      // schedules
	MaxName          = 255      // characters
	maxProblems      = 10       // stored of a failure
	maxReason        = 300      // bytes of a stored text
	maxDone          = 1_000    // schedules that stay stored after they were done
	maxDocumentID    = 255      // bytes
	maxStored        = 64 << 20 // total bytes that the steps of a release store
	latest           = 10       // years from now
	errorOfTheServer = "It failed for an error of the server, which is in its log"
)

// RefusedError is an invalid request, or one beyond a limit.
type RefusedError struct {
	Key     string // the wrong key, for example "at" or "steps[3].action"; empty for none
	Message string
}

func (e *RefusedError) Error() string {
	if e.Key == "" {
		return e.Message
	}
	return fmt.Sprintf("%q %s", e.Key, e.Message)
}

// ChangedError reports a release that somebody else has changed or done meanwhile.
type ChangedError struct{ ID string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the release %s has been changed or done meanwhile", e.ID)
}

// NotFoundError reports a release that does not exist.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string { return "there is no release " + e.ID }

// FailedError reports a release that cannot be done in its current form. Nothing was done.
type FailedError struct{ Failures []Failure }

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of the steps cannot be done; nothing was done", len(e.Failures))
}

// Causes returns the errors of the server among the failures, which only its log may have;
// nil if there are none.
func (e *FailedError) Causes() error {
	var causes []error
	for _, f := range e.Failures {
		causes = append(causes, f.cause)
	}
	return errors.Join(causes...)
}

// Calendar has the releases and schedules of a site. It is safe for use by many goroutines.
type Calendar struct {
	db     *store.DB
	site   *schema.Site
	writer *content.Writer
	now    func() time.Time
	bound  int // maximum bytes that the steps of a release store

	// Names returns the name of an actor for the audit log, empty for none. It may be nil.
	Names func(store.Actor) string
}

// New returns the calendar of a site. A nil clock is time.Now.
func New(db *store.DB, site *schema.Site, w *content.Writer, now func() time.Time) *Calendar {
	if now == nil {
		now = time.Now
	}
	return &Calendar{db: db, site: site, writer: w, now: now, bound: maxStored}
}

// clock returns the time in the precision of records.
func (c *Calendar) clock() time.Time { return c.now().UTC().Truncate(time.Millisecond) }
