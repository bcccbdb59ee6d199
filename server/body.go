package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"quire/content/body"
	"quire/query/params"
	"quire/schema/settings"
	"quire/server/edge"
)

// readData reads the body of a write and returns the value of its "data", or null if there
// is none; body.DecodeValue checks it. The body is JSON or a URL-encoded form. As in
// Strapi, a body of another type counts as one without data.
func readData(x *request) (body.Value, error) {
	kind, data, err := openBody(x, x.site.schema.Settings.Limits.BodyBytes)
	if err != nil {
		return body.Value{}, err
	}
	switch kind {
	case jsonBody:
		return dataOf(data)
	case formBody:
		return formData(data, &x.site.schema.Settings.Limits)
	}
	return body.Value{}, nil
}

// bodyKind is the kind of a body.
type bodyKind uint8

const (
	noBody bodyKind = iota // no body, or one of a type that counts as none
	jsonBody
	formBody
)

// openBody opens the body of a request, up to the given number of bytes, and detects its
// kind. It does not read a body that counts as none.
func openBody(x *request, most int64) (bodyKind, []byte, error) {
	if x.part != nil {
		return x.part.open(most)
	}
	if encoding := x.http.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return noBody, nil, &problem{http.StatusUnsupportedMediaType, "UnsupportedMediaTypeError",
			fmt.Sprintf("The request body is encoded as %q; send it as it is", encoding), none{}}
	}
	kind := kindOf(x.http.Header.Get("Content-Type"))
	if kind == noBody {
		return noBody, nil, nil
	}
	data, err := readBody(x, most)
	if err != nil || len(data) == 0 {
		return noBody, nil, err
	}
	if kind == jsonBody {
		err = x.share.ReserveBody(int64(min(countItems(data), body.MostItems(x.site.schema))) * itemBytes)
	}
	return kind, data, err
}

// itemBytes is the approximate size of a decoded list element, such as a link, which takes
// two bytes in a body.
const itemBytes = 400

// countItems counts the elements and members in a body, except the first of each list and
// object.
func countItems(body []byte) (n int) {
	text := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			text = !text
		case text && c == '\\':
			i++
		case !text && c == ',':
			n++
		}
	}
	return n
}

func kindOf(contentType string) bodyKind {
	switch kind, _, _ := mime.ParseMediaType(contentType); kind {
	case "application/json", "application/vnd.api+json":
		return jsonBody
	case "application/x-www-form-urlencoded":
		return formBody
	}
	return noBody
}

func readBody(x *request, limit int64) (body []byte, err error) {
	switch {
	case x.http.ContentLength == 0:
		return nil, nil
	case x.http.ContentLength > limit:
		return nil, tooLarge(limit)
	}
	x.watch.lap()
	err = x.share.Receive(false, func(b *edge.Body) (err error) {
		body, err = x.share.ReadAll(b, x.http.ContentLength, limit)
		return err
	})
	x.watch.receive = x.watch.lap()
	switch {
	case errors.Is(err, edge.ErrTooLong):
		return nil, tooLarge(limit)
	case err != nil && explainEdge(err) == nil:
		return nil, invalid("The request body could not be read to its end")
	}
	return body, err
}

func tooLarge(limit int64) *problem {
	return &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError",
		fmt.Sprintf("The request body is larger than %d bytes", limit), none{}}
}

// dataOf extracts "data" from a JSON body. If a key occurs twice, the last one counts, as
// in JavaScript.
func dataOf(text []byte) (body.Value, error) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(text, &members)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return body.Value{}, invalid(fmt.Sprintf("The request body is not valid JSON: %v, after %d bytes", syntax, syntax.Offset))
	}
	return body.OfJSON(members["data"]), nil // nil if the body is not an object
}

// formData extracts "data" from a form, which is read like a query string. Its values are
// strings.
func formData(form []byte, limits *settings.Limits) (body.Value, error) {
	tree, err := params.Parse(string(form), params.Limits{Depth: limits.Depth})
	if err != nil {
		return body.Value{}, err
	}
	return valueOf(tree.Get("data")), nil
}

// valueOf returns a tree as the value of a body; nil is null.
func valueOf(n *params.Node) body.Value {
	if n == nil {
		return body.Value{}
	}
	switch n.Kind {
	case params.Text:
		return body.Text(n.Text)
	case params.List:
		elements := make([]body.Value, len(n.Items))
		for i, item := range n.Items {
			elements[i] = valueOf(item)
		}
		return body.List(elements...)
	case params.Object:
		members := make([]body.Field, len(n.Items))
		for i, item := range n.Items {
			members[i] = body.Field{Key: n.Keys[i], Value: valueOf(item)}
		}
		return body.Object(members...)
	}
	return body.Value{}
}
