package content

import (
	"slices"

	"quire/store"
)

// Rich text in blocks is a list of nodes. A block holds inline nodes, texts and
// links, except for lists, which hold list items and further lists:
//
//	[{"type": "paragraph", "children": [{"type": "text", "text": "Hi", "bold": true}]},
//	 {"type": "list", "format": "ordered", "children": [{"type": "list-item", "children": […]}]}]
//
// Members that a node may have besides these are kept as they are.

// node is what one type of node looks like.
type node struct {
	title    string // as messages name it
	children string // "", inlineNodes, textNodes or listNodes: what it holds
	check    func(c *blockCheck, fields nodeFields, at path)
}

const (
	inlineNodes = "Text or Link"
	textNodes   = "Text"
	listNodes   = "ListItem or List"
)

// The nodes that may stand in each place, by their "type".
var (
	blockNodes = map[string]node{
		"paragraph": {"Paragraph", inlineNodes, nil},
		"heading":   {"Heading", inlineNodes, (*blockCheck).heading},
		"quote":     {"Quote", inlineNodes, nil},
		"code":      {"Code", inlineNodes, (*blockCheck).code},
		"list":      {"List", listNodes, (*blockCheck).list},
		"image":     {"Image", textNodes, (*blockCheck).image},
	}
	childNodes = map[string]map[string]node{
		inlineNodes: {"text": {"Text", "", (*blockCheck).text}, "link": {"Link", textNodes, (*blockCheck).link}},
		textNodes:   {"text": {"Text", "", (*blockCheck).text}},
		listNodes:   {"list-item": {"List item", inlineNodes, nil}, "list": {"List", listNodes, (*blockCheck).list}},
	}
	textMarks = []string{"bold", "italic", "underline", "strikethrough", "code"}
)

// decodeBlocks checks the nodes one by one and keeps the JSON as it is. The
// reference stores null for what is no list; here it is refused.
func decodeBlocks(raw rawValue, at path, found *issues) store.Value {
	c := blockCheck{found: found}
	before := len(*found)
	if shapeOf(raw) != jsonList {
		wrongShape("array", raw, at, found)
	} else if hasNull(raw) {
		found.add(at, nil, "%s must not contain the null character", at)
	} else {
		for i, each := range elements(raw) {
			c.node(blockNodes, "Block node is of invalid type", each, at.item(i))
		}
	}
	if len(*found) > before {
		return store.Value{}
	}
	return store.Value{Kind: store.JSON, Text: compact(raw)}
}

// blockCheck walks the nodes of one value.
type blockCheck struct{ found *issues }

// nodeFields are the members of one node.
type nodeFields []member

func (f nodeFields) get(key string) (rawValue, bool) {
	i := slices.IndexFunc(f, func(m member) bool { return m.key == key })
	if i < 0 {
		return nil, false
	}
	return f[i].value, true
}

func (f nodeFields) text(key string) (string, bool) {
	raw, ok := f.get(key)
	if !ok || shapeOf(raw) != jsonString {
		return "", false
	}
	return text(raw), true
}

func (c *blockCheck) node(allowed map[string]node, unknown string, raw rawValue, at path) {
	var fields nodeFields
	if shapeOf(raw) == jsonObject {
		fields = members(raw)
	}
	kind, _ := fields.text("type")
	n, ok := allowed[kind]
	if !ok {
		c.found.add(at, raw, "%s", unknown)
		return
	}
	if n.check != nil {
		n.check(c, fields, at)
	}
	if n.children != "" {
		c.children(n, fields, at.attribute("children"))
	}
}

func (c *blockCheck) children(n node, fields nodeFields, at path) {
	raw, ok := fields.get("children")
	if !ok || isNull(raw) {
		c.found.add(at, nil, "%s is a required field", at)
		return
	}
	if shapeOf(raw) != jsonList {
		wrongShape("array", raw, at, c.found)
		return
	}
	items := elements(raw)
	if len(items) == 0 {
		c.found.add(at, raw, "%s node children must have at least one %s node", n.title, n.children)
	}
	for i, each := range items {
		c.node(childNodes[n.children], n.title+" node children must be "+n.children+" nodes", each, at.item(i))
	}
}

// optional checks a member that may be missing.
func (c *blockCheck) optional(fields nodeFields, key string, want shape, name string, at path) {
	if raw, ok := fields.get(key); ok && !isNull(raw) && shapeOf(raw) != want {
		wrongShape(name, raw, at.attribute(key), c.found)
	}
}

// required checks a member that must be a string.
func (c *blockCheck) required(fields nodeFields, key string, at path) {
	here := at.attribute(key)
	if raw, ok := fields.get(key); !ok || isNull(raw) {
		c.found.add(here, nil, "%s is a required field", here)
	} else if shapeOf(raw) != jsonString {
		wrongShape("string", raw, here, c.found)
	}
}

func (c *blockCheck) heading(fields nodeFields, at path) {
	level := at.attribute("level")
	raw, _ := fields.get("level")
	if len(raw) != 1 || raw[0] < '1' || raw[0] > '6' {
		c.found.add(level, raw, "%s must be one of the following values: 1, 2, 3, 4, 5, 6", level)
	}
}

func (c *blockCheck) code(fields nodeFields, at path) {
	c.optional(fields, "language", jsonString, "string", at)
}

func (c *blockCheck) list(fields nodeFields, at path) {
	if format, _ := fields.text("format"); format != "ordered" && format != "unordered" {
		raw, _ := fields.get("format")
		here := at.attribute("format")
		c.found.add(here, raw, "%s must be one of the following values: ordered, unordered", here)
	}
}

func (c *blockCheck) image(fields nodeFields, at path) {
	here := at.attribute("image")
	raw, ok := fields.get("image")
	if !ok || shapeOf(raw) != jsonObject {
		c.found.add(here, raw, "%s must be an object with the url of the image", here)
		return
	}
	c.required(members(raw), "url", here)
}

func (c *blockCheck) text(fields nodeFields, at path) {
	c.required(fields, "text", at)
	for _, mark := range textMarks {
		c.optional(fields, mark, jsonBool, "boolean", at)
	}
}

func (c *blockCheck) link(fields nodeFields, at path) {
	c.required(fields, "url", at)
}
