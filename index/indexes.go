package index

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// pathIndex is an index of one path of a table: Values, Links or Words; or of the table as
// a whole: Translations, References.
type pathIndex interface {
	// clone returns a copy for own to change; its content stays shared until then.
	clone(own *edition) pathIndex
	// update updates the index for one changed row; a zero Entry means none.
	update(s *Snapshot, r Row, before, after *Entry, universe Row, own *edition)
	// renumbered returns a copy for a table with other row numbers.
	renumbered(n *renumbering) pathIndex
}

// indexKey names an index of a table.
type indexKey struct {
	kind indexKind
	path string
}

type indexKind uint8

const (
	valuesKind indexKind = iota
	linksKind
	wordsKind
	translationsKind
	referencesKind
)

// builtIndex is an index, and how often it was requested, which all versions of it share.
type builtIndex struct {
	pathIndex
	uses *atomic.Uint64
}

// tableIndexes are the indexes of a version of a table. The map does not change after it is
// stored.
type tableIndexes map[indexKey]builtIndex

// registry remembers, for all versions of one table, the newest index built for each path
// and the version it belongs to, so that a reader of another version can update it forward
// or back instead of building it again. Its lock is also held while an index is cloned,
// which google/btree does not allow twice at once.
type registry struct {
	mu     sync.Mutex
	newest map[indexKey]registered
}

type registered struct {
	index builtIndex
	of    *Table
}

func newRegistry() *registry { return &registry{newest: map[indexKey]registered{}} }

// remember makes the indexes of tb the ones from which others start.
func (g *registry) remember(tb *Table) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, built := range *tb.indexes.Load() {
		g.newest[key] = registered{built, tb}
	}
}

// cloneIndexes returns the table's indexes for own to change.
func (tb *Table) cloneIndexes(own *edition) *tableIndexes {
	built := *tb.indexes.Load()
	next := make(tableIndexes, len(built))
	tb.registry.mu.Lock()
	defer tb.registry.mu.Unlock()
	for key, one := range built {
		next[key] = builtIndex{one.clone(own), one.uses}
	}
	return &next
}

// Values returns the index of a scalar path, and builds it on first use.
func (s *Snapshot) Values(tb *Table, path Path) *Values {
	return s.index(tb, indexKey{valuesKind, path.key}, func() pathIndex { return s.buildValues(tb, path) }).(*Values)
}

// Links returns the index of a relation path, and builds it on first use.
func (s *Snapshot) Links(tb *Table, path Path) *Links {
	return s.index(tb, indexKey{linksKind, path.key}, func() pathIndex { return s.buildLinks(tb, path) }).(*Links)
}

// index returns an index of the table. A version that lacks it takes it from another
// version and updates it for the rows that differ, or builds it. A caller that needs an
// index that is being built waits only for that one.
func (s *Snapshot) index(tb *Table, key indexKey, build func() pathIndex) pathIndex {
	one := (*tb.indexes.Load())[key]
	if one.pathIndex == nil {
		one = s.makeIndex(tb, key, build)
	}
	one.uses.Add(1)
	return one.pathIndex
}

func (s *Snapshot) makeIndex(tb *Table, key indexKey, build func() pathIndex) builtIndex {
	defer tb.building.lock(key)()
	if one := (*tb.indexes.Load())[key]; one.pathIndex != nil {
		return one
	}
	one := s.moved(tb, key)
	if one.pathIndex == nil {
		one = builtIndex{build(), new(atomic.Uint64)}
		s.forget()
		one.uses.Store(firstUse)
	}
	if !s.growing {
		tb.registry.mu.Lock()
		tb.registry.newest[key] = registered{one, tb}
		tb.registry.mu.Unlock()
	}
	for {
		built := tb.indexes.Load()
		next := maps.Clone(*built)
		next[key] = one
		if tb.indexes.CompareAndSwap(built, &next) {
			return one
		}
	}
}

// locks has a lock for each index of a table.
type locks struct {
	mu    sync.Mutex
	byKey map[indexKey]*sync.Mutex
}

// lock takes the lock of an index, and returns the function that releases it.
func (l *locks) lock(key indexKey) (unlock func()) {
	l.mu.Lock()
	one := l.byKey[key]
	if one == nil {
		if l.byKey == nil {
			l.byKey = map[indexKey]*sync.Mutex{}
		}
		one = &sync.Mutex{}
		l.byKey[key] = one
	}
	l.mu.Unlock()
	one.Lock()
	return one.Unlock
}

// moved returns the index of another version of the table, updated to this one; none if no
// version has it.
func (s *Snapshot) moved(tb *Table, key indexKey) (one builtIndex) {
	own := &edition{}
	tb.registry.mu.Lock()
	known, ok := tb.registry.newest[key]
	if !ok {
		tb.registry.mu.Unlock()
		return one
	}
	one = builtIndex{known.index.clone(own), known.index.uses}
	tb.registry.mu.Unlock()
	eachDifference(known.of, tb, func(r Row, before, after *Entry) {
		one.update(s, r, before, after, tb.Size(), own)
	})
	return one
}

// eachDifference calls fn for the rows whose entries differ between two
// versions of a table. Versions share the pages that neither has changed.
func eachDifference(from, to *Table, fn func(r Row, before, after *Entry)) {
	none := &Entry{}
	for p := range max(len(from.entries.pages), len(to.entries.pages)) {
		var before, after *[pageSize]Entry
		if p < len(from.entries.pages) {
			before = from.entries.pages[p].items
		}
		if p < len(to.entries.pages) {
			after = to.entries.pages[p].items
		}
		if before == after {
			continue
		}
		for i := range pageSize {
			a, b := none, none
			if before != nil {
				a = &before[i]
			}
			if after != nil {
				b = &after[i]
			}
			if !sameEntry(a, b) {
				fn(Row(p*pageSize+i), a, b)
			}
		}
	}
}

func sameEntry(a, b *Entry) bool {
	return a.ID == b.ID && a.DocumentID == b.DocumentID && a.Updated == b.Updated && a.Published == b.Published && a.Created == b.Created &&
		a.Doc == b.Doc && a.Locale == b.Locale && slices.Equal(a.Body, b.Body)
}
