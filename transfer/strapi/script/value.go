package script

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Kind says what a Value is.
type Kind byte

// The kinds of values.
const (
	Unknown Kind = iota // what is not understood
	Undefined
	Null
	Flag     // true or false, in Text
	Number   // in Text, in the form of JSON
	Text     // in Text
	List     // of Items; an item with Spread is a list whose items replace it
	Object   // of Items at Keys; an item with Spread, whose key is empty, is an object
	Name     // in Text, "populate" or "ctx.query"
	Call     // of the function named in Text, "env.int", with the arguments in Items
	Function // see Func
	Either   // the first of Items unless it is missing, then the second: a || b, a ?? b
)

// Value is an expression.
type Value struct {
	Kind   Kind
	Text   string
	Keys   []string
	Items  []Value
	Spread bool // written with ... before it
	Func   *Func
	Line   int // from 1
}

// Func is a function.
type Func struct {
	Parameters []string // empty for those that are patterns
	Body       []Statement
}

// At returns the value at a path of keys. It is Undefined if an object has no such key, and
// Unknown below what is not understood.
func (v Value) At(path ...string) Value {
	for _, key := range path {
		if v.Kind != Object {
			if v.Kind == Undefined {
				return v
			}
			return Value{Line: v.Line}
		}
		v = v.member(key)
	}
	return v
}

func (v Value) member(key string) Value {
	for i, k := range slices.Backward(v.Keys) {
		switch {
		case v.Items[i].Spread:
			return Value{Line: v.Items[i].Line} // it may have the key
		case k == key:
			return v.Items[i]
		}
	}
	return Value{Kind: Undefined, Line: v.Line}
}

// LiteralError reports a value that is not a literal.
type LiteralError struct{ Line int }

func (e *LiteralError) Error() string { return fmt.Sprintf("line %d is not understood", e.Line) }

// JSON returns a literal as JSON, with the keys of objects in their order. The error is a
// *LiteralError for anything else.
func (v Value) JSON() (json.RawMessage, error) {
	switch v.Kind {
	case Null:
		return json.RawMessage("null"), nil
	case Flag, Number:
		return json.RawMessage(v.Text), nil
	case Text:
		return json.Marshal(v.Text)
	case List:
		return v.join('[', ']')
	case Object:
		return v.join('{', '}')
	}
	return nil, &LiteralError{v.Line}
}

// join returns the JSON of a list or an object. The last value of a duplicate key counts.
func (v Value) join(first, last byte) (json.RawMessage, error) {
	out := []byte{first}
	counts := map[string]int{} // the index of the value that counts for a key
	for i, key := range v.Keys {
		counts[key] = i
	}
	for i, item := range v.Items {
		if item.Spread {
			return nil, &LiteralError{item.Line}
		}
		if v.Kind == Object && (item.Kind == Undefined || counts[v.Keys[i]] != i) {
			continue
		}
		one, err := item.JSON()
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		if v.Kind == Object {
			key, err := json.Marshal(v.Keys[i])
			if err != nil {
				return nil, err
			}
			out = append(append(out, key...), ':')
		}
		out = append(out, one...)
	}
	return append(out, last), nil
}
