package documents

import (
	"context"
	"errors"
	"maps"
	"slices"

	"quire/content"
	"quire/content/history"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// mostCompared is the maximum number of entries of a document that are compared for a 412.
const mostCompared = 16

// Changed lists the paths in which a document differs from the version that a refused write
// named, as far as the history has them and the caller may read them; nil if they are
// unknown.
func (c *Call) Changed(ctx context.Context, e *content.ConflictError) []string {
	t := c.Site.Type(e.Type)
	if e.Named == 0 || e.Version == 0 || !c.Caller.Allows(t, schema.Find) {
		return nil
	}
	c.Latest()
	found := &changes{call: c, t: t, e: e, viewer: c.compiler.Viewer(c.Caller, c.Snapshot()), paths: map[string]bool{}}
	c.Budget.Start()
	if err := c.Budget.Enter(ctx); err != nil {
		return nil // the response is correct without them
	}
	defer c.Budget.End()
	if err := c.DB.View(found.find); err != nil {
		return nil
	}
	return append([]string{}, slices.Sorted(maps.Keys(found.paths))...)
}

// changes finds out what has changed in a document since one of its versions.
type changes struct {
	call   *Call
	t      *schema.Type
	e      *content.ConflictError
	viewer *query.Viewer
	paths  map[string]bool
}

// errUnknown reports that a version is not known completely any more.
var errUnknown = errors.New("what the document was is not known")

// find compares the entries that the caller may see. An error means that nothing is known.
func (c *changes) find(tx *store.Tx) error {
	versions, err := history.Versions(tx, c.t.UID, c.e.DocumentID)
	if err != nil {
		return err
	}
	byEntry := map[store.Key][]history.Version{}
	for _, v := range versions {
		if c.call.showsVersion(c.t, v.Key) {
			byEntry[v.Key] = append(byEntry[v.Key], v)
		}
	}
	if len(byEntry) > mostCompared {
		return errUnknown
	}
	for _, list := range byEntry {
		if err := c.compare(tx, list); err != nil {
			return err
		}
	}
	return nil
}

// compare compares a former version of an entry with the current one.
func (c *changes) compare(tx *store.Tx, versions []history.Version) error {
	var then, now, last *history.Version // last is the last version that began by then
	for i := range versions {
		v := &versions[i]
		if v.Since <= c.e.Named {
			last = v
		}
		if v.IsAt(c.e.Named) {
			then = v
		}
		if v.Current() {
			now = v
		}
	}
	switch first := versions[0].Stamp.Action; {
	case then != nil:
	case last != nil && !last.End.Removed, last == nil && first != store.ActionCreate && first != store.ActionDuplicate:
		return errUnknown // it was not kept, or cannot be read
	}
	before, err := c.view(tx, then)
	if err != nil {
		return err
	}
	after, err := c.view(tx, now)
	if err != nil {
		return err
	}
	for _, path := range query.Compare(before, after).Paths() {
		c.paths[path] = true
	}
	return nil
}

// view is a version as the caller sees it; nil has nothing.
func (c *changes) view(tx *store.Tx, v *history.Version) (*query.View, error) {
	if v == nil {
		return &query.View{}, nil
	}
	e, err := history.Read(tx, c.t.UID, v.Key, v.Revision(), c.call.Budget.OnTime)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, errUnknown
	}
	return c.viewer.View(c.t, e), nil
}
