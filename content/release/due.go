package release

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"quire/content"
	"quire/store"
)

// Outcome is the result of a release that was due.
type Outcome struct {
	Release *Release // nil if its record cannot be read
	Key     string   // of the record
	Err     error    // nil if it was done; *FailedError if it cannot be done; *PostponedError if it will be tried again
}

// Releases of one moment are done side by side, so that they share commits. Those about
// which hooks are asked are fewer at a time, because a hook takes few calls at a time.
const (
	together          = 64
	togetherWithHooks = 16 // of each group of types
)

// Next returns the moment of the next release; zero if there is none.
func (c *Calendar) Next() (next time.Time, err error) {
	due, err := c.due(time.Time{}, 1)
	if err == nil && len(due) > 0 {
		next = due[0].at
	}
	return next, err
}

// moment is a release with the time at which it is due.
type moment struct {
	at        time.Time
	text, key string
}

// due returns the first releases in the order of their times: those up to until, unless it
// is zero.
func (c *Calendar) due(until time.Time, most int) (all []moment, err error) {
	err = c.db.View(func(tx *store.Tx) error {
		return tx.RecordsFrom(Moments, "", "", func(text string, _ []byte) bool {
			at, key, err := parseMoment(text)
			switch {
			case err != nil: // Check reports it
				return true
			case !until.IsZero() && at.After(until):
				return false
			}
			all = append(all, moment{at, text, key})
			return len(all) < most
		})
	})
	return all, err
}

// runAll does releases in the order of their times, those of one moment side by side, most
// at a time.
func (c *round) runAll(ctx context.Context, due []moment, most int, report func(Outcome)) error {
	for len(due) > 0 {
		n := 1
		for n < min(len(due), most) && due[n].at.Equal(due[0].at) {
			n++
		}
		if err := c.runSome(ctx, due[:n], report); err != nil {
			return err
		}
		due = due[n:]
	}
	return nil
}

// runSome does releases of one moment side by side.
func (c *round) runSome(ctx context.Context, due []moment, report func(Outcome)) error {
	outcomes := make([]Outcome, len(due))
	passed := make([]error, len(due))
	var all sync.WaitGroup
	for i := range due {
		all.Go(func() { outcomes[i], passed[i] = c.run(ctx, due[i]) })
	}
	all.Wait()
	for i, o := range outcomes {
		if passed[i] == nil && o.Key != "" {
			report(o)
		}
	}
	return errors.Join(passed...)
}

// run does one release. The outcome is empty if somebody else was first. An error means
// that it must be called again.
func (c *round) run(ctx context.Context, m moment) (o Outcome, err error) {
	defer content.CatchPanic(&err)
	debug.SetPanicOnFault(true) // some content is in a mapped file, and its disk may fail
	o.Key = m.key
	if err := c.db.View(func(tx *store.Tx) (err error) { o.Release, err = read(tx, m.key); return err }); err != nil || o.Release == nil || o.Release.momentKey() != m.text {
		return o, c.drop(ctx, m, &o, err)
	}
	ctx = content.By(ctx, store.ActorOf(store.BySchedule, o.Release.ID))
	err = c.try(ctx, o.Release)
	if postponed, ok := errors.AsType[*PostponedError](err); ok {
		o.Err, err = postponed, nil
	}
	if failed := (*FailedError)(nil); errors.As(err, &failed) {
		o.Err, err = failed, c.fail(ctx, o.Release, failed.Failures)
	}
	if errors.As(err, new(*ChangedError)) {
		return Outcome{}, nil
	}
	return o, err
}

// try does a release, or postpones it.
func (c *round) try(ctx context.Context, r *Release) error {
	if err := c.stillWanted(r); err != nil {
		return err
	}
	if why := c.postponedBy(r); why != nil {
		return c.postpone(ctx, r, why)
	}
	err := c.do(ctx, r, func(tx *store.Tx) error {
		if err := finish(tx, r, c.done(r, r.By)); err != nil {
			return err
		}
		return c.note(tx, r)
	})
	if why := (*PostponedError)(nil); errors.As(err, &why) {
		return c.postpone(ctx, r, why)
	}
	return err
}

// drop removes a moment whose release does not exist, or is not due then, and reports a
// record that cannot be read.
func (c *Calendar) drop(ctx context.Context, m moment, o *Outcome, wrong error) error {
	if wrong == nil {
		*o = Outcome{}
	}
	o.Release, o.Err = nil, wrong
	return c.writer.Record(ctx, func(tx *store.Tx) error {
		r, err := read(tx, m.key)
		if err == nil && r != nil && r.momentKey() == m.text {
			return nil // it has been created meanwhile
		}
		return tx.DeleteRecord(Moments, m.text)
	})
}

// inOrder sorts failures by their steps.
func inOrder(failures []Failure) []Failure {
	slices.SortStableFunc(failures, func(a, b Failure) int { return cmp.Compare(a.Step, b.Step) })
	return failures
}

// cut shortens a text for storage.
func cut(text string) string {
	if len(text) <= maxReason {
		return text
	}
	end := maxReason
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSpace(text[:end]) + "…"
}
