package mcp

import (
	"bytes"
	"encoding/json"
	"slices"

	"quire/content/body"
	"quire/documents"
	"quire/schema"
)

var findTool = newTool("find", "Documents of a type, as a table. Parameters are those of Strapi's REST API as JSON.", reads, find)

type findArguments struct {
	Type      string          `json:"type" need:""`
	Filters   json.RawMessage `json:"filters" as:"object" about:"{'title':{'$containsi':'x'},'author':{'name':{'$eq':'Ada'}}}. Operators: $eq $ne $in $lt $lte $gt $gte $contains $startsWith $null $notNull $and $or $not"`
	Search    string          `json:"search" about:"words anywhere in the document"`
	Sort      json.RawMessage `json:"sort" as:"texts" about:"'title:asc'"`
	Fields    json.RawMessage `json:"fields" as:"texts" about:"attributes to show; default: title and updatedAt"`
	Populate  json.RawMessage `json:"populate" about:"components, relations and files to show: ['author'] or {'author':{'fields':['name']}}"`
	Locale    string          `json:"locale" about:"* for all"`
	Status    string          `json:"status" values:"draft published" about:"default: draft, which is the newest version"`
	Page      int             `json:"page"`
	PageSize  int             `json:"pageSize" about:"default 25, up to 100"`
	Count     bool            `json:"count" about:"only the number"`
	Aggregate json.RawMessage `json:"aggregate" as:"object" about:"figures instead: {'groupBy':['author.name'],'count':true,'sum':['views'],'sort':['count:desc']}"`
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
		count, err := r.count(t, q, a.Status)
		return say("%s", count), err
	}
	q.page(a.Page, a.PageSize)
	return r.list(t, q, a.Status)
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
	s, data := showing(""), memberOf(text, "data")
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
	if r.seesStates(t) {
		q.text("include", "state")
	}
	text, err := r.found(t, q, status)
	if err != nil {
		return nil, err
	}
	page := memberOf(text, "meta", "pagination")
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
		for _, m := range entry.Members() {
			if m.Key == "id" || !s.shows(t, m.Key) {
				continue
			}
			if !slices.Contains(columns, m.Key) {
				columns = append(columns, m.Key)
			}
			one[m.Key] = s.show(inside(t, m.Key), shownBlocks(t, m.Key, m.Value))
		}
		if t.DraftAndPublish && t.Attribute("status") == nil {
			one["status"] = statusOf(t, entry)
		}
		one["version"] = number(r.Version(t, textAt(entry, "documentId")))
		rows = append(rows, one)
	}
	if t.DraftAndPublish && r.seesStates(t) && t.Attribute("status") == nil {
		columns = append(columns, "status")
	}
	return append(columns, "version"), rows
}

// statusOf returns the status of an entry, which the state of its document has; nil if it is unknown.
func statusOf(t *schema.Type, entry body.JSON) []byte {
	state := memberOf(entry, t.StateKey())
	if state == nil || !state.IsList() {
		return nil
	}
	locale := textAt(entry, "locale")
	for _, one := range state.Elements() {
		if in := orNull(memberOf(one, "locale")); locale == "" || in.IsNull() || bytes.Equal(in, quoted(locale)) {
			return memberOf(one, "status")
		}
	}
	return nil
}
