package query

import (
	"context"
	"slices"
	"strings"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// Linking answers which entries link to a document: through which attribute, of the entry
// or of a component in it. A caller sees a link if and only if some read would show it: the
// caller may find the entry, read the draft if it is one, see the attributes on the path,
// and see the target of the link. Like a Query it may run any number of times.
type Linking struct {
	query  *Query // decides what is visible, is observed and guarded
	owners []*schema.Type
	access schema.Access
	pages  Page
}

// CompileLinking resolves the parameters of a request for what links to documents of a
// type. Errors are those of ReadPage.
func (c *Compiler) CompileLinking(t *schema.Type, n *params.Node, access schema.Access) (*Linking, error) {
	page, err := ReadPage(n, &c.site.Settings)
	if err != nil {
		return nil, err
	}
	q := &Query{t: t, site: c.site, scratches: &c.scratches, selection: &selection{shape: c.shape(t)}, linking: true}
	q.versions.status = store.Draft
	q.versions.hideDrafts(c.site, access)
	q.versions.limit(c.site, access)
	l := &Linking{query: q, access: access, pages: page}
	q.types = []*schema.Type{t}
	for _, owner := range c.readable(access) {
		if l.mayLink(scope{owner, access.Sight(owner)}, map[scope]bool{}) {
			l.owners = append(l.owners, owner)
			q.types = append(q.types, owner)
		}
	}
	return l, nil
}

// mayLink reports whether the records of a scope can have a link to the target that the
// caller sees. looked has the scopes that were already checked.
func (l *Linking) mayLink(in scope, looked map[scope]bool) bool {
	if looked[in] {
		return false
	}
	looked[in] = true
	return slices.ContainsFunc(in.t.Attributes, func(a *schema.Attribute) bool {
		within := in.sight.Within(a)
		switch {
		case !in.sight.Sees(a) || !mayReadTarget(l.access, a):
			return false
		case a.Relation != nil:
			return a.Relation.Owns && (a.Relation.Morph() || a.Relation.Target == l.query.t)
		case a.Kind == schema.Component:
			return l.mayLink(scope{a.ComponentType, within}, looked)
		}
		return slices.ContainsFunc(a.Zone, func(c *schema.Type) bool { return l.mayLink(scope{c, within}, looked) })
	})
}

// sees reports whether the caller sees the last attribute of a path from an entry, if it
// sees those before it.
func (l *Linking) sees(way []*schema.Attribute) bool {
	sight, last := l.access.Sight(way[0].Owner), len(way)-1
	for _, a := range way[:last] {
		sight = sight.Within(a)
	}
	return sight.Sees(way[last]) && mayReadTarget(l.access, way[last])
}

// Query returns the query that the response depends on, and where a run is observed and
// guarded.
func (l *Linking) Query() *Query { return l.query }

// Cost is Query.Cost for the links to a document: each entry with one is examined.
func (l *Linking) Cost(s *index.Snapshot, documentID string) (cost int) {
	target, ok := s.Collection(l.query.t).Document(documentID)
	if !ok {
		return 0
	}
	for _, t := range l.owners {
		for _, tb := range l.whole(s, t) {
			references, err := s.ReadReferences(impatient{}, tb)
			if err != nil {
				cost += tb.Len()
				continue
			}
			cost += references.Rows(s.Site().TypeOrdinal(l.query.t), target).Len()
		}
	}
	return cost
}

// tables returns the entries of a type that the caller sees, drafts first.
func (l *Linking) tables(x *run, t *schema.Type) []*index.Table {
	tables := l.whole(x.s, t)
	for i, tb := range tables {
		tables[i] = x.within(tb)
	}
	return tables
}

// whole returns tables with the entries that do not exist for the caller.
func (l *Linking) whole(s *index.Snapshot, t *schema.Type) []*index.Table {
	v := &l.query.versions
	draft, published := v.wholeOf(s, t, store.Draft), v.wholeOf(s, t, store.Published)
	if draft == published {
		return []*index.Table{published}
	}
	return []*index.Table{draft, published}
}

// Append runs the request and appends the whole response: a page of links, those of one
// document together; false if the caller sees no version of the document.
func (l *Linking) Append(ctx context.Context, s *index.Snapshot, documentID string, dst []byte) ([]byte, bool, error) {
	x := newRun(ctx, s, l.query)
	defer x.close()
	dst = append(dst, `{"data":[`...)
	empty := len(dst)
	total, found := l.walk(x, documentID, func(k Link) {
		if !x.spend(len(dst)) {
			return
		}
		dst = x.grow(dst, len(k.title)+len(k.Path)+linkBytes)
		if len(dst) > empty {
			dst = append(dst, ',')
		}
		dst = k.append(dst)
	})
	if !found {
		return dst[:empty-len(`{"data":[`)], false, nil
	}
	dst = append(dst, `],"meta":{"pagination":`...)
	return append(l.pages.Append(dst, total), "}}"...), true, x.err
}

// Link is one link to a document.
type Link struct {
	Type       *schema.Type // of the entry that links
	DocumentID string
	Locale     string // empty if the type is not localized
	Status     store.Status
	Path       string // of the attribute, "sections.chef"
	title      []byte // in JSON; nil for none
}

// Each runs the request and calls fn for each link of the page. It returns the number of
// all links, and false if the caller sees no version of the document.
func (l *Linking) Each(ctx context.Context, s *index.Snapshot, documentID string, fn func(Link)) (total int, found bool, err error) {
	x := newRun(ctx, s, l.query)
	defer x.close()
	total, found = l.walk(x, documentID, fn)
	return total, found, x.err
}

// walk calls fn for each link of the page.
func (l *Linking) walk(x *run, documentID string, fn func(Link)) (total int, found bool) {
	target, ok := x.s.Collection(l.query.t).Document(documentID)
	if !ok || !l.seesSome(x, target) {
		return 0, false
	}
	w := &linkWalk{Linking: l, run: x, target: target, ordinal: x.s.Site().TypeOrdinal(l.query.t), fn: fn}
	x.note("references to the document")
	for _, t := range l.owners {
		w.documents(t)
	}
	x.plan.Matched, x.plan.Returned, x.plan.Encode = w.n, min(w.n, l.pages.size), x.lap()
	return w.n, true
}

// seesSome reports whether the caller sees any version of a document.
func (l *Linking) seesSome(x *run, d index.Doc) (some bool) {
	for _, tb := range l.tables(x, l.query.t) {
		tb.EachVersion(d, func(index.Row, *index.Entry) { some = true })
	}
	return some
}

// linkWalk is one run of a Linking.
type linkWalk struct {
	*Linking
	*run
	target  index.Doc
	ordinal int // of its type
	fn      func(Link)
	n       int // links found
}

// documents walks the documents of a type that link to the target, in the order of their
// numbers.
func (w *linkWalk) documents(t *schema.Type) {
	tables, size := w.tables(w.run, t), w.s.Collection(t).Size()
	if !w.reserve(int(size)/8) || w.stopped() {
		return
	}
	found := index.NewBits(size)
	for _, tb := range tables {
		w.rows(tb).Each(func(r index.Row) bool {
			found.Add(tb.Entry(r).Doc)
			return !w.stopped()
		})
	}
	found.Each(func(d index.Doc) bool {
		for _, tb := range tables {
			w.versionsOf(tb, d)
		}
		return !w.stopped()
	})
	found.Release()
	w.unreserve(int(size) / 8)
}

// rows returns the rows that link to the target, perhaps not visibly for the caller.
func (w *linkWalk) rows(tb *index.Table) index.Posting {
	return w.references(tb).Rows(w.ordinal, w.target)
}

// versionsOf walks the entries of a document, the oldest first.
func (w *linkWalk) versionsOf(tb *index.Table, d index.Doc) {
	var few [8]index.Row
	linking, rows := w.rows(tb), few[:0]
	tb.EachVersion(d, func(r index.Row, _ *index.Entry) {
		if linking.Has(r) {
			rows = append(rows, r)
		}
	})
	slices.Sort(rows)
	for _, r := range rows {
		w.entry(tb, tb.Entry(r))
	}
}

// entry adds the links of one entry, one for each attribute that leads to the target.
func (w *linkWalk) entry(tb *index.Table, e *index.Entry) {
	w.plan.Visited++
	w.worked(len(e.Body) / scannedBytes)
	var paths []string
	w.s.EachReference(tb.Type, e.Body, w.sees, func(r index.Reference) bool {
		if r.Edge.Target != w.target || r.Target != w.query.t || !w.leads(tb, e, &r.Edge) {
			return true
		}
		if path := wayName(r.Way); !slices.Contains(paths, path) {
			paths = append(paths, path)
			w.add(tb, e, path)
		}
		return w.err == nil
	})
}

// leads reports whether some read that shows the entry follows its edge to a version of
// the target.
func (w *linkWalk) leads(tb *index.Table, owner *index.Entry, e *index.Edge) bool {
	for _, w.versions.status = range []store.Status{store.Draft, store.Published} {
		if w.table(tb.Type) != tb {
			continue
		}
		to := w.table(w.query.t)
		if _, ok := to.Find(w.target, w.targetLocale(w.query.t, owner, *e)); ok && e.LeadsTo(to.Status) {
			return true
		}
	}
	return false
}

// wayName returns the path of the attributes.
func wayName(way []*schema.Attribute) string {
	var name strings.Builder
	for i, a := range way {
		if i > 0 {
			name.WriteByte('.')
		}
		name.WriteString(a.Name)
	}
	return name.String()
}

// add counts a link, and passes it on if it is on the page.
func (w *linkWalk) add(tb *index.Table, e *index.Entry, path string) {
	w.n++
	if w.n <= w.pages.start || w.n > w.pages.start+w.pages.size {
		return
	}
	one := Link{Type: tb.Type, DocumentID: e.DocumentID, Status: tb.Status, Path: path}
	if e.Locale != index.NoLocale {
		one.Locale = w.s.LocaleCode(e.Locale)
	}
	if main := tb.Type.Title(w.access.Sight(tb.Type).Sees); main.System == schema.NotSystem {
		one.title = e.Body.Slot(main.Slot)
	}
	w.fn(one)
}

// append appends the link as a JSON object.
func (k *Link) append(dst []byte) []byte {
	dst = index.AppendString(append(dst, `{"type":`...), k.Type.UID)
	dst = index.AppendString(append(dst, `,"documentId":`...), k.DocumentID)
	dst = append(dst, `,"locale":`...)
	if k.Locale == "" {
		dst = append(dst, "null"...)
	} else {
		dst = index.AppendString(dst, k.Locale)
	}
	dst = index.AppendString(append(dst, `,"status":`...), k.Status.String())
	if k.title != nil {
		dst = append(append(dst, `,"title":`...), k.title...)
	}
	return append(index.AppendString(append(dst, `,"path":`...), k.Path), '}')
}

// linkBytes is the size of a link in a response without its title and path.
const linkBytes = 512
