package compare

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"quire/schema"
	"quire/store"
)

// errStopped ends a scan whose reader has gone.
var errStopped = errors.New("stopped")

// Attribute is an attribute that differs. The values are set if they were requested and
// nothing hides them; null is a value that is not set.
type Attribute struct {
	Name string          `json:"name"`
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// attributes returns those that differ, by name.
func (w *typeWalk) attributes(a, b *store.Entry) (list []Attribute) {
	for _, at := range []struct {
		name     string
		from, to int64
	}{{"createdAt", a.CreatedAt, b.CreatedAt}, {"publishedAt", a.PublishedAt, b.PublishedAt}, {"updatedAt", a.UpdatedAt, b.UpdatedAt}} {
		if at.from != at.to {
			list = append(list, w.moment(at.name, at.from, at.to))
		}
	}
	for _, f := range a.Fields {
		if v := b.Value(f.Name); !alike(f.Value, v) {
			list = append(list, w.attribute(f.Name, f.Value, v))
		}
	}
	for _, f := range b.Fields {
		if v := a.Value(f.Name); v.IsEmpty() && !alike(v, f.Value) {
			list = append(list, w.attribute(f.Name, v, f.Value))
		}
	}
	slices.SortFunc(list, func(x, y Attribute) int { return strings.Compare(x.Name, y.Name) })
	return slices.CompactFunc(list, func(x, y Attribute) bool { return x.Name == y.Name })
}

// Names returns the names of the attributes of a type in which two entries differ, in the order of
// the schema: except passwords, which nobody can compare, and links that the other side stores.
func Names(t *schema.Type, a, b *store.Entry) (names []string) {
	for _, at := range t.Attributes {
		if at.Kind != schema.Password && !at.IsInverse() && !alike(a.Value(at.Name), b.Value(at.Name)) {
			names = append(names, at.Name)
		}
	}
	return names
}

// alike reports whether two values are equal, except for the ids of component instances and
// the places of links: each data file numbers them for itself.
func alike(a, b store.Value) bool {
	switch {
	case a.Kind == store.Edges && b.Kind == store.Edges:
		return slices.EqualFunc(a.Edges, b.Edges, func(x, y store.Edge) bool { return x.End() == y.End() })
	case a.Kind == store.Instances && b.Kind == store.Instances:
		return slices.EqualFunc(a.Instances, b.Instances, func(x, y store.Instance) bool {
			return x.Component == y.Component && fieldsAlike(x.Fields, y.Fields)
		})
	}
	return a.Equal(b)
}

func fieldsAlike(a, b store.Fields) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(f store.Field) bool { return !alike(f.Value, b.Value(f.Name)) })
}

func (w *typeWalk) moment(name string, from, to int64) Attribute {
	a := Attribute{Name: name}
	if w.Values {
		a.From, a.To = momentJSON(from), momentJSON(to)
	}
	return a
}

func momentJSON(ms int64) json.RawMessage {
	if ms == 0 {
		return json.RawMessage("null")
	}
	return text(time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z"))
}

func (w *typeWalk) attribute(name string, from, to store.Value) Attribute {
	a := Attribute{Name: name}
	if types := w.typesOf(w.uid); w.Values && shown(types, name) {
		a.From, a.To = w.encode(types, name, from), w.encode(types, name, to)
	}
	return a
}

// typesOf returns the content type or component with that uid in each known schema.
func (w *typeWalk) typesOf(uid string) (types []*schema.Type) {
	for _, site := range w.sights {
		if site != nil && site.Type(uid) != nil {
			types = append(types, site.Type(uid))
		}
	}
	return types
}

// shown reports whether the values of an attribute may be shown: some schema has it, and
// none hides it.
func shown(types []*schema.Type, name string) bool {
	known := false
	for _, t := range types {
		a := t.Attribute(name)
		if a == nil {
			continue
		}
		if a.Hidden() {
			return false
		}
		known = true
	}
	return known
}

// encode returns a value as JSON: links are the documentIds of their targets, and
// components have the attributes that may be shown.
func (w *typeWalk) encode(types []*schema.Type, name string, v store.Value) json.RawMessage {
	switch v.Kind {
	case store.Bool:
		return marshal(v.Num != 0)
	case store.Int:
		return marshal(v.Num)
	case store.Float:
		return marshal(v.Real)
	case store.Text:
		return text(v.Text)
	case store.JSON:
		return json.RawMessage(v.Text)
	case store.Edges:
		ids := []string{}
		for _, e := range v.Edges {
			ids = append(ids, e.Target)
		}
		return marshal(ids)
	case store.Instances:
		list := []json.RawMessage{}
		for i := range v.Instances {
			list = append(list, w.instance(&v.Instances[i]))
		}
		return marshal(list)
	}
	return json.RawMessage("null")
}

// instance returns one instance of a component as JSON.
func (w *typeWalk) instance(one *store.Instance) json.RawMessage {
	types := w.typesOf(one.Component)
	fields := map[string]json.RawMessage{"__component": text(one.Component)}
	for _, f := range one.Fields {
		if shown(types, f.Name) {
			fields[f.Name] = w.encode(types, f.Name, f.Value)
		}
	}
	return marshal(fields)
}

func text(s string) json.RawMessage { return marshal(s) }

// marshal returns the JSON of a value that always has one.
func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null") // a float that JSON cannot represent
	}
	return raw
}
