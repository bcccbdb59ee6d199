package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"quire/content/body"
	"quire/documents"
	"quire/query/params"
	"quire/schema"
)

// Reads of the content API: their parameters as agents give them, and their responses.

// readParams has the parameters of a read, as JSON.
type readParams map[string]json.RawMessage

func (q readParams) text(key, text string) {
	if text != "" {
		q[key] = quoted(text)
	}
}

func (q readParams) page(page, size int) {
	if page != 0 || size != 0 {
		q["pagination"], _ = json.Marshal(struct {
			Page int `json:"page,omitempty"`
			Size int `json:"pageSize,omitempty"`
		}{page, size})
	}
}

// withLocale adds the locale to the fields, by which the status of an entry is found.
func (q readParams) withLocale(t *schema.Type) {
	var names []string
	var one string
	if json.Unmarshal(q["fields"], &one) == nil && one != "" {
		names = strings.Split(one, ",")
	} else if json.Unmarshal(q["fields"], &names) != nil {
		return // the compiler says what is wrong
	}
	if t.Localized && len(names) > 0 && !slices.Contains(names, "*") {
		q["fields"], _ = json.Marshal(append(names, "locale"))
	}
}

// parse returns the parameters as a tree.
func (q readParams) parse(r *Request) (*params.Node, error) {
	for key, value := range q {
		if len(value) == 0 || string(value) == "null" {
			delete(q, key)
		}
	}
	text, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	return params.FromJSON(text, r.Service.Limits())
}

// tree returns the parameters as a tree, with a status: by default the draft if the agent may read
// drafts.
func (q readParams) tree(r *Request, t *schema.Type, status string) (*params.Node, error) {
	switch {
	case status == "" && t.DraftAndPublish && r.Caller.Allows(t, schema.ReadDraft):
		status = "draft"
	case status == "draft" && t.Kind != schema.Single && !t.DraftAndPublish:
		status = ""
	}
	q.text("status", status)
	return q.parse(r)
}

// read runs a read and returns its response.
func (r *Request) read(read *documents.Read, err error) (body.JSON, error) {
	if err != nil {
		return nil, err
	}
	text, err := read.Append(r.ctx, nil)
	return body.JSON(text), err
}

// found reads documents. Without populate it shows none of the defaults in site.json.
func (r *Request) found(t *schema.Type, q readParams, status string) (body.JSON, error) {
	tree, err := q.tree(r, t, status)
	if err != nil {
		return nil, err
	}
	if tree.Get("populate") == nil {
		tree = tree.With("populate", &params.Node{})
	}
	return r.read(r.Find(t, documents.Arguments{Tree: tree}))
}

// count returns the number of documents that the agent sees.
func (r *Request) count(t *schema.Type, q readParams, status string) (body.JSON, error) {
	tree, err := q.tree(r, t, status)
	if err != nil {
		return nil, err
	}
	text, err := r.read(r.Count(t, documents.Arguments{Tree: tree}))
	return memberOf(text, "data", "count"), err
}

// seesStates reports whether the agent learns in which state documents of a type are.
func (r *Request) seesStates(t *schema.Type) bool {
	return !t.DraftAndPublish || r.Caller.Allows(t, schema.ReadDraft)
}

// memberOf returns what is in an object at some keys, one inside the other; nil if there is nothing.
func memberOf(v body.JSON, keys ...string) body.JSON {
	for _, key := range keys {
		if v == nil || !v.IsObject() {
			return nil
		}
		object := v
		v = nil
		for _, m := range object.Members() {
			if m.Key == key {
				v = m.Value
			}
		}
	}
	return v
}

// textAt returns the text at some keys, as memberOf; empty if there is none.
func textAt(v body.JSON, keys ...string) string {
	if v = memberOf(v, keys...); v == nil {
		return ""
	}
	text, _ := v.Text()
	return text
}

func orNull(v body.JSON) body.JSON {
	if v == nil {
		return body.JSON("null")
	}
	return v
}
