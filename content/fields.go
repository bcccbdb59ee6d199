package content

import (
	"slices"

	"quire/store"
)

// Fields of entries and records are shared between versions, snapshots and the
// feed, so they are never changed in place.

// isEmpty reports whether nothing is stored for the value: lists without
// members count as null, and read as empty lists.
func isEmpty(v store.Value) bool {
	switch v.Kind {
	case store.Null:
		return true
	case store.Records:
		return len(v.Records) == 0
	case store.Edges:
		return len(v.Edges) == 0
	}
	return false
}

// set gives name the value in fields that nobody else has.
func set(own []store.Field, name string, v store.Value) []store.Field {
	i := slices.IndexFunc(own, func(f store.Field) bool { return f.Name == name })
	switch {
	case i >= 0 && isEmpty(v):
		return slices.Delete(own, i, i+1)
	case i >= 0:
		own[i].Value = v
	case !isEmpty(v):
		own = append(own, store.Field{Name: name, Value: v})
	}
	return own
}

// with returns a copy of fields in which name has the value.
func with(fields []store.Field, name string, v store.Value) []store.Field {
	return set(slices.Clone(fields), name, v)
}

// valueOf returns the value of that name, null when there is none.
func valueOf(fields []store.Field, name string) store.Value {
	for i := range fields {
		if fields[i].Name == name {
			return fields[i].Value
		}
	}
	return store.Value{}
}

func sameFields(a, b []store.Field) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameValue(a[i].Value, valueOf(b, a[i].Name)) {
			return false
		}
	}
	return true
}

func sameValue(a, b store.Value) bool {
	if a.Kind != b.Kind {
		return isEmpty(a) && isEmpty(b)
	}
	return a.Num == b.Num && a.Real == b.Real && a.Text == b.Text &&
		slices.Equal(a.Edges, b.Edges) && slices.EqualFunc(a.Records, b.Records, sameRecord)
}

func sameRecord(a, b store.Record) bool {
	return a.ID == b.ID && a.Component == b.Component && sameFields(a.Fields, b.Fields)
}
