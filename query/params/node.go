package params

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// NodeKind is the kind of a Node.
type NodeKind uint8

const (
	Null   NodeKind = iota // a key without "="
	Text                   // a value; numbers and booleans are text until a plan gives them a type
	List                   // values in order
	Object                 // values by key
)

// String returns the kind in a client's words.
func (k NodeKind) String() string {
	return [...]string{"null", "text", "list", "object"}[k]
}

// Node is one parsed parameter, or a part of one: a tree of lists and objects with texts
// and nulls as leaves. The root of a query is an Object. Nodes are read-only after parsing
// and may be shared.
type Node struct {
	Kind     NodeKind
	grows    bool  // a bare value added to this node gets the next number as its key; see tree.addValue
	position int32 // in the List of this node, counting gaps; used while parsing

	Text  string   // of a Text
	Keys  []string // of an Object, in the order of the query, without duplicates
	Items []*Node  // of a List; of an Object, the values of Keys
}

// Get returns the value of an Object's key. It is nil for an absent key and for a node that
// is not an Object, or nil.
func (n *Node) Get(key string) *Node {
	if !n.IsObject() {
		return nil
	}
	for i, k := range n.Keys {
		if k == key {
			return n.Items[i]
		}
	}
	return nil
}

// With returns a copy of an Object with that value at a key; for a nil node, an Object with
// only that key.
func (n *Node) With(key string, value *Node) *Node {
	with := n.WithText(key, "")
	with.Items[0] = value
	return with
}

// WithText returns a copy of an Object with that text at a key; for a nil node, an Object
// with only that key.
func (n *Node) WithText(key, text string) *Node {
	with := &Node{Kind: Object, Keys: []string{key}, Items: []*Node{{Kind: Text, Text: text}}}
	if !n.IsObject() {
		return with
	}
	for i, item := range n.Items {
		switch {
		case i >= len(n.Keys):
			with.Items = append(with.Items, item)
		case n.Keys[i] != key:
			with.Keys, with.Items = append(with.Keys, n.Keys[i]), append(with.Items, item)
		}
	}
	return with
}

// Without returns a copy of an object without some of its members.
func (n *Node) Without(keys ...string) *Node {
	if n == nil {
		return nil
	}
	rest := &Node{Kind: n.Kind}
	for i, key := range n.Keys {
		if !slices.Contains(keys, key) {
			rest.Keys, rest.Items = append(rest.Keys, key), append(rest.Items, n.Items[i])
		}
	}
	return rest
}

// IsNull reports whether n is a key that was given without a value.
func (n *Node) IsNull() bool { return n != nil && n.Kind == Null }

// IsText reports whether n is a single value.
func (n *Node) IsText() bool { return n != nil && n.Kind == Text }

// IsList reports whether n is a list.
func (n *Node) IsList() bool { return n != nil && n.Kind == List }

// IsObject reports whether n has keys.
func (n *Node) IsObject() bool { return n != nil && n.Kind == Object }

// Encode returns the query string of an object: "sort=name&filters[name][$eq]=x", with its
// keys and values escaped.
func (n *Node) Encode() string {
	var parts []string
	var add func(key string, n *Node)
	add = func(key string, n *Node) {
		switch n.Kind {
		case Null:
			parts = append(parts, key)
		case Text:
			parts = append(parts, key+"="+url.QueryEscape(n.Text))
		case List:
			for i, item := range n.Items {
				add(fmt.Sprintf("%s[%d]", key, i), item)
			}
		case Object:
			for i, name := range n.Keys {
				add(key+"["+url.QueryEscape(name)+"]", n.Items[i])
			}
		}
	}
	for i, name := range n.Keys {
		add(url.QueryEscape(name), n.Items[i])
	}
	return strings.Join(parts, "&")
}
