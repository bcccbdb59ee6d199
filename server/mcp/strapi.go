package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"quire/content/body"
	"quire/documents"
	"quire/query/params"
	"quire/schema"
)

// The tools that Strapi's server has, with its names, arguments and results: some for each
// type that the agent may use. Their schemas are small. Results are also structured content,
// as in Strapi.

// strapiArguments are the arguments of all of these tools.
type strapiArguments struct {
	DocumentID string          `json:"documentId" need:""`
	Data       json.RawMessage `json:"data" need:""` // its schema depends on the type
	Locale     string          `json:"locale"`
	Status     string          `json:"status" values:"draft published" about:"default: draft"`
	Populate   json.RawMessage `json:"populate"`
	Page       int             `json:"page"`
	PageSize   int             `json:"pageSize" about:"up to 100"`
	Sort       json.RawMessage `json:"sort" as:"text" about:"name:asc"`
	Filters    json.RawMessage `json:"filters" as:"object"`
	Fields     json.RawMessage `json:"fields" as:"texts"`
}

// strapiTool is what one tool of a type does.
type strapiTool struct {
	name, words string          // with x for the name of the type
	actions     []schema.Action // the agent may do one of these
	arguments   string          // their names
	hints       *sdk.ToolAnnotations
	run         func(c *strapiCall) (*toolResult, error)
}

// strapiCall is one call of such a tool.
type strapiCall struct {
	*Request
	t *schema.Type
	strapiArguments
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
		for _, one := range strapiOf(t) {
			if slices.ContainsFunc(one.actions, func(a schema.Action) bool { return r.Caller.Allows(t, a) }) {
				all = append(all, r.strapiTool(t, &one, strings.ReplaceAll(one.name, "x", name)))
			}
		}
	}
	return all
}

// strapiOf lists the tools of a type.
func strapiOf(t *schema.Type) []strapiTool {
	const inLocale = "documentId locale"
	write := []schema.Action{schema.Update, schema.UpdateDraft}
	tools := []strapiTool{{"get_x", "Get", []schema.Action{t.ReadOne()}, "documentId locale status populate", reads, (*strapiCall).get}}
	if t.Kind == schema.Single {
		tools = append(tools, strapiTool{"write_x", "Create or update", write, "data locale", adds, (*strapiCall).write})
	} else {
		tools = append(tools,
			strapiTool{"list_x", "List", []schema.Action{schema.Find}, "locale status populate page pageSize sort filters fields", reads, (*strapiCall).list},
			strapiTool{"create_x", "Create", []schema.Action{schema.Create, schema.CreateDraft}, "data locale", adds, (*strapiCall).write},
			strapiTool{"update_x", "Update", write, "documentId data locale", adds, (*strapiCall).write})
	}
	tools = append(tools, strapiTool{"delete_x", "Delete", []schema.Action{schema.Delete}, inLocale, destroys, acting("delete")})
	if t.DraftAndPublish {
		tools = append(tools,
			strapiTool{"publish_x", "Publish", []schema.Action{schema.Publish}, inLocale, destroys, acting("publish")},
			strapiTool{"unpublish_x", "Unpublish", []schema.Action{schema.Unpublish}, inLocale, destroys, acting("unpublish")},
			strapiTool{"discard_x_draft", "Discard the draft of", []schema.Action{schema.DiscardDraft}, inLocale, destroys, acting("discard")})
	}
	return tools
}

func (r *Request) strapiTool(t *schema.Type, one *strapiTool, name string) *tool {
	var arguments []argument
	for _, a := range argumentsOf(reflect.TypeFor[strapiArguments]()) {
		if !slices.Contains(strings.Fields(one.arguments), a.name) || a.name == "documentId" && t.Kind == schema.Single {
			continue
		}
		if a.name == "data" {
			a.schema = dataSchema(r, t)
		}
		arguments = append(arguments, a)
	}
	return &tool{
		sdk.Tool{Name: name, Description: one.words + " " + t.Display, InputSchema: json.RawMessage(schemaOf(arguments)), Annotations: one.hints},
		func(r *Request, text json.RawMessage) (*toolResult, error) {
			if problem := checkStrapi(r, t, arguments, text); problem != "" {
				return nil, refuse("Input validation error: Invalid arguments for tool %s: %s", name, problem)
			}
			c := &strapiCall{Request: r, t: t}
			if err := readArguments(name, text, &c.strapiArguments); err != nil {
				return nil, err
			}
			return one.run(c)
		},
	}
}

// dataSchema is the schema of the data of a type: the kind of each attribute that the agent may
// set.
func dataSchema(r *Request, t *schema.Type) string {
	var members []argument
	sight := r.Caller.Sight(t)
	for _, a := range t.Attributes {
		if a.Hidden() || !sight.Sets(a) {
			continue
		}
		kind := "{}"
		if words := jsonKind(a); words != "" {
			kind = `{"type":"` + words + `"}`
		}
		if a.Kind == schema.Enumeration && len(a.Enum) <= mostValues {
			kind = oneOf(a.Enum...)
		}
		members = append(members, argument{name: a.Name, schema: kind})
	}
	return schemaOf(members)
}

// jsonKind is the kind of JSON of an attribute's values; empty if there are several.
func jsonKind(a *schema.Attribute) string {
	switch a.Kind {
	case schema.String, schema.Text, schema.RichText, schema.Email, schema.UID, schema.Enumeration, schema.Date, schema.Time, schema.DateTime:
		return "string"
	case schema.Integer, schema.Float, schema.Decimal:
		return "number"
	case schema.Boolean:
		return "boolean"
	case schema.Blocks, schema.DynamicZone:
		return "array"
	}
	return ""
}

// checkStrapi returns what is wrong with arguments, in Strapi's words; empty for nothing.
func checkStrapi(r *Request, t *schema.Type, arguments []argument, text json.RawMessage) string {
	var given map[string]json.RawMessage
	if len(text) > 0 && json.Unmarshal(text, &given) != nil {
		return "Invalid input: expected object, received " + received(text)
	}
	for _, a := range arguments {
		var kind struct {
			Type string
			Enum []string
		}
		_ = json.Unmarshal([]byte(a.schema), &kind)
		kind.Type = strings.Replace(kind.Type, "integer", "number", 1)
		value := given[a.name]
		switch {
		case value == nil && !a.required:
		case kind.Type != "" && received(value) != kind.Type:
			return fmt.Sprintf("%s: Invalid input: expected %s, received %s", a.name, kind.Type, received(value))
		case kind.Enum != nil && !slices.Contains(kind.Enum, strings.Trim(string(value), `"`)):
			return fmt.Sprintf(`%s: Invalid option: expected one of "%s"`, a.name, strings.Join(kind.Enum, `"|"`))
		}
	}
	var data map[string]json.RawMessage
	_ = json.Unmarshal(given["data"], &data)
	sight := r.Caller.Sight(t)
	for _, a := range t.Attributes { // in the order of the schema
		value, kind := data[a.Name], jsonKind(a)
		if value != nil && kind != "" && sight.Knows(a) && string(value) != "null" && received(value) != kind {
			return fmt.Sprintf("data.%s: Invalid input: expected %s, received %s", a.Name, kind, received(value))
		}
	}
	return ""
}

// received names the kind of a JSON value as JavaScript does.
func received(value json.RawMessage) string {
	if len(value) == 0 {
		return "undefined"
	}
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// tree returns the parameters of a read or a write.
func (c *strapiCall) tree() (*params.Node, error) {
	q := readParams{"sort": c.Sort, "filters": c.Filters, "fields": c.Fields, "populate": c.Populate}
	q.text("locale", c.Locale)
	q.page(c.Page, c.PageSize)
	return q.tree(c.Request, c.t, c.Status)
}

// strapiAnswer is an answer with a result as text and as structured content.
func strapiAnswer(result []byte, err error) (*toolResult, error) {
	if p := documents.Explain(err); p != nil && p.Kind == documents.NotFound {
		return nil, &documents.Problem{Kind: documents.Invalid, Message: "Document not found."}
	}
	s := showing("")
	s.text, s.both = result, result
	return s, err
}

func (c *strapiCall) get() (*toolResult, error) {
	tree, err := c.tree()
	if err != nil {
		return nil, err
	}
	c.used++
	return strapiAnswer(c.read(c.FindOne(c.t, c.DocumentID, documents.Arguments{Tree: tree})))
}

func (c *strapiCall) list() (*toolResult, error) {
	tree, err := c.tree()
	if err != nil {
		return nil, err
	}
	text, err := c.read(c.Find(c.t, documents.Arguments{Tree: tree}))
	if err != nil {
		return nil, err
	}
	results := orNull(memberOf(text, "data"))
	if results.IsList() {
		for range results.Elements() {
			c.used++
		}
	}
	return strapiAnswer(fmt.Appendf(nil, `{"results":%s,"pagination":%s}`, results, orNull(memberOf(text, "meta", "pagination"))), nil)
}

// write creates or updates a draft, or an entry of a type without drafts.
func (c *strapiCall) write() (*toolResult, error) {
	all := &change{Request: c.Request, mustBeDone: true}
	if !c.t.DraftAndPublish {
		if err := all.approve(c.Limits.Publish, "a write of "+c.t.UID+", which has no drafts,"); err != nil {
			return nil, err
		}
	}
	g := documents.Change{DocumentID: c.DocumentID, Arguments: documents.InLocale(c.Locale)}
	if c.t.DraftAndPublish {
		g.Arguments.Tree = g.Arguments.Tree.WithText("status", "draft")
	}
	g.Data = func() (body.Value, error) { return body.OfJSON(c.Data), nil }
	prepare := c.Update
	if c.DocumentID == "" && c.t.Kind != schema.Single {
		prepare = c.Create
	}
	w, err := prepare(c.t, g)
	if err != nil {
		return nil, err
	}
	return c.done(w)
}

// acting is a tool that changes the state of one document.
func acting(action string) func(*strapiCall) (*toolResult, error) {
	return func(c *strapiCall) (*toolResult, error) {
		all := &change{Request: c.Request, seen: map[target]bool{}, mustBeDone: true} // the result has no form for a proposal
		if err := all.addAct(action, &actItem{Type: c.t.UID, DocumentID: c.DocumentID, Locale: c.Locale}); err != nil {
			return strapiAnswer(nil, err)
		}
		writes, err := c.Prepare(c.ctx, all.steps, nil)
		if err != nil {
			return strapiAnswer(nil, err)
		}
		return c.done(writes[0])
	}
}

// done does a write and shows its result.
func (c *strapiCall) done(w *documents.Write) (*toolResult, error) {
	if err := c.join(); err != nil {
		return nil, err
	}
	if err := c.Do(c.ctx, w); err != nil {
		return strapiAnswer(nil, err)
	}
	c.used++
	if w.Removes {
		return strapiAnswer([]byte(`{"data":null,"meta":{}}`), nil)
	}
	text, _, err := w.Append(c.ctx, nil)
	return strapiAnswer(text, err)
}
