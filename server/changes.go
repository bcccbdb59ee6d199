package server

import (
	"errors"
	"maps"
	"slices"

	"quire/content"
	"quire/history"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// mostCompared is the maximum number of entries of a document that are compared for a 412.
const mostCompared = 16

// nameChanges adds to a 412 the paths in which the document differs from the version that
// the write named, as far as the history has them and the caller may read them.
func (x *exchange) nameChanges(p *problem, err error) {
	var e *content.ConflictError
	if !errors.As(err, &e) || e.Named == 0 || e.Version == 0 {
		return
	}
	told, ok := p.Details.(conflict)
	t := x.edition.site.Type(e.Type)
	if !ok || !x.caller.Allows(t, schema.Find) {
		return
	}
	c := &changes{x: x, t: t, e: e, viewer: x.edition.compiler.Viewer(x.caller, x.edition.index.Snapshot()), paths: map[string]bool{}}
	x.startClock()
	if err := x.share.TakeSlots(x.request.Context(), x.edition.slots, 1); err != nil {
		return // the response is correct without them
	}
	defer x.share.ReturnSlots()
	if err := x.edition.db.View(c.find); err != nil {
		return
	}
	told.Paths = append([]string{}, slices.Sorted(maps.Keys(c.paths))...)
	p.Details = told
}

// changes finds out what has changed in a document since one of its versions.
type changes struct {
	x      *exchange
	t      *schema.Type
	e      *content.ConflictError
	viewer *query.Viewer
	paths  map[string]bool
}

// errUnknown reports that a version is not known completely any more.
var errUnknown = errors.New("what the document was is not known")

// find compares the entries that the caller may see. An error means that nothing is known.
func (c *changes) find(tx *store.Tx) error {
	past := &past{exchange: c.x, t: c.t}
	versions, err := history.Versions(tx, c.t.UID, c.e.DocumentID)
	if err != nil {
		return err
	}
	byEntry := map[store.Key][]history.Version{}
	for _, v := range versions {
		if past.shows(v.Key) {
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
	e, err := history.Read(tx, c.t.UID, v.Key, v.Revision(), c.x.OnTime)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, errUnknown
	}
	return c.viewer.View(c.t, e), nil
}
