package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"quire/documents"
)

// tool is one tool: how the list shows it, and what it does.
type tool struct {
	sdk.Tool
	call func(r *Request, arguments json.RawMessage) (*toolResult, error)
}

func newTool[A any](name, description, schema string, hints sdk.ToolAnnotations, call func(*Request, *A) (*toolResult, error)) *tool {
	closed := false
	hints.OpenWorldHint = &closed
	if hints.ReadOnlyHint {
		hints.DestructiveHint = &closed
	}
	return &tool{
		sdk.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema), Annotations: &hints},
		func(r *Request, text json.RawMessage) (*toolResult, error) {
			a := new(A)
			if err := readArguments(name, text, a); err != nil {
				return nil, err
			}
			return call(r, a)
		},
	}
}

// Short names of types in the schemas of arguments.
const (
	text   = `{"type":"string"}`
	whole  = `{"type":"integer"}`
	object = `{"type":"object"}`
	texts  = `{"type":"array","items":{"type":"string"}}`
)

// described is a type with a description.
func described(schema, description string) string {
	if description == "" {
		return schema
	}
	open := strings.TrimSuffix(schema, "}")
	if open != "{" {
		open += ","
	}
	return open + `"description":` + string(quoted(description)) + "}"
}

// arguments is the schema of an object: names and schemas in turn. A name with ! is required.
func arguments(pairs ...string) string {
	var properties, required []string
	for i := 0; i < len(pairs); i += 2 {
		name, needed := strings.CutSuffix(pairs[i], "!")
		if needed {
			required = append(required, string(quoted(name)))
		}
		properties = append(properties, string(quoted(name))+":"+pairs[i+1])
	}
	schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + "}"
	if required != nil {
		schema += `,"required":[` + strings.Join(required, ",") + "]"
	}
	return schema + "}"
}

func list(schema, description string) string {
	return described(`{"type":"array","items":`+schema+"}", description)
}

func oneOf(description string, values ...string) string {
	list := []byte(`{"enum":[`)
	for i, value := range values {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, quoted(value)...)
	}
	return described(string(list)+"]}", description)
}

// quireTools are the tools of a site, whatever its types.
func quireTools() []*tool {
	return append(readingTools(), writingTools()...)
}

func readingTools() []*tool {
	reads := sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
	return []*tool{
		newTool("describe", "Content types that you may use, or one of them: its attributes and how to write each. Call it first.",
			arguments("type", described(text, "uid, such as api::article.article; leave it out to list all")), reads, describe),
		newTool("find", "Documents of a type, as a table. Parameters are those of Strapi's REST API as JSON.",
			arguments("type!", text,
				"filters", described(object, `{"title":{"$containsi":"x"},"author":{"name":{"$eq":"Ada"}}}. Operators: $eq $ne $in $lt $lte $gt $gte $contains $startsWith $null $notNull $and $or $not`),
				"search", described(text, "words anywhere in the document"),
				"sort", described(texts, `"title:asc"`),
				"fields", described(texts, "attributes to show; default: title and updatedAt"),
				"populate", described("{}", `components, relations and files to show: ["author"] or {"author":{"fields":["name"]}}`),
				"locale", described(text, "* for all"),
				"status", oneOf("default: draft, which is the newest version", "draft", "published"),
				"page", whole, "pageSize", described(whole, "default 25, up to 100"),
				"count", described(`{"type":"boolean"}`, "only the number"),
				"aggregate", described(object, `figures instead: {"groupBy":["author.name"],"count":true,"sum":["views"],"sort":["count:desc"]}`)), reads, find),
		newTool("get", "One document with all that belongs to it, what links to it, its history, or the differences between two revisions.",
			arguments("type!", text, "documentId", described(text, "none for a single type"), "locale", text,
				"status", oneOf("", "draft", "published"),
				"show", oneOf("default: document", "document", "links", "history", "revision", "differences"),
				"fields", texts, "populate", described("{}", "as in find"),
				"attribute", described(text, `one text alone, to read on after a cut: "body" or "sections.0.text"`), "from", described(whole, "its first character"),
				"revision", described(whole, "of the history"), "with", described(whole, "the other revision, for differences"), "page", whole), reads, get),
		newTool("search", "Documents of several types that have some words, best first.",
			arguments("text!", text, "types", texts, "locale", text, "status", oneOf("", "draft", "published"), "most", described(whole, "for each type, default 5")), reads, search),
	}
}

func writingTools() []*tool {
	adds, destroys := false, true
	return []*tool{
		newTool("write", "Create and change drafts, all in one transaction: if one is refused, none is stored. Publishes nothing.",
			arguments("items!", list(arguments("type!", text,
				"documentId", described(text, "of the document to change; none creates one"), "locale", text,
				"version", described(whole, "that find or get showed; required for a change"),
				"data!", described(object, "attributes to set; others stay. describe says how. {{0.documentId}} is the document of the first item")), "up to 200")),
			sdk.ToolAnnotations{DestructiveHint: &adds}, write),
		newTool("act", "Change the state of documents, all in one transaction. What needs a person answers so.",
			arguments("action!", oneOf("", "publish", "unpublish", "discard", "duplicate", "restore", "delete", "unschedule"),
				"items!", list(arguments("type!", text, "documentId", text, "locale", described(text, "* for all"), "version", described(whole, "only if the document is still at it"),
					"revision", described(whole, "to restore"), "schedule", described(text, "id to cancel")), "up to 200"),
				"at", described(text, "publish or unpublish at this time, 2030-01-31T12:00:00Z")),
			sdk.ToolAnnotations{DestructiveHint: &destroys}, act),
		newTool("files", "The media library. A media attribute takes the id of a file.",
			arguments("action!", oneOf("look shows a small version of a picture", "find", "look", "upload", "describe"),
				"filters", described(object, "find: as in find"), "search", text, "page", whole,
				"id", described(whole, "look"),
				"name", described(text, "upload: photo.jpg"), "data", described(text, "upload: base64, up to 4 MB"), "alternativeText", text, "caption", text,
				"files", list(arguments("id!", whole, "alternativeText", text, "caption", text, "name", text), "describe: up to 100")),
			sdk.ToolAnnotations{DestructiveHint: &adds}, files),
	}
}

// offered are the tools for the agent.
func (r *Request) offered() []*tool {
	if r.server.tools == nil {
		return strapiTools(r)
	}
	return r.server.tools
}

// forAgent are the caching hints of all lists: they depend on the agent.
func forAgent() sdk.Cacheable { return sdk.Cacheable{TTLMs: 60_000, CacheScope: "private"} }

func listTools(r *Request, _ sdk.Params) (sdk.Result, error) {
	result := &sdk.ListToolsResult{Tools: []*sdk.Tool{}, Cacheable: forAgent()}
	for _, t := range r.offered() {
		result.Tools = append(result.Tools, &t.Tool)
	}
	return result, nil
}

func callTool(r *Request, p sdk.Params) (sdk.Result, error) {
	params := p.(*sdk.CallToolParamsRaw)
	for _, t := range r.offered() {
		if t.Name == params.Name {
			return r.run(t, params.Arguments)
		}
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("Tool %.100q not found", params.Name)}
}

// run runs a tool. Its errors are for the model, and so is that of an agent that has used too
// much.
func (r *Request) run(t *tool, arguments json.RawMessage) (sdk.Result, error) {
	if r.over != nil {
		return failed(r.Host.Explain(r.over)), nil
	}
	a, err := t.call(r, arguments)
	switch {
	case err != nil && r.ctx.Err() != nil:
		return nil, r.ctx.Err()
	case err != nil:
		return failed(r.explain(err)), nil
	}
	return a.result(r.server.site.Settings.MCP.Limits.Answer), nil
}

// itemError is the error of one item of a list.
type itemError struct {
	item int
	err  error
}

func (e *itemError) Error() string { return fmt.Sprintf("item %d: %v", e.item, e.err) }
func (e *itemError) Unwrap() error { return e.err }

// explain returns what an error is for the agent. It names the item.
func (r *Request) explain(err error) *documents.Problem {
	p := *r.Host.Explain(err)
	if p.Kind == documents.Forbidden && p.Message == "Forbidden" {
		p.Message = "You may not do this; describe says what you may"
	}
	if p.Kind == documents.NotFound && p.Message == "Not Found" {
		p.Message = "There is no such document, or you may not see it"
	}
	if one := new(itemError); errors.As(err, &one) {
		p.Message = fmt.Sprintf("items[%d]: %s. Nothing was stored", one.item, p.Message)
	}
	return &p
}

// readArguments reads the arguments of a tool into a struct. It names a wrong one.
func readArguments(name string, text json.RawMessage, into any) error {
	d := json.NewDecoder(strings.NewReader(cmp.Or(string(text), "{}")))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var wrong *json.UnmarshalTypeError
	if unknown, found := strings.CutPrefix(fmt.Sprint(err), "json: unknown field "); found {
		return refuse("%s does not know the argument %.100s", name, unknown)
	}
	switch {
	case errors.As(err, &wrong):
		return refuse("%s: %s must be %s, not a JSON %s", name, wrong.Field, wordOf(wrong.Type), wrong.Value)
	case err != nil:
		return refuse("%s: the arguments are not a JSON object", name)
	}
	return nil
}

// wordOf names a type of Go as JSON has it.
func wordOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}
