package describe

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// value is a part of the document as JSON.
type value interface {
	appendTo(dst []byte) []byte
}

type (
	text   string
	whole  int64
	number float64
	flag   bool
	null   struct{}
	list   []value
	object []member // in the order in which it is written
	plain  json.RawMessage
)

type member struct {
	key   string
	value value
}

func (v text) appendTo(dst []byte) []byte {
	buffer := bytes.NewBuffer(dst)
	e := json.NewEncoder(buffer)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(v)) // a text can always be encoded
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

func (v whole) appendTo(dst []byte) []byte  { return strconv.AppendInt(dst, int64(v), 10) }
func (v number) appendTo(dst []byte) []byte { return strconv.AppendFloat(dst, float64(v), 'f', -1, 64) }
func (v flag) appendTo(dst []byte) []byte   { return strconv.AppendBool(dst, bool(v)) }
func (v null) appendTo(dst []byte) []byte   { return append(dst, "null"...) }
func (v plain) appendTo(dst []byte) []byte  { return append(dst, v...) }

func (v list) appendTo(dst []byte) []byte {
	dst = append(dst, '[')
	for i, item := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item.appendTo(dst)
	}
	return append(dst, ']')
}

func (v object) appendTo(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(text(m.key).appendTo(dst), ':')
		dst = m.value.appendTo(dst)
	}
	return append(dst, '}')
}

// with returns the object with more members at its end.
func (v object) with(more ...member) object {
	return append(v[:len(v):len(v)], more...)
}

func texts(words []string) list {
	l := make(list, len(words))
	for i, w := range words {
		l[i] = text(w)
	}
	return l
}
