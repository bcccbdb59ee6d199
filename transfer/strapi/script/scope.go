package script

import "slices"

// mostValues is the maximum number of values that replace the names of constants in a file.
const mostValues = 20_000

// Scope has the constants of a file, or of a function within one.
type Scope struct {
	outer  *Scope
	values map[string]Value
	left   *int // remaining number of values
}

// NewScope returns a scope with the constants among the statements. Inside a function,
// outer is the surrounding scope; nil for that of a file.
func NewScope(list []Statement, outer *Scope) *Scope {
	left := mostValues
	s := &Scope{outer: outer, values: map[string]Value{}, left: &left}
	if outer != nil {
		s.left = outer.left
	}
	for _, one := range list {
		if one.Kind == Constant && one.Name != "" {
			s.values[one.Name] = one.Value
		}
	}
	return s
}

// find returns the value of a name. A constant sees only outer names, so it is never found
// within itself.
func (s *Scope) find(name string) (v Value, in *Scope, ok bool) {
	for ; s != nil; s = s.outer {
		if v, ok := s.values[name]; ok {
			return v, s, true
		}
	}
	return Value{}, nil, false
}

// Resolve returns a value in which constants replace their names. Unknown names stay, and
// so does everything once a file has become too large.
func (s *Scope) Resolve(v Value) Value { return s.resolve(v, 0) }

func (s *Scope) resolve(v Value, depth int) Value {
	if *s.left--; *s.left < 0 || depth > deepest {
		return Value{Line: v.Line}
	}
	switch v.Kind {
	case Name:
		if constant, in, ok := s.find(v.Text); ok && constant.Kind != Function {
			spread := v.Spread
			v = in.resolve(constant, depth+1)
			v.Spread = spread
		}
	case Object, List, Call, Either:
		v = s.resolveItems(v, depth)
	}
	return v
}

// resolveItems resolves the content of a value, and replaces spreads by the lists and
// objects.
func (s *Scope) resolveItems(v Value, depth int) Value {
	out := v
	out.Keys, out.Items = nil, nil
	for i, item := range v.Items {
		item = s.resolve(item, depth+1)
		if item.Spread && item.Kind == v.Kind && !slices.ContainsFunc(item.Items, func(v Value) bool { return v.Spread }) {
			out.Keys, out.Items = append(out.Keys, item.Keys...), append(out.Items, item.Items...)
			continue
		}
		out.Items = append(out.Items, item)
		if v.Kind == Object {
			out.Keys = append(out.Keys, v.Keys[i])
		}
	}
	return out
}

// Exported returns what a file exports, with the constants of the file. The export may be a
// name. It is Unknown if the file exports nothing, or several times.
func Exported(file []Statement) (v Value, scope *Scope) {
	scope = NewScope(file, nil)
	n := 0
	for _, one := range file {
		if one.Kind == Export {
			v = one.Value
			n++
		}
	}
	if n != 1 {
		return Value{}, scope
	}
	for range deepest { // const config = …; export default config
		constant, _, ok := scope.find(v.Text)
		if v.Kind != Name || !ok {
			break
		}
		v = constant
	}
	return v, scope
}
