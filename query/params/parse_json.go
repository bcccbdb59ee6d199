package params

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// FromJSON reads parameters written as JSON, as in the defaults of a site.json, into the
// tree that Parse returns for a query: numbers, as written, and booleans become Text, null
// becomes Null. Limits apply as in a query string; each value counts as a parameter. An
// error is a *ParamError that names the key.
func FromJSON(data []byte, l Limits) (*Node, error) {
	if !utf8.Valid(data) {
		return nil, &ParamError{Message: "The parameters are not valid UTF-8"}
	}
	r := jsonReader{limits: l.orDefault(), dec: json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	node, err := r.value(nil)
	if err == nil {
		err = r.checkEnd()
	}
	if err != nil {
		return nil, err
	}
	return node, nil
}

// jsonReader is the state of one FromJSON.
type jsonReader struct {
	dec    *json.Decoder
	limits Limits
	values int // texts and nulls read so far
	arena  arena
}

// value reads the value at a path of keys and positions.
func (r *jsonReader) value(path []string) (*Node, error) {
	token, err := r.nextToken()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return r.object(path)
	case json.Delim('['):
		return r.list(path)
	}
	if r.values++; r.values > r.limits.Parameters {
		return nil, tooManyParameters(r.limits)
	}
	if token == nil {
		return r.arena.node(Null), nil
	}
	text := r.arena.node(Text)
	text.Text = fmt.Sprint(token)
	return text, nil
}

func (r *jsonReader) object(path []string) (*Node, error) {
	if err := r.checkDepth(path); err != nil {
		return nil, err
	}
	object := r.arena.node(Object)
	for r.dec.More() {
		token, err := r.nextToken()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		at := append(path, key)
		if object.Get(key) != nil {
			return nil, refuseKey(joinKey(at), "The key %s is given twice")
		}
		value, err := r.value(at)
		if err != nil {
			return nil, err
		}
		r.arena.entry(object, key, value)
	}
	_, err := r.nextToken()
	return object, err
}

func (r *jsonReader) list(path []string) (*Node, error) {
	if err := r.checkDepth(path); err != nil {
		return nil, err
	}
	list := r.arena.node(List)
	for r.dec.More() {
		if len(list.Items) == r.limits.ArrayLimit {
			return nil, tooLongList(joinKey(path), r.limits)
		}
		item, err := r.value(append(path, strconv.Itoa(len(list.Items))))
		if err != nil {
			return nil, err
		}
		r.arena.push(list, item)
	}
	_, err := r.nextToken()
	return list, err
}

// checkDepth refuses a list or object below the last level that may have one: a parameter's
// name and, after it, the brackets that Limits.Depth allows.
func (r *jsonReader) checkDepth(path []string) error {
	if len(path) > r.limits.Depth {
		return tooDeepKey(joinKey(path), r.limits)
	}
	return nil
}

func (r *jsonReader) nextToken() (json.Token, error) {
	token, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, &ParamError{Message: "The parameters are not valid JSON: " + err.Error()}
	}
	return token, nil
}

// checkEnd refuses anything after the value.
func (r *jsonReader) checkEnd() error {
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return &ParamError{Message: "The parameters are not valid JSON: more than one value"}
	}
	return nil
}

// joinKey writes a path as a query string would.
func joinKey(path []string) string {
	if len(path) == 0 {
		return ""
	}
	key := path[0]
	for _, name := range path[1:] {
		key += "[" + name + "]"
	}
	return key
}
