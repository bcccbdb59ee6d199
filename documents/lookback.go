package documents

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"quire/content/event"
	"quire/content/history"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// LookBack is what was changed in a period, as the caller sees it.
type LookBack struct {
	Since     time.Time // what was asked for or, if the log of changes begins later, the time of its first commit
	Types     []ChangedType
	Documents []ChangedDocument // a page: by type, and in a type the last changed first
}

// ChangedType is how many documents of a type were changed.
type ChangedType struct {
	Type  *schema.Type
	Count int
}

// ChangedDocument is a document that was changed.
type ChangedDocument struct {
	Type       *schema.Type
	DocumentID string
	Locale     string         // of the title; empty if the type is not localized
	Title      string         // empty if the caller may not see one
	Exists     bool           // now
	Actions    []store.Action // each once, the first one first
	By         []store.Actor  // each once, the last one first; at most 5
	At         time.Time      // of the last change in the period
}

// Limits of LookBack.
const (
	ChangedAtOnce = 100 // documents on a page
	mostAuthors   = 5
)

// LookBack lists the documents that were changed in a period: a page of them, from 1, and how many
// there are of each type. The error is a *Problem if that is too much.
func (c *Call) LookBack(ctx context.Context, p Period, page int) (*LookBack, error) {
	list := &LookBack{}
	err := c.inPeriod(ctx, p, func(tx *store.Tx, u *undoing) error {
		list.Since = u.since
		of := map[string][]*undone{} // by the uid of their type
		for _, name := range u.names {
			if d := u.documents[name]; len(d.entries) > 0 {
				of[name.uid] = append(of[name.uid], d)
			}
		}
		before := (page - 1) * ChangedAtOnce // documents on earlier pages
		for _, t := range c.Site.Types {
			changed := of[t.UID]
			if len(changed) == 0 || !c.Caller.Allows(t, schema.Find) {
				continue
			}
			list.Types = append(list.Types, ChangedType{t, len(changed)})
			n := min(before, len(changed))
			before -= n
			for _, d := range changed[n:min(n+ChangedAtOnce-len(list.Documents), len(changed))] {
				one, err := c.changedDocument(tx, t, d)
				if err := errors.Join(err, c.Budget.OnTime()); err != nil {
					return err
				}
				list.Documents = append(list.Documents, one)
			}
		}
		return nil
	})
	return list, err
}

// note adds an event to what is known of a document, which comes before all that were noted.
func (d *undone) note(e *event.Event, at time.Time, by store.Actor) {
	if d.at.IsZero() {
		d.at = at
	}
	if by != "" && len(d.by) < mostAuthors && !slices.Contains(d.by, by) {
		d.by = append(d.by, by)
	}
	d.actions = slices.DeleteFunc(d.actions, func(a store.Action) bool { return a == e.Action })
	d.actions = append(d.actions, e.Action)
}

func (c *Call) changedDocument(tx *store.Tx, t *schema.Type, d *undone) (ChangedDocument, error) {
	one := ChangedDocument{Type: t, DocumentID: d.documentID, By: d.by, At: d.at, Actions: slices.Clone(d.actions)}
	slices.Reverse(one.Actions)
	versions, err := c.shownVersions(tx, t, d.documentID)
	current := slices.DeleteFunc(slices.Clone(versions), func(v history.Version) bool {
		return !v.Current() || c.Caller.Filter(t) != nil && !query.HasEntry(c.Snapshot(), c.Caller, t, v.Key)
	})
	if one.Exists = len(current) > 0; one.Exists {
		versions = current
	} else if !c.Caller.Allows(t, schema.ReadHistory) {
		return one, err
	}
	if err != nil || len(versions) == 0 {
		return one, err
	}
	last := slices.MaxFunc(versions, c.lastFirst)
	one.Locale = last.Key.Locale
	one.Title, _, err = c.titleOf(tx, t, &last)
	return one, err
}

// shownVersions returns the versions of a document that the caller may see.
func (c *Call) shownVersions(tx *store.Tx, t *schema.Type, documentID string) ([]history.Version, error) {
	versions, err := history.Versions(tx, t.UID, documentID)
	return slices.DeleteFunc(versions, func(v history.Version) bool { return !c.showsVersion(t, v.Key) }), err
}

// lastFirst orders versions by the write that ended them, and then by how well they represent their
// document.
func (c *Call) lastFirst(a, b history.Version) int {
	return cmp.Or(cmp.Compare(a.End.Version, b.End.Version), cmp.Compare(c.rank(a), c.rank(b)))
}

// titleOf returns the title of a version, empty if the caller sees none, and whether the version
// exists for the caller, which is unknown to those with conditions if it cannot be read.
func (c *Call) titleOf(tx *store.Tx, t *schema.Type, v *history.Version) (title string, shown bool, err error) {
	e, err := history.Read(tx, t.UID, v.Key, v.Revision(), c.Budget.OnTime)
	if err != nil && !errors.As(err, new(*history.UnreadableError)) {
		return "", false, err
	}
	if e == nil {
		return "", c.Caller.Filter(t) == nil, nil
	}
	viewer := c.compiler.Viewer(c.Caller, c.Snapshot())
	if main := t.Title(c.Caller.Sight(t).Sees); main.System == schema.NotSystem {
		title = viewer.View(t, e).Text(main.Name)
	}
	return title, viewer.Shows(t, e), nil
}
