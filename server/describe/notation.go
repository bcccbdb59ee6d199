package describe

import (
	"strconv"
	"strings"
	"text/scanner"
)

// Schemas are written in the notation of TypeScript:
//
//	{id: string, at?: moment | null, steps: Step[] /* in their order */}
//
// "..." at the end of an object allows other members, "...name" has the members of another
// one, and {[]: T} has any members, all of type T. What else JSON schemas can have is in angle
// brackets: integer<minimum: 1>. A name with a capital is a reference to a schema of the
// document. Other names are those of document.named.

// notation is a schema in this notation that is being read. What cannot be read is a
// mistake in this package, and panics.
type notation struct {
	scanner.Scanner
	d     *document
	token rune
}

// schema reads a schema, such as "{count: integer}[]".
func (d *document) schema(text string) object {
	n := &notation{d: d}
	n.Init(strings.NewReader(d.fill.Replace(text)))
	n.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanStrings | scanner.ScanComments
	n.IsIdentRune = func(r rune, i int) bool {
		return r == '$' || r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || i > 0 && '0' <= r && r <= '9'
	}
	n.next()
	s := n.union()
	if n.token != scanner.EOF {
		n.fail()
	}
	return s
}

func (n *notation) next() { n.token = n.Scan() }

func (n *notation) fail() { panic("a schema has " + n.TokenText() + " at " + n.Pos().String()) }

// accept reads a token if it is the next one.
func (n *notation) accept(token rune) bool {
	if n.token != token {
		return false
	}
	n.next()
	return true
}

func (n *notation) expect(token rune) {
	if !n.accept(token) {
		n.fail()
	}
}

// take reads any token, and returns its text.
func (n *notation) take() string {
	text := n.TokenText()
	n.next()
	return text
}

// union reads alternatives. Those that are constants are an enumeration.
func (n *notation) union() object {
	options := []object{n.list()}
	for n.accept('|') {
		options = append(options, n.list())
	}
	s := unite(options)
	if n.token == scanner.Comment {
		about := strings.TrimSuffix(strings.TrimPrefix(n.take(), "/*"), "*/")
		s = described(s, strings.TrimSpace(about))
	}
	return s
}

func unite(options []object) object {
	if len(options) == 1 {
		return options[0]
	}
	var types, constants, all list
	for _, s := range options {
		all = append(all, s)
		switch last := s[len(s)-1]; {
		case last.key == "const":
			constants = append(constants, last.value)
		case len(s) == 1 && last.key == "type":
			types = append(types, last.value)
		}
	}
	others := options[:len(options)-1]
	switch last := options[len(others)]; {
	case len(types) == len(options):
		return object{{"type", types}}
	case len(constants) == len(options):
		return append(last[:len(last)-1], member{"enum", constants})
	case len(last) == 1 && last[0].value == "null":
		return nullable(unite(others))
	}
	return object{{"anyOf", all}}
}

// list reads a schema, and how many arrays it is the item of.
func (n *notation) list() object {
	s := n.one()
	for {
		switch {
		case n.accept('['):
			n.expect(']')
			s = arrayOf(s)
		case n.accept('<'):
			s = s.with(n.limits()...)
		default:
			return s
		}
	}
}

func (n *notation) one() object {
	switch n.token {
	case '{':
		n.next()
		return n.object()
	case '(':
		n.next()
		s := n.union()
		n.expect(')')
		return s
	case scanner.String:
		return object{{"type", "string"}, {"const", n.value()}}
	case scanner.Int:
		return object{{"const", n.value()}}
	case scanner.Ident:
		return n.d.named(n.take())
	}
	n.fail()
	return nil
}

// object reads the members of an object and its end.
func (n *notation) object() object {
	s := object{{"type", "object"}}
	var properties object
	var required list
	isOpen := false
	for !n.accept('}') {
		switch {
		case n.accept('['): // any members
			n.expect(']')
			n.expect(':')
			s, isOpen = append(s, member{"additionalProperties", n.union()}), true
		case n.accept('.'):
			n.expect('.')
			n.expect('.')
			isOpen = n.token == '}'
			if !isOpen {
				other := n.d.named(n.take())
				properties = append(properties, other[1].value.(object)...)
				if names, has := other[2].value.(list); has {
					required = append(required, names...)
				}
			}
		default:
			key := n.take()
			if !n.accept('?') {
				required = append(required, key)
			}
			n.expect(':')
			properties = append(properties, member{key, n.union()})
		}
		if n.token != '}' {
			n.expect(',')
		}
	}
	if properties != nil {
		s = append(s, member{"properties", properties})
	}
	if required != nil {
		s = append(s, member{"required", required})
	}
	if !isOpen {
		s = append(s, member{"additionalProperties", false})
	}
	return s
}

func (n *notation) limits() (limits object) {
	for !n.accept('>') {
		key := n.take()
		n.expect(':')
		limits = append(limits, member{key, n.value()})
		if n.token != '>' {
			n.expect(',')
		}
	}
	return limits
}

// value reads a number, a text or a list of them.
func (n *notation) value() any {
	var value any
	var err error
	switch n.token {
	case scanner.Int:
		value, err = strconv.Atoi(n.TokenText())
	case scanner.String:
		value, err = strconv.Unquote(n.TokenText())
	case '[':
		var values list
		for n.next(); n.token != ']'; n.accept(',') {
			values = append(values, n.value())
		}
		value = values
	default:
		n.fail()
	}
	if err != nil {
		n.fail()
	}
	n.next()
	return value
}

// named is the schema that a name stands for.
func (d *document) named(name string) object {
	if isReference(name) {
		return d.shared(name)
	}
	switch name {
	case "string", "integer", "number", "boolean", "object", "null":
		return typed(name)
	case "true":
		return object{{"type", "boolean"}, {"const", true}}
	case "any":
		return object{}
	case "locale":
		return d.locale()
	case "localeOrAll":
		return words(append(localeCodes(d.site), "*")...)
	case "uid":
		var uids []string
		for _, t := range d.site.Public() {
			uids = append(uids, t.UID)
		}
		return words(uids...)
	case "entry", "entries":
		return d.envelope(d.of, name == "entries")
	case "formerEntry":
		return d.define(d.names[d.of]+"FormerResponse", func() any {
			return d.schema("({data: former, meta: formerMeta}) | QuireDifferences")
		})
	case "former":
		return d.former(d.of, "")
	case "restoredEntry":
		return d.restored(d.of)
	case "documentLink":
		return d.linkTo("DocumentLink", "")
	case "morphLink":
		return d.linkTo("MorphLink", ", __type: uid")
	case "registration":
		return d.registration()
	case "account", "newAccount":
		return d.account(name == "newAccount")
	}
	text, ok := builtin()["type "+name]
	if !ok {
		panic("there is no schema " + name)
	}
	return d.schema(text[0])
}

// isReference reports whether a name is one of a schema of the document.
func isReference(name string) bool { return 'A' <= name[0] && name[0] <= 'Z' }
