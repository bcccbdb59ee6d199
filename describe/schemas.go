package describe

// The parts that schemas are made of.

func typed(name string) object { return object{{"type", text(name)}} }

func arrayOf(item value) object {
	return object{{"type", text("array")}, {"items", item}}
}

func anyOf(options ...value) object { return object{{"anyOf", list(options)}} }

func constant(word string) object {
	return object{{"type", text("string")}, {"const", text(word)}}
}

// closed is an object with exactly these members.
func closed(properties object) object {
	var required []string
	for _, p := range properties {
		required = append(required, p.key)
	}
	return open(properties, required...)
}

// open is an object with some of these members, the required ones among them,
// and with no others.
func open(properties object, required ...string) object {
	o := object{{"type", text("object")}}
	if len(properties) > 0 {
		o = append(o, member{"properties", properties})
	}
	if len(required) > 0 {
		o = append(o, member{"required", texts(required)})
	}
	return append(o, member{"additionalProperties", flag(false)})
}

// nullable lets null stand for a value of the schema.
func nullable(s object) object {
	if len(s) == 0 {
		return s
	}
	name, ok := s[0].value.(text)
	if s[0].key != "type" || !ok {
		return anyOf(s, typed("null"))
	}
	with := object{{"type", list{name, text("null")}}}
	for _, m := range s[1:] {
		if values, ok := m.value.(list); ok && m.key == "enum" {
			m.value = append(values[:len(values):len(values)], null{})
		}
		with = append(with, m)
	}
	return with
}

// described says something about a schema.
func described(s object, about string) object {
	if about == "" {
		return s
	}
	return s.with(member{"description", text(about)})
}
