package index

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// pathIndex is an index of one path of a table: Values, Links, Words or Terms; or of the table as
// a whole: Translations, References.
type pathIndex interface {
	// clone returns a copy for own to change; its content stays shared until then.
	clone(own *edition) pathIndex
	// update updates the index for one changed row; a zero Entry means none.
	update(s *Snapshot, r Row, before, after *Entry, universe Row, own *edition)
	// renumbered returns a copy for a table with other row numbers.
	renumbered(n *renumbering) pathIndex
	// size returns an estimate of its memory in bytes; 0 for one that the build estimates.
	size() int64
}

// indexKey names an index of a table.
type indexKey struct {
	kind     indexKind
	path     string
	together string // see togetherKey
}

type indexKind uint8

const (
	valuesKind indexKind = iota
	linksKind
	wordsKind
	translationsKind
	referencesKind
	termsKind
)

// builtIndex is an index, and what all versions of it share.
type builtIndex struct {
	pathIndex
	*usage
}

// tableIndexes are the indexes of a version of a table. The map does not change after it is
// stored.
type tableIndexes map[indexKey]builtIndex

// registry remembers, for all versions of one table, the newest index built for each path
// and the version it belongs to, so that a reader of another version can update it forward
// or back instead of building it again. Its lock is also held while an index is cloned,
// which google/btree does not allow twice at once.
type registry struct {
	mu      sync.Mutex
	newest  map[indexKey]registered
	refused map[indexKey]time.Time // when there was no memory for an index
}

type registered struct {
	index builtIndex
	of    *Table
}

func newRegistry() *registry {
	return &registry{newest: map[indexKey]registered{}, refused: map[indexKey]time.Time{}}
}

// refusedFor is how long a read that needs an index for which there was no memory is refused
// without another attempt, which may take long.
const refusedFor = 30 * time.Second

// drop removes an index, so that no later version takes it over. The versions that have it
// keep it until they are gone; the newest one drops it when it is next read or written.
func (g *registry) drop(u *usage) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known, ok := g.newest[u.key]; ok && known.index.usage == u {
		delete(g.newest, u.key)
		known.of.forget(u)
	}
}

// forget removes an index from the table.
func (tb *Table) forget(u *usage) {
	for {
		built := tb.indexes.Load()
		if (*built)[u.key].usage != u {
			return
		}
		next := maps.Clone(*built)
		delete(next, u.key)
		if tb.indexes.CompareAndSwap(built, &next) {
			return
		}
	}
}

// remember makes the indexes of tb the ones from which others start.
func (g *registry) remember(tb *Table, m *Memory) {
	built := *tb.indexes.Load()
	m.resize(built, g)
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, built := range built {
		if built.dropped.Load() {
			tb.forget(built.usage)
			continue
		}
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
		if !one.dropped.Load() {
			next[key] = builtIndex{one.clone(own), one.usage}
		}
	}
	return &next
}

// Values returns the index of a scalar path, and builds it on first use, whatever memory it
// takes. Reads call ReadValues.
func (s *Snapshot) Values(tb *Table, path Path) *Values {
	v, _ := s.ReadValues(nil, tb, path)
	return v
}

// ReadValues returns the index of a scalar path for a reader. If it cannot be had, it
// returns an empty one and an error: a *MemoryError, or that of the reader's Pause.
func (s *Snapshot) ReadValues(r Reader, tb *Table, path Path) (*Values, error) {
	tb = tb.base()
	one, err := s.index(r, tb, indexKey{kind: valuesKind, path: path.key}, func(b *indexBuild) pathIndex { return s.buildValues(tb, path, b) })
	if err != nil {
		return newValues(path, nil, nil, 0), err
	}
	return one.(*Values), nil
}

// Links returns the index of a relation path, and builds it on first use, whatever memory it
// takes. Reads call ReadLinks.
func (s *Snapshot) Links(tb *Table, path Path) *Links {
	l, _ := s.ReadLinks(nil, tb, path)
	return l
}

// ReadLinks is ReadValues for the index of a relation path.
func (s *Snapshot) ReadLinks(r Reader, tb *Table, path Path) (*Links, error) {
	tb = tb.base()
	one, err := s.index(r, tb, indexKey{kind: linksKind, path: path.key}, func(b *indexBuild) pathIndex { return s.buildLinks(tb, path, b) })
	if err != nil {
		return &Links{path: path}, err
	}
	return one.(*Links), nil
}

// index returns an index of the table. A version that lacks it takes it from another
// version and updates it for the rows that differ, or builds it. A caller that needs an
// index that is being built waits only for that one.
func (s *Snapshot) index(r Reader, tb *Table, key indexKey, build func(*indexBuild) pathIndex) (pathIndex, error) {
	one := (*tb.indexes.Load())[key]
	if one.pathIndex == nil {
		var err error
		if one, err = s.makeIndex(r, tb, key, build); err != nil {
			return nil, err
		}
	}
	one.uses.Add(1)
	return one.pathIndex, nil
}

func (s *Snapshot) makeIndex(r Reader, tb *Table, key indexKey, fn func(*indexBuild) pathIndex) (one builtIndex, err error) {
	lock := tb.building.of(key)
	if err := wait(r, lock); err != nil {
		return one, err
	}
	defer func() { <-lock }()
	if one := (*tb.indexes.Load())[key]; one.pathIndex != nil {
		return one, nil
	}
	if one = s.moved(tb, key); one.pathIndex == nil {
		if one, err = s.build(r, tb, key, fn); err != nil {
			return one, err
		}
		s.dropFormer(tb, key)
	}
	if !s.growing {
		tb.registry.mu.Lock()
		if !one.dropped.Load() {
			tb.registry.newest[key] = registered{one, tb}
		}
		tb.registry.mu.Unlock()
	}
	for {
		built := tb.indexes.Load()
		next := maps.Clone(*built)
		next[key] = one
		if tb.indexes.CompareAndSwap(built, &next) {
			return one, nil
		}
	}
}

// build builds an index, or reads it from a file: for a reader with the memory that is left,
// and without one in any case.
func (s *Snapshot) build(r Reader, tb *Table, key indexKey, fn func(*indexBuild) pathIndex) (one builtIndex, err error) {
	refusal := &MemoryError{tb.Type, key.path}
	b := &indexBuild{}
	limited := r != nil && s.memory != nil
	if limited {
		if tb.registry.refuses(key) {
			return one, refusal
		}
		b.memory = s.memory
	}
	one = builtIndex{s.load(tb, key, b), &usage{key: key}}
	if one.pathIndex == nil && !b.failed {
		if limited {
			if err := wait(r, s.memory.builds); err != nil {
				return one, err
			}
			defer func() { <-s.memory.builds }()
		}
		one.pathIndex = fn(b)
	}
	s.forget()
	one.uses.Store(firstUse)
	one.recent = firstUse
	s.memory.done(b, one, tb)
	if b.failed {
		tb.registry.refuse(key)
		return builtIndex{}, refusal
	}
	return one, nil
}

// dropFormer drops the index of a path with other words that are not divided: they have
// changed, and no search asks for it again.
func (s *Snapshot) dropFormer(tb *Table, key indexKey) {
	for other, one := range *tb.indexes.Load() {
		if other != key && other.kind == key.kind && other.path == key.path {
			s.memory.drop(one.usage, tb.registry)
		}
	}
}

// refuses reports whether there was no memory for an index shortly before.
func (g *registry) refuses(key indexKey) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at, ok := g.refused[key]
	if ok && time.Since(at) < refusedFor {
		return true
	}
	delete(g.refused, key)
	return false
}

func (g *registry) refuse(key indexKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused[key] = time.Now()
}

// locks has a lock for each index of a table: who sends to its channel has it.
type locks struct {
	mu    sync.Mutex
	byKey map[indexKey]chan struct{}
}

// of returns the lock of an index.
func (l *locks) of(key indexKey) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.byKey[key]
	if one == nil {
		if l.byKey == nil {
			l.byKey = map[indexKey]chan struct{}{}
		}
		one = make(chan struct{}, 1)
		l.byKey[key] = one
	}
	return one
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
	one = builtIndex{known.index.clone(own), known.index.usage}
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
