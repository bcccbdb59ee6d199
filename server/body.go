package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"quire/index"
	"quire/query"
	"quire/schema"
)

// readData reads the body of a write and returns the value of its "data", which
// is nil where there is none; content.Decode judges it. JSON and URL-encoded forms
// are read; a body of another type counts as one without data, as in the
// reference.
func readData(x *exchange) (json.RawMessage, error) {
	kind, body, err := openBody(x)
	if err != nil {
		return nil, err
	}
	switch kind {
	case jsonBody:
		return dataOf(body)
	case formBody:
		return formData(body, &x.edition.site.Settings.Limits)
	}
	return nil, nil
}

// bodyKind is what can be read of a body.
type bodyKind uint8

const (
	noBody bodyKind = iota // none, or one of a type that counts as none
	jsonBody
	formBody
)

// openBody reads the body of a request and finds out what it is.
func openBody(x *exchange) (bodyKind, []byte, error) {
	if encoding := x.request.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return noBody, nil, &problem{http.StatusUnsupportedMediaType, "UnsupportedMediaTypeError",
			fmt.Sprintf("The request body is encoded as %q; send it as it is", encoding), none{}}
	}
	body, err := readBody(x, x.edition.site.Settings.Limits.BodyBytes)
	if err != nil || len(body) == 0 {
		return noBody, nil, err
	}
	kind, _, _ := mime.ParseMediaType(x.request.Header.Get("Content-Type"))
	switch kind {
	case "application/json", "application/vnd.api+json":
		return jsonBody, body, nil
	case "application/x-www-form-urlencoded":
		return formBody, body, nil
	}
	return noBody, nil, nil
}

func readBody(x *exchange, limit int64) ([]byte, error) {
	length := x.request.ContentLength
	switch {
	case length > limit:
		return nil, tooLarge(limit)
	case length < 0:
		length = limit
	}
	if err := x.hold(length); err != nil {
		return nil, err
	}
	x.watch.lap()
	body, err := io.ReadAll(http.MaxBytesReader(x.ResponseWriter, x.request.Body, limit))
	x.watch.receive = x.watch.lap()
	var beyond *http.MaxBytesError
	switch {
	case errors.As(err, &beyond):
		return nil, tooLarge(limit)
	case err != nil:
		return nil, invalid("The request body could not be read to its end")
	}
	return body, nil
}

// dataOf takes "data" out of a JSON body. Of keys that come twice the last one
// counts, as in JavaScript.
func dataOf(body []byte) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(body, &members)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return nil, invalid(fmt.Sprintf("The request body is not valid JSON: %v, after %d bytes", syntax, syntax.Offset))
	}
	return members["data"], nil // a body that is no object has none
}

// formData takes "data" out of a form, which is read like a query string. Its
// values are texts.
func formData(form []byte, limits *schema.Limits) (json.RawMessage, error) {
	tree, err := query.Parse(string(form), query.Limits{Depth: limits.Depth})
	data := tree.Get("data")
	if err != nil || data == nil {
		return nil, err
	}
	return appendNode(nil, data), nil
}

// appendNode appends the tree as JSON.
func appendNode(dst []byte, n *query.Node) []byte {
	switch n.Kind {
	case query.Text:
		return index.AppendString(dst, n.Text)
	case query.List:
		return appendMembers(append(dst, '['), n, ']')
	case query.Object:
		return appendMembers(append(dst, '{'), n, '}')
	}
	return append(dst, "null"...)
}

func appendMembers(dst []byte, n *query.Node, end byte) []byte {
	for i, item := range n.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.Kind == query.Object {
			dst = append(index.AppendString(dst, n.Keys[i]), ':')
		}
		dst = appendNode(dst, item)
	}
	return append(dst, end)
}
