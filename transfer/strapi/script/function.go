package script

// isFunction reports whether a function begins here.
func (p *parser) isFunction() bool {
	at := p.at
	if p.isAt(at, "async") && !p.tokens[at+1].first {
		at++
	}
	switch {
	case p.isAt(at, "function"):
		return true
	case p.isAt(at, "("):
		return p.arrowAfter(p.pairs[at]) > 0
	}
	return p.tokens[at].kind == word && p.isAt(at+1, "=>")
}

// longestType is the maximum number of tokens of the type of a result.
const longestType = 40

// arrowAfter returns the position of the arrow of a function whose parameters end at a
// position, after the type of its result; 0 for no function.
func (p *parser) arrowAfter(parameters int) int { return p.after(parameters, "=>") }

// bodyAfter returns the position of the body of a method whose parameters begin at a
// position; 0 for none.
func (p *parser) bodyAfter(parameters int) int { return p.after(p.pairs[parameters], "{") }

func (p *parser) after(parameters int, what string) int {
	if parameters == 0 {
		return 0
	}
	at := parameters + 1
	if p.isAt(at, what) {
		return at
	}
	if !p.isAt(at, ":") {
		return 0
	}
	for last := at + longestType; at < last && at < len(p.tokens)-1; at++ {
		switch {
		case p.isAt(at, what):
			return at
		case p.isAt(at, ";") || p.isAt(at, ")") || p.isAt(at, "}"):
			return 0
		case p.pairs[at] > at:
			at = p.pairs[at]
		}
	}
	return 0
}

// function reads a function in any form except a method.
func (p *parser) function() Value {
	line := p.token().line
	p.take("async")
	if p.take("function") {
		p.take("*")
		if p.token().kind == word {
			p.at++
		}
		return p.method()
	}
	f := &Func{}
	if p.is("(") {
		last := p.pairs[p.at]
		f.Parameters = p.parameters(last)
		p.at = p.arrowAfter(last)
	} else {
		f.Parameters = []string{p.token().text}
		p.at++
	}
	p.at++ // the arrow
	if p.is("{") {
		f.Body = p.block()
	} else {
		v := p.value()
		f.Body = []Statement{{Kind: Return, Value: v, Line: v.Line}}
	}
	return Value{Kind: Function, Func: f, Line: line}
}

// method reads the parameters and the body of a function.
func (p *parser) method() Value {
	line := p.token().line
	if !p.is("(") || p.bodyAfter(p.at) == 0 {
		return p.unknown()
	}
	last := p.pairs[p.at]
	f := &Func{Parameters: p.parameters(last)}
	p.at = p.after(last, "{")
	f.Body = p.block()
	return Value{Kind: Function, Func: f, Line: line}
}

// parameters returns the names of parameters, up to the bracket that ends them.
func (p *parser) parameters(last int) (names []string) {
	for p.at++; p.at < last; {
		name := ""
		if p.token().kind == word {
			name = p.token().text
		}
		names = append(names, name)
		for p.at < last && !p.is(",") {
			p.jump()
		}
		p.take(",")
	}
	return names
}

// block reads the statements in braces.
func (p *parser) block() []Statement {
	last := p.pairs[p.at]
	if last == 0 || p.depth >= deepest {
		line := p.token().line
		p.at = max(last, p.at) + 1
		p.at = min(p.at, len(p.tokens)-1)
		return []Statement{{Line: line}}
	}
	before := p.inside
	p.inside = false
	p.depth++
	p.at++
	body := p.statements(last)
	p.depth--
	p.at, p.inside = last+1, before
	return body
}
