package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
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

// newTool returns a tool whose arguments are the fields of an A, see argumentsOf.
func newTool[A any](name, description string, hints *sdk.ToolAnnotations, call func(*Request, *A) (*toolResult, error)) *tool {
	schema := schemaOf(argumentsOf(reflect.TypeFor[A]()))
	return &tool{
		sdk.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema), Annotations: hints},
		func(r *Request, text json.RawMessage) (*toolResult, error) {
			a := new(A)
			if err := readArguments(name, text, a); err != nil {
				return nil, err
			}
			return call(r, a)
		},
	}
}

// What the list says about tools that change nothing, that only add, and that may take away.
var (
	no, yes  = false, true
	reads    = &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}
	adds     = &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}
	destroys = &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no}
)

// argument is one argument of a tool, and the JSON Schema of its values.
type argument struct {
	name, schema string
	required     bool
}

// argumentsOf returns the arguments that a struct has as its fields. The tags of a field say all
// about the argument: json its name, about what to write, with ' for ", values which texts it may
// be, as the shape of its JSON if its type does not say that, and need that it is required.
func argumentsOf(t reflect.Type) (all []argument) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		schema := cmp.Or(shapes[f.Tag.Get("as")], kindSchema(f.Type))
		if values, ok := f.Tag.Lookup("values"); ok {
			schema = oneOf(strings.Fields(values)...)
		}
		if about, ok := f.Tag.Lookup("about"); ok {
			open := strings.TrimSuffix(schema, "}")
			if open != "{" {
				open += ","
			}
			schema = open + `"description":` + string(quoted(strings.ReplaceAll(about, "'", `"`))) + "}"
		}
		_, needed := f.Tag.Lookup("need")
		all = append(all, argument{name, schema, needed})
	}
	return all
}

// shapes are the schemas of arguments that are kept as JSON.
var shapes = map[string]string{"object": `{"type":"object"}`, "text": `{"type":"string"}`, "texts": `{"type":"array","items":{"type":"string"}}`}

// kindSchema is the schema of what a type of Go takes.
func kindSchema(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindSchema(t.Elem())
	case reflect.String:
		return `{"type":"string"}`
	case reflect.Bool:
		return `{"type":"boolean"}`
	case reflect.Struct:
		return schemaOf(argumentsOf(t))
	case reflect.Slice:
		if t == reflect.TypeFor[json.RawMessage]() {
			return "{}"
		}
		return `{"type":"array","items":` + kindSchema(t.Elem()) + "}"
	}
	return `{"type":"integer"}`
}

// schemaOf is the schema of an object with some members.
func schemaOf(members []argument) string {
	var properties, required []string
	for _, m := range members {
		properties = append(properties, string(quoted(m.name))+":"+m.schema)
		if m.required {
			required = append(required, string(quoted(m.name)))
		}
	}
	schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + "}"
	if required != nil {
		schema += `,"required":[` + strings.Join(required, ",") + "]"
	}
	return schema + "}"
}

// oneOf is the schema of an enumeration.
func oneOf(values ...string) string {
	var list []string
	for _, value := range values {
		list = append(list, string(quoted(value)))
	}
	return `{"enum":[` + strings.Join(list, ",") + "]}"
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

// quireTools are the tools of a site, whatever its types.
var quireTools = []*tool{describeTool, findTool, getTool, searchTool, writeTool, actTool, filesTool}

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

// callTool runs a tool. Its errors are for the model, and so is that of an agent that has used
// too much.
func callTool(r *Request, p sdk.Params) (sdk.Result, error) {
	params, tools := p.(*sdk.CallToolParamsRaw), r.offered()
	at := slices.IndexFunc(tools, func(t *tool) bool { return t.Name == params.Name })
	switch {
	case at < 0:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("Tool %.100q not found", params.Name)}
	case r.over != nil:
		return failed(r.Host.Explain(r.over)), nil
	}
	a, err := tools[at].call(r, params.Arguments)
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
