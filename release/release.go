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
	At   time.Time `json:"at,omitzero"`    // when it is to be done; zero for no time

	State State       `json:"state"`
	By    store.Actor `json:"by,omitempty"` // who asked for it as it is

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	DoneAt    time.Time `json:"doneAt,omitzero"`
	FailedAt  time.Time `json:"failedAt,omitzero"` // the last try

	StepCount int       `json:"stepCount"`
	Steps     []Step    `json:"steps,omitempty"`
	Failures  []Failure `json:"failures,omitempty"` // of the last try, in the order of the steps

	Revision uint64 `json:"revision"` // of the commit that stored it
	stored   []byte // its record as it was read
}

// State is how far a release has come.
type State string

// The states of a release.
const (
	Planned   State = "planned"   // it waits to be published or scheduled
	Scheduled State = "scheduled" // it will be done at its time
	Done      State = "done"
	Failed    State = "failed" // it was its time, and nothing was done
)

// Step does one thing to one document.
type Step struct {
	Type       string        `json:"type"`                 // uid
	DocumentID string        `json:"documentId,omitempty"` // empty for single types
	Action     schema.Action `json:"action"`               // schema.Publish or schema.Unpublish

	// Locales are those to act on, as in content.Step: none for the default one.
	Locales []string `json:"locales,omitempty"`

	// DiscardDraft has Unpublish make the draft what was published.
	DiscardDraft bool `json:"discardDraft,omitempty"`
}

// Failure is why a step cannot be done.
type Failure struct {
	Step     int       `json:"step"` // from 0 on
	Reason   string    `json:"reason"`
	Problems []Problem `json:"problems,omitempty"` // values of the draft that keep it from being published

	cause error // of those that only the log is to have
}

// Problem is what is wrong with one value. It does not show the value.
type Problem struct {
	Path    []string `json:"path"`
	Message string   `json:"message"`
}

// Bounds of what clients can ask for.
const (
	MaxSteps         = 1_000
	MaxReleases      = 1_000
	MaxSchedules     = 10_000   // of a site, those that have failed among them
	MaxOfDocument    = 100      // schedules
	MaxName          = 255      // characters
	maxProblems      = 10       // that are kept of a failure
	maxReason        = 300      // bytes of a text that is kept
	maxDone          = 1_000    // schedules that are kept after they were done
	maxDocumentID    = 255      // bytes
	maxStored        = 64 << 20 // bytes that the steps of a release store together
	latest           = 10       // years from now
	errorOfTheServer = "It failed for an error of the server, which is in its log"
)

// RefusedError is a request that makes no sense, or one too many.
type RefusedError struct {
	Key     string // what is wrong, such as "at" or "steps[3].action"; empty for no key
	Message string
}

func (e *RefusedError) Error() string {
	if e.Key == "" {
		return e.Message
	}
	return fmt.Sprintf("%q %s", e.Key, e.Message)
}

// ChangedError is about a release that somebody else has changed or done meanwhile.
type ChangedError struct{ ID string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the release %s has been changed or done meanwhile", e.ID)
}

// NotFoundError is about a release that does not exist.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string { return "there is no release " + e.ID }

// FailedError is a release that cannot be done as it is. Nothing was done.
type FailedError struct{ Failures []Failure }

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of the steps cannot be done; nothing was done", len(e.Failures))
}

// Causes are the errors of the server among the failures, which only its log is to have;
// nil when there are none.
func (e *FailedError) Causes() error {
	var causes []error
	for _, f := range e.Failures {
		causes = append(causes, f.cause)
	}
	return errors.Join(causes...)
}

// Calendar is what a site has planned. It is safe for use by many goroutines.
type Calendar struct {
	db     *store.DB
	site   *schema.Site
	writer *content.Writer
	now    func() time.Time
	bound  int // bytes that the steps of a release may store
}

// New returns the calendar of a site. Without a clock, it is time.Now.
func New(db *store.DB, site *schema.Site, w *content.Writer, now func() time.Time) *Calendar {
	if now == nil {
		now = time.Now
	}
	return &Calendar{db: db, site: site, writer: w, now: now, bound: maxStored}
}

// clock is the time as records have it.
func (c *Calendar) clock() time.Time { return c.now().UTC().Truncate(time.Millisecond) }
