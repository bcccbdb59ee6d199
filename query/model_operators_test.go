package query

import (
	"slices"
	"strings"

	"quire/query/params"
	"quire/schema"
)

// kleene is a truth value of SQL.
type kleene int8

const (
	no kleene = iota
	unknown
	yes
)

func kleeneOf(b bool) kleene {
	if b {
		return yes
	}
	return no
}

func (t kleene) negated(not bool) kleene {
	if not {
		return yes - t
	}
	return t
}

var modelOperators = []string{
	"$eq", "$eqi", "$ne", "$nei", "$in", "$notIn", "$lt", "$lte", "$gt", "$gte", "$between", "$contains", "$notContains", "$containsi",
	"$notContainsi", "$startsWith", "$startsWithi", "$endsWith", "$endsWithi", "$null", "$notNull",
}

// opposites are the operators that say no where another says yes.
var opposites = map[string]string{
	"$ne": "$eq", "$nei": "$eqi", "$notIn": "$in", "$notContains": "$contains", "$notContainsi": "$containsi", "$notNull": "$null",
}

// comparisonOf is what an operator with its operand says of a value, which is
// nil for null.
func (m *model) comparisonOf(a *schema.Attribute, operator string, n *params.Node) (func(v any) kleene, error) {
	if opposite, ok := opposites[operator]; ok && !(n.IsList() && operator != "$notIn" && operator != "$notNull") {
		holds, err := m.comparisonOf(a, opposite, n)
		return func(v any) kleene { return holds(v).negated(true) }, err
	}
	switch {
	case operator == "$null":
		off := n.IsNull() || n.IsText() && slices.Contains([]string{"false", "0", "f", ""}, n.Text)
		return func(v any) kleene { return kleeneOf((v == nil) != off) }, nil
	case n.IsObject(): // no value equals an object
		return func(v any) kleene { return unlessNull(v, no) }, nil
	case !applies(a, operator):
		return nil, errRefused
	case operator == "$in":
		return isOneOf(a, n)
	case operator == "$between":
		return m.isBetween(a, n)
	case n.IsList():
		return m.someOfThem(a, operator, n)
	}
	return m.single(a, operator, n)
}

// applies reports whether an operator is for the values of an attribute.
func applies(a *schema.Attribute, operator string) bool {
	switch operator {
	case "$contains", "$notContains", "$startsWith", "$endsWith":
		return a.IsText()
	case "$lt", "$lte", "$gt", "$gte", "$between":
		return a.Kind != schema.JSON && a.Kind != schema.Blocks
	}
	return true
}

func unlessNull(v any, t kleene) kleene {
	if v == nil {
		return unknown
	}
	return t
}

// someOfThem is an operator with a list: one of its values has to do.
func (m *model) someOfThem(a *schema.Attribute, operator string, n *params.Node) (func(any) kleene, error) {
	var parts []func(any) kleene
	for _, item := range n.Items {
		if !item.IsText() && !item.IsNull() {
			return nil, errRefused
		}
		holds, err := m.comparisonOf(a, operator, item)
		if err != nil {
			return nil, err
		}
		parts = append(parts, holds)
	}
	return func(v any) kleene {
		best := no
		for _, holds := range parts {
			best = max(best, holds(v))
		}
		return best
	}, nil
}

// values are the operands of a list operator; null is true when one is null.
func values(a *schema.Attribute, n *params.Node) (list []any, null bool, err error) {
	items := []*params.Node{n}
	if n.IsList() {
		items = n.Items
	}
	for _, item := range items {
		switch {
		case item.IsNull():
			null = true
		case !item.IsText():
			return nil, false, errRefused
		default:
			v, err := operand(a, item.Text)
			if err != nil {
				return nil, false, err
			}
			list = append(list, v)
		}
	}
	return list, null, nil
}

// isOneOf is $in. A null in the list finds nulls. For any value that is not in the list,
// a null in it makes the result unknown, as in SQL.
func isOneOf(a *schema.Attribute, n *params.Node) (func(any) kleene, error) {
	list, null, err := values(a, n)
	return func(v any) kleene {
		switch {
		case v == nil && !null:
			return unknown
		case v == nil || slices.Contains(list, v):
			return yes
		case null:
			return unknown
		}
		return no
	}, err
}

func (m *model) isBetween(a *schema.Attribute, n *params.Node) (func(any) kleene, error) {
	list, null, err := values(a, n)
	switch {
	case err != nil || !null && len(list) != 2:
		return nil, errRefused
	case null:
		return func(any) kleene { return unknown }, nil
	}
	return func(v any) kleene {
		if v == nil {
			return unknown
		}
		return kleeneOf(m.order(a, list[0], v) <= 0 && m.order(a, v, list[1]) <= 0)
	}, nil
}

// single is an operator with one operand.
func (m *model) single(a *schema.Attribute, operator string, n *params.Node) (func(any) kleene, error) {
	equality := operator == "$eq" || operator == "$eqi"
	if n.IsNull() {
		return func(v any) kleene {
			if equality {
				return kleeneOf(v == nil)
			}
			return unknown
		}, nil
	}
	holds := textTest(operator, n.Text)
	if holds == nil {
		x, err := operand(a, n.Text)
		if err != nil {
			return nil, err
		}
		holds = func(v any) bool { return m.compared(operator, v, x, a) }
	}
	return func(v any) kleene { return unlessNull(v, kleeneOf(v != nil && holds(v))) }, nil
}

func (m *model) compared(operator string, v, x any, a *schema.Attribute) bool {
	switch operator {
	case "$lt":
		return m.order(a, v, x) < 0
	case "$lte":
		return m.order(a, v, x) <= 0
	case "$gt":
		return m.order(a, v, x) > 0
	case "$gte":
		return m.order(a, v, x) >= 0
	}
	return v == x
}

// textTest is an operator that looks at text; nil when it does not.
func textTest(operator, text string) func(v any) bool {
	tests := map[string]func(s, part string) bool{
		"$eqi": func(s, part string) bool { return s == part }, "$contains": strings.Contains, "$startsWith": strings.HasPrefix, "$endsWith": strings.HasSuffix,
	}
	bare := strings.TrimSuffix(operator, "i")
	if operator == "$eqi" {
		bare = operator
	}
	test := tests[bare]
	switch {
	case test == nil:
		return nil
	case strings.HasSuffix(operator, "i"):
		return func(v any) bool { return test(strings.ToLower(textOf(v)), strings.ToLower(text)) }
	}
	return func(v any) bool { return test(textOf(v), text) }
}
