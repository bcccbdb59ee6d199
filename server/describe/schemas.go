package describe

// Constructors of JSON schemas.

func typed(name string) object { return object{{"type", name}} }

func arrayOf(item any) object {
	return object{{"type", "array"}, {"items", item}}
}

func anyOf(options ...any) object { return object{{"anyOf", list(options)}} }

func constant(word string) object {
	return object{{"type", "string"}, {"const", word}}
}

// closedObject is an object that has exactly these members.
func closedObject(properties object) object {
	var required []string
	for _, p := range properties {
		required = append(required, p.key)
	}
	return openObject(properties, required...)
}

// openObject is an object that has the required members, and may have the others of
// properties and none besides.
func openObject(properties object, required ...string) object {
	o := object{{"type", "object"}}
	if len(properties) > 0 {
		o = append(o, member{"properties", properties})
	}
	if len(required) > 0 {
		o = append(o, member{"required", texts(required)})
	}
	return append(o, member{"additionalProperties", false})
}

// nullable is the schema s or null.
func nullable(s object) object {
	if len(s) == 0 {
		return s
	}
	name, ok := s[0].value.(string)
	if s[0].key != "type" || !ok {
		return anyOf(s, typed("null"))
	}
	with := object{{"type", list{name, "null"}}}
	for _, m := range s[1:] {
		if values, ok := m.value.(list); ok && m.key == "enum" {
			m.value = append(values[:len(values):len(values)], nil)
		}
		with = append(with, m)
	}
	return with
}

// described is a schema with a description.
func described(s object, about string) object {
	if about == "" {
		return s
	}
	return s.with(member{"description", about})
}

// words is a text that is one of these.
func words(all ...string) object { return object{{"type", "string"}, {"enum", texts(all)}} }
