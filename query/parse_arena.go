package query

import "strings"

// arena hands out the nodes of one tree and the first few places of their
// slices from a handful of allocations, sized by the query.
type arena struct {
	nodes []Node
	items []*Node
	keys  []string
}

const (
	arenaNodes   = 64 // at most, in one allocation
	arenaEntries = 4  // places that a new List or Object starts with
)

// newArena makes room for what a query most likely needs: a node per parameter
// and per pair of brackets.
func newArena(raw string) arena {
	params := 1 + strings.Count(raw, "&")
	brackets := strings.Count(raw, "[")
	return arena{nodes: make([]Node, 0, min(1+params+brackets, arenaNodes))}
}

// node returns an empty node of that kind.
func (a *arena) node(kind NodeKind) *Node {
	if len(a.nodes) == cap(a.nodes) {
		a.nodes = make([]Node, 0, arenaNodes)
	}
	a.nodes = append(a.nodes, Node{Kind: kind})
	return &a.nodes[len(a.nodes)-1]
}

// list returns a List of the items, in places 0, 1, ….
func (a *arena) list(items ...*Node) *Node {
	list := a.node(List)
	for _, item := range items {
		a.push(list, item)
	}
	return list
}

// push adds an item to the end of a List.
func (a *arena) push(list, item *Node) {
	item.place = 0
	if n := len(list.Items); n > 0 {
		item.place = list.Items[n-1].place + 1
	}
	a.item(list, item)
}

// insert puts an item at an index of a List's Items.
func (a *arena) insert(list *Node, at int, item *Node) {
	a.item(list, nil)
	copy(list.Items[at+1:], list.Items[at:])
	list.Items[at] = item
}

// entry adds a key to an Object.
func (a *arena) entry(object *Node, key string, value *Node) {
	a.key(object, key)
	a.item(object, value)
}

func (a *arena) item(n, item *Node) {
	if n.Items == nil {
		n.Items = carve(&a.items)
	}
	n.Items = append(n.Items, item)
}

func (a *arena) key(n *Node, key string) {
	if n.Keys == nil {
		n.Keys = carve(&a.keys)
	}
	n.Keys = append(n.Keys, key)
}

// carve cuts the first places of a slice off what is left.
func carve[T any](left *[]T) []T {
	if len(*left) < arenaEntries {
		*left = make([]T, arenaNodes)
	}
	places := (*left)[:0:arenaEntries]
	*left = (*left)[arenaEntries:]
	return places
}
