package server

import (
	"net/http"
	"slices"
	"strconv"

	"quire/content/event"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// A client that keeps a copy of the content first reads everything, page by page, and later
// what has changed. After a response without further pages, the copy is what the caller
// could see at the revision of that response.

// Limits of a page.
const (
	syncLimit     = 100    // default number of entries
	mostSynced    = 1000   // maximum number of entries in a request
	mostReadOfLog = 10_000 // changes in the log that are read, shown or not
)

// The route is open: the handler decides which types the caller may copy.
func syncRoute() Route {
	return Route{Method: http.MethodGet, Path: "/api/_changes", Open: true, takes: syncKeys, handler: findChanges}
}

// syncing is a request of a client with a copy.
type syncing struct {
	*request
	sync *query.Sync
	s    *index.Snapshot
	most int
	now  uint64 // the revision up to which the snapshot has everything that concerns the copy
}

func findChanges(x *request) error {
	parameters, err := x.query()
	if err != nil {
		return err
	}
	c := &syncing{request: x}
	if c.sync, c.most, err = x.compileSync(parameters); err != nil {
		return err
	}
	c.s = x.site.index.Snapshot() // before the log is read, so that the log has everything in the snapshot
	c.now = c.sync.Revision(c.s)
	since := parameters.Get("since")
	if since == nil {
		return c.walk(query.SyncWalk{})
	}
	walk, after, err := c.sync.ParseSince(since.Text)
	switch {
	case err != nil:
		return err
	case walk != nil:
		return c.walk(*walk)
	}
	return c.changes(after)
}

// syncKeys are the parameters of a copy.
var syncKeys = []string{"types", "since", "locale", "status", "fields", "populate", "limit"}

// compileSync resolves the parameters, and the maximum number of entries in a page.
func (x *request) compileSync(parameters *params.Node) (y *query.Sync, most int, err error) {
	if n := parameters.Get("since"); n != nil && !n.IsText() {
		return nil, 0, invalid(`"since" must be a revision, or what meta.since of an answer was`)
	}
	if most, err = readSyncLimit(parameters.Get("limit")); err != nil {
		return nil, 0, err
	}
	if parameters, err = x.inLocale(parameters); err != nil {
		return nil, 0, err
	}
	types, err := x.syncTypes(parameters)
	if err != nil {
		return nil, 0, err
	}
	y, err = x.site.documents.Compiler().CompileSync(types, parameters, x.caller, x.call.V4, func(t *schema.Type) string {
		if t.UID == schema.FileUID {
			return notSigned
		}
		return ""
	})
	if err == nil {
		x.Observe(y.Query())
	}
	x.watch.compile = x.watch.lap()
	return y, most, err
}

func readSyncLimit(n *params.Node) (int, error) {
	if n == nil {
		return syncLimit, nil
	}
	if most, err := strconv.Atoi(n.Text); n.IsText() && err == nil && 1 <= most && most <= mostSynced {
		return most, nil
	}
	return 0, invalid(`"limit" must be a number from 1 to ` + strconv.Itoa(mostSynced))
}

// inLocale returns the query with its locale; the default is all locales.
func (x *request) inLocale(parameters *params.Node) (*params.Node, error) {
	switch n := parameters.Get("locale"); {
	case n == nil:
		return parameters.WithText("locale", "*"), nil
	case n.IsText() && (n.Text == "*" || x.site.schema.Settings.HasLocale(n.Text)):
		return parameters, nil
	}
	return nil, invalid(`"locale" must be a locale of the site, or *`)
}

// syncTypes returns the types that the request names, or by default all that the caller may
// read in the requested status.
func (x *request) syncTypes(parameters *params.Node) ([]*schema.Type, error) {
	status := store.Published
	if n := parameters.Get("status"); n.IsText() && n.Text == "draft" {
		status = store.Draft
	}
	readable := x.site.documents.Compiler().SyncTypes(x.caller, status)
	named := parameters.Get("types")
	if named == nil {
		if len(readable) == 0 {
			return nil, forbidden()
		}
		return readable, nil
	}
	types, err := x.site.namedTypes(named)
	for _, t := range types {
		if !slices.Contains(readable, t) {
			return nil, forbidden()
		}
	}
	return types, err
}

// kept requires that the log is complete for the copy since a position.
func (c *syncing) kept(tx *store.Tx, p event.Position) error {
	floor, err := event.Floor(tx)
	switch {
	case err != nil:
		return err
	case event.Last(tx).Before(p), c.changedSince(p) && p.Before(floor):
		return &event.GoneError{Position: p, Floor: floor}
	}
	return nil
}

// changedSince reports whether anything has changed that concerns the copy.
func (c *syncing) changedSince(p event.Position) bool {
	return p.Before(event.Position{Revision: c.now})
}

// current returns the revision to continue from when everything up to the snapshot is
// known. Changes that the caller may not see do not change it, unless the log no longer
// reaches back so far.
func (c *syncing) current(tx *store.Tx) (uint64, error) {
	floor, err := event.Floor(tx)
	if floor.Revision > c.s.Revision() {
		return c.now, err
	}
	return max(c.now, floor.Revision), err
}

// walk responds with a page of everything.
func (c *syncing) walk(w query.SyncWalk) error {
	err := c.site.db.View(func(tx *store.Tx) (err error) {
		if w.Revision > 0 {
			return c.kept(tx, event.Position{Revision: w.Revision})
		}
		w.Revision, err = c.current(tx)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.Begin(c.http.Context(), c.sync.CostOfWalk(c.s, w, c.most), c.sync.Query()); err != nil {
		return err
	}
	dst, next, err := c.sync.AppendWalk(c.http.Context(), c.s, w, c.most, append(c.scratch(), `{"data":[`...))
	c.buffer = dst
	if c.End(); err != nil {
		return err
	}
	if next != nil {
		return c.finishPage(w.Revision, c.sync.SinceWalk(next), true)
	}
	at := event.Position{Revision: w.Revision}
	return c.finishPage(w.Revision, c.sync.SincePosition(at), c.changedSince(at))
}

// changes responds with what has changed after a position.
func (c *syncing) changes(after event.Position) error {
	r := logReader{syncing: c, upTo: after, shown: after, known: map[entryName]int{}}
	if err := c.site.db.View(r.read); err != nil {
		return err
	}
	if err := c.Begin(c.http.Context(), c.sync.CostOfChanges(c.s, r.list), c.sync.Query()); err != nil {
		return err
	}
	dst, sent, err := c.sync.AppendChanges(c.http.Context(), c.s, r.list, append(c.scratch(), `{"data":[`...))
	c.buffer = dst
	if c.End(); err != nil {
		return err
	}
	if sent < len(r.list) {
		r.upTo, r.more = r.before[sent], true
	}
	return c.finishPage(whole(r.upTo), c.sync.SincePosition(r.upTo), r.more)
}

// whole returns the last commit of which all changes are before a position.
func whole(p event.Position) uint64 {
	if p.Index > 0 {
		return p.Revision - 1
	}
	return p.Revision
}

// finishPage ends the list of a response and sends it.
func (c *syncing) finishPage(revision uint64, since string, more bool) error {
	dst := strconv.AppendUint(append(c.buffer, `],"meta":{"revision":`...), revision, 10)
	dst = index.AppendString(append(dst, `,"since":`...), since)
	dst = strconv.AppendBool(append(dst, `,"more":`...), more)
	c.buffer = append(dst, "}}"...)
	c.json(http.StatusOK, c.buffer)
	return nil
}
