package script

import (
	"math/big"
	"slices"
	"strings"
)

// deepest is the maximum nesting of brackets and functions.
const deepest = 100

// parser reads the tokens of a file. Each of its readers takes at least one token, or stops
// at the end.
type parser struct {
	tokens []token
	pairs  []int // position of the matching bracket; 0 for none
	at     int
	depth  int
	inside bool // brackets, in which a new line ends nothing
}

// Parse reads a file.
func Parse(file string) []Statement {
	p := &parser{tokens: scan(file)}
	p.pair()
	return p.statements(len(p.tokens) - 1)
}

// pair finds matching brackets.
func (p *parser) pair() {
	p.pairs = make([]int, len(p.tokens))
	var open []int
	for i, t := range p.tokens {
		switch {
		case t.kind != sign:
		case strings.Contains("([{", t.text):
			open = append(open, i)
		case strings.Contains(")]}", t.text) && len(open) > 0:
			last := open[len(open)-1]
			open = open[:len(open)-1]
			p.pairs[last], p.pairs[i] = i, last
		}
	}
}

func (p *parser) token() token { return p.tokens[p.at] }

// is reports whether a sign or a word is next.
func (p *parser) is(text string) bool { return p.isAt(p.at, text) }

func (p *parser) isAt(at int, what string) bool {
	t := p.tokens[min(at, len(p.tokens)-1)]
	return (t.kind == sign || t.kind == word) && t.text == what
}

// take skips a sign or a word that is next.
func (p *parser) take(what string) bool {
	if !p.is(what) {
		return false
	}
	p.at++
	return true
}

// jump skips one token, or a bracket with its content.
func (p *parser) jump() {
	if to := p.pairs[p.at]; to > p.at {
		p.at = to
	}
	if p.token().kind != end {
		p.at++
	}
}

// ends reports whether an expression ends here.
func (p *parser) ends() bool {
	t := p.token()
	switch {
	case t.kind == end:
		return true
	case t.kind == sign && strings.Contains(",)]};:", t.text):
		return true
	}
	return t.first && !p.inside && !continues(t)
}

// continues reports whether a token at the beginning of a line continues an expression.
func continues(t token) bool {
	return t.kind == sign && slices.Contains([]string{".", "?.", "||", "&&", "??", "*", "+", "?", "=>", "="}, t.text)
}

// skip skips the rest of an expression.
func (p *parser) skip() {
	for !p.ends() || p.is(":") {
		p.jump()
	}
}

// value reads an expression.
func (p *parser) value() Value {
	if p.depth++; p.depth > deepest {
		p.depth--
		return p.unknown()
	}
	defer func() { p.depth-- }()
	line := p.token().line
	v := p.operand()
	for !p.ends() {
		switch {
		case p.is("as") || p.is("satisfies"):
			p.typeName()
		case p.take("!"): // TypeScript: not null
		case p.is("*") && v.Kind == Number:
			p.at++
			v = product(v, p.operand())
		case p.is("||") || p.is("??"):
			p.at++
			v = Value{Kind: Either, Items: []Value{v, p.operand()}, Line: line}
		case p.is("=") || p.is("||=") || p.is("??="):
			return v // the statement continues
		default:
			p.skip()
			return Value{Line: line}
		}
	}
	return v
}

// unknown skips an expression that is not understood.
func (p *parser) unknown() Value {
	v := Value{Line: p.token().line}
	if p.ends() && p.token().kind != end {
		p.at++
	}
	p.skip()
	return v
}

// typeName skips a type after "as" or "satisfies".
func (p *parser) typeName() {
	p.at++
	for !p.ends() && (p.token().kind == word || p.token().kind == text || p.is(".") || p.is("<") || p.is(">") || p.is("[") || p.is("{") || p.is("|") || p.is("&")) {
		p.jump()
	}
}

// product multiplies two numbers; it is unknown for anything else.
func product(a, b Value) Value {
	x, fine := new(big.Float).SetString(a.Text)
	y, alsoFine := new(big.Float).SetString(b.Text)
	if a.Kind != Number || b.Kind != Number || !fine || !alsoFine {
		return Value{Line: a.Line}
	}
	return Value{Kind: Number, Text: new(big.Float).Mul(x, y).Text('g', 20), Line: a.Line}
}
