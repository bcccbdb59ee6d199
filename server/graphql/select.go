package graphql

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// Selected is one field of an operation as the response shows it: all places of the query
// that ask for it under the same key, together.
type Selected struct {
	Key   string     // in the response
	Field *ast.Field // the first of the places; the others have the same name and arguments
	Means *Field     // nil for fields that are not content

	sets []ast.SelectionSet // what is inside, at each place
}

// Roots returns the fields at the top, in the order of the response.
func (o *Operation) Roots() []*Selected { return o.roots }

// Inside returns the fields inside a field, for a value of that type.
func (o *Operation) Inside(s *Selected, typeName string) []*Selected {
	return o.collect(typeName, s.sets...)
}

// collector collects the fields that apply to a value of one type, in order.
type collector struct {
	o        *Operation
	typeName string
	fields   []*Selected
	at       map[string]int  // of keys, in fields; created if there are many
	spread   map[string]bool // fragments that have been collected
}

func (o *Operation) collect(typeName string, sets ...ast.SelectionSet) []*Selected {
	c := collector{o: o, typeName: typeName}
	for _, set := range sets {
		c.add(set)
	}
	return c.fields
}

func (c *collector) add(set ast.SelectionSet) {
	for _, one := range set {
		switch one := one.(type) {
		case *ast.Field:
			if c.o.includes(one.Directives) {
				c.field(one)
			}
		case *ast.InlineFragment:
			if c.o.includes(one.Directives) && c.applies(one.TypeCondition) {
				c.add(one.SelectionSet)
			}
		case *ast.FragmentSpread:
			if f := c.o.fragments.ForName(one.Name); c.o.includes(one.Directives) && !c.spread[one.Name] && c.applies(f.TypeCondition) {
				if c.spread == nil {
					c.spread = map[string]bool{}
				}
				c.spread[one.Name] = true
				c.add(f.SelectionSet)
			}
		}
	}
}

func (c *collector) field(f *ast.Field) {
	i := c.index(f.Alias)
	if i < 0 {
		if i = len(c.fields); c.at != nil {
			c.at[f.Alias] = i
		}
		c.fields = append(c.fields, &Selected{Key: f.Alias, Field: f, Means: c.o.schema.fields[f.Definition]})
	}
	c.fields[i].sets = append(c.fields[i].sets, f.SelectionSet)
}

// manyFields is the number of fields from which on a map finds them.
const manyFields = 16

// index returns the position of the field with a key; -1 if there is none.
func (c *collector) index(key string) int {
	if len(c.fields) < manyFields {
		return slices.IndexFunc(c.fields, func(s *Selected) bool { return s.Key == key })
	}
	if c.at == nil {
		c.at = make(map[string]int, 2*len(c.fields))
		for i, s := range c.fields {
			c.at[s.Key] = i
		}
	}
	if i, found := c.at[key]; found {
		return i
	}
	return -1
}

// applies reports whether a fragment on a type applies to the value: on its type, or on a
// union with its type.
func (c *collector) applies(condition string) bool {
	if condition == "" || condition == c.typeName {
		return true
	}
	return slices.ContainsFunc(c.o.schema.ast.PossibleTypes[condition], func(d *ast.Definition) bool { return d.Name == c.typeName })
}

// includes reports whether @skip and @include leave a selection in the response.
func (o *Operation) includes(directives ast.DirectiveList) bool {
	for _, d := range directives {
		if d.Name != "skip" && d.Name != "include" {
			continue
		}
		condition := d.Arguments.ForName("if").Value
		if condition.Kind == ast.Variable {
			condition = o.variables[condition.Raw]
		}
		if on := condition != nil && condition.Raw == "true"; on == (d.Name == "skip") {
			return false
		}
	}
	return true
}
