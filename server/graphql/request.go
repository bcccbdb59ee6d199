package graphql

import (
	"bytes"
	"encoding/json"
	"net/url"

	"quire/content/body"
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

// PrepareBody prepares the request in the body of a POST. streams says whether the client
// takes a stream of events.
func (s *Schema) PrepareBody(text []byte, streams bool) (*Operation, *Refusal) {
	key := requestText{text: string(text)}
	if o := s.known.findRequest(key); o != nil {
		return o, nil
	}
	r, refusal := readBody(text)
	if refusal != nil {
		return nil, refusal
	}
	return s.prepareNew(key, r, streams)
}

// PrepareQuery prepares the request in the parameters of a GET.
func (s *Schema) PrepareQuery(text string, streams bool) (*Operation, *Refusal) {
	key := requestText{true, text}
	if o := s.known.findRequest(key); o != nil {
		return o, nil
	}
	values, _ := url.ParseQuery(text) // as for the parameters of REST, wrong ones are left out
	r := Request{Query: values.Get("query"), OperationName: values.Get("operationName"), Variables: []byte(values.Get("variables")), Extensions: []byte(values.Get("extensions"))}
	return s.prepareNew(key, r, streams)
}

// prepareNew prepares a request that is not known, and keeps it if it is not a
// subscription, which depends on more.
func (s *Schema) prepareNew(key requestText, r Request, streams bool) (*Operation, *Refusal) {
	r.Streams = streams
	o, refusal := s.Prepare(r)
	if refusal == nil && !o.IsSubscription() {
		s.known.putRequest(key, o.hash, *o)
	}
	return o, refusal
}

// readBody reads the body of a POST.
func readBody(text []byte) (r Request, refusal *Refusal) {
	if !json.Valid(text) {
		return r, refuse(BadRequest, "The body must be a JSON object with the key query")
	}
	request := body.OfJSON(text)
	switch {
	case bytes.HasPrefix(request.JSON(), []byte("[")):
		return r, refuse(BadRequest, "Operation batching disabled.")
	case !request.IsObject():
		return r, refuse(BadRequest, "The body must be a JSON object with the key query")
	}
	for _, m := range request.Members() {
		value, isText := m.Value.Text()
		switch m.Key {
		case "query", "operationName":
			if !isText && !m.Value.IsNull() {
				return r, refuse(BadRequest, "`"+m.Key+"` must be a string")
			}
			if m.Key == "query" {
				r.Query = value
			} else {
				r.OperationName = value
			}
		case "variables":
			if !m.Value.IsObject() && !m.Value.IsNull() {
				return r, refuse(BadRequest, "`variables` must be an object")
			}
			if m.Value.IsObject() {
				r.Variables = json.RawMessage(m.Value.JSON())
			}
		case "extensions":
			r.Extensions = json.RawMessage(m.Value.JSON())
		}
	}
	return r, nil
}
