package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// nobody may see nothing: many people may read a failure.
type nobody struct{ schema.Unlimited }

func (nobody) Allows(*schema.Type, schema.Action) bool { return false }

// write returns the write of the step. beside, unless nil, writes more in the same
// transaction.
func (s *Step) write(site *schema.Site, beside func(*store.Tx) error) (content.Write, error) {
	t := site.Type(s.Type)
	if t == nil || t.IsComponent() || !t.DraftAndPublish {
		return content.Write{}, &content.ApplicationError{Message: fmt.Sprintf("The site has no content type %s with drafts", s.Type)}
	}
	step := content.Step{Type: t, DocumentID: s.DocumentID, Locales: s.Locales, Access: nobody{}, Beside: beside}
	if s.Action == schema.Unpublish {
		return content.ToUnpublish(step, s.DiscardDraft), nil
	}
	return content.ToPublish(step), nil
}

// writes returns the writes of all steps that are valid on the site, with the numbers of
// the steps, and the failures of the others.
func (c *Calendar) writes(r *Release) (writes []content.Write, steps []int, failures []Failure) {
	for i := range r.Steps {
		w, err := r.Steps[i].write(c.site, c.withinBound(len(r.Steps)))
		if err != nil {
			failures = append(failures, failureOf(i, err))
			continue
		}
		writes, steps = append(writes, w), append(steps, i)
	}
	return writes, steps, failures
}

// withinBound refuses a step with which a release of this many steps stores too much: it is
// all in memory before any of it is in the file, and goes through the journal at once, if
// there is one. A single step may store what the action itself may.
func (c *Calendar) withinBound(steps int) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		switch {
		case steps > 1 && tx.Written() > c.bound:
			return &content.ApplicationError{Message: fmt.Sprintf("The steps up to this one store more than %d MiB, which is more than one release may; make several of it", c.bound>>20)}
		case tx.Fits() == nil:
			return nil
		case steps > 1:
			return &content.ApplicationError{Message: fmt.Sprintf("The steps up to this one store more than the nodes of the site can do at once, which is %d MiB in %d values; make several of it", store.MaxBytes>>20, store.MaxOps)}
		}
		return tx.Fits()
	}
}

// Check returns what would prevent the release now: each step that would fail. It changes
// nothing. Errors: *ChangedError if it has changed since it was read, and those of
// content.Writer.Try.
func (c *Calendar) Check(ctx context.Context, r *Release) ([]Failure, error) {
	writes, steps, failures := c.writes(r)
	record := func(tx *store.Tx) error { return finish(tx, r, c.done(r, r.By)) }
	refused, err := c.writer.Try(ctx, slices.Insert(writes, 0, content.ToRecord(record)))
	if err == nil {
		err = refused[0]
	}
	if err != nil {
		return nil, err
	}
	for i, err := range refused[1:] {
		switch {
		case err == nil:
		case passing(err):
			return nil, err
		default:
			failures = append(failures, failureOf(steps[i], err))
		}
	}
	return inOrder(failures), nil
}

// Denied returns the *content.ForbiddenError that the caller of ctx would get if a release
// was done now; nil for none. It changes nothing. Other errors are those of
// content.Writer.Try.
func (c *Calendar) Denied(ctx context.Context, r *Release) error {
	writes, _, _ := c.writes(r)
	refused, err := c.writer.Try(ctx, writes)
	for _, why := range refused {
		if denied := (*content.ForbiddenError)(nil); err == nil && errors.As(why, &denied) {
			return denied
		}
	}
	return err
}

// Publish does a release now, on behalf of an actor, which ctx has too: all of its steps or
// none. It returns the resulting release. Errors: *FailedError with all steps that cannot
// be done, which is recorded with the release unless that is scheduled; *ChangedError if it
// has changed since it was read; *RefusedError if it was done before or has no steps;
// *PostponedError if a hook could not be asked, which is not recorded; and those errors of
// content.Writer.Together that another attempt may not have.
func (c *Calendar) Publish(ctx context.Context, r *Release, by store.Actor) (*Release, error) {
	switch {
	case r.State == Done:
		return nil, &RefusedError{Message: "The release has been done"}
	case len(r.Steps) == 0:
		return nil, &RefusedError{Message: "The release has no steps"}
	}
	err := c.do(ctx, r, func(tx *store.Tx) error { return finish(tx, r, c.done(r, by)) })
	if failed := (*FailedError)(nil); errors.As(err, &failed) && r.State != Scheduled {
		err = errors.Join(err, c.fail(ctx, r, failed.Failures))
	}
	if err != nil {
		return nil, err
	}
	return c.Release(r.ID)
}

// do carries out a release and records that it is done, in one transaction.
func (c *Calendar) do(ctx context.Context, r *Release, record func(*store.Tx) error) error {
	failures, err := c.carryOut(ctx, r, record)
	if err != nil || len(failures) == 0 {
		return err
	}
	all, err := c.Check(ctx, r)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		failures = all // not only the first
	}
	return &FailedError{failures}
}

// carryOut does all steps and record, or nothing. Otherwise it returns why not, for at
// least one step. The error is a *PostponedError if a hook could not be asked.
func (c *Calendar) carryOut(ctx context.Context, r *Release, record func(*store.Tx) error) (failures []Failure, err error) {
	writes, steps, failures := c.writes(r)
	if len(failures) > 0 {
		return failures, nil
	}
	if len(writes) == 1 { // a single write shares its commit with others
		writes[0], _ = r.Steps[0].write(c.site, record)
	} else {
		writes, steps = slices.Insert(writes, 0, content.ToRecord(record)), slices.Insert(steps, 0, 0)
	}
	_, err = c.writer.Together(ctx, writes)
	if err == nil || passing(err) || errors.As(err, new(*ChangedError)) {
		return nil, err
	}
	failure := failureOf(0, err)
	if part, ok := errors.AsType[*content.PartError](err); ok {
		failure = failureOf(steps[part.Part], part.Err)
	}
	if waits(err) {
		return nil, &PostponedError{Failure: failure, cause: err}
	}
	return []Failure{failure}, nil
}

// done returns the release after it has been done.
func (c *Calendar) done(was *Release, by store.Actor) *Release {
	r := *was
	r.State, r.By, r.DoneAt, r.Failures, r.WaitsSince, r.RetryAt = Done, by, c.clock(), nil, time.Time{}, time.Time{}
	return &r
}

// fail records that a release cannot be done, and why.
func (c *Calendar) fail(ctx context.Context, was *Release, failures []Failure) error {
	r := *was
	r.State, r.FailedAt, r.Failures, r.WaitsSince, r.RetryAt = Failed, c.clock(), failures, time.Time{}, time.Time{}
	return c.writer.Record(ctx, func(tx *store.Tx) error { return put(tx, was, &r) })
}

// passing reports whether an error is not about the content of the write: the same may be
// written later, or by another node.
func passing(err error) bool {
	var journal *store.JournalError
	var undecided *store.UndecidedError
	var refused *store.RefusedError
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, content.ErrClosed) || errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrUnwritable) ||
		store.Suspends(err) || store.Uncertain(err) || errors.As(err, &journal) || errors.As(err, &undecided) ||
		errors.As(err, &refused) || errors.Is(err, store.ErrBehind) || errors.Is(err, store.ErrFrozen)
}

// failureOf returns why a step cannot be done, without the content of the draft.
func failureOf(step int, err error) Failure {
	f := Failure{Step: step, Reason: errorOfTheServer}
	var values *body.ValidationError
	var key *body.KeyError
	var missing *content.NotFoundError
	var application *content.ApplicationError
	var denied *content.ForbiddenError
	var large *store.TooLargeError
	var refused *content.RefusedError
	var unasked *content.UnaskedError
	switch {
	case errors.As(err, &denied):
		f.Reason = cut(denied.Message)
	case errors.As(err, &values):
		f.Reason = cut(values.Error())
		for _, issue := range values.Issues[:min(len(values.Issues), maxProblems)] {
			f.Problems = append(f.Problems, Problem{append([]string{}, issue.Path...), cut(issue.Message)})
		}
	case errors.As(err, &key):
		f.Reason = cut(key.Error())
	case errors.As(err, &missing):
		f.Reason = "There is no such document, or not in that locale"
	case errors.As(err, &application):
		f.Reason = cut(application.Message)
	case errors.As(err, &refused):
		f.Reason = cut(fmt.Sprintf("The hook %q refuses it: %s", refused.Hook, refused.Message))
	case errors.As(err, &unasked):
		f.Reason = cut(fmt.Sprintf("The hook %q could not be asked", unasked.Hook))
	case errors.As(err, new(*content.OvertakenError)):
		f.Reason = "The document was changed again and again while a hook was asked"
	case errors.As(err, &large):
		f.Reason = "It is more than the nodes of the site can do at once"
	default:
		f.cause = err
	}
	return f
}
