package admin

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The API of the admin as an OpenAPI document. The parameters and responses of each route
// are derived from the Go types that it reads and writes.

// operation describes a route, in addition to its path.
type operation struct {
	summary string   // in a few words
	query   []string // names of parameters; others are refused, see Route.checkQuery
	passed  bool     // the content API reads the parameters, which may have keys: filters[name]
	in      any      // the form of the body; nil for none
	out     any      // of the data of a response; nil if there is none
	meta    any      // of the meta of a response
	status  int      // of the response; 0 for 200 or, without data, 204; with 206 parts can be requested
	body    string   // media type of a body that is not a form
	media   string   // media type of a response without an envelope
}

// node is a part of the document. Its keys are written in sorted order.
type node = map[string]any

// OpenAPI describes the routes below /admin/api/v1 as an OpenAPI 3.1 document.
func OpenAPI() []byte {
	schemas := &schemaBuilder{known: node{}}
	paths := node{}
	for _, r := range Routes() {
		path := placeholder.ReplaceAllString(r.Path, "/{$1}")
		if paths[path] == nil {
			paths[path] = node{}
		}
		paths[path].(node)[strings.ToLower(r.Method)] = describeRoute(&r, schemas)
	}
	failure := schemas.of(struct {
		Data  *struct{} `json:"data"`
		Error struct {
			Status  int    `json:"status"`
			Name    string `json:"name"`
			Message string `json:"message"`
			Details any    `json:"details"`
		} `json:"error"`
	}{})
	text, err := json.Marshal(node{
		"openapi": "3.1.0",
		"info": node{"title": "Admin API", "version": "1", "description": "The API of the admin's own pages. Whatever changes something needs the header `" + intentHeader +
			": 1` and must come from the same origin. Errors have one form; `SessionExpired` asks to sign in again. Content is that of the content API, which /api/openapi.json describes."},
		"servers": []node{{"url": APIPath}},
		"paths":   paths,
		"components": node{
			"schemas":         schemas.known,
			"responses":       node{"Failure": node{"description": "What keeps the request from being carried out.", "content": jsonOf(failure)}},
			"securitySchemes": node{"session": node{"type": "apiKey", "in": "cookie", "name": cookieName}},
		},
	})
	if err != nil {
		panic("admin: " + err.Error()) // the document has only values from here
	}
	return text
}

var placeholder = regexp.MustCompile(`/[:*](\w+)`)

func jsonOf(schema any) node { return node{"application/json": node{"schema": schema}} }

// describeRoute returns the operation of a route.
func describeRoute(r *Route, schemas *schemaBuilder) node {
	o := operations[r.Method+" "+r.Path]
	described := node{
		"operationId": strings.ToLower(r.Method) + placeholder.ReplaceAllString(r.Path, "/by_$1"),
		"summary":     o.summary,
		"security":    []node{{"session": []string{}}},
	}
	if r.Open {
		described["security"] = []node{}
	}
	if r.Right != "" {
		described["description"] = "Needs the right `" + string(r.Right) + "`."
	}
	parameters := []node{}
	for _, m := range placeholder.FindAllStringSubmatch(r.Path, -1) {
		parameters = append(parameters, node{"name": m[1], "in": "path", "required": true, "schema": node{"type": "string"}})
	}
	for _, name := range o.query {
		parameters = append(parameters, node{"name": name, "in": "query", "schema": node{"type": "string"}})
	}
	if r.Method != http.MethodGet {
		parameters = append(parameters, node{"name": intentHeader, "in": "header", "required": true, "schema": node{"const": "1"}})
	}
	described["parameters"] = parameters
	if o.in != nil {
		described["requestBody"] = node{"required": true, "content": jsonOf(schemas.form(o.in))}
	}
	if o.body != "" {
		described["requestBody"] = node{"required": true, "content": node{o.body: node{}}}
	}
	described["responses"] = o.responses(schemas)
	return described
}

func (o *operation) responses(schemas *schemaBuilder) node {
	status, answer := "200", node{"description": "What was asked for."}
	switch {
	case o.media != "":
		answer["content"] = node{o.media: node{}}
	case o.out == nil:
		status, answer = "204", node{"description": "Done."}
	default:
		meta := any(node{"type": "object"})
		if o.meta != nil {
			meta = schemas.of(o.meta)
		}
		answer["content"] = jsonOf(node{
			"type": "object", "properties": node{"data": schemas.of(o.out), "meta": meta},
			"required": []string{"data", "meta"}, "additionalProperties": false,
		})
	}
	responses := node{"default": node{"$ref": "#/components/responses/Failure"}}
	switch o.status {
	case http.StatusFound:
		status, answer["description"] = "302", "The browser is sent on."
	case http.StatusCreated, http.StatusAccepted:
		status = strconv.Itoa(o.status)
	case http.StatusPartialContent: // the client requests a part
		responses["206"] = answer
	}
	responses[status] = answer
	return responses
}

func openAPIRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/openapi.json", handler: showOpenAPI}}
}

// Described returns the routes that the document describes, as "GET /session".
func Described() []string { return slices.Sorted(maps.Keys(operations)) }

func showOpenAPI(x *request) error {
	x.admin.Server.SendJSON(x.http, http.StatusOK, OpenAPI())
	return nil
}
