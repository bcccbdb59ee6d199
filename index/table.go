package index

import (
	"slices"
	"sort"
	"sync/atomic"

	"quire/schema"
	"quire/store"
)

// Locale is the ordinal of a locale in its snapshot.
type Locale int16

// NoLocale is the locale of entries or edges without one.
const NoLocale Locale = -1

// Entry is a stored entry in a table. Of a deleted one only the ID is left, by which rows
// are found.
type Entry struct {
	ID         uint64
	DocumentID string // one string for all entries of the document
	Doc        Doc
	next       Row // row + 1 of another locale of the same document; 0 at the end
	Locale     Locale

	// Milliseconds since 1970; Published is 0 for drafts.
	Created, Updated, Published int64

	Version uint64 // of its stamp

	Body Body // only valid while the snapshot is held: it may be in a file
}

// exists returns false for a row whose entry was deleted.
func (e *Entry) exists() bool { return e.DocumentID != "" }

// Table is all drafts or all published entries of one content type.
type Table struct {
	Type   *schema.Type
	Status store.Status

	entries paged[Entry]
	live    Posting    // rows that hold an entry
	heads   paged[Row] // row + 1 of one version of each document; its next leads to the other locales
	locales []int      // entries by locale; an entry without one counts as the first

	changed store.CommitID // the last commit that changed the table
	written store.CommitID // the same, also if no reader sees the change, see isUnseen

	whole *Table // of which it has only the rows of live, see Within; nil for a table itself

	// indexes are the indexes that have been built so far for this version of the table. A
	// reader that needs another one builds it and adds it.
	indexes  atomic.Pointer[tableIndexes]
	building locks
	registry *registry

	saved map[indexKey]*savedSection // indexes in a file, of a table that has not changed since it was read
}

func newTable(t *schema.Type, status store.Status) *Table {
	tb := &Table{Type: t, Status: status, registry: newRegistry()}
	tb.indexes.Store(&tableIndexes{})
	return tb
}

// clone returns the next version of the table, for own to change.
func (tb *Table) clone(own *edition) *Table {
	c := &Table{Type: tb.Type, Status: tb.Status, entries: tb.entries.clone(), live: tb.live, heads: tb.heads.clone(), locales: slices.Clone(tb.locales), registry: tb.registry}
	c.indexes.Store(tb.cloneIndexes(own))
	return c
}

// Size returns one more than the highest row.
func (tb *Table) Size() Row { return Row(tb.entries.n) }

// Len returns the number of entries.
func (tb *Table) Len() int { return tb.live.Len() }

// LastChange returns the commit that last changed the table.
func (tb *Table) LastChange() store.CommitID { return tb.changed }

// SharesLocale reports whether all entries of both tables have the same locale.
func (tb *Table) SharesLocale(other *Table) bool {
	shared := -1
	for _, locales := range [][]int{tb.locales, other.locales} {
		for l, n := range locales {
			if n > 0 && shared >= 0 && shared != l {
				return false
			}
			if n > 0 {
				shared = l
			}
		}
	}
	return true
}

// LocaleLen returns the number of entries in a locale, of a table that is not a part.
func (tb *Table) LocaleLen(l Locale) int {
	if i := int(max(l, 0)); i < len(tb.locales) {
		return tb.locales[i]
	}
	return 0
}

func (tb *Table) countLocale(l Locale, by int) {
	i := int(max(l, 0))
	for len(tb.locales) <= i {
		tb.locales = append(tb.locales, 0)
	}
	tb.locales[i] += by
}

// Live returns the posting of the rows that have an entry.
func (tb *Table) Live() Posting { return tb.live }

// Entry returns the entry of a row below Size. It must not be changed.
func (tb *Table) Entry(r Row) *Entry { return tb.entries.ref(r) }

// Find returns the row of a document's version in a locale.
func (tb *Table) Find(d Doc, l Locale) (Row, bool) {
	for next := tb.heads.at(d); next != 0; {
		e := tb.entries.ref(next - 1)
		if e.Locale == l && tb.Has(next-1) {
			return next - 1, true
		}
		next = e.next
	}
	return 0, false
}

// EachVersion calls fn for the rows of a document, one for each locale, newest first.
func (tb *Table) EachVersion(d Doc, fn func(Row, *Entry)) {
	for next := tb.heads.at(d); next != 0; {
		e := tb.entries.ref(next - 1)
		if tb.Has(next - 1) {
			fn(next-1, e)
		}
		next = e.next
	}
}

// RowOf returns the lowest row whose entry has that id or a higher one, or Size if none
// has. Ids ascend with rows, including those of deleted entries.
func (tb *Table) RowOf(id uint64) Row {
	return Row(sort.Search(int(tb.Size()), func(r int) bool { return tb.entries.ref(Row(r)).ID >= id }))
}

// FindID returns the row of the entry with that id.
func (tb *Table) FindID(id uint64) (Row, bool) {
	at := tb.RowOf(id)
	if at == tb.Size() {
		return 0, false
	}
	e := tb.entries.ref(at)
	return at, e.ID == id && e.exists() && tb.Has(at)
}
