package release

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"quire/store"
)

// List returns the named releases, the newest first, without their steps and failures.
func (c *Calendar) List() (all []*Release, err error) {
	err = c.db.View(func(tx *store.Tx) error {
		return each(tx, namedPrefix, func(r *Release) { all = append(all, r) })
	})
	slices.SortFunc(all, func(a, b *Release) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all, err
}

// Release returns a named release. The error is a *NotFoundError if there is none.
func (c *Calendar) Release(id string) (*Release, error) { return c.find(namedPrefix+id, id) }

// Create stores a new release: planned, or scheduled if it has a time. Errors:
// *RefusedError if there are too many, and those of content.Writer.Record.
func (c *Calendar) Create(ctx context.Context, r Release) (*Release, error) {
	now := c.clock()
	r.ID, r.CreatedAt, r.UpdatedAt = newID(), now, now
	r.plan()
	err := c.writer.Record(ctx, func(tx *store.Tx) error {
		n, err := tx.CountRecords(bucket, namedPrefix)
		if err != nil {
			return err
		}
		if n >= MaxReleases {
			return &RefusedError{Message: fmt.Sprintf("The site has %d releases, and cannot have more; delete some", n)}
		}
		return put(tx, nil, &r)
	})
	if err != nil {
		return nil, err
	}
	return c.Release(r.ID)
}

// Change stores a changed release, see Input.Of. Errors: a *ChangedError if it has changed
// since it was read, and a *RefusedError if it has been done.
func (c *Calendar) Change(ctx context.Context, was *Release, r Release) (*Release, error) {
	if was.State == Done {
		return nil, &RefusedError{Message: "The release has been done; make another one"}
	}
	r.UpdatedAt = c.clock()
	if !r.UpdatedAt.After(was.UpdatedAt) {
		r.UpdatedAt = was.UpdatedAt.Add(time.Millisecond) // it tells two changes apart, see Input.UpdatedAt
	}
	if err := c.writer.Record(ctx, func(tx *store.Tx) error { return put(tx, was, &r) }); err != nil {
		return nil, err
	}
	return c.Release(r.ID)
}

// plan makes a release wait for its time, if it has one, and removes its failures
// and its next try.
func (r *Release) plan() {
	r.State, r.FailedAt, r.Failures, r.WaitsSince, r.RetryAt = Planned, time.Time{}, nil, time.Time{}, time.Time{}
	if !r.At.IsZero() {
		r.State = Scheduled
	}
}

// Counts are the numbers of releases and schedules that wait for their time, and of those
// that have failed.
type Counts struct {
	Scheduled int `json:"scheduled"`
	Failed    int `json:"failed"`
}

// Count counts the releases and schedules of a data file.
func Count(tx *store.Tx) (n Counts, err error) {
	err = each(tx, "", func(r *Release) {
		switch r.State {
		case Scheduled:
			n.Scheduled++
		case Failed:
			n.Failed++
		}
	})
	return n, err
}
