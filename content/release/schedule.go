package release

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"quire/content/audit"
	"quire/schema"
	"quire/store"
)

// Schedule stores a step with a time, as a schedule of its document. Errors: *RefusedError
// if there are too many, and those of content.Writer.Record.
func (c *Calendar) Schedule(ctx context.Context, r Release) (*Release, error) {
	now := c.clock()
	r.ID, r.Name, r.State, r.CreatedAt, r.UpdatedAt = newID(), "", Scheduled, now, now
	err := c.writer.Record(ctx, func(tx *store.Tx) error {
		for _, bound := range []struct {
			prefix string
			most   int
			whose  string
		}{
			{documentPrefix(r.Steps[0].Type, r.Steps[0].DocumentID), MaxOfDocument, "document"},
			{schedulePrefix, MaxSchedules, "site"},
		} {
			n, err := tx.CountRecords(bucket, bound.prefix)
			if err != nil {
				return err
			}
			if n >= bound.most {
				return &RefusedError{Message: fmt.Sprintf("The %s has %d schedules, and cannot have more; cancel some", bound.whose, n)}
			}
		}
		return put(tx, nil, &r)
	})
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// OfDocument returns the future and failed schedules of a document, in the order of their
// times. The id is empty for a single type. The document need not exist. shown is the
// revision of the content that shows what the other schedules did.
func (c *Calendar) OfDocument(t *schema.Type, documentID string) (all []*Release, shown uint64, err error) {
	err = c.db.View(func(tx *store.Tx) (err error) {
		if shown, err = doneOf(tx, t.UID, documentID); err != nil {
			return err
		}
		return each(tx, documentPrefix(t.UID, documentID), func(r *Release) { all = append(all, r) })
	})
	slices.SortStableFunc(all, func(a, b *Release) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Revision, b.Revision)) })
	return all, shown, err
}

// Scheduled returns one schedule of a document. The error is a *NotFoundError if there is
// none.
func (c *Calendar) Scheduled(t *schema.Type, documentID, id string) (*Release, error) {
	return c.find(documentPrefix(t.UID, documentID)+id, id)
}

func (c *Calendar) find(key, id string) (r *Release, err error) {
	err = c.db.View(func(tx *store.Tx) (err error) {
		r, err = read(tx, key)
		return err
	})
	if err == nil && r == nil {
		err = &NotFoundError{id}
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Remove deletes a release, or cancels a schedule. The error is a *ChangedError if it has
// changed since it was read, because it was done meanwhile.
func (c *Calendar) Remove(ctx context.Context, r *Release) error {
	return c.writer.Record(ctx, func(tx *store.Tx) error { return remove(tx, r) })
}

// finish stores that a release was done. The last schedules that were done stay stored, so
// that people can see who scheduled what.
func finish(tx *store.Tx, was, done *Release) error {
	if was.Name != "" {
		return put(tx, was, done)
	}
	if err := remove(tx, was); err != nil {
		return err
	}
	n, err := tx.CountRecords(doneBucket, "")
	if err != nil {
		return err
	}
	if n >= maxDone {
		var oldest string
		if err := tx.RecordsFrom(doneBucket, "", "", func(key string, _ []byte) bool { oldest = key; return false }); err != nil {
			return err
		}
		if err := tx.DeleteRecord(doneBucket, oldest); err != nil {
			return err
		}
	}
	done.Revision = tx.Revision()
	return putJSON(tx, doneBucket, done.DoneAt.Format(momentForm)+" "+done.ID, done)
}

// note adds the line of a schedule or release that is carried out at its time to the audit
// log. What somebody publishes at once is noted as their own work.
func (c *Calendar) note(tx *store.Tx, r *Release) error {
	by := &audit.Source{By: store.ActorOf(store.BySchedule, r.ID), Way: audit.ByServer}
	e := audit.Event{Target: audit.Target{Type: "release", ID: r.ID, Name: r.Name}, Action: "content.release"}
	e.Details = map[string]string{"scheduled by": c.nameOf(r.By), "steps": strconv.Itoa(len(r.Steps))}
	if r.Name == "" {
		s := r.Steps[0]
		e.Action, e.Target = "content.publish", audit.Target{Type: s.Type, ID: s.DocumentID, Locale: strings.Join(s.Locales, " ")}
		if s.Action == schema.Unpublish {
			e.Action = "content.unpublish"
		}
		delete(e.Details, "steps")
	}
	return audit.Note(tx, by, e)
}

// nameOf names an actor in one line, such as "admin ada@example.org".
func (c *Calendar) nameOf(a store.Actor) string {
	who := audit.Who{Kind: a.Kind(), ID: a.ID()}
	if c.Names != nil {
		who.Name = c.Names(a)
	}
	return who.String()
}
