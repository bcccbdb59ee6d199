package params

import "strconv"

// tree is the Object of parameters while it grows. Each key is a path into it. If a path
// leads to a node that exists, the result is that of qs:
//
//	list, number     the entry at that position; at the end where it has a value
//	list, name       the list becomes an object of its numbers
//	list, value      at the end
//	object, value    a list of both; where the object was a list that could not
//	                 stay one, the next number
//	value, anything  a list of both
//	anything, empty  no change: an empty value or none replaces nothing
type tree struct {
	arena  *arena
	limits Limits
	root   *Node
	full   bool // a list was given more entries than it may have
}

// put adds the value of a key, a List if the key occurred more than once.
func (t *tree) put(key string, path []step, value *Node) error {
	if last := len(path) - 1; path[last].opensList() {
		path = path[:last]
		if value.Kind != List {
			value = t.arena.list(value)
		}
	}
	if value.Kind == List && len(value.Items) > t.limits.ArrayLimit {
		t.full = true
	}
	t.root = t.add(t.root, path, value)
	if t.full {
		return tooLongList(key, t.limits)
	}
	return nil
}

// add puts the value at the end of the path from node, which may be nil, and returns
// the node that replaces it.
func (t *tree) add(node *Node, path []step, value *Node) *Node {
	if len(path) == 0 {
		return t.addValue(node, value)
	}
	s := path[0]
	if node.isValue() {
		if !s.entersList(t.limits) && !s.overflows(t.limits) {
			return t.arena.list(node, t.add(nil, path, value))
		}
		node, s.index = t.arena.list(node), s.index+1
		s.name = strconv.Itoa(s.index)
	}
	node = t.container(node, s)
	if node.Kind == List {
		t.addItem(node, int32(s.index), path[1:], value)
		return node
	}
	if s.opensList() {
		s.name = "0"
	}
	t.addEntry(node, s.name, path[1:], value)
	return node
}

// container returns node as a List or Object that the step can lead into, changed or new if
// necessary.
func (t *tree) container(node *Node, s step) *Node {
	toList := s.entersList(t.limits)
	switch {
	case node == nil && toList:
		return t.arena.node(List)
	case node == nil:
		node = t.arena.node(Object)
	case node.Kind == List && !toList:
		t.numberItems(node)
	}
	if s.overflows(t.limits) {
		node.grows = true
	}
	return node
}

// numberItems turns a list into an object whose keys are its positions.
func (t *tree) numberItems(list *Node) {
	list.Kind = Object
	for _, item := range list.Items {
		t.arena.key(list, strconv.Itoa(int(item.position)))
	}
}

// addItem adds the value at the end of a path through a position of a list.
func (t *tree) addItem(list *Node, place int32, path []step, value *Node) {
	at, taken := list.findPosition(place)
	if !taken {
		item := t.add(nil, path, value)
		item.position = place
		t.arena.item(list, nil)
		copy(list.Items[at+1:], list.Items[at:])
		list.Items[at] = item
	} else if there := list.Items[at]; !there.isValue() && (len(path) > 0 || value.Kind == List) {
		list.Items[at] = t.add(there, path, value)
		list.Items[at].position = place
	} else {
		t.arena.push(list, t.add(nil, path, value))
	}
	t.full = t.full || len(list.Items) > t.limits.ArrayLimit
}

// addEntry adds the value at the end of a path through a key of an object.
func (t *tree) addEntry(object *Node, key string, path []step, value *Node) {
	for i, k := range object.Keys {
		if k == key {
			object.Items[i] = t.add(object.Items[i], path, value)
			return
		}
	}
	t.arena.entry(object, key, t.add(nil, path, value))
	t.full = t.full || object.grows && len(object.Items) > t.limits.ArrayLimit
}

// addValue adds the value to the node at the end of its path.
func (t *tree) addValue(node, value *Node) *Node {
	switch {
	case node == nil:
		return value
	case value.Kind == List:
		return t.addValues(node, value.Items)
	case value.Text == "":
		return node
	case node.Kind == List:
		t.arena.push(node, value)
		t.full = t.full || len(node.Items) > t.limits.ArrayLimit
		return node
	case node.grows:
		t.addEntry(node, strconv.Itoa(node.nextNumber()), nil, value)
		return node
	}
	both := t.arena.list(node, value)
	both.grows = node.Kind == Object
	return both
}

// addValues is addValue for a key that occurred more than once or ends in "[]".
func (t *tree) addValues(node *Node, values []*Node) *Node {
	if node.isValue() {
		node = t.arena.list(node)
		for _, v := range values {
			t.arena.push(node, v)
		}
		t.full = t.full || len(node.Items) > t.limits.ArrayLimit
		return node
	}
	for i, v := range values {
		if node.Kind == List {
			t.addItem(node, int32(i), nil, v)
		} else {
			t.addEntry(node, strconv.Itoa(i), nil, v)
		}
	}
	return node
}

func (n *Node) isValue() bool { return n != nil && n.Kind <= Text }

// findPosition returns the index in Items of the list's entry at that position, or where to
// insert it.
func (n *Node) findPosition(place int32) (at int, taken bool) {
	at = len(n.Items)
	for at > 0 && n.Items[at-1].position > place {
		at--
	}
	if at > 0 && n.Items[at-1].position == place {
		return at - 1, true
	}
	return at, false
}

// nextNumber returns one more than the highest number among an object's keys.
func (n *Node) nextNumber() int {
	highest := -1
	for _, key := range n.Keys {
		if i := bracketIndex(key); key != "" {
			highest = max(highest, i)
		}
	}
	return highest + 1
}
