package push

import (
	"slices"
	"strings"

	"quire/content/history"
	"quire/schema"
	"quire/store"
	"quire/transfer/compare"
)

// half is a document on one side.
type half struct {
	entries  map[store.Key]*store.Entry // of all locales and statuses
	versions []history.Version
	last     mark
	changed  bool // since the sides were the same
}

func read(tx *store.Tx, uid string, versions []history.Version) (h half, err error) {
	h = half{entries: map[store.Key]*store.Entry{}, versions: versions, last: last(versions)}
	for i := range versions {
		if v := &versions[i]; v.Current() {
			if h.entries[v.Key], err = tx.Entry(uid, v.Key); err != nil {
				return h, err
			}
		}
	}
	return h, nil
}

// judge decides what happens to a document that differs.
func (m *making) judge(of *differing) error {
	d := of.named
	from, err := read(m.from.Tx, d.t.UID, of.from)
	if err != nil {
		return err
	}
	to, err := read(m.to.Tx, d.t.UID, of.to)
	if err != nil {
		return err
	}
	if err := m.whoChanged(d, &from, &to); err != nil {
		return err
	}
	switch {
	case from.changed && to.changed:
		m.plan.Conflicts = append(m.plan.Conflicts, conflict(d, &from, &to))
	case to.changed:
		m.plan.Kept++
	case !from.changed && len(from.entries) == 0:
		m.left(d, &to, goneReason(d))
	case !from.changed:
		m.left(d, &from, LeftUnwritten)
	default:
		m.take(d, &from, &to)
	}
	return nil
}

// goneReason says why a document stays that the first site does not have. Deletions of files and
// folders have no history.
func goneReason(d named) string {
	switch d.t.UID {
	case schema.FileUID:
		return LeftDeletedFile
	case schema.FolderUID:
		return LeftFolder
	}
	return LeftUnknown
}

// whoChanged finds out which sides have written a document since they were the same.
func (m *making) whoChanged(d named, from, to *half) error {
	sinceFrom, sinceTo := m.base, m.base
	pushed, err := recordOf(m.to.Tx, d)
	if err != nil {
		return err
	}
	back, err := recordOf(m.from.Tx, d) // of a push in the other direction
	if err != nil {
		return err
	}
	if pushed.Own > sinceTo && d.has(from.versions, pushed.Other) {
		sinceFrom, sinceTo = pushed.Other.Version, pushed.Own
	}
	if back.Own > sinceFrom && back.Other.Version >= sinceTo && d.has(to.versions, back.Other) {
		sinceFrom, sinceTo = back.Own, back.Other.Version
	}
	from.changed, to.changed = from.last.Version > sinceFrom, to.last.Version > sinceTo
	switch {
	case to.changed && sinceTo == pushed.Own && takenBack(to.versions, sinceTo):
		from.changed, to.changed = true, false
	case len(to.entries) == 0 && to.last.Version == 0: // deleted long ago, if it was there
		to.changed = slices.ContainsFunc(from.versions, func(v history.Version) bool { return v.Since <= sinceFrom })
	}
	return nil
}

// The authors of what `quire undo` and `quire push` write.
var (
	undoing = store.ActorOf(store.ByCommand, "undo")
	pushing = store.ActorOf(store.ByCommand, "push")
)

// takenBack reports whether all writes after a push have only taken it back. A version of the push
// may have got a later number, when another locale of its document was taken back.
func takenBack(versions []history.Version, after uint64) bool {
	some := false
	for i := range versions {
		v := &versions[i]
		if v.Since > after {
			some = true
			if v.Stamp.UpdatedBy != undoing && v.Stamp.UpdatedBy != pushing {
				return false
			}
		}
		if v.End.Version > after {
			some = true
			if v.End.By != undoing {
				return false
			}
		}
	}
	return some
}

// conflict describes a document that both sides have changed.
func conflict(d named, from, to *half) Conflict {
	c := Conflict{Type: d.t.UID, DocumentID: d.documentID, Title: title(d.t, from, to), Reason: BothChanged}
	switch {
	case len(from.entries) == 0:
		c.Reason = FromDeleted
		return c
	case len(to.entries) == 0:
		c.Reason = ToDeleted
		return c
	}
	for _, k := range keysOf(d.t, from, to) {
		a, b := from.entries[k], to.entries[k]
		if a == nil || b == nil {
			c.Attributes = append(c.Attributes, "the "+k.Status.String()+" version"+place(d.t, k.Locale, ""))
			continue
		}
		for _, name := range compare.Names(d.t, a, b) {
			c.Attributes = append(c.Attributes, name+place(d.t, k.Locale, k.Status.String()))
		}
	}
	return c
}

// place is the locale and the status in brackets, as far as a type has them.
func place(t *schema.Type, locale, status string) string {
	if !t.DraftAndPublish {
		status = ""
	}
	words := slices.DeleteFunc([]string{locale, status}, func(s string) bool { return s == "" })
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// keysOf returns the entries of a document on either side, in order of locale and status.
func keysOf(t *schema.Type, sides ...*half) (keys []store.Key) {
	for _, h := range sides {
		for k := range h.entries {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b store.Key) int {
		if n := strings.Compare(a.Locale, b.Locale); n != 0 {
			return n
		}
		return int(a.Status) - int(b.Status)
	})
	return slices.Compact(keys)
}

func (m *making) left(d named, h *half, reason string) {
	m.plan.Left = append(m.plan.Left, Staying{d.t.UID, d.documentID, title(d.t, h), reason})
}

// title names a document for people, by what the first side has.
func title(t *schema.Type, sides ...*half) string {
	main := t.Title(func(a *schema.Attribute) bool { return !a.Hidden() })
	if main == nil || main.System != schema.NotSystem {
		return ""
	}
	for _, h := range sides {
		for _, k := range keysOf(t, h) {
			if text := h.entries[k].Value(main.Name).Text; text != "" {
				return text
			}
		}
	}
	return ""
}
