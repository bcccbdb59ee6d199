package content

import (
	"fmt"
	"slices"

	"quire/content/body"
	"quire/store"
)

func indexOf(list []store.Edge, e store.Edge) int {
	return slices.IndexFunc(list, func(other store.Edge) bool { return other.End() == e.End() })
}

// byEnd finds the edges of a list.
func byEnd(list []store.Edge) map[store.End]store.Edge {
	m := make(map[store.End]store.Edge, len(list))
	for _, e := range list {
		m[e.End()] = e
	}
	return m
}

// newList is the list of links after the input, whose items have been found. Links that exist
// have the Place that they had, wherever they are now; new ones have Place 0. An attribute that
// leads to one document keeps the last one named, in all locales and versions that it leads
// to, and shows the first of these.
func (l *linker) newList(current []store.Edge, found linkSet, lenient bool) (list []store.Edge, err error) {
	if found.replace {
		if list = replaced(current, found.set); l.attribute.Relation.Many() || len(list) == 0 {
			list, err = l.withUnseen(list, current)
		}
	} else {
		list, err = l.changed(current, found, lenient)
	}
	if err == nil && len(list) > 1 && !l.attribute.Relation.Many() {
		list = one(current, list)
	}
	return list, err
}

// withUnseen adds to a list the current links to documents that do not exist for the caller: whoever
// says all that is in a list says nothing about them.
func (l *linker) withUnseen(list, current []store.Edge) ([]store.Edge, error) {
	for _, e := range current {
		t := l.op.targetOf(l.attribute, e)
		if t == nil || l.op.filter(t) == nil || indexOf(list, e) >= 0 {
			continue
		}
		locale := l.op.site.LinkedLocale(t, l.from.Locale, e.Locale)
		seen, err := l.exists(t, e.Target, locale)
		if err != nil {
			return nil, err
		}
		if !seen && l.stored(t, e.Target, locale) {
			list = append(list, e)
		}
	}
	return list, nil
}

// one returns the part of a list that leads to the last document in it: first the existing
// links, then the new ones.
func one(current, list []store.Edge) []store.Edge {
	last, left := list[len(list)-1], byEnd(list)
	var kept []store.Edge
	for _, e := range slices.Concat(current, list) {
		if here, ok := left[e.End()]; ok && e.SameDocument(last) {
			delete(left, e.End())
			kept = append(kept, here)
		}
	}
	return kept
}

// replaced returns the list of set, each document once.
func replaced(current, set []store.Edge) []store.Edge {
	old, taken := byEnd(current), make(map[store.End]bool, len(set))
	var list []store.Edge
	for _, e := range set {
		if taken[e.End()] {
			continue
		}
		taken[e.End()] = true
		if kept, ok := old[e.End()]; ok {
			e = kept
		}
		list = append(list, e)
	}
	return list
}

// changed returns the list without the disconnected links and with the connected ones. A
// link that is both stays, and moves.
func (l *linker) changed(current []store.Edge, found linkSet, lenient bool) ([]store.Edge, error) {
	gone := byEnd(found.disconnect)
	for _, c := range found.connect {
		delete(gone, c.edge.End())
	}
	list := newChain(len(current) + len(found.connect))
	for _, e := range current {
		if _, ok := gone[e.End()]; !ok {
			list.insert(e, nil)
		}
	}
	connections, err := l.inOrder(list, found.connect)
	if err != nil {
		return nil, err
	}
	for _, c := range connections {
		if !list.connect(c) && !lenient {
			return nil, l.wrongList("%s is to be connected next to %s, which %s does not hold", c.edge.Target, c.neighbour.Target, l.at)
		}
	}
	return list.edges(), nil
}

// inOrder sorts connections so that each comes after the one that it is to stand next to,
// unless that is already in the list.
func (l *linker) inOrder(list *chain, connections []connection) ([]connection, error) {
	at := make(map[store.End]int, len(connections))
	for i, c := range connections {
		if _, twice := at[c.edge.End()]; twice {
			return nil, l.wrongList("%s is connected twice at %s", c.edge.Target, l.at)
		}
		at[c.edge.End()] = i
	}
	ordered := make([]connection, 0, len(connections))
	seen := make([]int, len(connections)) // the round in which it was put in order
	for i := range connections {
		start, next := len(ordered), i
		for next >= 0 && seen[next] == 0 {
			c := connections[next]
			seen[next], ordered = i+1, append(ordered, c)
			next = -1
			if n, later := at[c.neighbour.End()]; later && c.beside() && list.at[c.neighbour.End()] == nil {
				next = n
			}
		}
		if next >= 0 && seen[next] == i+1 && len(ordered) > start {
			return nil, l.wrongList("%s is to be connected next to what is to be connected next to it, at %s", connections[next].edge.Target, l.at)
		}
		slices.Reverse(ordered[start:])
	}
	return ordered, nil
}

func (l *linker) wrongList(format string, args ...any) error {
	var found body.Issues
	found.Add(body.Path{}, nil, "Invalid relations: %s", fmt.Sprintf(format, args...))
	return found.Err()
}

// chain is a list in which links are found, moved and removed in constant time.
type chain struct {
	first, last *chained
	at          map[store.End]*chained
}

type chained struct {
	edge          store.Edge
	before, after *chained
}

func newChain(size int) *chain { return &chain{at: make(map[store.End]*chained, size)} }

// insert puts an edge before a link, or at the end if that is nil.
func (c *chain) insert(e store.Edge, next *chained) {
	one := &chained{edge: e, after: next, before: c.last}
	if next != nil {
		one.before = next.before
	}
	*c.nextOf(one.before), *c.beforeOf(next) = one, one
	c.at[e.End()] = one
}

// remove removes a link.
func (c *chain) remove(one *chained) {
	*c.nextOf(one.before), *c.beforeOf(one.after) = one.after, one.before
	delete(c.at, one.edge.End())
}

// nextOf is where the link after one is kept, the first link for nil.
func (c *chain) nextOf(one *chained) **chained {
	if one == nil {
		return &c.first
	}
	return &one.after
}

// beforeOf is where the link before one is kept, the last link for nil.
func (c *chain) beforeOf(one *chained) **chained {
	if one == nil {
		return &c.last
	}
	return &one.before
}

// connect adds a link at its position, or moves it there. If its neighbour is not in the
// list, it returns false and puts the link at the end.
func (c *chain) connect(one connection) bool {
	if old := c.at[one.edge.End()]; old != nil {
		if one.where == body.AtEnd && c.last == old {
			return true // it stays
		}
		c.remove(old)
		one.edge = old.edge
	}
	var next *chained
	known := true
	switch one.where {
	case body.AtStart:
		next = c.first
	case body.Before:
		next = c.at[one.neighbour.End()]
		known = next != nil
	case body.After:
		neighbour := c.at[one.neighbour.End()]
		if known = neighbour != nil; known {
			next = neighbour.after
		}
	}
	c.insert(one.edge, next)
	return known
}

func (c *chain) edges() []store.Edge {
	list := make([]store.Edge, 0, len(c.at))
	for one := c.first; one != nil; one = one.after {
		list = append(list, one.edge)
	}
	return list
}
