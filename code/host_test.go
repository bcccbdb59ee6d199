package code

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"quire/code/engine"
	"quire/schema"
)

// A memory is a host that keeps entries in maps, with as much of the Document Service as
// these tests need.
type memory struct {
	site *schema.Site

	mu     sync.Mutex
	state  *content
	open   map[string]*attempt // transactions by id
	begun  int
	calls  []string        // names of calls, with the transaction in which they ran
	denied map[string]bool // permissions
	refuse int             // how many commits are refused as overtaken
	slow   []any           // of each transaction: whether it does without its turn

	other map[string]func(arguments map[string]any) (any, error) // further calls
	fixed map[string][]byte                                      // answers that are always the same
}

// A content is all entries at one moment, by type.
type content struct {
	rows map[string][]map[string]any
	last int
}

type attempt struct {
	content
	base *content
}

func (c *content) clone() content {
	rows := map[string][]map[string]any{}
	for uid, list := range c.rows {
		for _, row := range list {
			rows[uid] = append(rows[uid], maps.Clone(row))
		}
	}
	return content{rows: rows, last: c.last}
}

func newMemory(site *schema.Site) *memory {
	return &memory{site: site, state: &content{rows: map[string][]map[string]any{}}, open: map[string]*attempt{}, denied: map[string]bool{}, other: map[string]func(map[string]any) (any, error){}}
}

// answer is the engine.Host.
func (m *memory) answer(_ context.Context, c engine.HostCall) ([]byte, error) {
	if answer := m.fixed[c.Name]; answer != nil {
		return answer, nil
	}
	var arguments map[string]any
	if err := json.Unmarshal(c.Arguments, &arguments); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, strings.TrimSuffix(c.Name+" "+c.Context, " "))
	result, err := m.do(c, arguments)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

func (m *memory) do(c engine.HostCall, a map[string]any) (any, error) {
	if other := m.other[c.Name]; other != nil {
		return other(a)
	}
	group, action, _ := strings.Cut(c.Name, ".")
	now := m.state
	if c.Context != "" && group != "transaction" {
		if m.open[c.Context] == nil {
			return nil, fmt.Errorf("no transaction %s", c.Context)
		}
		now = &m.open[c.Context].content
	}
	switch group {
	case "transaction":
		return m.transaction(action, a)
	case "documents":
		return m.document(now, action, a)
	case "rows":
		return m.row(now, action, a)
	}
	switch c.Name {
	case "caller.allows":
		for _, p := range a["permissions"].([]any) {
			if m.denied[p.(string)] {
				return false, nil
			}
		}
		return true, nil
	case "query.validate", "query.sanitize":
		return a["query"], nil
	case "input.validate", "input.sanitize":
		return a["data"], nil
	case "output.sanitize":
		return withoutPrivate(m.site.Type(a["uid"].(string)), a["data"]), nil
	case "core.findOne":
		row := first(m.matching(now, a["uid"].(string), map[string]any{"documentId": a["documentId"], "publishedAt": map[string]any{"$notNull": true}}))
		if row == nil {
			return nil, nil
		}
		return map[string]any{"data": withoutPrivate(m.site.Type(a["uid"].(string)), maps.Clone(row)), "meta": map[string]any{}}, nil
	case "core.find":
		rows := m.matching(now, a["uid"].(string), map[string]any{"publishedAt": map[string]any{"$notNull": true}})
		return map[string]any{"data": withoutPrivate(m.site.Type(a["uid"].(string)), anySlice(rows)), "meta": map[string]any{"by": "the host"}}, nil
	}
	return nil, fmt.Errorf("the host has no %s", c.Name)
}

func (m *memory) transaction(action string, a map[string]any) (any, error) {
	id, _ := a["id"].(string)
	switch action {
	case "begin":
		m.begun++
		m.slow = append(m.slow, a["slow"])
		id = fmt.Sprint("t", m.begun)
		m.open[id] = &attempt{content: m.state.clone(), base: m.state}
		return map[string]any{"id": id}, nil
	case "commit":
		done := m.open[id]
		delete(m.open, id)
		if m.refuse > 0 || done.base != m.state {
			m.refuse--
			return nil, &engine.Error{Name: "OvertakenError", Message: "something that was read has changed"}
		}
		m.state = &done.content
	default:
		delete(m.open, id)
	}
	return nil, nil
}

func (m *memory) document(c *content, action string, a map[string]any) (any, error) {
	t := m.site.Type(a["uid"].(string))
	documentID, _ := a["documentId"].(string)
	status, _ := a["status"].(string)
	data, _ := a["data"].(map[string]any)
	of := func(published bool) []map[string]any {
		where := map[string]any{"documentId": documentID}
		if t.DraftAndPublish {
			where["publishedAt"] = map[string]any{"$notNull": published}
		}
		return m.matching(c, t.UID, where)
	}
	result := func(rows []map[string]any) (any, error) {
		return map[string]any{"documentId": documentID, "entries": anySlice(rows)}, nil
	}
	switch action {
	case "validate":
		return nil, validateTitle(t, data)
	case "findMany", "findFirst", "count":
		where, _ := a["filters"].(map[string]any)
		where = maps.Clone(where)
		if where == nil {
			where = map[string]any{}
		}
		if t.DraftAndPublish {
			where["publishedAt"] = map[string]any{"$notNull": status == "published"}
		}
		found := m.matching(c, t.UID, where)
		switch {
		case action == "count":
			return len(found), nil
		case action == "findMany":
			return anySlice(found), nil
		}
		return first(found), nil
	case "findOne":
		return first(of(status == "published")), nil
	case "create":
		entry := m.insert(c, t, data)
		return entry, validateTitle(t, data)
	case "update":
		found := of(false)
		if len(found) == 0 {
			return nil, nil
		}
		maps.Copy(found[0], data)
		return found[0], validateTitle(t, data)
	case "delete":
		found := m.matching(c, t.UID, map[string]any{"documentId": documentID})
		m.remove(c, t.UID, found)
		return result(found)
	case "publish":
		return m.copyTo(c, t, of(false), of(true), "2026-01-01T00:00:00.000Z", documentID)
	case "discardDraft":
		return m.copyTo(c, t, of(true), of(false), nil, documentID)
	case "unpublish":
		found := of(true)
		m.remove(c, t.UID, found)
		return result(found)
	}
	return nil, fmt.Errorf("the host has no documents.%s", action)
}

// copyTo makes one version of a document like the other.
func (m *memory) copyTo(c *content, t *schema.Type, from, to []map[string]any, publishedAt any, documentID string) (any, error) {
	if err := validateTitle(t, map[string]any{"title": from[0]["title"]}); err != nil {
		return nil, err
	}
	if len(to) == 0 {
		to = []map[string]any{m.insert(c, t, map[string]any{})}
	}
	id := to[0]["id"]
	maps.Copy(to[0], from[0])
	to[0]["id"], to[0]["publishedAt"] = id, publishedAt
	return map[string]any{"documentId": documentID, "entries": anySlice(to[:1])}, nil
}

func validateTitle(t *schema.Type, data map[string]any) error {
	title, there := data["title"]
	if _, isText := title.(string); there && title != nil && !isText && t.Attribute("title") != nil {
		return &engine.Error{Name: "ValidationError", Message: "title must be a `string` type", Details: json.RawMessage(`{"errors":[{"path":["title"]}]}`)}
	}
	return nil
}

func (m *memory) row(c *content, action string, a map[string]any) (any, error) {
	t := m.site.Type(a["uid"].(string))
	where, _ := a["where"].(map[string]any)
	data, _ := a["data"].(map[string]any)
	byID := func() map[string]any { return first(m.matching(c, t.UID, map[string]any{"id": a["id"]})) }
	switch action {
	case "findMany":
		found := m.matching(c, t.UID, where)
		if limit, ok := a["limit"].(float64); ok && int(limit) < len(found) {
			found = found[:int(limit)]
		}
		return anySlice(found), nil
	case "count":
		return len(m.matching(c, t.UID, where)), nil
	case "create":
		return m.insert(c, t, data), nil
	case "update":
		row := byID()
		maps.Copy(row, data)
		return row, nil
	case "delete":
		row := byID()
		m.remove(c, t.UID, []map[string]any{row})
		return row, nil
	}
	return nil, fmt.Errorf("the host has no rows.%s", action)
}

func (m *memory) insert(c *content, t *schema.Type, data map[string]any) map[string]any {
	c.last++
	row := map[string]any{"id": float64(c.last), "documentId": fmt.Sprint("d", c.last), "publishedAt": nil}
	if !t.DraftAndPublish {
		row["publishedAt"] = "2026-01-01T00:00:00.000Z"
	}
	for _, a := range t.Attributes {
		row[a.Name] = nil
		if a.Default != nil {
			var value any
			_ = json.Unmarshal(a.Default, &value)
			row[a.Name] = value
		}
	}
	maps.Copy(row, data)
	c.rows[t.UID] = append(c.rows[t.UID], row)
	return row
}

func (m *memory) remove(c *content, uid string, gone []map[string]any) {
	c.rows[uid] = slices.DeleteFunc(c.rows[uid], func(row map[string]any) bool {
		return slices.ContainsFunc(gone, func(g map[string]any) bool { return g["id"] == row["id"] })
	})
}

func (m *memory) matching(c *content, uid string, where map[string]any) []map[string]any {
	var found []map[string]any
	for _, row := range c.rows[uid] {
		if matches(row, where) {
			found = append(found, row)
		}
	}
	return found
}

func matches(row, where map[string]any) bool {
	for key, want := range where {
		condition, isCondition := want.(map[string]any)
		switch {
		case !isCondition && row[key] != want:
			return false
		case isCondition && condition["$notNull"] != nil && (row[key] != nil) != condition["$notNull"].(bool):
			return false
		case isCondition && condition["$gt"] != nil && row[key].(float64) <= condition["$gt"].(float64):
			return false
		}
	}
	return true
}

func withoutPrivate(t *schema.Type, data any) any {
	switch data := data.(type) {
	case []any:
		for i := range data {
			data[i] = withoutPrivate(t, data[i])
		}
	case map[string]any:
		for _, a := range t.Attributes {
			if a.Private {
				delete(data, a.Name)
			}
		}
	}
	return data
}

func first(rows []map[string]any) map[string]any {
	if len(rows) == 0 {
		return nil
	}
	return rows[0]
}

func anySlice(rows []map[string]any) []any {
	out := []any{}
	for _, row := range rows {
		out = append(out, maps.Clone(row))
	}
	return out
}
