package graphql

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// coercer brings values into the form that their types require, by the rules of graphql-js:
// single values become lists, missing members get their defaults, variables are replaced.
type coercer struct {
	schema    *Schema
	variables map[string]*ast.Value
	literal   bool     // the value is part of the query's text, and not of the variables in JSON
	variable  string   // whose value it is; empty for an argument
	path      []string // to the part that is being coerced
	faults    []*Error
}

// report adds an error.
func (c *coercer) report(message string) {
	if len(c.faults) < mostErrors {
		c.faults = append(c.faults, &Error{Code: BadUserInput, Message: message})
	}
}

// fail reports that a part of the value is wrong.
func (c *coercer) fail(v *ast.Value, fault string) {
	switch {
	case len(c.faults) == mostErrors: // do not even make the message
	case c.variable == "":
		c.report(fault)
	case len(c.path) == 0:
		c.report(fmt.Sprintf(`Variable "$%s" got invalid value %s; %s`, c.variable, inspect(v), fault))
	default:
		at := shorten(c.variable + strings.Join(c.path, ""))
		c.report(fmt.Sprintf(`Variable "$%s" got invalid value %s at "%s"; %s`, c.variable, inspect(v), at, fault))
	}
}

// value returns a value in the form of its type; nil if it is a variable without a value,
// or wrong.
func (c *coercer) value(t *ast.Type, v *ast.Value) *ast.Value {
	if v.Kind == ast.Variable {
		v = c.variables[v.Raw]
		if v == nil || v.Kind != ast.NullValue || !t.NonNull {
			return v // it was coerced when it was read
		}
	}
	switch {
	case v.Kind == ast.NullValue && t.NonNull:
		c.fail(v, fmt.Sprintf(`Expected non-nullable type "%s" not to be null.`, t))
		return nil
	case v.Kind == ast.NullValue:
		return v
	case t.Elem != nil:
		return c.list(t.Elem, v)
	}
	d := c.schema.ast.Types[t.NamedType]
	if d.Kind == ast.Scalar {
		v = c.untyped(v)
	}
	faults := c.schema.faults(d, v, c.literal)
	for _, fault := range faults {
		c.fail(v, fault)
	}
	if d.Kind != ast.InputObject || v.Kind != ast.ObjectValue {
		return v
	}
	return c.object(d, v)
}

func (c *coercer) list(t *ast.Type, v *ast.Value) *ast.Value {
	list := &ast.Value{Kind: ast.ListValue, Position: v.Position}
	items := v.Children
	if v.Kind != ast.ListValue {
		items = ast.ChildValueList{{Value: v}}
	}
	for i, item := range items {
		if v.Kind == ast.ListValue {
			c.path = append(c.path, "["+strconv.Itoa(i)+"]")
		}
		one := c.value(t, item.Value)
		if one == nil {
			one = &ast.Value{Kind: ast.NullValue, Raw: "null"}
		}
		list.Children = append(list.Children, &ast.ChildValue{Value: one})
		if v.Kind == ast.ListValue {
			c.path = c.path[:len(c.path)-1]
		}
	}
	return list
}

// object coerces the members of an input, and adds those that have a default.
func (c *coercer) object(d *ast.Definition, v *ast.Value) *ast.Value {
	object := &ast.Value{Kind: ast.ObjectValue, Position: v.Position}
	for _, f := range d.Fields {
		var one *ast.Value
		given := v.Children.ForName(f.Name)
		if given != nil {
			c.path = append(c.path, "."+f.Name)
			one = c.value(f.Type, given)
			c.path = c.path[:len(c.path)-1]
		}
		if one == nil && (given == nil || given.Kind == ast.Variable) {
			if one = f.DefaultValue; one == nil && given != nil && f.Type.NonNull {
				c.fail(v, missingMember(f))
			}
		}
		if one != nil {
			object.Children = append(object.Children, &ast.ChildValue{Name: f.Name, Value: one})
		}
	}
	return object
}

// untyped replaces the variables in a value without a type.
func (c *coercer) untyped(v *ast.Value) *ast.Value {
	switch v.Kind {
	case ast.Variable:
		if given := c.variables[v.Raw]; given != nil {
			return given
		}
		return &ast.Value{Kind: ast.NullValue, Raw: "null"}
	case ast.ListValue, ast.ObjectValue:
		whole := &ast.Value{Kind: v.Kind, Position: v.Position}
		for _, child := range v.Children {
			whole.Children = append(whole.Children, &ast.ChildValue{Name: child.Name, Value: c.untyped(child.Value)})
		}
		return whole
	}
	return v
}
