package script

import "slices"

// StatementKind says what a Statement is.
type StatementKind byte

// The kinds of statements. Imports, types and directives are not statements.
const (
	Other    StatementKind = iota // what is not understood
	Constant                      // const Name = Value; Name is empty for a pattern
	Assign                        // Name = Value, of a path like ctx.query.populate
	Run                           // Value, a call
	Unless                        // if (!Name) Then
	Return                        // return Value
	Export                        // export default Value, module.exports = Value
)

// Statement is a statement of a file or a function.
type Statement struct {
	Kind  StatementKind
	Name  string
	Value Value
	Then  []Statement
	Line  int // from 1
}

// statements reads up to a position.
func (p *parser) statements(last int) (list []Statement) {
	for p.at < last {
		before := p.at
		if p.take(";") || p.declares() {
			continue
		}
		s := p.statement()
		s.Line = p.tokens[before].line
		list = append(list, s)
		if p.at == before {
			p.at++
		}
	}
	return list
}

// declares skips a directive, an import or a type.
func (p *parser) declares() bool {
	t, next := p.token(), p.tokens[p.at+1]
	switch {
	case t.kind == text && (next.first || next.kind == end || p.isAt(p.at+1, ";")):
		p.at++
	case p.is("import") && !p.isAt(p.at+1, "("):
		for p.token().kind != end && p.token().kind != text {
			p.at++
		}
		p.jump()
	case (p.is("type") || p.is("interface") || p.is("declare")) && next.kind == word && !next.first:
		p.skipStatement()
	case p.is("export") && (p.isAt(p.at+1, "type") || p.isAt(p.at+1, "interface")):
		p.skipStatement()
	default:
		return false
	}
	return true
}

// skipStatement skips the rest of a statement.
func (p *parser) skipStatement() {
	for p.jump(); p.token().kind != end && !p.is(";") && !p.is("}") && (!p.token().first || continues(p.token())); {
		p.jump()
	}
}

// reserved are the words that begin statements that are not understood.
var reserved = []string{"for", "while", "do", "switch", "try", "catch", "finally", "else", "throw", "class", "break", "continue", "with", "enum", "namespace", "yield"}

func (p *parser) statement() Statement {
	p.inside = false
	switch t := p.token(); {
	case t.kind == word && slices.Contains(reserved, t.text):
		p.skipStatement()
		return Statement{}
	case p.take("return"):
		return p.returned(t)
	case p.is("if"):
		return p.unless()
	case p.is("export"):
		return p.exported()
	case p.is("const") || p.is("let") || p.is("var"):
		return p.constant()
	case p.is("function") || p.is("async") && p.isAt(p.at+1, "function"):
		return p.declared()
	}
	v := p.value()
	if p.is("=") || p.is("||=") || p.is("??=") {
		return p.assigned(v)
	}
	p.close()
	if v.Kind == Call {
		return Statement{Kind: Run, Value: v}
	}
	return Statement{}
}

// close skips the rest of a statement.
func (p *parser) close() {
	if !p.take(";") && p.token().kind != end && !p.token().first && !p.is("}") {
		p.skipStatement()
	}
}

func (p *parser) returned(from token) Statement {
	s := Statement{Kind: Return, Value: Value{Kind: Undefined, Line: from.line}}
	if !p.token().first && !p.is(";") && !p.is("}") && p.token().kind != end {
		s.Value = p.value()
	}
	p.close()
	return s
}
