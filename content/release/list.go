package release

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"quire/store"
)

// All schedules of a site in one list: future ones, failed ones, and those done last. In
// memory are only their positions in the list, and the schedules of the page.

// KeptFor is how long a schedule stays stored after it has failed or was done.
const KeptFor = 90 * 24 * time.Hour

// mostForgotten limits the schedules that are removed in one transaction.
const mostForgotten = 1_000

// Page selects a part of a list: at most Size of the schedules that Shows accepts, after
// the first Skip.
type Page struct {
	Shows      func(*Release) bool
	Skip, Size int
}

// Schedules returns a page of the schedules of all documents, and the total on all pages:
// first the future ones, the soonest first, then those that have failed or were done, the
// latest first. shown is the revision of the content that shows what was done.
func (c *Calendar) Schedules(p Page) (page []*Release, total int, shown uint64, err error) {
	var lines []line
	err = c.db.View(func(tx *store.Tx) error {
		add := func(bucket string) func(string, *Release) {
			return func(key string, r *Release) {
				if bucket == doneBucket {
					shown = max(shown, r.Revision)
				}
				if p.Shows(r) {
					lines = append(lines, line{bucket, key, r.At, r.Revision, r.State == Scheduled})
				}
			}
		}
		if err := eachOf(tx, bucket, schedulePrefix, add(bucket)); err != nil {
			return err
		}
		if err := eachOf(tx, doneBucket, "", add(doneBucket)); err != nil {
			return err
		}
		slices.SortFunc(lines, line.compare)
		for _, l := range lines[min(len(lines), p.Skip):min(len(lines), p.Skip+p.Size)] {
			r, err := readSchedule(tx, l)
			if err != nil {
				return err
			}
			page = append(page, r)
		}
		return nil
	})
	return page, len(lines), shown, err
}

// line is the position of one schedule in the list.
type line struct {
	bucket, key string
	at          time.Time
	stored      uint64 // the revision that stored it
	comes       bool
}

func (l line) compare(o line) int {
	switch {
	case l.comes != o.comes && l.comes:
		return -1
	case l.comes != o.comes:
		return 1
	case l.comes:
		return cmp.Or(l.at.Compare(o.at), cmp.Compare(l.stored, o.stored), cmp.Compare(l.key, o.key))
	}
	return cmp.Or(o.at.Compare(l.at), cmp.Compare(o.stored, l.stored), cmp.Compare(l.key, o.key))
}

func readSchedule(tx *store.Tx, l line) (*Release, error) {
	text, err := tx.Record(l.bucket, l.key)
	if err != nil {
		return nil, err
	}
	return parseSchedule(text)
}

// parseSchedule reads the record of a schedule in any bucket.
func parseSchedule(text []byte) (*Release, error) {
	r := &Release{stored: bytes.Clone(text)}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.Name != "" || len(r.Steps) != 1 {
		return nil, errors.New("it is not a schedule")
	}
	return r, nil
}

// eachOf calls fn for the schedules in a bucket. It leaves out those that cannot be read;
// Check reports them where it matters.
func eachOf(tx *store.Tx, bucket, prefix string, fn func(key string, r *Release)) error {
	return tx.RecordsFrom(bucket, prefix, "", func(key string, text []byte) bool {
		if r, err := parseSchedule(text); err == nil {
			fn(key, r)
		}
		return true
	})
}

// ScheduleCalled returns one schedule of the site, of any document. Errors: *NotFoundError,
// and *RefusedError if it has been done.
func (c *Calendar) ScheduleCalled(id string) (*Release, error) {
	var key string
	var done bool
	ends := func(end string, found func(string)) func(string, []byte) bool {
		return func(key string, _ []byte) bool {
			if strings.HasSuffix(key, end) {
				found(key)
			}
			return true
		}
	}
	err := c.db.View(func(tx *store.Tx) error {
		if err := tx.RecordsFrom(bucket, schedulePrefix, "", ends("/"+id, func(k string) { key = k })); err != nil {
			return err
		}
		return tx.RecordsFrom(doneBucket, "", "", ends(" "+id, func(string) { done = true }))
	})
	switch {
	case err != nil:
		return nil, err
	case key == "" && done:
		return nil, &RefusedError{Message: "The schedule has been done"}
	}
	return c.find(key, id)
}

// doneOf returns the revision of the content that shows all that schedules have done to a
// document.
func doneOf(tx *store.Tx, uid, documentID string) (revision uint64, err error) {
	err = eachOf(tx, doneBucket, "", func(_ string, r *Release) {
		if r.Steps[0].Type == uid && r.Steps[0].DocumentID == documentID {
			revision = max(revision, r.Revision)
		}
	})
	return revision, err
}

// Forget removes schedules that have failed or were done longer ago than KeptFor. Call it
// from time to time; errors are those of content.Writer.Record.
func (c *Calendar) Forget(ctx context.Context) error {
	var old []line
	find := func(tx *store.Tx) (err error) {
		old, err = forgotten(tx, c.clock().Add(-KeptFor))
		return err
	}
	if err := c.db.View(find); err != nil || len(old) == 0 {
		return err
	}
	return c.writer.Record(ctx, func(tx *store.Tx) error {
		if err := find(tx); err != nil {
			return err
		}
		for _, l := range old {
			if err := tx.DeleteRecord(l.bucket, l.key); err != nil {
				return err
			}
		}
		return nil
	})
}

// forgotten finds schedules that ended before the horizon.
func forgotten(tx *store.Tx, horizon time.Time) (old []line, err error) {
	for _, l := range []line{{bucket: bucket, key: schedulePrefix}, {bucket: doneBucket}} {
		err = errors.Join(err, eachOf(tx, l.bucket, l.key, func(key string, r *Release) {
			if r.State != Scheduled && r.ended().Before(horizon) && len(old) < mostForgotten {
				old = append(old, line{bucket: l.bucket, key: key})
			}
		}))
	}
	return old, err
}

// ended returns when a schedule was done or has failed.
func (r *Release) ended() time.Time {
	for _, t := range []time.Time{r.DoneAt, r.FailedAt} {
		if !t.IsZero() {
			return t
		}
	}
	return r.At
}
