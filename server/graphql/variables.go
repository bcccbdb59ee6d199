package graphql

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// readVariables reads the variables of a request by the rules of graphql-js. Variables that
// the operation does not declare are not read.
func (o *Operation) readVariables(raw json.RawMessage) *Refusal {
	if len(o.def.VariableDefinitions) == 0 {
		return nil
	}
	o.variables = map[string]*ast.Value{}
	var given map[string]json.RawMessage
	if raw != nil && json.Unmarshal(raw, &given) != nil {
		return refuse(BadRequest, "`variables` must be an object")
	}
	c := coercer{schema: o.schema, variables: o.variables}
	left := o.limits.Values
	for _, def := range o.def.VariableDefinitions {
		if err := o.readVariable(&c, def, given, &left); err != nil {
			return refuse(BadUserInput, fmt.Sprintf(`Variable "$%s" %s`, def.Variable, err))
		}
	}
	if len(c.faults) == 0 {
		return nil
	}
	return &Refusal{Errors: c.faults}
}

// readVariable reads one variable. The error is about the variable as a whole; those about
// parts of it are in c.
func (o *Operation) readVariable(c *coercer, def *ast.VariableDefinition, given map[string]json.RawMessage, left *int) error {
	var v *ast.Value
	raw, ok := given[def.Variable]
	switch {
	case ok:
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var err error
		if v, err = readJSON(d, left, 0); err != nil {
			return err
		}
		c.literal = false
	case def.DefaultValue != nil:
		v, c.literal = def.DefaultValue, true
	case def.Type.NonNull:
		c.report(fmt.Sprintf(`Variable "$%s" of required type "%s" was not provided.`, def.Variable, def.Type))
		return nil
	default:
		return nil
	}
	if v.Kind == ast.NullValue && def.Type.NonNull {
		c.report(fmt.Sprintf(`Variable "$%s" of non-null type "%s" must not be null.`, def.Variable, def.Type))
		return nil
	}
	c.variable, c.path = def.Variable, nil
	o.variables[def.Variable] = c.value(def.Type, v)
	return nil
}

var (
	errManyValues = errors.New("has too many values")
	errDeepValue  = errors.New("is nested too deeply")
)

// deepest is the maximum number of lists and objects around a value.
const deepest = 50

// readJSON reads a value in JSON as a literal of GraphQL: then both are checked and used in
// the same way. left is the number of values that may still be read.
func readJSON(d *json.Decoder, left *int, depth int) (*ast.Value, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	if *left--; *left < 0 {
		return nil, errManyValues
	}
	if depth > deepest {
		return nil, errDeepValue
	}
	switch token := token.(type) {
	case string:
		return &ast.Value{Kind: ast.StringValue, Raw: token}, nil
	case bool:
		return &ast.Value{Kind: ast.BooleanValue, Raw: fmt.Sprint(token)}, nil
	case json.Number:
		return readNumber(token.String()), nil
	case json.Delim:
		return readCollection(d, token, left, depth)
	}
	return &ast.Value{Kind: ast.NullValue, Raw: "null"}, nil
}

// readNumber reads a number as JavaScript does: 1.0 and 1e3 are whole numbers.
func readNumber(text string) *ast.Value {
	if !strings.ContainsAny(text, ".eE") {
		return &ast.Value{Kind: ast.IntValue, Raw: text}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return &ast.Value{Kind: ast.IntValue, Raw: strconv.FormatFloat(f, 'f', -1, 64)}
	}
	return &ast.Value{Kind: ast.FloatValue, Raw: text}
}

// readCollection reads the rest of a list or an object. The last value of a key counts, as
// in JavaScript.
func readCollection(d *json.Decoder, open json.Delim, left *int, depth int) (*ast.Value, error) {
	v := &ast.Value{Kind: ast.ListValue}
	at := map[string]int{}
	if open == '{' {
		v.Kind = ast.ObjectValue
	}
	for d.More() {
		child := &ast.ChildValue{}
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			child.Name, _ = key.(string)
		}
		var err error
		if child.Value, err = readJSON(d, left, depth+1); err != nil {
			return nil, err
		}
		if i, twice := at[child.Name]; twice && open == '{' {
			v.Children[i] = child
			continue
		}
		at[child.Name] = len(v.Children)
		v.Children = append(v.Children, child)
	}
	if _, err := d.Token(); err != nil && err != io.EOF {
		return nil, err
	}
	return v, nil
}
