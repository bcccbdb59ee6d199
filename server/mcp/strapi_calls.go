package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"quire/content/body"
	"quire/documents"
	"quire/query/params"
	"quire/schema"
)

// dataSchema is the schema of the data of a type: the kind of each attribute that the agent may
// set.
func dataSchema(r *Request, t *schema.Type) string {
	var pairs []string
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
			kind = oneOf("", a.Enum...)
		}
		pairs = append(pairs, a.Name, kind)
	}
	return arguments(pairs...)
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
func checkStrapi(r *Request, t *schema.Type, one *strapiTool, text json.RawMessage) string {
	var given map[string]json.RawMessage
	if len(text) > 0 && json.Unmarshal(text, &given) != nil {
		return "Invalid input: expected object, received " + received(text)
	}
	for i := 0; i < len(one.arguments); i += 2 {
		name, needed := strings.CutSuffix(one.arguments[i], "!")
		var kind struct {
			Type string
			Enum []string
		}
		_ = json.Unmarshal([]byte(one.arguments[i+1]), &kind)
		value := given[name]
		switch {
		case value == nil && !needed:
		case kind.Type != "" && !isKind(value, kind.Type):
			return fmt.Sprintf("%s: Invalid input: expected %s, received %s", name, strings.Replace(kind.Type, "integer", "number", 1), received(value))
		case kind.Enum != nil && !slices.Contains(kind.Enum, strings.Trim(string(value), `"`)):
			return fmt.Sprintf(`%s: Invalid option: expected one of "%s"`, name, strings.Join(kind.Enum, `"|"`))
		}
	}
	var data map[string]json.RawMessage
	_ = json.Unmarshal(given["data"], &data)
	sight := r.Caller.Sight(t)
	for _, a := range t.Attributes { // in the order of the schema
		value, kind := data[a.Name], jsonKind(a)
		if value != nil && kind != "" && sight.Knows(a) && string(value) != "null" && !isKind(value, kind) {
			return fmt.Sprintf("data.%s: Invalid input: expected %s, received %s", a.Name, kind, received(value))
		}
	}
	return ""
}

func isKind(value json.RawMessage, kind string) bool {
	return received(value) == strings.Replace(kind, "integer", "number", 1)
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
	return strapiAnswer(c.read(c.FindOne(c.t, *c.DocumentID, documents.Arguments{Tree: tree})))
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
	return strapiAnswer(fmt.Appendf(nil, `{"results":%s,"pagination":%s}`, results, orNull(memberOf(memberOf(text, "meta"), "pagination"))), nil)
}

// write creates or updates a draft, or an entry of a type without drafts.
func (c *strapiCall) write() (*toolResult, error) {
	all := &change{Request: c.Request, mustBeDone: true}
	if !c.t.DraftAndPublish {
		if err := all.approve(c.Limits.Publish, "a write of "+c.t.UID+", which has no drafts,"); err != nil {
			return nil, err
		}
	}
	g := documents.Change{DocumentID: *c.DocumentID, Arguments: documents.InLocale(c.Locale)}
	if c.t.DraftAndPublish {
		g.Arguments.Tree = g.Arguments.Tree.WithText("status", "draft")
	}
	g.Data = func() (body.Value, error) { return body.OfJSON(c.Data), nil }
	prepare := c.Update
	if *c.DocumentID == "" && c.t.Kind != schema.Single {
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
		if err := all.addAct(action, &actItem{Type: c.t.UID, DocumentID: *c.DocumentID, Locale: c.Locale}); err != nil {
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
