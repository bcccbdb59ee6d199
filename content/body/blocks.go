package body

import (
	"slices"

	"quire/store"
)

// Rich text in blocks is a list of nodes. A block has inline nodes, texts and links, except
// for lists, which have list items and further lists:
//
//	[{"type": "paragraph", "children": [{"type": "text", "text": "Hi", "bold": true}]},
//	 {"type": "list", "format": "ordered", "children": [{"type": "list-item", "children": […]}]}]
//
// Other members of a node are kept unchanged.

// node describes one type of node.
type node struct {
	title    string // name in messages
	children string // "", inlineNodes, textNodes or listNodes: its content
	check    func(c *blockCheck, fields nodeFields, at Path)
}

const (
	inlineNodes = "Text or Link"
	textNodes   = "Text"
	listNodes   = "ListItem or List"
)

// The nodes that are allowed in each place, by their "type".
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

// decodeBlocks checks the nodes one by one and keeps the JSON unchanged. It refuses
// anything but a list; Strapi stores null.
func decodeBlocks(v Value, at Path, found *Issues) store.Value {
	raw := v.JSON()
	c := blockCheck{found: found}
	before := len(*found)
	if raw.shape() != jsonList {
		found.WrongShape("array", raw, at)
	} else if raw.hasNull() {
		found.Add(at, nil, "%s must not contain the null character", at)
	} else {
		for i, each := range raw.Elements() {
			c.node(blockNodes, "Block node is of invalid type", each, at.Item(i))
		}
	}
	if len(*found) > before {
		return store.Value{}
	}
	return store.Value{Kind: store.JSON, Text: raw.compact()}
}

// blockCheck walks the nodes of one value.
type blockCheck struct{ found *Issues }

// nodeFields are the members of one node.
type nodeFields []Member

func (f nodeFields) get(key string) (JSON, bool) {
	i := slices.IndexFunc(f, func(m Member) bool { return m.Key == key })
	if i < 0 {
		return nil, false
	}
	return f[i].Value, true
}

func (f nodeFields) text(key string) (string, bool) {
	raw, ok := f.get(key)
	if !ok || raw.shape() != jsonString {
		return "", false
	}
	return raw.text(), true
}

func (c *blockCheck) node(allowed map[string]node, unknown string, raw JSON, at Path) {
	var fields nodeFields
	if raw.shape() == jsonObject {
		fields = raw.Members()
	}
	kind, _ := fields.text("type")
	n, ok := allowed[kind]
	if !ok {
		c.found.Add(at, raw, "%s", unknown)
		return
	}
	if n.check != nil {
		n.check(c, fields, at)
	}
	if n.children != "" {
		c.children(n, fields, at.Attribute("children"))
	}
}

func (c *blockCheck) children(n node, fields nodeFields, at Path) {
	raw, ok := fields.get("children")
	if !ok || raw.IsNull() {
		c.found.Add(at, nil, "%s is a required field", at)
		return
	}
	if raw.shape() != jsonList {
		c.found.WrongShape("array", raw, at)
		return
	}
	if raw.emptyList() {
		c.found.Add(at, raw, "%s node children must have at least one %s node", n.title, n.children)
	}
	for i, each := range raw.Elements() {
		c.node(childNodes[n.children], n.title+" node children must be "+n.children+" nodes", each, at.Item(i))
	}
}

// optional checks a member that may be missing.
func (c *blockCheck) optional(fields nodeFields, key string, want shape, name string, at Path) {
	if raw, ok := fields.get(key); ok && !raw.IsNull() && raw.shape() != want {
		c.found.WrongShape(name, raw, at.Attribute(key))
	}
}

// required checks a member that must be a string.
func (c *blockCheck) required(fields nodeFields, key string, at Path) {
	here := at.Attribute(key)
	if raw, ok := fields.get(key); !ok || raw.IsNull() {
		c.found.Add(here, nil, "%s is a required field", here)
	} else if raw.shape() != jsonString {
		c.found.WrongShape("string", raw, here)
	}
}

func (c *blockCheck) heading(fields nodeFields, at Path) {
	level := at.Attribute("level")
	raw, _ := fields.get("level")
	if len(raw) != 1 || raw[0] < '1' || raw[0] > '6' {
		c.found.Add(level, raw, "%s must be one of the following values: 1, 2, 3, 4, 5, 6", level)
	}
}

func (c *blockCheck) code(fields nodeFields, at Path) {
	c.optional(fields, "language", jsonString, "string", at)
}

func (c *blockCheck) list(fields nodeFields, at Path) {
	if format, _ := fields.text("format"); format != "ordered" && format != "unordered" {
		raw, _ := fields.get("format")
		here := at.Attribute("format")
		c.found.Add(here, raw, "%s must be one of the following values: ordered, unordered", here)
	}
}

func (c *blockCheck) image(fields nodeFields, at Path) {
	here := at.Attribute("image")
	raw, ok := fields.get("image")
	if !ok || raw.shape() != jsonObject {
		c.found.Add(here, raw, "%s must be an object with the url of the image", here)
		return
	}
	c.required(raw.Members(), "url", here)
}

func (c *blockCheck) text(fields nodeFields, at Path) {
	c.required(fields, "text", at)
	for _, mark := range textMarks {
		c.optional(fields, mark, jsonBool, "boolean", at)
	}
}

func (c *blockCheck) link(fields nodeFields, at Path) {
	c.required(fields, "url", at)
}
