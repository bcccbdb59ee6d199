package content

import (
	"slices"

	"quire/schema"
	"quire/store"
)

// NotUnique is the message of an issue about a value that another document has.
const NotUnique = "This attribute must be unique"

// unique reports the values of an entry that other documents have too, among
// the entries of its type, status and locale. In components, instances of all
// entries are compared, and those of the entry itself with each other. Nulls
// are not compared.
func (op *operation) unique(t *schema.Type, e *store.Entry, attributes []*schema.Attribute) {
	u := uniqueness{op: op, entry: e, own: map[ownValue]bool{}}
	u.fields(e.Fields, attributes, nil, path{})
}

type uniqueness struct {
	op    *operation
	entry *store.Entry
	own   map[ownValue]bool
}

// ownValue is a value of the entry itself, at one attribute below one of its own.
type ownValue struct {
	top, last *schema.Attribute
	kind      store.ValueKind
	num       int64
	real      float64
	text      string
}

func (u *uniqueness) fields(fields []store.Field, attributes, way []*schema.Attribute, at path) {
	for _, a := range attributes {
		v := valueOf(fields, a.Name)
		here := at.attribute(a.Name)
		switch {
		case isEmpty(v):
		case v.Kind == store.Records:
			u.records(a, v.Records, way, here)
		case a.Unique && a.IsScalar():
			u.value(v, append(slices.Clip(way), a), here)
		}
	}
}

func (u *uniqueness) records(a *schema.Attribute, records []store.Record, way []*schema.Attribute, at path) {
	for i, r := range records {
		component := u.op.site.Type(r.Component)
		if component == nil {
			continue
		}
		inside := at
		if isList(a) {
			inside = at.item(i)
		}
		u.fields(r.Fields, component.Attributes, append(slices.Clip(way), a), inside)
	}
}

func (u *uniqueness) value(v store.Value, way []*schema.Attribute, at path) {
	last := way[len(way)-1]
	own := ownValue{way[0], last, v.Kind, v.Num, v.Real, v.Text}
	if u.own[own] || u.op.content.Taken(way, v, u.entry.Status, u.entry.Locale, u.entry.DocumentID) {
		u.op.found.add(at, asJSON(last, v), NotUnique)
	}
	u.own[own] = true
}
