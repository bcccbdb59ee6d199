package query

import (
	"cmp"
	"maps"
	"slices"

	"golang.org/x/text/collate"

	"quire/schema"
	"quire/store"
)

// The model is the naive twin of this package: it keeps documents in maps,
// walks a parsed query with the schema in hand, and answers with plain values.
// It is written from what Strapi shows its clients, and shares no
// code with what compiles and runs queries. TestModel holds the two together.

// world is all documents at one moment.
type world struct {
	site    *schema.Site
	entries map[*schema.Type]map[store.Key]*store.Entry
}

func newWorld(site *schema.Site) *world {
	w := &world{site, map[*schema.Type]map[store.Key]*store.Entry{}}
	for _, t := range site.Types {
		w.entries[t] = map[store.Key]*store.Entry{}
	}
	return w
}

func (w *world) clone() *world {
	c := newWorld(w.site)
	for t, entries := range w.entries {
		c.entries[t] = maps.Clone(entries)
	}
	return c
}

// apply makes the change in the world too.
func (w *world) apply(c store.Change) {
	t := w.site.Type(c.Type)
	if c.After == nil {
		delete(w.entries[t], c.Before.Key())
		return
	}
	w.entries[t][c.After.Key()] = c.After
}

// model answers reads of one world, for one caller.
type model struct {
	*world
	access      schema.Access
	status      store.Status
	publication string
	collator    *collate.Collator
	rank        func(row) int                                         // of what _q finds; nil where no order may name it
	sides       map[*schema.Attribute]map[*store.Entry][]*store.Entry // see inverse

	requested, standIns []string // the locales asked for, and those that stand in for them
}

// row is what conditions and orders speak of: an entry, an instance of a
// component within an entry, or, with neither, nothing but nulls.
type row struct {
	entry  *store.Entry
	record *store.Instance
}

// stored is the value of a declared attribute.
func (r row) stored(name string) store.Value {
	switch {
	case r.record != nil:
		return r.record.Value(name)
	case r.entry != nil:
		return r.entry.Value(name)
	}
	return store.Value{}
}

// versionOf is the status in which this read sees entries of a type. Who may not
// read its drafts sees the published version instead.
func (m *model) versionOf(t *schema.Type) store.Status { return m.seen(t, m.status) }

func (m *model) seen(t *schema.Type, status store.Status) store.Status {
	if t.DraftAndPublish && m.access.Allows(t, schema.ReadDraft) {
		return status
	}
	return store.Published
}

// visible is the entries of a type that this read sees, in the order of ids.
func (m *model) visible(t *schema.Type) []*store.Entry {
	var entries []*store.Entry
	for k, e := range m.entries[t] {
		if k.Status == m.versionOf(t) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return entries
}

// related is what stands behind an attribute of a row, in order: instances of a
// component, or the entries that a relation leads to.
func (m *model) related(r row, a *schema.Attribute) []row {
	var rows []row
	switch {
	case r.entry == nil:
	case a.Relation == nil:
		records := r.stored(a.Name).Instances
		for i := range records {
			rows = append(rows, row{r.entry, &records[i]})
		}
	default:
		for _, e := range m.linked(r, a) {
			rows = append(rows, row{entry: e})
		}
	}
	return rows
}

func (m *model) linked(r row, a *schema.Attribute) []*store.Entry {
	switch {
	case a.System == schema.SystemLocalizations:
		return slices.DeleteFunc(m.visible(a.Owner), func(e *store.Entry) bool {
			return e.DocumentID != r.entry.DocumentID || e.Locale == r.entry.Locale
		})
	case !a.Relation.Owns:
		return m.inverse(a)[r.entry]
	}
	var targets []*store.Entry
	for _, edge := range r.stored(a.Name).Edges {
		if e := m.follow(a.Relation.Target, r.entry, edge); e != nil {
			targets = append(targets, e)
		}
	}
	return targets
}

// follow is the version of an edge's target that the read sees, if the edge leads
// to it: in the locale of the owner; where that has none, in the one that the edge
// names or else the default.
func (m *model) follow(t *schema.Type, owner *store.Entry, edge store.Edge) *store.Entry {
	locale, status := "", m.versionOf(t)
	if edge.Only != 0 && edge.Only != status {
		return nil
	}
	if t.Localized {
		locale = cmp.Or(owner.Locale, edge.Locale, m.site.Settings.DefaultLocale)
	}
	for _, locale := range m.tried(t, owner, locale) {
		if e := m.entries[t][store.Key{DocumentID: edge.Target, Locale: locale, Status: status}]; e != nil {
			return e
		}
	}
	return nil
}

// tried are the locales in which an edge's target is looked for, the best first.
// What a stand-in leads to is wanted in the locales that were asked for.
func (m *model) tried(t *schema.Type, owner *store.Entry, locale string) []string {
	switch {
	case !t.Localized:
		return []string{locale}
	case slices.Contains(m.standIns, owner.Locale):
		return slices.Concat(m.requested, m.standIns)
	}
	return append([]string{locale}, m.standIns...)
}

// place is that of a locale among those that are asked for, all of which are as good,
// and those that stand in; -1 for others.
func (m *model) place(locale string) int {
	if slices.Contains(m.requested, locale) {
		return 0
	}
	if i := slices.Index(m.standIns, locale); i >= 0 {
		return i + 1
	}
	return -1
}

// first reports whether no version of a document comes before this one.
func (m *model) first(e *store.Entry) bool {
	for _, other := range m.visible(m.typeOf(e)) {
		if place := m.place(other.Locale); other.DocumentID == e.DocumentID && place >= 0 && place < m.place(e.Locale) {
			return false
		}
	}
	return true
}

// inverse is what each target sees through an attribute that only mirrors the
// edges of another: all owners that lead to it, by the places of their edges.
func (m *model) inverse(a *schema.Attribute) map[*store.Entry][]*store.Entry {
	if m.sides[a] != nil {
		return m.sides[a]
	}
	type end struct {
		owner *store.Entry
		place uint64
	}
	ends := map[*store.Entry][]end{}
	for _, owner := range m.visible(a.Relation.Target) {
		if a.Owner.Localized && !m.first(owner) {
			continue
		}
		for _, edge := range owner.Value(a.Relation.Inverse.Name).Edges {
			if target := m.follow(a.Owner, owner, edge); target != nil {
				ends[target] = append(ends[target], end{owner, edge.Place})
			}
		}
	}
	side := map[*store.Entry][]*store.Entry{}
	for target, list := range ends {
		slices.SortStableFunc(list, func(a, b end) int { return cmp.Compare(a.place, b.place) })
		for _, one := range list {
			side[target] = append(side[target], one.owner)
		}
	}
	m.sides[a] = side
	return side
}

// may reports whether the caller may name an attribute and follow it.
func (m *model) may(a *schema.Attribute) bool {
	secret := a.Private || a.Kind == schema.Password
	return !secret && (a.Kind != schema.RelationKind || m.access.Allows(a.Relation.Target, schema.Find))
}
