package edit

import "encoding/json"

// Setting is a value at a place of a JSON file.
type Setting struct {
	Path  []string // of keys; at least one
	Value json.RawMessage
}

// Set returns a JSON object with values at their places. Everything else keeps its text; an
// empty text is an object without members. The error says that the text is no JSON object.
func Set(text []byte, settings []Setting) ([]byte, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	var checked json.RawMessage
	if err := json.Unmarshal(text, &checked); err != nil {
		return nil, err
	}
	whole, err := parse(text)
	if err != nil {
		return nil, err
	}
	changed := false
	for _, s := range settings {
		changed = put(whole, s.Path, s.Value, 1) || changed
	}
	if !changed {
		return text, nil
	}
	return append(whole.write(nil, ""), '\n'), nil
}

// put sets a value below an object at this depth of its file, and reports whether that
// changes anything.
func put(o *object, path []string, value json.RawMessage, depth int) bool {
	o.order = []string{}
	if len(path) == 1 {
		return o.set(path[0], value, depth)
	}
	inner := o.read(path[0])
	if !put(inner, path[1:], value, depth+1) {
		return false
	}
	o.place(path[0], nil).inner = inner
	return true
}
