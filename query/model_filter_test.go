package query

import (
	"slices"
	"strconv"
	"strings"

	"quire/query/params"
	"quire/schema"
)

// predicate says whether a row satisfies a filter; nil is no filter at all.
type predicate func(row) bool

// filter reads a filters parameter on rows of type t. Negation is handed down
// to the single comparisons, so that under $not a relation still asks for some
// related row. behind is true for what stands behind a relation or component,
// where an operator means the id.
func (m *model) filter(t *schema.Type, n *params.Node, not, behind bool) (predicate, error) {
	var parts []predicate
	for i, key := range n.Keys {
		p, err := m.filterMember(t, key, n.Items[i], not, behind)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return together(parts, !not), nil
}

// together joins predicates: all of them, or any.
func together(parts []predicate, all bool) predicate {
	parts = slices.DeleteFunc(parts, func(p predicate) bool { return p == nil })
	if len(parts) == 0 {
		return nil
	}
	return func(r row) bool {
		for _, p := range parts {
			if p(r) != all {
				return !all
			}
		}
		return all
	}
}

func (m *model) filterMember(t *schema.Type, key string, n *params.Node, not, behind bool) (predicate, error) {
	switch key {
	case "$and", "$or":
		return m.filterList(t, n, not, behind, key == "$or")
	case "$not":
		switch {
		case n.IsObject():
			return m.filter(t, n, !not, behind)
		case n.IsList() || !behind:
			return m.filterList(t, n, !not, behind, false)
		}
		return m.leaf(t.Attribute("id"), "$eq", n, !not)
	}
	if behind && slices.Contains(modelOperators, key) {
		return m.leaf(t.Attribute("id"), key, n, not)
	}
	a := t.Attribute(key)
	switch {
	case a == nil || !m.may(a) || a.Kind == schema.DynamicZone:
		return nil, errRefused
	case a.IsScalar():
		return m.filterScalar(a, n, not)
	}
	return m.filterBehind(a, n, not)
}

// filterList reads a list of conditions; a list in the list is a group whose
// members all have to hold.
func (m *model) filterList(t *schema.Type, n *params.Node, not, behind, or bool) (predicate, error) {
	if !n.IsList() {
		return nil, errRefused
	}
	var parts []predicate
	for _, item := range n.Items {
		var p predicate
		err := errRefused
		switch {
		case item.IsObject():
			p, err = m.filter(t, item, not, behind)
		case item.IsList():
			p, err = m.filterList(t, item, not, behind, false)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return together(parts, or == not), nil
}

// filterBehind asks for some row behind a relation or component; where there is
// none, a row of nulls is asked.
func (m *model) filterBehind(a *schema.Attribute, n *params.Node, not bool) (predicate, error) {
	t := behindOf(a)
	var p predicate
	var err error
	switch {
	case n.IsObject():
		p, err = m.filter(t, n, not, true)
	case n.IsList():
		p, err = m.leaf(t.Attribute("id"), "$in", n, not)
	default:
		p, err = m.leaf(t.Attribute("id"), "$eq", n, not)
	}
	if p == nil || err != nil {
		return nil, err
	}
	return func(r row) bool {
		rows := m.related(r, a)
		if len(rows) == 0 {
			return p(row{})
		}
		return slices.ContainsFunc(rows, p)
	}, nil
}

// behindOf is the one type that stands behind a relation or component.
func behindOf(a *schema.Attribute) *schema.Type {
	if a.Relation != nil {
		return a.Relation.Target
	}
	return a.ComponentType
}

func (m *model) filterScalar(a *schema.Attribute, n *params.Node, not bool) (predicate, error) {
	switch {
	case n.IsList():
		return m.leaf(a, "$in", n, not)
	case !n.IsObject():
		return m.leaf(a, "$eq", n, not)
	}
	var parts []predicate
	for i, key := range n.Keys {
		var p predicate
		err := errRefused
		switch {
		case key == "$not":
			p, err = m.filterScalar(a, n.Items[i], !not)
		case slices.Contains(modelOperators, key):
			p, err = m.leaf(a, key, n.Items[i], not)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return together(parts, !not), nil
}

// leaf is one comparison: true where it is true, not where it is unknown.
func (m *model) leaf(a *schema.Attribute, operator string, n *params.Node, not bool) (predicate, error) {
	if n.IsObject() {
		numbers, past := 0, 0
		for _, key := range n.Keys {
			if place, err := strconv.Atoi(key); err == nil && place >= 0 {
				numbers++
				if place >= 100 {
					past++
				}
			}
		}
		listed := slices.Contains([]string{"$in", "$notIn", "$between", "$null", "$notNull"}, operator)
		switch {
		case slices.Contains(modelOperators, n.Keys[0]) && !listed:
		case numbers == len(n.Keys) && past < numbers && !strings.HasSuffix(strings.ToLower(operator), "null"):
			return nil, nil // a list that ran past its limit: not taken for values
		default:
			return nil, errRefused
		}
	}
	holds, err := m.comparisonOf(a, operator, n)
	if err != nil {
		return nil, err
	}
	return func(r row) bool { return holds(m.value(r, a)).negated(not) == yes }, nil
}
