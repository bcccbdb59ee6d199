package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"quire/content/body"
	"quire/documents"
	"quire/query/params"
	"quire/schema"
)

type findArguments struct {
	Type      string          `json:"type"`
	Filters   json.RawMessage `json:"filters"`
	Search    string          `json:"search"`
	Sort      json.RawMessage `json:"sort"`
	Fields    json.RawMessage `json:"fields"`
	Populate  json.RawMessage `json:"populate"`
	Locale    string          `json:"locale"`
	Status    string          `json:"status"`
	Page      int             `json:"page"`
	PageSize  int             `json:"pageSize"`
	Count     bool            `json:"count"`
	Aggregate json.RawMessage `json:"aggregate"`
}

func find(r *Request, a *findArguments) (*toolResult, error) {
	t, err := r.typeOf(a.Type)
	if err != nil {
		return nil, err
	}
	q := readParams{"filters": a.Filters, "sort": a.Sort, "populate": a.Populate, "fields": a.Fields}
	q.text("_q", a.Search)
	q.text("locale", a.Locale)
	switch {
	case t.Kind == schema.Single:
		return nil, refuse("%s is a single type: use get", t.UID)
	case a.Aggregate != nil:
		return r.figures(t, q, a)
	case a.Count:
		return r.counted(t, q, a.Status)
	}
	q.page(a.Page, a.PageSize)
	return r.list(t, q, a.Status)
}

// readParams has the parameters of a read, as JSON.
type readParams map[string]json.RawMessage

func (q readParams) text(key, text string) {
	if text != "" {
		q[key] = quoted(text)
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

func (q readParams) page(page, size int) {
	parts := map[string]int{}
	if page != 0 {
		parts["page"] = page
	}
	if size != 0 {
		parts["pageSize"] = size
	}
	if len(parts) > 0 {
		q["pagination"], _ = json.Marshal(parts)
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

// tree returns the parameters as a tree, in the status that the agent reads.
func (q readParams) tree(r *Request, t *schema.Type, status string) (*params.Node, error) {
	tree, err := q.parse(r)
	if err != nil {
		return nil, err
	}
	if t.Kind != schema.Single && !t.DraftAndPublish && status == "draft" {
		status = ""
	}
	return r.inStatus(tree, t, status), nil
}

// read runs a read and returns its response.
func (r *Request) read(read *documents.Read, err error) (body.JSON, error) {
	if err != nil {
		return nil, err
	}
	text, err := read.Append(r.ctx, nil)
	return body.JSON(text), err
}

// figures answers find with aggregates.
func (r *Request) figures(t *schema.Type, q readParams, a *findArguments) (*toolResult, error) {
	var more map[string]json.RawMessage
	if json.Unmarshal(a.Aggregate, &more) != nil {
		return nil, refuse("aggregate must be an object with groupBy, count, sum, avg, min, max, sort")
	}
	for key, value := range more {
		if !slices.Contains([]string{"groupBy", "count", "sum", "avg", "min", "max", "sort"}, key) {
			return nil, refuse("aggregate does not know %.100q; it has groupBy, count, sum, avg, min, max, sort", key)
		}
		q[key] = value
	}
	q.page(a.Page, a.PageSize)
	tree, err := q.tree(r, t, a.Status)
	if err != nil {
		return nil, err
	}
	text, err := r.read(r.Aggregate(t, documents.Arguments{Tree: tree}))
	if err != nil {
		return nil, err
	}
	s := showing("")
	data := memberOf(text, "data")
	if !data.IsList() {
		s.text = append(s.text, data...)
		return s, nil
	}
	for _, group := range data.Elements() {
		s.text = append(append(s.text, group...), '\n')
		r.used++
	}
	return s, nil
}

// counted answers find with a number.
func (r *Request) counted(t *schema.Type, q readParams, status string) (*toolResult, error) {
	tree, err := q.tree(r, t, status)
	if err != nil {
		return nil, err
	}
	text, err := r.read(r.Count(t, documents.Arguments{Tree: tree}))
	if err != nil {
		return nil, err
	}
	return say("%s", memberOf(memberOf(text, "data"), "count")), nil
}

// list answers find with a table.
func (r *Request) list(t *schema.Type, q readParams, status string) (*toolResult, error) {
	fields := q["fields"]
	requested := string(fields) + string(q["populate"])
	if len(fields) == 0 || string(fields) == "null" {
		requested += `"updatedAt"`
		names := []string{"updatedAt"}
		if main := t.MainField(r.Caller.Sight(t).Sees); main.System == schema.NotSystem {
			names = []string{main.Name, "updatedAt"}
		}
		q["fields"], _ = json.Marshal(names)
	}
	if q["locale"] != nil {
		requested += `"locale"`
	}
	q.withLocale(t)
	tree, err := q.tree(r, t, status)
	if err != nil {
		return nil, err
	}
	if tree.Get("populate") == nil {
		tree = tree.With("populate", &params.Node{}) // none of the defaults in site.json
	}
	states := !t.DraftAndPublish || r.Caller.Allows(t, schema.ReadDraft)
	if states {
		tree = tree.WithText("include", "state")
	}
	text, err := r.read(r.Find(t, documents.Arguments{Tree: tree}))
	if err != nil {
		return nil, err
	}
	page := memberOf(memberOf(text, "meta"), "pagination")
	s := showing("page %s of %s, %s documents", memberOf(page, "page"), memberOf(page, "pageCount"), memberOf(page, "total"))
	columns, rows := r.rows(t, memberOf(text, "data"), &entryForm{site: r.server.site, requested: requested, text: textInList})
	r.used += len(rows)
	s.table(columns, rows)
	return s, nil
}

// rows makes a table of a list of entries.
func (r *Request) rows(t *schema.Type, entries body.JSON, s *entryForm) (columns []string, rows []row) {
	columns = []string{"documentId"}
	for _, entry := range entries.Elements() {
		one := row{}
		var documentID, locale string
		for _, m := range entry.Members() {
			switch m.Key {
			case "documentId":
				_ = json.Unmarshal(m.Value, &documentID)
			case "locale":
				_ = json.Unmarshal(m.Value, &locale)
			}
			if m.Key == "id" || !s.shows(t, m.Key) {
				continue
			}
			if !slices.Contains(columns, m.Key) {
				columns = append(columns, m.Key)
			}
			one[m.Key] = s.append(nil, inside(t, m.Key), shownBlocks(t, m.Key, m.Value))
		}
		if t.DraftAndPublish && t.Attribute("status") == nil {
			one["status"] = statusIn(memberOf(entry, t.StateKey()), locale)
		}
		one["version"] = number(r.Version(t, documentID))
		rows = append(rows, one)
	}
	if t.DraftAndPublish && r.Caller.Allows(t, schema.ReadDraft) && t.Attribute("status") == nil {
		columns = append(columns, "status")
	}
	return append(columns, "version"), rows
}

// statusIn returns the status in the state of a document in one locale; nil if it is unknown.
func statusIn(state body.JSON, locale string) []byte {
	if state == nil || !state.IsList() {
		return nil
	}
	for _, one := range state.Elements() {
		if in := orNull(memberOf(one, "locale")); locale == "" || in.IsNull() || bytes.Equal(in, quoted(locale)) {
			return memberOf(one, "status")
		}
	}
	return nil
}

// memberOf returns a member of an object; nil if there is none.
func memberOf(object body.JSON, key string) body.JSON {
	if object == nil || !object.IsObject() {
		return nil
	}
	for _, m := range object.Members() {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

type searchArguments struct {
	Text   string   `json:"text"`
	Types  []string `json:"types"`
	Locale string   `json:"locale"`
	Status string   `json:"status"`
	Most   int      `json:"most"`
}

// Limits of one search.
const (
	mostTypesSearched = 50
	mostFoundOfType   = 25
	mostQuoted        = 160 // bytes of the text around a word
)

func search(r *Request, a *searchArguments) (*toolResult, error) {
	if strings.TrimSpace(a.Text) == "" || a.Most < 0 || a.Most > mostFoundOfType {
		return nil, refuse("search needs a text, and most from 1 to %d", mostFoundOfType)
	}
	types, err := r.searched(a.Types)
	if err != nil {
		return nil, err
	}
	if a.Most == 0 {
		a.Most = 5
	}
	s, rows := showing(""), []row{}
	for _, t := range types {
		q := readParams{"populate": nil}
		q.text("_q", a.Text)
		q.text("locale", a.Locale)
		q.text("sort", "_rank")
		q.page(1, a.Most)
		tree, err := q.tree(r, t, a.Status)
		if err != nil {
			return nil, err
		}
		text, err := r.read(r.Find(t, documents.Arguments{Tree: tree.With("populate", &params.Node{})}))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.UID, err)
		}
		for _, entry := range memberOf(text, "data").Elements() {
			rows = append(rows, r.foundRow(t, entry, a.Text))
		}
	}
	r.used += len(rows)
	s.table([]string{"type", "documentId", "locale", "title", "text"}, rows)
	return s, nil
}

// searched returns the types to search in.
func (r *Request) searched(uids []string) (types []*schema.Type, err error) {
	if len(uids) > mostTypesSearched {
		return nil, refuse("search looks in %d types at most", mostTypesSearched)
	}
	for _, uid := range uids {
		t, err := r.typeOf(uid)
		if err != nil {
			return nil, err
		}
		if t.Kind == schema.Single {
			return nil, refuse("%s is a single type: use get", uid)
		}
		types = append(types, t)
	}
	for t := range r.server.site.Served() {
		if uids == nil && t.Kind != schema.Single && r.Caller.Allows(t, schema.Find) && len(types) < mostTypesSearched {
			types = append(types, t)
		}
	}
	return types, nil
}

// foundRow shows a document that was found: its title, and a text with the first of the
// words.
func (r *Request) foundRow(t *schema.Type, entry body.JSON, words string) row {
	main := t.MainField(r.Caller.Sight(t).Sees).Name
	first, _, _ := strings.Cut(strings.TrimSpace(words), " ")
	one := row{"type": quoted(t.UID), "documentId": memberOf(entry, "documentId"), "locale": memberOf(entry, "locale")}
	one["title"] = (&entryForm{site: r.server.site, text: textInList}).append(nil, nil, memberOf(entry, main))
	for _, m := range entry.Members() {
		var text string
		if a := t.Attribute(m.Key); a == nil || m.Key == main || json.Unmarshal(m.Value, &text) != nil {
			continue
		}
		if at := strings.Index(strings.ToLower(text), strings.ToLower(first)); at >= 0 && at < len(text) {
			one["text"] = quoted(m.Key + ": " + around(text, at))
			break
		}
	}
	return one
}

// around returns the text around a place in it.
func around(text string, at int) string {
	start := max(0, at-mostQuoted/2)
	return cutBytes(strings.ToValidUTF8(text[start:], ""), mostQuoted)
}
