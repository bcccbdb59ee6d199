package graphql

import (
	"encoding/json"
)

// Request is what a client sends. It is read from the body of a POST, or from the
// parameters of a GET.
type Request struct {
	Query         string
	OperationName string
	Variables     json.RawMessage // an object in JSON; nil for none
	Extensions    json.RawMessage // in JSON; nil for none
	Streams       bool            // the client takes a stream of events
}

// ReadRequest reads the body of a POST.
func ReadRequest(body []byte) (Request, *Refusal) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		if begin := firstByte(body); begin == '[' {
			return Request{}, refuse(BadRequest, "Operation batching disabled.")
		}
		return Request{}, refuse(BadRequest, "The body must be a JSON object with the key query")
	}
	var r Request
	for _, one := range []struct {
		key string
		to  *string
	}{{"query", &r.Query}, {"operationName", &r.OperationName}} {
		if raw, ok := members[one.key]; ok && json.Unmarshal(raw, one.to) != nil {
			return Request{}, refuse(BadRequest, "`"+one.key+"` must be a string")
		}
	}
	r.Variables, r.Extensions = members["variables"], members["extensions"]
	switch begin := firstByte(r.Variables); {
	case begin == 'n':
		r.Variables = nil
	case begin != '{' && begin != 0:
		return Request{}, refuse(BadRequest, "`variables` must be an object")
	}
	return r, nil
}

// firstByte returns the first byte of a text in JSON that is not a space; 0 if there is
// none.
func firstByte(text []byte) byte {
	for _, c := range text {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}
