package params

import "strings"

// Limits limit what Parse and FromJSON accept. A zero field has its default.
type Limits struct {
	Parameters int // "key=value" pairs in one query, 1,000
	ArrayLimit int // entries of one list, 100; a number from here on in brackets is an object's key
	Depth      int // brackets after the name of a parameter, 20
}

// DefaultLimits are the limits of Strapi.
func DefaultLimits() Limits {
	return Limits{Parameters: 1000, ArrayLimit: 100, Depth: 20}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.Parameters > 0 {
		d.Parameters = l.Parameters
	}
	if l.ArrayLimit > 0 {
		d.ArrayLimit = l.ArrayLimit
	}
	if l.Depth > 0 {
		d.Depth = l.Depth
	}
	return d
}

// Parse reads the query string of a URL, without its "?", into an Object of
// parameters. It follows Strapi's parser, npm's qs:
//
//	sort=name                 {sort: "name"}
//	fields[0]=a&fields[1]=b   {fields: ["a", "b"]}; so do fields[]=… and fields=a&fields=b
//	filters[name][$eq]=x      {filters: {name: {$eq: "x"}}}
//	filters[name][$eq]        {filters: {name: {$eq: null}}}
//	populate[200]=a           {populate: {200: "a"}}: too high a number for a list
//	a[0]=x&a[b]=y             {a: {0: "x", b: "y"}}
//	a[b]=x&a=y                {a: [{b: "x"}, "y"]}
//
// Brackets may be percent-encoded, "+" is a space, and an invalid escape ("%zz") is kept
// unchanged. Keys that every JavaScript object inherits (constructor, toString, …) are
// dropped with their values, as qs drops them.
//
// It refuses, with a *ParamError that names the key, what qs would silently truncate: too
// many parameters, too long a list, too deep a key; and text that is not UTF-8.
func Parse(raw string, l Limits) (*Node, error) {
	raw = decodeBrackets(raw)
	p := parser{limits: l.orDefault(), arena: newArena(raw)}
	p.params = p.firstParams[:0]
	if err := p.readParams(raw); err != nil {
		return nil, err
	}
	return p.build()
}

// param is one key of the query with all its values.
type param struct {
	key   string // decoded
	value *Node  // a List if the key occurred more than once
}

// parser is the state of one Parse.
type parser struct {
	limits      Limits
	arena       arena
	params      []param // by key, in order of first appearance
	firstParams [8]param
}

// readParams splits the query at "&" and collects the values of each key.
func (p *parser) readParams(raw string) error {
	count := 0
	for len(raw) > 0 {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		if count++; count > p.limits.Parameters {
			return tooManyParameters(p.limits)
		}
		if err := p.readParam(part); err != nil {
			return err
		}
	}
	return nil
}

// readParam reads one "key=value" or "key". A part without a key is ignored.
func (p *parser) readParam(part string) error {
	rawKey, rawValue, hasValue := cutParam(part)
	key, ok := unescape(rawKey)
	switch {
	case !ok:
		return refuseKey(strings.ToValidUTF8(rawKey, "\ufffd"), "The key %s is not valid UTF-8")
	case key == "":
		return nil
	}
	value := p.arena.node(Null)
	if hasValue {
		if value.Text, ok = unescape(rawValue); !ok {
			return refuseKey(key, "The value of %s is not valid UTF-8")
		}
		value.Kind = Text
	}
	p.addValue(key, value)
	return nil
}

// addValue adds a value to those of its key.
func (p *parser) addValue(key string, value *Node) {
	for i := range p.params {
		had := &p.params[i]
		if had.key != key {
			continue
		}
		if had.value.Kind != List {
			had.value = p.arena.list(had.value)
		}
		p.arena.push(had.value, value)
		return
	}
	p.params = append(p.params, param{key, value})
}

// build adds one key after the other to a tree.
func (p *parser) build() (*Node, error) {
	t := tree{arena: &p.arena, limits: p.limits, root: p.arena.node(Object)}
	var room [8]step
	path := room[:0]
	for _, param := range p.params {
		var err error
		if path, err = readPath(path[:0], param.key, p.limits); err != nil {
			return nil, err
		}
		if len(path) == 0 {
			continue
		}
		if err := t.put(param.key, path, param.value); err != nil {
			return nil, err
		}
	}
	return t.root, nil
}

// cutParam finds the "=" that ends the key: the one after the first "]", if any, so that a
// bracketed key may contain "=".
func cutParam(part string) (key, value string, hasValue bool) {
	if i := strings.Index(part, "]="); i >= 0 {
		return part[:i+1], part[i+2:], true
	}
	return strings.Cut(part, "=")
}
