package query

// NodeKind says what a Node is.
type NodeKind uint8

const (
	Null   NodeKind = iota // a key without "="
	Text                   // a value; numbers and booleans are text until a plan gives them a type
	List                   // values in order
	Object                 // values by key
)

// String names the kind as a client would.
func (k NodeKind) String() string {
	return [...]string{"null", "text", "list", "object"}[k]
}

// Node is one parsed parameter, or a part of one: a tree of lists and objects
// with texts and nulls for leaves. The root of a query is an Object. Nodes are
// read-only once parsed and may be shared.
type Node struct {
	Kind  NodeKind
	grows bool  // a bare value added to this node gets the next number for a key; see tree.addLeaf
	place int32 // position in the List that holds this node, holes counted; used while parsing

	Text  string   // of a Text
	Keys  []string // of an Object, in the order of the query; no key twice
	Items []*Node  // of a List; of an Object, the values beside Keys
}

// Get returns the value of an Object's key. It is nil for an absent key and for
// a node, nil included, that is no Object.
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

// IsNull reports whether n is a key that was given without a value.
func (n *Node) IsNull() bool { return n != nil && n.Kind == Null }

// IsText reports whether n is a single value.
func (n *Node) IsText() bool { return n != nil && n.Kind == Text }

// IsList reports whether n is a list.
func (n *Node) IsList() bool { return n != nil && n.Kind == List }

// IsObject reports whether n has keys.
func (n *Node) IsObject() bool { return n != nil && n.Kind == Object }
