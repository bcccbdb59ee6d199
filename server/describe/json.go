package describe

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// The parts of the document are values: string, int, float64, bool, nil, list, object, and
// json.RawMessage for what is JSON already.
type (
	list   []any
	object []member // in the order in which it is written
	member struct {
		key   string
		value any
	}
)

// appendJSON appends a value as compact JSON.
func appendJSON(dst []byte, value any) []byte {
	switch v := value.(type) {
	case object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSON(dst, m.key), ':')
			dst = appendJSON(dst, m.value)
		}
		return append(dst, '}')
	case list:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	case float64:
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	case json.RawMessage:
		return append(dst, v...)
	}
	buffer := bytes.NewBuffer(dst)
	e := json.NewEncoder(buffer)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // what is left can always be encoded
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// with returns the object with more members at its end.
func (v object) with(more ...member) object {
	return append(v[:len(v):len(v)], more...)
}

func texts(words []string) list {
	l := make(list, len(words))
	for i, w := range words {
		l[i] = w
	}
	return l
}
