package query

import (
	"context"
	"slices"
	"strconv"

	"quire/content/event"
	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// Sync reads what a client copies: every entry of some types in one status, a page at a
// time, and after that the entries that have changed.
type Sync struct {
	queries []*Query // one for each type
	mark    syncMark
	sealer  *sealer
}

// CompileSync resolves the parameters of a copy: status, locale, fields and populate, as
// Compile does for each of the types, which must not be empty. extra is added to the
// entries of a type, see Options. Errors are those of Compile.
func (c *Compiler) CompileSync(types []*schema.Type, n *params.Node, access schema.Access, v4 bool, extra func(*schema.Type) string) (*Sync, error) {
	y := &Sync{sealer: c.sealer}
	for _, t := range types {
		q, err := c.Compile(t, n, access, Options{V4: v4, Extra: extra(t)})
		if err != nil {
			return nil, err
		}
		y.queries = append(y.queries, q)
	}
	y.mark = y.markOf(n)
	return y, nil
}

// SyncTypes returns the types that a caller may copy in a status: of these, it sees all entries. A
// copy is told of entries that are gone, and those that leave the reach of a caller are not its to
// know.
func (c *Compiler) SyncTypes(access schema.Access, status store.Status) []*schema.Type {
	hidden := versions{status: status}
	if status == store.Draft {
		hidden.hideDrafts(c.site, access)
	}
	return slices.DeleteFunc(c.readable(access), func(t *schema.Type) bool { return hidden.hidesDrafts(c.site, t) || access.Filter(t) != nil })
}

// Query returns the query that limits and records the work for all types.
func (y *Sync) Query() *Query { return y.queries[0] }

// seesLinksToDrafts reports whether the copy can show links to drafts from documents
// without drafts, so that changes count for it which nobody else sees.
func (y *Sync) seesLinksToDrafts() bool {
	v := &y.queries[0].versions
	return v.status == store.Draft && v.hidden == nil && slices.ContainsFunc(y.queries, func(q *Query) bool { return !q.t.DraftAndPublish })
}

// Revision returns the last commit in a snapshot that concerns the copy: changes that the
// caller may not see do not count.
func (y *Sync) Revision(s *index.Snapshot) (last uint64) {
	if y.seesLinksToDrafts() {
		return s.Revision()
	}
	for _, q := range y.queries {
		last = max(last, q.versions.whole(s, q.t).LastChange().Revision)
	}
	return last
}

// Concerns reports whether an event changed an entry that the copy may have. SeesEvent
// decides whether the caller may know of it.
func (y *Sync) Concerns(s *index.Snapshot, e *event.Event) bool {
	q := y.query(e.Type)
	switch {
	case q == nil || e.Drafts && !y.seesLinksToDrafts():
		return false
	case q.locales != nil && !slices.Contains(q.locales, e.Locale):
		return false
	}
	return q.versions.whole(s, q.t).Status == e.Status
}

func (y *Sync) query(uid string) *Query {
	for _, q := range y.queries {
		if q.t.UID == uid {
			return q
		}
	}
	return nil
}

// Changed is an entry that may have changed.
type Changed struct {
	Type, DocumentID, Locale string
	Revision                 uint64 // of the last commit known to have changed it
}

// AppendChanges appends the entries as they are in the snapshot, or as deleted, with commas
// between them. appended is the number of appended entries: a response that would become too
// large ends before the entry that makes it so, unless that is the first.
func (y *Sync) AppendChanges(ctx context.Context, s *index.Snapshot, list []Changed, dst []byte) (_ []byte, appended int, err error) {
	x := newRun(ctx, s, y.queries[0])
	defer x.close()
	p := syncPage{run: x, most: len(list)}
	for _, c := range list {
		q := y.query(c.Type)
		tb := x.table(q.t)
		if r, ok := findEntry(s, tb, c.DocumentID, c.Locale); ok {
			dst = p.append(dst, q, entryRecord(tb, r), c.Revision)
		} else {
			dst = p.appendDeleted(dst, tb, &c)
		}
		if p.full {
			break
		}
	}
	x.plan.Returned, x.plan.Encode = p.n, x.lap()
	return dst, p.n, x.err
}

func findEntry(s *index.Snapshot, tb *index.Table, documentID, locale string) (index.Row, bool) {
	d, known := s.Collection(tb.Type).Document(documentID)
	l, valid := s.Locale(locale)
	if !known || !valid {
		return 0, false
	}
	return tb.Find(d, l)
}

// syncPage is the items of one response.
type syncPage struct {
	*run
	n, most int  // number of items, and maximum
	full    bool // there is no space for another one
}

// syncBytes is the size at which a page ends after its current entry.
const syncBytes = 4 << 20

// append appends an entry.
func (p *syncPage) append(dst []byte, q *Query, rec record, revision uint64) []byte {
	before := len(dst)
	dst = p.begin(dst, q.t.UID, rec.entry.DocumentID, p.s.LocaleCode(rec.entry.Locale), p.versions.whole(p.s, q.t).Status)
	dst = strconv.AppendUint(append(dst, `,"action":"update","revision":`...), revision, 10)
	dst = q.appendWhole(p.run, rec, append(dst, `,"entry":`...))
	dst = append(dst, '}')
	overflow := p.entriesLeft < 0 || len(dst) > p.maxBytes
	if overflow && p.n > 0 {
		p.err, p.full = nil, true // the page is complete, and the next one begins here
		return dst[:before]
	}
	p.end(len(dst))
	return dst
}

// appendDeleted appends that the entry does not exist.
func (p *syncPage) appendDeleted(dst []byte, tb *index.Table, c *Changed) []byte {
	dst = p.begin(dst, tb.Type.UID, c.DocumentID, c.Locale, tb.Status)
	dst = strconv.AppendUint(append(dst, `,"action":"delete","revision":`...), c.Revision, 10)
	dst = append(dst, '}')
	p.stopped()
	p.end(len(dst))
	return dst
}

func (p *syncPage) begin(dst []byte, uid, documentID, locale string, status store.Status) []byte {
	dst = p.grow(dst, len(uid)+len(documentID)+len(locale))
	if p.n > 0 {
		dst = append(dst, ',')
	}
	dst = index.AppendString(append(dst, `{"type":`...), uid)
	dst = index.AppendString(append(dst, `,"documentId":`...), documentID)
	if locale == "" {
		dst = append(dst, `,"locale":null`...)
	} else {
		dst = index.AppendString(append(dst, `,"locale":`...), locale)
	}
	return index.AppendString(append(dst, `,"status":`...), status.String())
}

func (p *syncPage) end(bytes int) {
	p.n++
	p.full = p.n >= p.most || bytes >= syncBytes || p.err != nil
}
