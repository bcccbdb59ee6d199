package query

import (
	"encoding/json"
	"slices"
	"strconv"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// Viewer shows stored entries that no snapshot has, for example former versions, with the
// current schema: what its caller may see of them, and nothing else. Of relations it shows
// the targets that still exist and that the caller may read.
type Viewer struct {
	c        *Compiler
	s        *index.Snapshot
	access   schema.Access
	versions versions
	locale   string // of the entry
	gone     []string
}

// Viewer returns a Viewer for a caller. Links lead to the entries of s.
func (c *Compiler) Viewer(access schema.Access, s *index.Snapshot) *Viewer {
	v := &Viewer{c: c, s: s, access: access}
	v.versions.limit(c.site, access)
	return v
}

// View is what a caller sees of an entry.
type View struct {
	node
	// Gone names stored attributes that the schema no longer has, or has in another form,
	// except those that are private now.
	Gone []string
}

// node is a value in a response: a plain one in JSON, an object or a list.
type node struct {
	plain   []byte
	members []member
	items   []node
	list    bool
	mark    string // identifies an instance of a component; empty for other values
}

type member struct {
	name string
	node
}

// Shows reports whether an entry exists for the caller, by its values.
func (v *Viewer) Shows(t *schema.Type, e *store.Entry) bool {
	return index.Meets(v.versions.filter(v.c.site, t), t, e.Fields)
}

// View shows an entry of type t; nothing of one that does not exist for the caller.
func (v *Viewer) View(t *schema.Type, e *store.Entry) *View {
	if !v.Shows(t, e) {
		return &View{}
	}
	v.gone, v.locale = nil, e.Locale
	v.versions = versions{status: e.Status, filters: v.versions.filters}
	v.versions.hideDrafts(v.c.site, v.access)
	entry := node{members: []member{
		{"id", node{plain: strconv.AppendUint(nil, e.ID, 10)}},
		{"documentId", node{plain: index.AppendString(nil, e.DocumentID)}},
	}}
	sight := v.access.Sight(t)
	entry.members = v.fields(entry.members, scope{t, sight}, e.Fields, "")
	if t.UID == schema.FileUID {
		v.signFile(entry.members, e)
	}
	for _, a := range systemSeen(t, sight) {
		entry.members = append(entry.members, member{a.Name, node{plain: systemOf(a, e)}})
	}
	return &View{entry, v.gone}
}

func systemOf(a *schema.Attribute, e *store.Entry) []byte {
	switch a.System {
	case schema.SystemCreatedAt:
		return index.AppendTime(nil, e.CreatedAt)
	case schema.SystemUpdatedAt:
		return index.AppendTime(nil, e.UpdatedAt)
	case schema.SystemPublishedAt:
		return index.AppendTime(nil, e.PublishedAt)
	}
	return index.AppendString(nil, e.Locale)
}

// fields adds what is shown of the fields of an entry or a component. at is the path of the
// component, empty for the entry.
func (v *Viewer) fields(members []member, in scope, fields store.Fields, at string) []member {
	for _, a := range in.t.Attributes {
		if !in.sight.Sees(a) || !mayReadTarget(v.access, a) || a.Relation != nil && !a.Relation.Owns {
			continue
		}
		value := fields.Value(a.Name)
		if !value.IsEmpty() && !index.Suits(a, &value) {
			v.lose(joinPath(at, a.Name))
			value = store.Value{}
		}
		members = append(members, member{a.Name, v.value(in, a, &value, joinPath(at, a.Name))})
	}
	for _, f := range fields {
		if in.t.Attribute(f.Name) == nil {
			v.lose(joinPath(at, f.Name))
		}
	}
	return members
}

// lose records a path that cannot be shown.
func (v *Viewer) lose(path string) {
	if !slices.Contains(v.gone, path) {
		v.gone = append(v.gone, path)
	}
}

var null = []byte("null")

func (v *Viewer) value(in scope, a *schema.Attribute, value *store.Value, at string) node {
	switch {
	case a.Relation != nil:
		return v.links(a, value.Edges)
	case a.Kind == schema.Component || a.Kind == schema.DynamicZone:
		return v.components(in, a, value.Instances, at)
	case value.IsEmpty():
		return node{plain: null}
	}
	return node{plain: index.AppendScalar(nil, a, value)}
}

// firstOf returns the first of the items, or null.
func firstOf(items []node) node {
	if len(items) == 0 {
		return node{plain: null}
	}
	return items[0]
}

func (v *Viewer) components(in scope, a *schema.Attribute, records []store.Instance, at string) node {
	list := node{list: true}
	for i := range records {
		r := &records[i]
		t := v.c.site.Type(r.Component)
		if t == nil || !t.IsComponent() || t != a.ComponentType && !slices.Contains(a.Zone, t) {
			v.lose(at + "(" + r.Component + ")")
			continue
		}
		one := node{mark: r.Component + " " + strconv.FormatUint(r.ID, 10)}
		if a.Kind == schema.DynamicZone {
			one.members = append(one.members, member{"__component", node{plain: index.AppendString(nil, r.Component)}})
		}
		one.members = append(one.members, member{"id", node{plain: strconv.AppendUint(nil, r.ID, 10)}})
		one.members = v.fields(one.members, scope{t, in.sight.Within(a)}, r.Fields, at)
		list.items = append(list.items, one)
	}
	if !a.IsList() {
		return firstOf(list.items)
	}
	return list
}

// links shows the targets of a relation by documentId.
func (v *Viewer) links(a *schema.Attribute, edges []store.Edge) node {
	list := node{list: true}
	for i := range edges {
		e := &edges[i]
		t := v.target(a, e)
		if t == nil || !v.exists(t, e) {
			continue
		}
		one := node{members: []member{{"documentId", node{plain: index.AppendString(nil, e.Target)}}}}
		if a.Relation.Morph() {
			one.members = append([]member{{"__type", node{plain: index.AppendString(nil, t.UID)}}}, one.members...)
		}
		list.items = append(list.items, one)
	}
	if !a.Relation.Many() {
		return firstOf(list.items)
	}
	return list
}

// target returns the type that an edge leads to; nil if there is none, or if the caller may
// not read it.
func (v *Viewer) target(a *schema.Attribute, e *store.Edge) *schema.Type {
	if !a.Relation.Morph() {
		return a.Relation.Target
	}
	t := v.c.site.Type(e.Type)
	if t == nil || t.IsComponent() || !v.access.Allows(t, schema.Find) {
		return nil
	}
	return t
}

// exists reports whether an edge leads to an entry that the caller may read.
func (v *Viewer) exists(t *schema.Type, e *store.Edge) bool {
	tb := v.versions.whole(v.s, t)
	d, known := v.s.Collection(t).Document(e.Target)
	l, valid := v.s.Locale(v.c.site.LinkedLocale(t, v.locale, e.Locale))
	if !known || !valid || e.Only != 0 && e.Only != tb.Status {
		return false
	}
	r, found := tb.Find(d, l)
	return found && v.s.Shows(v.versions.filter(v.c.site, t), tb, r)
}

// append appends the value in JSON.
func (n *node) append(dst []byte) []byte {
	switch {
	case n.plain != nil:
		return append(dst, n.plain...)
	case n.list:
		dst = append(dst, '[')
		for i := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = n.items[i].append(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range n.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(index.AppendString(dst, n.members[i].name), ':')
		dst = n.members[i].append(dst)
	}
	return append(dst, '}')
}

// IsEmpty reports whether it shows nothing.
func (v *View) IsEmpty() bool { return len(v.members) == 0 }

// Append appends the view of the entry, as a JSON object.
func (v *View) Append(dst []byte) []byte { return v.append(dst) }

// Text returns the value of a text attribute; empty for null, and for what the caller does
// not see.
func (v *View) Text(name string) (text string) {
	for i := range v.members {
		if m := &v.members[i]; m.name == name && m.plain != nil {
			_ = json.Unmarshal(m.plain, &text) // empty for what is not a text
		}
	}
	return text
}

// Size returns the approximate memory of the view in bytes.
func (v *View) Size() int { return v.size() }

// nodeBytes is the memory of a node without its content.
const nodeBytes = 128

func (n *node) size() int {
	size := nodeBytes + len(n.plain)
	for i := range n.items {
		size += n.items[i].size()
	}
	for i := range n.members {
		size += len(n.members[i].name) + n.members[i].size()
	}
	return size
}
