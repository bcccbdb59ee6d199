package release

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"quire/content"
	"quire/schema"
	"quire/store"
)

// What is due while a hook cannot be asked about it is tried again: soon at first, then
// after as long as it has waited already.
const (
	firstWait   = 5 * time.Second
	longestWait = 5 * time.Minute
	givenUp     = 24 * time.Hour // after the first try
)

// PostponedError is a release that is tried again, because somebody could not be asked
// about it. Nothing was done.
type PostponedError struct {
	Failure Failure
	Until   time.Time // when it is tried again; zero where nobody does
	cause   error
}

func (e *PostponedError) Error() string { return e.Failure.Reason }

func (e *PostponedError) Unwrap() error { return e.cause }

// waits reports whether a write was not done because hooks could not be asked about it, or
// not before its document changed.
func waits(err error) bool {
	return errors.As(err, new(*content.UnaskedError)) || errors.As(err, new(*content.OvertakenError))
}

// round is releases that are carried out together. It knows what hooks could not be asked
// about, so that each of them is waited for once and not for each release.
type round struct {
	*Calendar
	mu        sync.Mutex
	postponed map[matter]*PostponedError
}

func newRound(c *Calendar) *round {
	return &round{Calendar: c, postponed: map[matter]*PostponedError{}}
}

// matter is what hooks are asked about: an action on documents of a type.
type matter struct {
	uid     string
	action  schema.Action
	discard bool
}

func (s *Step) matter() matter { return matter{s.Type, s.Action, s.DiscardDraft} }

// postponedBy is why a release is not tried in this round; nil if it is.
func (c *round) postponedBy(r *Release) *PostponedError {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range r.Steps {
		if why := c.postponed[r.Steps[i].matter()]; why != nil {
			again := *why
			again.Failure.Step = i
			return &again
		}
	}
	return nil
}

// postpone has a release tried again. The error is a *PostponedError that says when, a
// *FailedError if it is not, or one with which nothing can be written at present.
func (c *round) postpone(ctx context.Context, was *Release, why *PostponedError) error {
	now, r := c.clock(), *was
	if r.WaitsSince.IsZero() {
		r.WaitsSince, r.PassedOver = now, 0
	}
	if r.PassedOver++; why.Until.IsZero() {
		r.PassedOver = 0 // hooks were asked about it
	}
	r.RetryAt, r.Failures = again(now, &r, why.Until), []Failure{why.Failure}
	if why.Until.IsZero() && errors.As(why.cause, new(*content.UnaskedError)) {
		c.postponeAlike(was.Steps[why.Failure.Step].matter(), &PostponedError{why.Failure, r.RetryAt, why.cause})
	}
	passed, err := c.isPassed(&r, r.RetryAt)
	switch {
	case err != nil:
		return err
	case passed || r.RetryAt.Sub(r.WaitsSince) > givenUp:
		return &FailedError{r.Failures}
	}
	if err := c.writer.Record(ctx, func(tx *store.Tx) error { return put(tx, was, &r) }); err != nil {
		return err
	}
	return &PostponedError{why.Failure, r.RetryAt, why.cause}
}

// again returns when a release that waits is tried again. One about which no hook was asked,
// because another could not be, comes just before that, which is tried at until, and the
// earlier the more often it was passed over: a hook that fails for one document must not hold
// up others for ever.
func again(now time.Time, r *Release, until time.Time) time.Time {
	at := now.Add(min(max(now.Sub(r.WaitsSince), firstWait), longestWait))
	if before := until.Add(-time.Duration(r.PassedOver) * time.Millisecond); before.After(now) && before.Before(at) {
		return before
	}
	return at
}

// postponeAlike has the releases of this round wait that hooks would be asked the same about.
func (c *round) postponeAlike(m matter, why *PostponedError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.postponed[m] = why
}

// stillWanted is a *FailedError for a release that waited until another one changed its
// documents: doing it then would undo that.
func (c *Calendar) stillWanted(r *Release) error {
	if r.RetryAt.IsZero() {
		return nil
	}
	passed, err := c.isPassed(r, c.clock())
	if err == nil && passed {
		err = &FailedError{r.Failures}
	}
	return err
}

// isPassed reports whether another release is to be done between the time of r and a later
// one, or was done since r waits, that has a step on the same document.
func (c *Calendar) isPassed(r *Release, until time.Time) (passed bool, err error) {
	documents := map[[2]string][]string{} // locales by type and document
	for _, s := range r.Steps {
		at := [2]string{s.Type, s.DocumentID}
		documents[at] = append(documents[at], c.localesOf(s)...)
	}
	between := func(o *Release) bool {
		return o.ID != r.ID && (o.State == Scheduled && o.At.After(r.At) && !o.At.After(until) || o.State == Done && o.DoneAt.After(r.WaitsSince))
	}
	check := func(o *Release) {
		passed = passed || between(o) && slices.ContainsFunc(o.Steps, func(s Step) bool {
			return overlap(documents[[2]string{s.Type, s.DocumentID}], c.localesOf(s))
		})
	}
	err = c.db.View(func(tx *store.Tx) (err error) {
		for at := range documents {
			err = errors.Join(err, each(tx, documentPrefix(at[0], at[1]), check))
		}
		return errors.Join(err, eachOf(tx, doneBucket, "", func(_ string, o *Release) { check(o) }), eachNamed(tx, between, check))
	})
	return passed, err
}

// eachNamed calls fn for the releases that have a name and of which the head is wanted.
// What cannot be read is left out; Check finds it.
func eachNamed(tx *store.Tx, wanted func(*Release) bool, fn func(*Release)) error {
	var keys []string
	err := each(tx, namedPrefix, func(head *Release) {
		if wanted(head) {
			keys = append(keys, head.key())
		}
	})
	for _, key := range keys {
		if r, wrong := read(tx, key); wrong == nil && r != nil {
			fn(r)
		}
	}
	return err
}

// localesOf are the locales of a step, the default one if it names none.
func (c *Calendar) localesOf(s Step) []string {
	if len(s.Locales) == 0 {
		return []string{c.site.Settings.DefaultLocale}
	}
	return s.Locales
}

// overlap reports whether two steps on a document have a locale in common.
func overlap(a, b []string) bool {
	return len(a) > 0 && slices.Contains(b, content.AllLocales) || slices.ContainsFunc(a, func(code string) bool {
		return code == content.AllLocales || slices.Contains(b, code)
	})
}
