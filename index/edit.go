package index

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"quire/schema"
	"quire/store"
)

// Index is the content of a site in memory: the current Snapshot, and the one
// place where the next one is made.
type Index struct {
	current atomic.Pointer[Snapshot]
	writer  sync.Mutex // held from Edit to Publish or Discard

	shortage error // see Shortage
}

// Shortage returns why bodies beyond limits.memory are in memory all the same: a
// *store.WriteError about their file. It is nil if they are not.
func (x *Index) Shortage() error { return x.shortage }

// Snapshot returns the current moment. It never blocks.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// Edit is the private next version of the content. There is one at a time: it
// ends with Publish or Discard.
type Edit struct {
	index   *Index
	next    *Snapshot
	own     *edition
	touched map[*Table]bool // whether it has recorded this edit
	encoder encoder

	// The last fields encoded and their body, so that a published version made
	// from the fields of its draft shares the draft's body.
	lastFields *store.Field
	lastCount  int
	lastBody   Body

	named []namedDocument // buffer for recount
}

// Edit begins the next version, after waiting for the current edit to end.
func (x *Index) Edit() *Edit {
	x.writer.Lock()
	return x.Snapshot().edit(x)
}

// Fork begins a version that is never published, on top of any snapshot, while others write:
// what would be if a change were made. The Snapshot of the returned Edit may be kept, and
// forked again, once nothing more is applied to the Edit, which then needs no end.
func (s *Snapshot) Fork() *Edit { return s.edit(nil) }

// edit begins the next version after s.
func (s *Snapshot) edit(x *Index) *Edit {
	next := *s
	next.collections = slices.Clone(next.collections)
	next.growing = true
	e := &Edit{index: x, next: &next, own: &edition{}, touched: map[*Table]bool{}}
	e.encoder = encoder{site: next.site, number: e.number, locale: e.locale, part: next.part}
	return e
}

// Snapshot returns the version under construction, for the writer's own look-ups: it shows
// all changes applied so far. It must not be kept.
func (e *Edit) Snapshot() *Snapshot { return e.next }

// Publish makes the version current: it shows the content after that commit.
func (e *Edit) Publish(commit store.CommitID) *Snapshot {
	e.next.revision, e.next.growing = commit.Revision, false
	for tb, shows := range e.touched {
		tb.registry.remember(tb, e.next.memory)
		tb.written = commit
		if shows {
			tb.changed = commit
		}
	}
	e.index.current.Store(e.next)
	e.index.writer.Unlock()
	return e.next
}

// Discard drops the version.
func (e *Edit) Discard() { e.index.writer.Unlock() }

// Apply applies one change to the version. The ids of new entries must be higher than those
// of all earlier entries of their type.
func (e *Edit) Apply(c store.Change) error {
	t := e.next.site.Type(c.Type)
	if t == nil || t.IsComponent() {
		return fmt.Errorf("index: no content type %s", c.Type)
	}
	switch {
	case c.After == nil && c.Before == nil:
		return nil
	case c.After == nil:
		return e.remove(t, c.Before)
	case c.Before == nil:
		return e.insert(t, c.After)
	}
	return e.replace(t, c.After, isUnseen(c))
}

// isUnseen reports whether a change keeps the version of the entry, because only links have
// changed that lead nowhere, or to drafts. Readers of these drafts also depend on the table
// of drafts.
func isUnseen(c store.Change) bool {
	return c.Before.Stamp.Version > 0 && c.Before.Stamp == c.After.Stamp
}

// table returns the table of a status for this edit to change.
func (e *Edit) table(t *schema.Type, status store.Status) *Table {
	tb := e.next.Table(t, status)
	if _, own := e.touched[tb]; own {
		return tb
	}
	var next *Table
	if tb.sparse() {
		next = tb.renumbered(e.own)
	} else {
		next = tb.clone(e.own)
	}
	e.touched[next], next.changed = false, tb.changed
	c := *e.next.Collection(t)
	if tb == c.draft {
		c.draft = next
	} else {
		c.published = next
	}
	e.next.collections[e.next.site.TypeOrdinal(t)] = &c
	return next
}

// number returns the document number of a target, existing or not.
func (e *Edit) number(t *schema.Type, documentID string) Doc {
	if d, ok := e.next.Collection(t).Document(documentID); ok {
		return d
	}
	return e.documents(t).number(documentID)
}

func (e *Edit) locale(code string) Locale {
	l, _ := e.next.Locale(code)
	return l
}

// body encodes the fields of an entry.
func (e *Edit) body(t *schema.Type, fields []store.Field) Body {
	if len(fields) > 0 && len(fields) == e.lastCount && &fields[0] == e.lastFields {
		return e.lastBody
	}
	body := e.encoder.body(t, fields)
	if len(fields) > 0 {
		e.lastFields, e.lastCount, e.lastBody = &fields[0], len(fields), body
	}
	return body
}

func (e *Edit) entry(t *schema.Type, from *store.Entry) Entry {
	d := e.number(t, from.DocumentID)
	return Entry{
		ID: from.ID, DocumentID: e.next.Collection(t).DocumentID(d), Doc: d, Locale: e.locale(from.Locale),
		Created: from.CreatedAt, Updated: from.UpdatedAt, Published: from.PublishedAt, Version: from.Stamp.Version,
		Body: e.body(t, from.Fields),
	}
}

func (e *Edit) insert(t *schema.Type, from *store.Entry) error {
	entry := e.entry(t, from)
	tb := e.table(t, from.Status)
	e.touched[tb] = true
	r := tb.Size()
	if _, ok := tb.Find(entry.Doc, entry.Locale); ok {
		return fmt.Errorf("index: %s %s stored twice", t.UID, from.DocumentID)
	}
	entry.next = tb.heads.at(entry.Doc)
	tb.heads.set(entry.Doc, r+1, e.own)
	tb.entries.set(r, entry, e.own)
	tb.live = tb.live.add(r, tb.Size(), e.own)
	tb.countLocale(entry.Locale, 1)
	e.move(tb, r, &Entry{}, &entry)
	return nil
}

func (e *Edit) replace(t *schema.Type, from *store.Entry, unseen bool) error {
	entry := e.entry(t, from)
	tb := e.table(t, from.Status)
	e.touched[tb] = e.touched[tb] || !unseen
	r, ok := tb.Find(entry.Doc, entry.Locale)
	if !ok {
		return fmt.Errorf("index: %s %s is not there to change", t.UID, from.DocumentID)
	}
	before := *tb.Entry(r)
	entry.next = before.next
	tb.entries.set(r, entry, e.own)
	e.move(tb, r, &before, &entry)
	return nil
}

func (e *Edit) remove(t *schema.Type, from *store.Entry) error {
	d, known := e.next.Collection(t).Document(from.DocumentID)
	tb := e.table(t, from.Status)
	e.touched[tb] = true
	l := e.locale(from.Locale)
	r, ok := tb.Find(d, l)
	if !ok || !known {
		return fmt.Errorf("index: %s %s is not there to delete", t.UID, from.DocumentID)
	}
	before := *tb.Entry(r)
	e.unchain(tb, d, r, before.next)
	tb.entries.set(r, Entry{ID: before.ID}, e.own)
	tb.live = tb.live.remove(r, e.own)
	tb.countLocale(l, -1)
	e.move(tb, r, &before, &Entry{})
	return nil
}

// unchain removes row r from its document's chain of locales.
func (e *Edit) unchain(tb *Table, d Doc, r, next Row) {
	if tb.heads.at(d) == r+1 {
		tb.heads.set(d, next, e.own)
		return
	}
	for at := tb.heads.at(d) - 1; ; at = tb.Entry(at).next - 1 {
		if tb.Entry(at).next == r+1 {
			tb.entries.edit(at, e.own).next = next
			return
		}
	}
}

// move updates the table's indexes, and the numbers in use, for one changed row.
func (e *Edit) move(tb *Table, r Row, before, after *Entry) {
	for _, one := range *tb.indexes.Load() {
		one.update(e.next, r, before, after, tb.Size(), e.own)
	}
	e.recount(tb.Type, before, after)
}
