package script

// object reads an object in braces.
func (p *parser) object() Value {
	v := Value{Kind: Object, Line: p.token().line}
	p.at++
	for p.token().kind != end && !p.take("}") {
		if p.take(",") {
			continue
		}
		before := p.at
		key, one := p.member()
		v.Keys, v.Items = append(v.Keys, key), append(v.Items, one)
		if p.at == before {
			p.at++
		}
	}
	return v
}

// member reads one member: key: value, key, "key": value, [key]: value, ...rest, or a
// method. Anything else counts as a spread of an unknown value, because it may set any key.
func (p *parser) member() (key string, v Value) {
	t := p.token()
	if p.take("...") {
		v = p.value()
		v.Spread = true
		return "", v
	}
	if p.is("async") && (p.tokens[p.at+1].kind == word || p.tokens[p.at+1].kind == text) {
		p.at++
	}
	key, known := p.key()
	switch {
	case known && p.take(":"):
		return key, p.value()
	case known && p.is("(") && p.bodyAfter(p.at) > 0:
		return key, p.method()
	case known && t.kind == word && (p.is(",") || p.is("}")):
		return key, Value{Kind: Name, Text: key, Line: t.line}
	}
	p.skip()
	return "", Value{Spread: true, Line: t.line}
}

// key reads the key of a member.
func (p *parser) key() (key string, known bool) {
	t := p.token()
	switch {
	case t.kind == word || t.kind == text || t.kind == number:
		p.at++
		return t.text, true
	case p.is("[") && p.tokens[p.at+1].kind == text && p.isAt(p.at+2, "]"):
		p.at += 3
		return p.tokens[p.at-2].text, true
	}
	return "", false
}
