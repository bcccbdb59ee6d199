package query

import (
	"context"
	"slices"

	"quire/index"
	"quire/schema"
)

// Entry is an entry that a query has found, for callers that need values and not JSON. It
// is valid while the function runs that receives it.
type Entry struct {
	q   *Query
	x   *run
	rec record
}

// DocumentID returns the documentId of the entry.
func (e Entry) DocumentID() string { return e.rec.entry.DocumentID }

// Locale returns the locale of the entry, empty if its type is not localized.
func (e Entry) Locale() string { return e.x.s.LocaleCode(e.rec.entry.Locale) }

// Text returns the text of an attribute; empty for null, for what is not a text, and for
// what the query does not show.
func (e Entry) Text(a *schema.Attribute) string {
	shown := slices.ContainsFunc(e.q.selection.values, func(v shownValue) bool { return v.attribute == a })
	if !shown || !a.IsText() {
		return ""
	}
	return string(index.SlotText(e.rec.body.Slot(a.Slot)))
}

// Links returns how many entries each populated relation leads to, however many of them the
// query shows.
func (e Entry) Links() map[*schema.Attribute]int {
	links := map[*schema.Attribute]int{}
	for _, p := range e.q.selection.relations {
		e.x.eachRelated(p.attribute, e.rec, func(at located) bool {
			if e.x.shows(p, at) {
				links[p.attribute]++
			}
			return true
		})
	}
	return links
}

// States returns the states of the entry's document, in the order of the site's locales.
// The query must have been compiled with include=state.
func (e Entry) States() (states []State) {
	e.x.eachState(e.rec, func(s State) { states = append(states, s) })
	return states
}

// Each calls fn for each entry of the page.
func (q *Query) Each(ctx context.Context, s *index.Snapshot, fn func(Entry)) error {
	x := newRun(ctx, s, q)
	defer x.close()
	m := q.selectRows(x)
	for _, r := range x.page(m, q.order, q.paging.stretch()) {
		if x.stopped() {
			break
		}
		fn(Entry{q, x, entryRecord(m.tb, r)})
	}
	m.release(x)
	return x.err
}

// One calls fn for the entry of a document, in the requested locale and status; false if it
// does not exist or a filter of the query excludes it.
func (q *Query) One(ctx context.Context, s *index.Snapshot, documentID string, fn func(Entry)) (bool, error) {
	_, found, err := q.appendDocument(ctx, s, documentID, nil, func(x *run, rec record, dst []byte) []byte {
		fn(Entry{q, x, rec})
		return dst
	})
	return found, err
}
