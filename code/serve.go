package code

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"quire/query/params"
)

// A Request is what a route of a project answers.
type Request struct {
	Route  *Route // from Match; nil if only the middlewares for all requests run
	Method string
	ID     string // in the log
	URL    string // path and query as they arrived: /api/articles?sort=title
	Params map[string]string

	// Headers are by their names in lower case.
	Headers  map[string]string
	Body     json.RawMessage // what the body holds as JSON; nil without a body
	Raw      []byte          // the body as it was sent, unless it is a form with files
	Files    []File          // of a form
	IP       string
	Protocol string // http or https

	// Caller is an opaque text that the host resolves, in the calls of the code that depend
	// on rights. User and Auth are ctx.state.user and ctx.state.auth.
	Caller string
	User   json.RawMessage
	Auth   json.RawMessage

	// Access is set if the door has found out whether the caller may use the route. Otherwise
	// the runtime asks the host.
	Access Access
}

// A File is one of a form. It is on disk.
type File struct {
	Field string `json:"field"`
	Path  string `json:"path"`
	Name  string `json:"name"` // as the client calls it
	Type  string `json:"type"` // as the client says
	Size  int64  `json:"size"`
}

// Access is whether a caller may use a route.
type Access string

// The values of Access.
const (
	AccessUnknown Access = ""
	Allowed       Access = "allowed"
	Forbidden     Access = "forbidden"
	Unauthorized  Access = "unauthorized"
)

// A Response is the answer to a Request.
type Response struct {
	Status  int
	Headers [][2]string // names and values in the order in which they were set
	Body    []byte
	Failed  bool // whether the code has failed, which is in the log
}

// Serve answers a request. Errors of the code are responses; the log has those that stand
// behind a status of 500, with their places in the sources. The error is a
// [params.ParamError], or one of the engine's: the code was stopped, or has no answer in time.
func (p *Program) Serve(ctx context.Context, r Request) (*Response, error) {
	given, err := r.given()
	if err != nil {
		return nil, err
	}
	if r.Raw != nil && p.facts.Load().unparsed {
		given["raw"] = string(r.Raw)
	}
	var answer json.RawMessage
	if err := p.call(ctx, "", "serve", given, &answer); err != nil {
		return nil, err
	}
	out, failed, err := readResponse(answer)
	if err != nil {
		return nil, fmt.Errorf("the code answered in a form that is not known: %w", err)
	}
	if f := failed; f != nil {
		path, _, _ := strings.Cut(r.URL, "?")
		out.Failed = true
		p.log.ErrorContext(ctx, "the code of the site has failed", "id", r.ID, "method", r.Method, "path", path, "error", f.Message, "stack", ownPlaces(p.script.Trace(f.Stack)))
	}
	return out, nil
}

// readResponse reads what responseOf of runtime/context.js has made. A body of JSON is its last
// member, and is not read.
func readResponse(answer []byte) (*Response, *failure, error) {
	head, body, isJSON := bytes.Cut(answer, []byte(`,"json":`)) // within a text, the quotes would be escaped
	if isJSON {
		head, body = append(head[:len(head):len(head)], '}'), body[:len(body)-1]
	}
	var given struct {
		Status  int
		Headers [][2]string
		Text    string
		Latin1  *string
		Failure *failure
	}
	if err := json.Unmarshal(head, &given); err != nil {
		return nil, nil, err
	}
	switch {
	case given.Latin1 != nil:
		body = make([]byte, 0, len(*given.Latin1))
		for _, c := range *given.Latin1 {
			body = append(body, byte(c))
		}
	case !isJSON:
		body = []byte(given.Text)
	}
	return &Response{Status: given.Status, Headers: given.Headers, Body: body}, given.Failure, nil
}

// A failure is an error of the code itself, behind a status of 500.
type failure struct{ Message, Stack string }

// ownPlaces are the lines of a stack that are not in the runtime.
func ownPlaces(stack string) string {
	var own []string
	for line := range strings.Lines(stack) {
		if !strings.Contains(line, "quire/") {
			own = append(own, line)
		}
	}
	return strings.TrimSpace(strings.Join(own, ""))
}

// given is the request as runtime/context.js reads it.
func (r *Request) given() (map[string]any, error) {
	_, raw, _ := strings.Cut(r.URL, "?")
	query, err := params.Parse(raw, params.Limits{})
	if err != nil {
		return nil, err
	}
	given := map[string]any{
		"route": -1, "method": r.Method, "url": r.URL, "params": r.Params, "query": tree(query), "headers": r.Headers, "ip": r.IP, "protocol": r.Protocol,
		"caller": r.Caller, "access": r.Access, "state": map[string]any{"user": orNull(r.User), "auth": orNull(r.Auth)},
	}
	if r.Route != nil {
		given["route"] = r.Route.index
	}
	if r.Body != nil {
		given["body"] = r.Body
	}
	if r.Files != nil {
		given["files"] = r.Files
	}
	return given, nil
}

func orNull(value json.RawMessage) any {
	if value == nil {
		return nil
	}
	return value
}

// tree is a query as plain values, in the form of Strapi's ctx.query.
func tree(n *params.Node) any {
	switch {
	case n == nil || n.Kind == params.Null:
		return nil
	case n.Kind == params.Text:
		return n.Text
	case n.Kind == params.List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = tree(item)
		}
		return list
	}
	return object{n}
}

// An object is written as JSON with its keys in the order of the query.
type object struct{ node *params.Node }

// MarshalJSON writes the object.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, key := range o.node.Keys {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := json.Marshal(tree(o.node.Items[i]))
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, quote(key)...), ':'), value...)
	}
	return append(out, '}'), nil
}
