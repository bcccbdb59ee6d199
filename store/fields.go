package store

import "slices"

// Fields are the named values of an entry or of an instance of a component. Versions,
// snapshots and the feed share them, so they must never be changed in place, except by
// [Fields.Set] for fields that nobody else has yet.
type Fields []Field

// Value returns the value with that name, null if there is none.
func (f Fields) Value(name string) Value {
	for i := range f {
		if f[i].Name == name {
			return f[i].Value
		}
	}
	return Value{}
}

// With returns a copy of the fields in which name has the value.
func (f Fields) With(name string, v Value) Fields { return slices.Clone(f).Set(name, v) }

// Set sets the value of name and returns the resulting fields. It changes them in place, so
// nobody else may have them.
func (f Fields) Set(name string, v Value) Fields {
	i := slices.IndexFunc(f, func(one Field) bool { return one.Name == name })
	switch {
	case i >= 0 && v.IsEmpty():
		return slices.Delete(f, i, i+1)
	case i >= 0:
		f[i].Value = v
	case !v.IsEmpty():
		f = append(f, Field{Name: name, Value: v})
	}
	return f
}

// Equal reports whether both have the same values, in any order.
func (f Fields) Equal(other Fields) bool {
	return len(f) == len(other) && !slices.ContainsFunc(f, func(one Field) bool {
		return !one.Value.Equal(other.Value(one.Name))
	})
}

// EqualButIDs reports whether both have the same values, except for the ids of component
// instances.
func (f Fields) EqualButIDs(other Fields) bool {
	return len(f) == len(other) && !slices.ContainsFunc(f, func(one Field) bool {
		return !one.Value.EqualButIDs(other.Value(one.Name))
	})
}

// EqualButDrafts reports whether both have the same values, except for links that lead only
// to the draft of a document.
func (f Fields) EqualButDrafts(other Fields) bool {
	return f.withoutDrafts().Equal(other.withoutDrafts())
}

func (f Fields) withoutDrafts() (list Fields) {
	for _, one := range f {
		one.Value.Edges = slices.DeleteFunc(slices.Clone(one.Value.Edges), func(e Edge) bool { return e.Only == Draft })
		for i := range one.Value.Edges {
			one.Value.Edges[i].Only = 0 // a link to both looks like one to the published version
		}
		if !one.Value.IsEmpty() {
			list = append(list, one)
		}
	}
	return list
}

// IsEmpty reports whether nothing is stored for the value: empty lists count as null, and
// are read as empty lists.
func (v Value) IsEmpty() bool {
	switch v.Kind {
	case Null:
		return true
	case Instances:
		return len(v.Instances) == 0
	case Edges:
		return len(v.Edges) == 0
	}
	return false
}

// Equal reports whether two values are the same. All empty ones are.
func (v Value) Equal(other Value) bool {
	if v.Kind != other.Kind {
		return v.IsEmpty() && other.IsEmpty()
	}
	return v.Num == other.Num && v.Real == other.Real && v.Text == other.Text &&
		slices.Equal(v.Edges, other.Edges) && slices.EqualFunc(v.Instances, other.Instances, Instance.equal)
}

// EqualButIDs is Equal except for the ids of component instances.
func (v Value) EqualButIDs(other Value) bool {
	if v.Kind != Instances || other.Kind != Instances {
		return v.Equal(other)
	}
	return slices.EqualFunc(v.Instances, other.Instances, func(a, b Instance) bool {
		return a.Component == b.Component && a.Fields.EqualButIDs(b.Fields)
	})
}

// EqualButNumbers reports whether both have the same values, except for the ids of component
// instances and the places of edges.
func (f Fields) EqualButNumbers(other Fields) bool {
	return len(f) == len(other) && !slices.ContainsFunc(f, func(one Field) bool {
		return !one.Value.equalButNumbers(other.Value(one.Name))
	})
}

func (v Value) equalButNumbers(other Value) bool {
	switch {
	case v.Kind == Edges && other.Kind == Edges:
		return slices.EqualFunc(v.Edges, other.Edges, func(a, b Edge) bool { return a.End() == b.End() })
	case v.Kind == Instances && other.Kind == Instances:
		return slices.EqualFunc(v.Instances, other.Instances, func(a, b Instance) bool {
			return a.Component == b.Component && a.Fields.EqualButNumbers(b.Fields)
		})
	}
	return v.Equal(other)
}

func (r Instance) equal(other Instance) bool {
	return r.ID == other.ID && r.Component == other.Component && r.Fields.Equal(other.Fields)
}

// End is the target of an edge. An attribute never has two edges to the same end.
type End struct {
	Target, Type, Locale string // as in Edge
	Only                 Status
}

// End returns the target of the edge.
func (e Edge) End() End { return End{e.Target, e.Type, e.Locale, e.Only} }

// SameDocument reports whether two edges lead to the same document.
func (e Edge) SameDocument(other Edge) bool { return e.Target == other.Target && e.Type == other.Type }

// SameTarget reports whether two edges lead to the same document, in the same locale.
func (e Edge) SameTarget(other Edge) bool { return e.SameDocument(other) && e.Locale == other.Locale }
