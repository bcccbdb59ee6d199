package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"quire/schema/source"
)

// Condition says by the values of an entry whether one of its attributes is shown, in the
// JSON logic of Strapi: {"==": [{"var": "kind"}, "video"]}. It is immutable.
type Condition struct {
	text  json.RawMessage
	root  rule
	reads []string
}

// rule computes a value from the values of an entry: nil, bool, float64, string, []any or
// map[string]any.
type rule func(value func(name string) any) any

// Limits of a condition.
const (
	mostConditionBytes = 4 << 10
	mostConditionDepth = 16
)

// ReadCondition reads a condition, which must be valid JSON. It refuses operations that
// have no meaning for forms.
func ReadCondition(text json.RawMessage) (*Condition, error) {
	if len(text) > mostConditionBytes {
		return nil, fmt.Errorf("a condition has at most %d bytes", mostConditionBytes)
	}
	var parsed any
	if err := json.Unmarshal(text, &parsed); err != nil {
		return nil, err
	}
	c := &Condition{text: slices.Clone(text)}
	var err error
	c.root, err = c.compile(parsed, mostConditionDepth)
	return c, err
}

// JSON returns the condition as it was read.
func (c *Condition) JSON() json.RawMessage { return c.text }

// Reads returns the names of the attributes whose values decide.
func (c *Condition) Reads() []string { return c.reads }

// Holds reports whether the condition is true for an entry. value returns the value of an
// attribute, nil for none. The nil Condition always holds.
func (c *Condition) Holds(value func(name string) any) bool {
	return c == nil || truth(c.root(value))
}

func (c *Condition) compile(v any, depth int) (rule, error) {
	if depth == 0 {
		return nil, fmt.Errorf("a condition is nested at most %d levels deep", mostConditionDepth)
	}
	if list, ok := v.([]any); ok {
		parts, err := c.compileAll(list, depth)
		return func(value func(string) any) any {
			out := make([]any, len(parts))
			for i, part := range parts {
				out[i] = part(value)
			}
			return out
		}, err
	}
	object, ok := v.(map[string]any)
	if !ok {
		return func(func(string) any) any { return v }, nil
	}
	if len(object) != 1 {
		return nil, fmt.Errorf("each part of a condition is an object with one operation")
	}
	for name, operands := range object {
		list, ok := operands.([]any)
		if !ok {
			list = []any{operands}
		}
		return c.operation(name, list, depth)
	}
	panic("unreachable: the object has one member")
}

func (c *Condition) compileAll(list []any, depth int) (parts []rule, err error) {
	for _, one := range list {
		part, err := c.compile(one, depth-1)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func (c *Condition) operation(name string, operands []any, depth int) (rule, error) {
	if name == "var" {
		return c.variable(operands)
	}
	op, known := operations[name]
	switch {
	case !known:
		return nil, fmt.Errorf("a condition has no operation %.40q", name)
	case len(operands) < op.least || op.most > 0 && len(operands) > op.most:
		return nil, fmt.Errorf("the operation %s has another number of operands than %d", name, len(operands))
	}
	parts, err := c.compileAll(operands, depth)
	return func(value func(string) any) any { return op.run(parts, value) }, err
}

// variable is the value of an attribute or, behind dots, of one in its component.
func (c *Condition) variable(operands []any) (rule, error) {
	path, ok := "", len(operands) == 1
	if ok {
		path, ok = operands[0].(string)
	}
	if !ok || path == "" {
		return nil, fmt.Errorf(`"var" takes the name of an attribute`)
	}
	steps := strings.Split(path, ".")
	if !slices.Contains(c.reads, steps[0]) {
		c.reads = append(c.reads, steps[0])
	}
	return func(value func(string) any) any {
		v := value(steps[0])
		for _, step := range steps[1:] {
			inner, _ := v.(map[string]any)
			v = inner[step]
		}
		return v
	}, nil
}

// operation is one operation of JSON logic and how many operands it takes; most is 0 for
// any number.
type operation struct {
	least, most int
	run         func(parts []rule, value func(string) any) any
}

var operations = map[string]operation{
	"==":  compared(looselyEqual),
	"===": compared(strictlyEqual),
	"!=":  compared(func(a, b any) bool { return !looselyEqual(a, b) }),
	"!==": compared(func(a, b any) bool { return !strictlyEqual(a, b) }),
	">":   compared(func(a, b any) bool { return less(b, a, false) }),
	">=":  compared(func(a, b any) bool { return less(b, a, true) }),
	"<":   compared(func(a, b any) bool { return less(a, b, false) }),
	"<=":  compared(func(a, b any) bool { return less(a, b, true) }),
	"in":  compared(contained),
	"!":   {1, 1, func(p []rule, value func(string) any) any { return !truth(p[0](value)) }},
	"!!":  {1, 1, func(p []rule, value func(string) any) any { return truth(p[0](value)) }},
	"and": {1, 0, func(p []rule, value func(string) any) any { return firstThatIs(false, p, value) }},
	"or":  {1, 0, func(p []rule, value func(string) any) any { return firstThatIs(true, p, value) }},
	"if":  {2, 0, choose},
}

func compared(test func(a, b any) bool) operation {
	return operation{2, 2, func(p []rule, value func(string) any) any { return test(p[0](value), p[1](value)) }}
}

// firstThatIs returns the first value with that truth, or the last one.
func firstThatIs(wanted bool, parts []rule, value func(string) any) (v any) {
	for _, part := range parts {
		if v = part(value); truth(v) == wanted {
			break
		}
	}
	return v
}

// choose returns the value behind the first condition that is true: condition, value,
// condition, value, and the value if none is.
func choose(parts []rule, value func(string) any) any {
	for ; len(parts) > 1; parts = parts[2:] {
		if truth(parts[0](value)) {
			return parts[1](value)
		}
	}
	if len(parts) == 1 {
		return parts[0](value)
	}
	return nil
}

// truth reports whether JSON logic takes a value for true: as JavaScript does, but an empty
// list is false.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return true
}

func strictlyEqual(a, b any) bool {
	switch a.(type) {
	case nil, bool, float64, string:
		switch b.(type) {
		case nil, bool, float64, string:
			return a == b
		}
	}
	return false
}

// looselyEqual is JavaScript's ==, for plain values.
func looselyEqual(a, b any) bool {
	if a == nil || b == nil || sameKind(a, b) {
		return strictlyEqual(a, b)
	}
	x, isNumber := numberOf(a)
	y, isToo := numberOf(b)
	return isNumber && isToo && x == y
}

func sameKind(a, b any) bool {
	switch a.(type) {
	case bool:
		_, same := b.(bool)
		return same
	case string:
		_, same := b.(string)
		return same
	}
	return false
}

// numberOf returns the number that JavaScript makes of a plain value when it compares it.
func numberOf(v any) (float64, bool) {
	switch v := v.(type) {
	case nil:
		return 0, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case float64:
		return v, true
	case string:
		if strings.TrimSpace(v) == "" {
			return 0, true
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return n, err == nil
	}
	return 0, false
}

func less(a, b any, orEqual bool) bool {
	if x, isText := a.(string); isText {
		if y, isToo := b.(string); isToo {
			return x < y || orEqual && x == y
		}
	}
	x, isNumber := numberOf(a)
	y, isToo := numberOf(b)
	return isNumber && isToo && (x < y || orEqual && x == y)
}

// contained reports whether a list has a value, or a text a part.
func contained(a, b any) bool {
	switch b := b.(type) {
	case []any:
		return slices.ContainsFunc(b, func(one any) bool { return strictlyEqual(one, a) })
	case string:
		part, isText := a.(string)
		return isText && strings.Contains(b, part)
	}
	return false
}

// readConditions reads "conditions" of an attribute, of which Strapi knows "visible".
func readConditions(a *Attribute, o source.Object) {
	v, ok := o.Object("conditions").Get("visible")
	if !ok {
		return
	}
	c, err := ReadCondition(v.Raw)
	if err != nil {
		v.Refuse("is a condition that this server cannot evaluate: "+err.Error(),
			`write comparisons such as {"==": [{"var": "kind"}, "video"]}, with ==, !=, <, <=, >, >=, in, and, or, !, !!, if`)
		return
	}
	a.Visible = c
}
