package script

import (
	"math"
	"strconv"
	"strings"
)

// operand reads an expression without operators.
func (p *parser) operand() Value {
	t := p.token()
	switch {
	case p.isFunction():
		return p.function()
	case t.kind == text:
		p.at++
		return Value{Kind: Text, Text: t.text, Line: t.line}
	case t.kind == number:
		p.at++
		return numberOf(t)
	case p.is("-") && p.tokens[p.at+1].kind == number:
		p.at += 2
		v := numberOf(p.tokens[p.at-1])
		v.Text = "-" + v.Text
		return v
	case p.take("await"):
		return p.operand()
	case t.kind == word && t.text != "new" && t.text != "typeof" && t.text != "delete":
		return p.named()
	case p.is("{"):
		return p.within(p.object)
	case p.is("["):
		return p.within(func() Value { return p.list(List, "]") })
	case p.is("("):
		return p.within(p.parentheses)
	}
	return p.unknown()
}

// within reads the content of brackets.
func (p *parser) within(read func() Value) Value {
	before := p.inside
	p.inside = true
	v := read()
	p.inside = before
	return v
}

func numberOf(t token) Value {
	text := strings.ReplaceAll(t.text, "_", "")
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return Value{Kind: Number, Text: strconv.FormatInt(n, 10), Line: t.line}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return Value{Line: t.line}
	}
	return Value{Kind: Number, Text: strconv.FormatFloat(f, 'g', -1, 64), Line: t.line}
}

var constants = map[string]Kind{"true": Flag, "false": Flag, "null": Null, "undefined": Undefined}

// longestName limits the names that are read, in bytes.
const longestName = 500

// named reads a name, what is below it, and calls: ctx.query, env.int("PORT", 1337).
func (p *parser) named() Value {
	t := p.token()
	p.at++
	v := Value{Kind: Name, Text: t.text, Line: t.line}
	if kind, is := constants[t.text]; is {
		v.Kind = kind
	}
	for v.Kind == Name || v.Kind == Call {
		switch {
		case p.is(".") || p.is("?."):
			p.at++
			if p.token().kind == word && len(v.Text) < longestName {
				v = Value{Kind: Name, Text: nameOf(v) + "." + p.token().text, Line: t.line}
				p.at++
				continue
			}
			return p.unknown()
		case p.is("(") && !(p.token().first && !p.inside):
			name := nameOf(v)
			v = p.within(func() Value { return p.list(Call, ")") })
			v.Text, v.Line = name, t.line
		default:
			return v
		}
	}
	return v
}

// nameOf returns the name of a value from which something is read; of a call with its
// brackets.
func nameOf(v Value) string {
	if v.Kind == Call {
		return v.Text + "()"
	}
	return v.Text
}

// parentheses reads one value in parentheses.
func (p *parser) parentheses() Value {
	last := p.pairs[p.at]
	p.at++
	v := p.value()
	if last == 0 || p.at != last {
		v = Value{Line: v.Line}
		p.at = max(p.at, last)
	}
	p.take(")")
	return v
}

// list reads values up to a closing bracket.
func (p *parser) list(kind Kind, last string) Value {
	v := Value{Kind: kind, Line: p.token().line}
	p.at++
	for p.token().kind != end && !p.take(last) {
		if p.take(",") {
			continue
		}
		before := p.at
		spread := p.take("...")
		one := p.value()
		one.Spread = spread
		v.Items = append(v.Items, one)
		if p.at == before {
			p.at++ // a bracket without a counterpart
		}
	}
	return v
}
