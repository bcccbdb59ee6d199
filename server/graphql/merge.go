package graphql

import (
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// merger checks that fields with one key of the response are one field, with the same
// arguments. The rule of the parser compares each two of them, which takes seconds for a
// short query that repeats a field. This one compares each with the first, so it takes time
// proportional to the fields. Fragments must not use themselves.
type merger struct {
	schema    *Schema
	fragments ast.FragmentDefinitionList
	errs      gqlerror.List
}

// mergedType is where values of one type stand in the response. Fields on different types may
// differ: no value has both, nor what is in them.
type mergedType struct {
	outer *mergedType
	t     *ast.Definition
}

// placedSet is a selection set for the values of a place; placedField is one of its fields.
type (
	placedSet struct {
		set ast.SelectionSet
		at  mergedType
	}
	placedField struct {
		field *ast.Field
		at    mergedType
	}
)

// check checks selection sets whose fields are in one object of the response, and what is
// in these fields.
func (m *merger) check(sets ...placedSet) {
	for _, same := range m.group(sets) {
		firsts := map[mergedType]*ast.Field{}
		inner := map[mergedType]*mergedType{}
		var inside []placedSet
		for _, one := range same {
			f, at := one.field, one.at
			switch first, again := firsts[at]; {
			case !again:
				firsts[at], inner[at] = f, &at
				if a, b := same[0].field.Definition.Type, f.Definition.Type; !m.sameForm(a, b) {
					m.report(f, fmt.Sprintf(`they return conflicting types "%s" and "%s"`, a, b))
				}
			case first.Name != f.Name:
				m.report(f, fmt.Sprintf(`"%s" and "%s" are different fields`, first.Name, f.Name))
			case !sameArguments(first, f):
				m.report(f, "they have differing arguments")
			}
			inside = append(inside, placedSet{f.SelectionSet, mergedType{inner[at], m.schema.ast.Types[f.Definition.Type.Name()]}})
		}
		m.check(inside...)
	}
}

// group returns the fields of selection sets and of the fragments in them by their keys, in
// the order of the query.
func (m *merger) group(sets []placedSet) (groups [][]placedField) {
	at := map[string]int{}
	type use struct {
		of *ast.FragmentDefinition
		in mergedType
	}
	spread := map[use]bool{}
	var add func(set ast.SelectionSet, in mergedType, on string)
	add = func(set ast.SelectionSet, in mergedType, on string) {
		if on != "" {
			in.t = m.schema.ast.Types[on]
		}
		for _, one := range set {
			switch one := one.(type) {
			case *ast.Field:
				i, again := at[one.Alias]
				if !again {
					i = len(groups)
					at[one.Alias], groups = i, append(groups, nil)
				}
				groups[i] = append(groups[i], placedField{one, in})
			case *ast.InlineFragment:
				add(one.SelectionSet, in, one.TypeCondition)
			case *ast.FragmentSpread:
				if f := m.fragments.ForName(one.Name); !spread[use{f, in}] {
					spread[use{f, in}] = true
					add(f.SelectionSet, in, f.TypeCondition)
				}
			}
		}
	}
	for _, s := range sets {
		add(s.set, s.at, "")
	}
	return groups
}

// sameForm reports whether a client can read the values of both types in the same way.
func (m *merger) sameForm(a, b *ast.Type) bool {
	switch {
	case a.NonNull != b.NonNull, (a.Elem == nil) != (b.Elem == nil):
		return false
	case a.Elem != nil:
		return m.sameForm(a.Elem, b.Elem)
	}
	c, d := m.schema.ast.Types[a.NamedType], m.schema.ast.Types[b.NamedType]
	return c == d || c.IsCompositeType() && d.IsCompositeType()
}

func (m *merger) report(f *ast.Field, reason string) {
	if len(m.errs) < mostErrors {
		m.errs = append(m.errs, gqlerror.ErrorPosf(f.Position, `Fields "%s" conflict because %s. Use different aliases on the fields to fetch both if this was intentional.`, shorten(f.Alias), reason))
	}
}

func sameArguments(a, b *ast.Field) bool {
	return len(a.Arguments) == len(b.Arguments) && !slices.ContainsFunc(a.Arguments, func(one *ast.Argument) bool {
		other := b.Arguments.ForName(one.Name)
		return other == nil || !sameValue(one.Value, other.Value)
	})
}

func sameValue(a, b *ast.Value) bool {
	if a.Kind != b.Kind || a.Raw != b.Raw || len(a.Children) != len(b.Children) {
		return false
	}
	for i, one := range a.Children {
		other := b.Children[i].Value
		if a.Kind == ast.ObjectValue {
			other = b.Children.ForName(one.Name)
		}
		if other == nil || !sameValue(one.Value, other) {
			return false
		}
	}
	return true
}
