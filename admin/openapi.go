package admin

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// The API of the admin as an OpenAPI document. The parameters and responses of each route
// are derived from the Go types that it reads and writes.

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
			"securitySchemes": node{"session": node{"type": "apiKey", "in": "cookie", "name": cookieName, "description": "Over TLS, its name begins with `__Secure-`."}},
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
	described := node{
		"operationId": strings.ToLower(r.Method) + placeholder.ReplaceAllString(r.Path, "/by_$1"),
		"summary":     r.summary,
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
	for _, name := range r.query {
		parameters = append(parameters, node{"name": name, "in": "query", "schema": node{"type": "string"}})
	}
	if r.Method != http.MethodGet {
		parameters = append(parameters, node{"name": intentHeader, "in": "header", "required": true, "schema": node{"const": "1"}})
	}
	described["parameters"] = parameters
	if r.in != nil {
		described["requestBody"] = node{"required": true, "content": jsonOf(schemas.form(r.in))}
	}
	if r.body != "" {
		described["requestBody"] = node{"required": true, "content": node{r.body: node{}}}
	}
	status, answer := "200", node{"description": "What was asked for."}
	switch {
	case r.media != "":
		answer["content"] = node{r.media: node{}}
	case r.out == nil:
		status, answer = "204", node{"description": "Done."}
	default:
		meta := any(node{"type": "object"})
		if r.meta != nil {
			meta = schemas.of(r.meta)
		}
		answer["content"] = jsonOf(node{
			"type": "object", "properties": node{"data": schemas.of(r.out), "meta": meta},
			"required": []string{"data", "meta"}, "additionalProperties": false,
		})
	}
	responses := node{"default": node{"$ref": "#/components/responses/Failure"}}
	switch r.status {
	case http.StatusFound:
		status, answer["description"] = "302", "The browser is sent on."
	case http.StatusCreated, http.StatusAccepted:
		status = strconv.Itoa(r.status)
	case http.StatusPartialContent: // the client requests a part
		responses["206"] = answer
	}
	responses[status] = answer
	described["responses"] = responses
	return described
}

func openAPIRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/openapi.json", handler: showOpenAPI, summary: "This document", media: "application/json"}}
}

func showOpenAPI(x *request) error {
	x.admin.Server.SendJSON(x.http, http.StatusOK, OpenAPI())
	return nil
}
