package push

import (
	"quire/content/changeset"
	"quire/schema"
	"quire/store"
	"quire/transfer/compare"
)

// unit is a document in one locale that a push changes.
type unit struct {
	named
	locale   string
	from, to [2]*store.Entry // draft, published
}

// take makes the side to have a document as the side from has it.
func (m *making) take(d named, from, to *half) {
	switch both := len(from.entries) > 0 && len(to.entries) > 0; {
	case d.t.UID == schema.FolderUID && both:
		m.left(d, from, LeftFolder)
		return
	case d.t.UID == schema.FileUID && both && !sameBytes(one(from), one(to)):
		m.left(d, from, LeftOtherBytes)
		return
	case d.t.UID == schema.FileUID && !both:
		m.plan.Files = append(m.plan.Files, one(from))
	}
	var units []unit
	for _, k := range keysOf(d.t, from, to) {
		if n := len(units); n == 0 || units[n-1].locale != k.Locale {
			units = append(units, unit{named: d, locale: k.Locale})
		}
		u, i := &units[len(units)-1], 0
		if k.Status == store.Published {
			i = 1
		}
		u.from[i], u.to[i] = from.entries[k], to.entries[k]
		m.item(u, i, title(d.t, from, to))
	}
	m.units = append(m.units, units...)
	m.plan.pushed = append(m.plan.pushed, pushed{d, to.last.Version})
}

// one returns the only entry of a document without drafts and locales.
func one(h *half) *store.Entry {
	for _, e := range h.entries {
		return e
	}
	return nil
}

// sameBytes reports whether two records of a file name the same content.
func sameBytes(a, b *store.Entry) bool {
	for _, name := range []string{"hash", "ext", "mime", "size", "width", "height", "formats", "url", "provider_metadata"} {
		if !a.Value(name).Equal(b.Value(name)) {
			return false
		}
	}
	return true
}

// item adds what happens to one version of a document in one locale.
func (m *making) item(u *unit, i int, title string) {
	a, b := u.from[i], u.to[i]
	item := EntryChange{Type: u.t.UID, DocumentID: u.documentID, Locale: u.locale, Status: []store.Status{store.Draft, store.Published}[i].String(), Title: title, Change: compare.Changed}
	switch {
	case b == nil:
		item.Change = compare.Added
	case a == nil:
		item.Change = compare.Removed
	default:
		if item.Attributes = compare.Names(u.t, a, b); item.Attributes == nil {
			return
		}
	}
	m.plan.Changes = append(m.plan.Changes, item)
}

// steps makes the steps of all units: first what goes, because it may have a unique value of
// something that comes; then what is new and linked, so that links to it lead to something; then
// the rest, each as it is to be.
func (m *making) steps() {
	linked := map[string]bool{}
	for _, u := range m.units {
		for _, e := range u.from {
			if e != nil {
				targets(e.Fields, linked)
			}
		}
	}
	for _, u := range m.units {
		if u.from == [2]*store.Entry{} {
			m.step(&u, changeset.Step{Action: "delete"})
		}
	}
	for _, u := range m.units {
		if u.to == [2]*store.Entry{} && linked[u.documentID] {
			m.restore(&u, first(u.from))
		}
	}
	for _, u := range m.units {
		m.follow(&u)
	}
}

func first(versions [2]*store.Entry) *store.Entry {
	if versions[0] != nil {
		return versions[0]
	}
	return versions[1]
}

// follow makes the steps of a document in one locale that stays or comes.
func (m *making) follow(u *unit) {
	draft, published := u.from[0], u.from[1]
	differs := func(a, b *store.Entry) bool { return a == nil || b == nil || len(compare.Names(u.t, a, b)) > 0 }
	switch {
	case draft == nil && published == nil:
		return
	case !u.t.DraftAndPublish:
		m.restore(u, published)
		return
	case published == nil && u.to[1] != nil:
		m.step(u, changeset.Step{Action: "unpublish"})
	case published != nil && differs(published, u.to[1]):
		m.restore(u, published)
		m.step(u, changeset.Step{Action: "publish"})
		if draft != nil && differs(draft, published) {
			m.restore(u, draft)
		}
		return
	}
	if draft != nil && differs(draft, u.to[0]) {
		m.restore(u, draft)
	}
}

func (m *making) restore(u *unit, e *store.Entry) {
	m.step(u, changeset.Step{Action: "restore", Entry: e})
}

func (m *making) step(u *unit, s changeset.Step) {
	s.Type, s.DocumentID, s.Locale = u.t.UID, u.documentID, u.locale
	m.plan.Steps = append(m.plan.Steps, s)
}

// targets adds the documentIds to which fields link.
func targets(fields store.Fields, into map[string]bool) {
	for _, f := range fields {
		for _, e := range f.Value.Edges {
			into[e.Target] = true
		}
		for _, r := range f.Value.Instances {
			targets(r.Fields, into)
		}
	}
}
