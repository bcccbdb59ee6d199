package query

import (
	"slices"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// versions decides which version of each type's entries a query reads, the draft or the
// published one, and which of them exist for its caller. Nothing else decides that: all code that
// shows, filters, sorts, searches or counts entries gets its table from run.table and
// run.tableOf. Estimates and versions of responses are about whole tables.
//
// A caller sees the drafts of the types for which it has readDraft. Of all other types it
// sees the published version instead, at every level of the query.
type versions struct {
	status store.Status // the requested status
	hidden []bool       // by type: its drafts may not be read; nil if all may

	filters []*schema.Filter // by type: which entries exist for the caller; nil for all
}

// limit limits the query to the entries that exist for the caller. Every query calls it.
func (v *versions) limit(s *schema.Site, access schema.Access) {
	for _, t := range s.Types {
		if f := access.Filter(t); f != nil {
			if v.filters == nil {
				v.filters = make([]*schema.Filter, len(s.Types))
			}
			v.filters[s.TypeOrdinal(t)] = f
		}
	}
}

// filter returns which entries of a type exist for the caller; nil for all.
func (v *versions) filter(s *schema.Site, t *schema.Type) *schema.Filter {
	if v.filters == nil {
		return nil
	}
	return v.filters[s.TypeOrdinal(t)]
}

// hideDrafts hides the drafts that the caller may not read. A query that reads only
// published versions need not call it.
func (v *versions) hideDrafts(s *schema.Site, access schema.Access) {
	for _, t := range s.Types {
		if t.DraftAndPublish && !access.Allows(t, schema.ReadDraft) {
			if v.hidden == nil {
				v.hidden = make([]bool, len(s.Types))
			}
			v.hidden[s.TypeOrdinal(t)] = true
		}
	}
}

// hidesDrafts reports whether the caller may not read the drafts of a type.
func (v *versions) hidesDrafts(s *schema.Site, t *schema.Type) bool {
	return v.hidden != nil && v.hidden[s.TypeOrdinal(t)]
}

// whole returns the table of the entries of a type that the query reads, with those that do not
// exist for the caller.
func (v *versions) whole(s *index.Snapshot, t *schema.Type) *index.Table {
	return v.wholeOf(s, t, v.status)
}

// wholeOf is whole for the entries with a status.
func (v *versions) wholeOf(s *index.Snapshot, t *schema.Type, status store.Status) *index.Table {
	if v.hidesDrafts(s.Site(), t) {
		status = store.Published
	}
	return s.Table(t, status)
}

// forWriter returns the query for the response to a write of the entry k. If the caller may
// not read that entry, it shows only the attributes that the caller wrote, as known
// reports, and what every version has. A nil known means that all were written.
func (q *Query) forWriter(k store.Key, known func(*schema.Attribute) bool) *Query {
	if known == nil || k.Status != store.Draft || !q.versions.hidesDrafts(q.site, q.t) {
		return q
	}
	l := *q
	l.selection = q.selection.only(known)
	return &l
}

// only returns the part of a selection that shows known attributes.
func (s *selection) only(known func(*schema.Attribute) bool) *selection {
	part := &selection{shape: s.shape, sight: s.sight, fields: fieldSet{}}
	for _, a := range s.shape.t.Attributes {
		part.fields[a] = s.fields.shows(a) && known(a)
	}
	for _, a := range systemSeen(s.shape.t, s.sight) {
		part.fields[a] = s.fields.shows(a) && a.System != schema.SystemCreatedAt
	}
	for _, p := range slices.Concat(s.populated, s.relations) {
		if known(p.attribute) {
			part.add(p)
		}
	}
	part.arrange()
	part.reads, part.members = s.reads, kept(s.members, func(a *schema.Attribute) bool {
		if a.IsScalar() {
			return part.fields[a]
		}
		return known(a)
	})
	return part
}

// publishedAs reports whether the two versions of an entry match the publicationFilter.
func (x *run) publishedAs(rec record) bool {
	t := rec.t
	if x.publication == "" || !t.DraftAndPublish {
		return true
	}
	e := rec.entry
	draft, published := x.tableOf(t, store.Draft), x.tableOf(t, store.Published)
	d, hasDraft := draft.Find(e.Doc, e.Locale)
	p, hasPublished := published.Find(e.Doc, e.Locale)
	switch x.publication {
	case "never-published":
		return !hasPublished
	case "has-published-version":
		return hasPublished
	case "modified":
		return hasDraft && hasPublished && draft.Entry(d).Updated > published.Entry(p).Updated
	case "unmodified":
		return hasDraft && hasPublished && draft.Entry(d).Updated <= published.Entry(p).Updated
	case "published-without-draft":
		return hasPublished && !hasDraft && published.Entry(p) == e
	case "published-with-draft":
		return hasPublished && hasDraft && published.Entry(p) == e
	}
	some := false
	published.EachVersion(e.Doc, func(index.Row, *index.Entry) { some = true })
	return some == (x.publication == "has-published-version-document")
}
