package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"quire/schema"
)

// The tools that Strapi's server has, with its names, arguments and results: some for each
// type that the agent may use. Their schemas are small. Results are also structured content,
// as in Strapi.

// strapiArguments are the arguments of all of these tools.
type strapiArguments struct {
	DocumentID *string         `json:"documentId"`
	Data       json.RawMessage `json:"data"`
	Locale     string          `json:"locale"`
	Status     string          `json:"status"`
	Page       int             `json:"page"`
	PageSize   int             `json:"pageSize"`
	Sort       json.RawMessage `json:"sort"`
	Filters    json.RawMessage `json:"filters"`
	Fields     json.RawMessage `json:"fields"`
	Populate   json.RawMessage `json:"populate"`
}

// strapiTool is what one tool of a type does.
type strapiTool struct {
	name, words string
	actions     []schema.Action // the agent may do one of these
	arguments   []string        // names and schemas
	hints       sdk.ToolAnnotations
	run         func(c *strapiCall) (*toolResult, error)
}

// strapiCall is one call of such a tool.
type strapiCall struct {
	*Request
	t *schema.Type
	*strapiArguments
}

// strapiTools are the tools of the agent.
func strapiTools(r *Request) []*tool {
	var all []*tool
	taken := map[string]bool{}
	for t := range r.server.site.Served() {
		name := strings.ReplaceAll(t.Singular, "-", "_")
		if taken[name] {
			name = strings.NewReplacer("::", "_", ".", "_", "-", "_").Replace(t.UID)
		}
		taken[name] = true
		for _, one := range strapiOf(r, t) {
			if slices.ContainsFunc(one.actions, func(a schema.Action) bool { return r.Caller.Allows(t, a) }) {
				all = append(all, r.strapiTool(t, &one, strings.ReplaceAll(one.name, "x", name)))
			}
		}
	}
	return all
}

// strapiOf lists the tools of a type, with x for its name.
func strapiOf(r *Request, t *schema.Type) []strapiTool {
	no, yes := false, true
	reads, adds, destroys := sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}, sdk.ToolAnnotations{DestructiveHint: &no}, sdk.ToolAnnotations{DestructiveHint: &yes}
	id, data := []string{"documentId!", text}, []string{"data!", dataSchema(r, t)}
	readOne := []string{"locale", text, "status", oneOf("default: draft", "draft", "published"), "populate", "{}"}
	inLocale := []string{"locale", text}
	write := []schema.Action{schema.Update, schema.UpdateDraft}
	if t.Kind == schema.Single {
		id = nil
	}
	with := func(lists ...[]string) []string { return slices.Concat(lists...) }
	tools := []strapiTool{{"get_x", "Get", []schema.Action{t.ReadOne()}, with(id, readOne), reads, (*strapiCall).get}}
	if t.Kind == schema.Single {
		tools = append(tools, strapiTool{"write_x", "Create or update", write, with(data, inLocale), adds, (*strapiCall).write})
	} else {
		tools = append(tools,
			strapiTool{"list_x", "List", []schema.Action{schema.Find}, with(readOne, []string{"page", whole, "pageSize", described(whole, "up to 100"), "sort", described(text, "name:asc"), "filters", object, "fields", texts}), reads, (*strapiCall).list},
			strapiTool{"create_x", "Create", []schema.Action{schema.Create, schema.CreateDraft}, with(data, inLocale), adds, (*strapiCall).write},
			strapiTool{"update_x", "Update", write, with(id, data, inLocale), adds, (*strapiCall).write})
	}
	tools = append(tools, strapiTool{"delete_x", "Delete", []schema.Action{schema.Delete}, with(id, inLocale), destroys, acting("delete")})
	if t.DraftAndPublish {
		tools = append(tools,
			strapiTool{"publish_x", "Publish", []schema.Action{schema.Publish}, with(id, inLocale), destroys, acting("publish")},
			strapiTool{"unpublish_x", "Unpublish", []schema.Action{schema.Unpublish}, with(id, inLocale), destroys, acting("unpublish")},
			strapiTool{"discard_x_draft", "Discard the draft of", []schema.Action{schema.DiscardDraft}, with(id, inLocale), destroys, acting("discard")})
	}
	return tools
}

func (r *Request) strapiTool(t *schema.Type, one *strapiTool, name string) *tool {
	made := newTool(name, one.words+" "+t.Display, arguments(one.arguments...), one.hints, func(r *Request, a *strapiArguments) (*toolResult, error) {
		if a.DocumentID == nil {
			a.DocumentID = new(string)
		}
		return one.run(&strapiCall{r, t, a})
	})
	call := made.call
	made.call = func(r *Request, text json.RawMessage) (*toolResult, error) {
		if problem := checkStrapi(r, t, one, text); problem != "" {
			return nil, refuse("Input validation error: Invalid arguments for tool %s: %s", name, problem)
		}
		return call(r, text)
	}
	return made
}
