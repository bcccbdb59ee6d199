package body

import (
	"encoding/json"
	"strconv"

	"quire/schema"
	"quire/store"
)

// Visible reports whether an attribute belongs to an entry or component with these values:
// whether its condition in the schema holds. The rules for a hidden value do not apply.
func Visible(a *schema.Attribute, fields store.Fields) bool {
	if a.Visible == nil {
		return true
	}
	return a.Visible.Holds(func(name string) any {
		if of := a.Owner.Attribute(name); of != nil {
			return plainValue(of, fields.Value(name))
		}
		return nil
	})
}

// plainValue returns a stored value as conditions see it: what a read of the entry shows,
// without what is behind links.
func plainValue(a *schema.Attribute, v store.Value) any {
	switch v.Kind {
	case store.Bool:
		return v.Num != 0
	case store.Int:
		if a.Kind == schema.BigInteger {
			return strconv.FormatInt(v.Num, 10)
		}
		return float64(v.Num)
	case store.Float:
		return v.Real
	case store.Text:
		return v.Text
	case store.JSON:
		var parsed any
		if json.Unmarshal([]byte(v.Text), &parsed) != nil {
			return nil
		}
		return parsed
	case store.Instances:
		return plainList(a, len(v.Instances), func(i int) any { return plainInstance(a, v.Instances[i]) })
	case store.Edges:
		return plainList(a, len(v.Edges), func(i int) any { return map[string]any{"documentId": v.Edges[i].Target} })
	}
	return nil
}

// plainList is a list or, of an attribute that holds one value, that value.
func plainList(a *schema.Attribute, n int, item func(int) any) any {
	if !a.IsList() && (a.Relation == nil || !a.Relation.Many()) {
		if n == 0 {
			return nil
		}
		return item(0)
	}
	list := make([]any, n)
	for i := range list {
		list[i] = item(i)
	}
	return list
}

// plainInstance is a component with its values.
func plainInstance(a *schema.Attribute, r store.Instance) any {
	out := map[string]any{"__component": r.Component}
	if a.ComponentType == nil {
		return out // of a dynamic zone
	}
	for _, inner := range a.ComponentType.Attributes {
		out[inner.Name] = plainValue(inner, r.Fields.Value(inner.Name))
	}
	return out
}
