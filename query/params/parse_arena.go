package params

import "strings"

// arena allocates the nodes of one tree and the initial slices of them, a few dozen at a
// time.
type arena struct {
	nodes []Node
	items []*Node
	keys  []string
}

const (
	arenaNodes   = 64 // at most, in one allocation
	arenaEntries = 4  // initial capacity of a new List or Object
)

// newArena allocates what a query most likely needs: a node for each parameter and each
// pair of brackets.
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

// list returns a List of the items, at positions 0, 1, ….
func (a *arena) list(items ...*Node) *Node {
	list := a.node(List)
	for _, item := range items {
		a.push(list, item)
	}
	return list
}

// push adds an item to the end of a List.
func (a *arena) push(list, item *Node) {
	item.position = 0
	if n := len(list.Items); n > 0 {
		item.position = list.Items[n-1].position + 1
	}
	a.item(list, item)
}

// entry adds a key to an Object.
func (a *arena) entry(object *Node, key string, value *Node) {
	a.key(object, key)
	a.item(object, value)
}

func (a *arena) item(n, item *Node) {
	if n.Items == nil {
		n.Items = cutSlice(&a.items)
	}
	n.Items = append(n.Items, item)
}

func (a *arena) key(n *Node, key string) {
	if n.Keys == nil {
		n.Keys = cutSlice(&a.keys)
	}
	n.Keys = append(n.Keys, key)
}

// cutSlice cuts an empty slice of capacity arenaEntries from the rest.
func cutSlice[T any](left *[]T) []T {
	if len(*left) < arenaEntries {
		*left = make([]T, arenaNodes)
	}
	places := (*left)[:0:arenaEntries]
	*left = (*left)[arenaEntries:]
	return places
}
