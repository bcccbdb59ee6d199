package content

import (
	"slices"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// NotUnique is the message of an issue about a value that another document has.
const NotUnique = "This attribute must be unique"

// unique reports the values of an entry that other documents have too, among the entries of
// its type, status and locale. In components, it compares the instances of all entries, and
// those of the entry itself with each other. It does not compare nulls.
func (op *operation) unique(t *schema.Type, e *store.Entry, attributes []*schema.Attribute) {
	taken := func(way []*schema.Attribute, v store.Value) bool { return op.taken(way, v, e) }
	u := uniqueness{site: op.site, taken: taken, own: map[ownValue]bool{}, found: op.found}
	u.fields(e.Fields, attributes, nil, body.Path{})
	op.found = u.found
}

type uniqueness struct {
	site  *schema.Site
	taken func(way []*schema.Attribute, v store.Value) bool // by another document
	own   map[ownValue]bool
	found body.Issues
}

// ownValue is a value of the entry itself, at one attribute below one of its own.
type ownValue struct {
	top, last *schema.Attribute
	kind      store.ValueKind
	num       int64
	real      float64
	text      string
}

func (u *uniqueness) fields(fields store.Fields, attributes, way []*schema.Attribute, at body.Path) {
	for _, a := range attributes {
		v := fields.Value(a.Name)
		here := at.Attribute(a.Name)
		switch {
		case v.IsEmpty():
		case v.Kind == store.Instances:
			for i, r := range v.Instances {
				component := u.site.Type(r.Component)
				if component == nil {
					continue
				}
				inside := here
				if a.IsList() {
					inside = here.Item(i)
				}
				u.fields(r.Fields, component.Attributes, append(slices.Clip(way), a), inside)
			}
		case a.Unique && a.IsScalar():
			u.value(v, append(slices.Clip(way), a), here)
		}
	}
}

func (u *uniqueness) value(v store.Value, way []*schema.Attribute, at body.Path) {
	last := way[len(way)-1]
	own := ownValue{way[0], last, v.Kind, v.Num, v.Real, v.Text}
	if u.own[own] || u.taken(way, v) {
		u.found.Add(at, body.AsJSON(last, v), NotUnique)
	}
	u.own[own] = true
}
