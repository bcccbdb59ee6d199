package documents

import (
	"context"
	"slices"
	"time"

	"quire/content/event"
	"quire/content/history"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// RecentChange is a change of an entry, as a caller sees it.
type RecentChange struct {
	Type, DocumentID, Locale string // the locale is empty if the type has none
	At                       time.Time
	Removed                  bool // whether the entry was deleted

	By store.Actor // empty, or without its id, if the caller may not know it
}

// mostRecent is the maximum number of events that are read for recent changes.
const mostRecent = 10_000

// EachRecent calls fn for the latest changes that the caller may see, newest first, as long
// as fn returns true. It reads at most 10,000 events.
func (c *Call) EachRecent(ctx context.Context, fn func(RecentChange) (more bool)) error {
	c.Budget.Start()
	if err := c.Budget.Enter(ctx); err != nil {
		return err
	}
	defer c.Budget.End()
	s := c.Snapshot()
	sees := func(e *event.Event) bool { return query.SeesEventAt(s, c.Caller, e) }
	return c.DB.View(func(tx *store.Tx) error { return c.eachRecent(tx, sees, fn) })
}

func (c *Call) eachRecent(tx *store.Tx, sees func(*event.Event) bool, fn func(RecentChange) (more bool)) error {
	examined := 0
	return event.ReadBack(tx, func(commit event.Commit) bool {
		for i := len(commit.Events) - 1; i >= 0; i-- {
			if examined++; examined > mostRecent {
				return false
			}
			e := &commit.Events[i]
			if sees(e) && !fn(c.recentChange(commit, e)) {
				return false
			}
		}
		return c.Budget.OnTime() == nil
	})
}

func (c *Call) recentChange(commit event.Commit, e *event.Event) RecentChange {
	change := RecentChange{Type: e.Type, DocumentID: e.DocumentID, Locale: e.Locale, At: commit.At, Removed: e.Action == store.ActionDelete}
	change.By = c.eventAuthor(e)
	return change
}

// eventAuthor returns who made a change; empty, or without its id, if the caller may not know it.
func (c *Call) eventAuthor(e *event.Event) store.Actor {
	switch {
	case !query.SeesActor(c.Site, c.Caller, e):
		return ""
	case !c.Names(c.Caller, e.By):
		return store.ActorOf(e.By.Kind(), "")
	}
	return e.By
}

// Deleted is a deleted document, as far as the log of changes has it and the history has
// its versions.
type Deleted struct {
	DocumentID string
	Locale     string // of the title; empty if the type is not localized
	Title      string
	At         int64 // in milliseconds since 1970
	By         store.Actor
	Revision   uint64 // of the delete
}

// Limits of the list of deleted documents.
const (
	mostDeleted      = 25 // documents in the list
	mostDeletedTried = 50 // documents that are examined, some of which may exist again
)

// Deleted lists the documents of a collection that were deleted last, newest first, to a
// caller who may see their history.
func (c *Call) Deleted(ctx context.Context, t *schema.Type) (list []Deleted, err error) {
	if err := c.allow(t, schema.ReadHistory); err != nil {
		return nil, nil
	}
	c.Budget.Start()
	if err := c.Budget.Enter(ctx); err != nil {
		return nil, err
	}
	defer c.Budget.End()
	err = c.DB.View(func(tx *store.Tx) error {
		var ids []string
		kind := func(e *event.Event) bool { return e.Type == t.UID && query.SeesKind(c.Site, c.Caller, e) } // addDeleted looks at the values
		err := c.eachRecent(tx, kind, func(r RecentChange) bool {
			if r.Removed && r.Type == t.UID && !slices.Contains(ids, r.DocumentID) {
				ids = append(ids, r.DocumentID)
			}
			return len(ids) < mostDeletedTried
		})
		for _, id := range ids {
			if err != nil || len(list) == mostDeleted {
				break
			}
			err = c.addDeleted(tx, t, id, &list)
		}
		return err
	})
	return list, err
}

// addDeleted adds a document, unless it exists in any locale, or the caller may see no
// version of it.
func (c *Call) addDeleted(tx *store.Tx, t *schema.Type, documentID string, list *[]Deleted) error {
	versions, err := c.shownVersions(tx, t, documentID)
	if slices.ContainsFunc(versions, func(v history.Version) bool { return v.Current() }) {
		return nil
	}
	versions = slices.DeleteFunc(versions, func(v history.Version) bool { return !v.End.Removed })
	if err != nil || len(versions) == 0 {
		return err
	}
	last := slices.MaxFunc(versions, c.lastFirst)
	d := Deleted{DocumentID: documentID, Locale: last.Key.Locale, At: last.End.At, By: last.End.By, Revision: last.End.Version}
	var shown bool
	if d.Title, shown, err = c.titleOf(tx, t, &last); err != nil || !shown {
		return err
	}
	*list = append(*list, d)
	return nil
}

// rank says how well a version represents its document: versions in the default locale
// first, and among these the draft.
func (c *Call) rank(v history.Version) (rank int) {
	if v.Key.Locale == "" || v.Key.Locale == c.Site.Settings.DefaultLocale {
		rank = 2
	}
	if v.Key.Status == store.Draft {
		rank++
	}
	return rank
}
