package script

// constant reads const name: Type = value.
func (p *parser) constant() Statement {
	p.at++
	s := Statement{Kind: Constant}
	if p.token().kind == word {
		s.Name = p.token().text
	}
	p.jump()
	for p.token().kind != end && !p.is("=") && !p.is(";") && !p.is("}") { // a type
		p.jump()
	}
	if !p.take("=") {
		p.close()
		return Statement{}
	}
	s.Value = p.value()
	if p.is(",") { // several at once
		p.skipStatement()
		return Statement{}
	}
	p.close()
	return s
}

// declared reads function name() {}, which is a constant.
func (p *parser) declared() Statement {
	s := Statement{Kind: Constant}
	if at := p.at + 1; p.is("function") {
		s.Name = p.tokens[at].text
	} else {
		s.Name = p.tokens[min(at+1, len(p.tokens)-1)].text
	}
	s.Value = p.function()
	return s
}

// exported reads export default value, or export const name = value.
func (p *parser) exported() Statement {
	p.at++
	switch {
	case p.take("default"):
		v := p.value()
		p.close()
		return Statement{Kind: Export, Value: v}
	case p.is("const"):
		return p.constant()
	case p.is("function"), p.is("async"):
		return p.declared()
	}
	p.skipStatement()
	return Statement{}
}

// assigned reads what is assigned to a name. name = name || value is the same as name ||=
// value.
func (p *parser) assigned(to Value) Statement {
	unless := !p.is("=")
	p.at++
	v := p.value()
	p.close()
	switch {
	case to.Kind != Name:
		return Statement{}
	case to.Text == "module.exports" || to.Text == "exports.default":
		return Statement{Kind: Export, Value: v}
	case v.Kind == Either && v.Items[0].Kind == Name && v.Items[0].Text == to.Text:
		unless, v = true, v.Items[1]
	}
	set := Statement{Kind: Assign, Name: to.Text, Value: v, Line: to.Line}
	if unless {
		return Statement{Kind: Unless, Name: to.Text, Then: []Statement{set}}
	}
	return set
}

// unless reads if (!name) with a block or one statement. Any other if is not understood.
func (p *parser) unless() Statement {
	p.at++
	last := p.pairs[p.at]
	if !p.is("(") || last == 0 {
		p.skipStatement()
		return Statement{}
	}
	p.at++
	s := Statement{Kind: Unless}
	if p.take("!") {
		if v := p.within(p.value); v.Kind == Name && p.at == last {
			s.Name = v.Text
		}
	}
	p.at = last + 1
	switch {
	case p.is("{"):
		s.Then = p.block()
	case p.depth == deepest:
		p.skipStatement()
		return Statement{}
	default:
		p.depth++
		s.Then = []Statement{p.statement()}
		p.depth--
	}
	if s.Name == "" || p.is("else") {
		return Statement{}
	}
	return s
}
