package host

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"quire/content"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// strapi.db.query knows rows, not documents: drafts and published versions are rows of one
// table. A query here reads one of the two. So if the conditions do not say which, both are
// read, and their rows put in one order.

// rowQuery is a query of rows.
type rowQuery struct {
	t          *schema.Type
	tree       *params.Node // in the words of the content API, without a page
	statuses   []string     // of the versions to read; if there are no drafts, of those that are populated
	order      []orderKey
	start, end int // of the page; end is -1 for all
}

// orderKey is an attribute by which rows are in order.
type orderKey struct {
	name string
	down bool
}

// rows reads what a call asks for.
func (c *call) rows() (*rowQuery, error) {
	t, err := c.t()
	if err != nil {
		return nil, err
	}
	given, err := c.tree()
	if err != nil {
		return nil, err
	}
	q := &rowQuery{t: t, statuses: []string{populatedStatus(given.Get("populate"))}, end: -1}
	where := given.Get("where")
	if t.DraftAndPublish {
		var status string
		where, status = withoutStatus(where)
		q.statuses = []string{"draft", "published"}
		if status != "" {
			q.statuses = []string{status}
		}
	}
	if q.tree, err = translated(given, where); err != nil {
		return nil, err
	}
	q.order = orderOf(given.Get("orderBy"))
	if q.start, err = whole(given.Get("offset"), 0); err != nil {
		return nil, err
	}
	limit, err := whole(given.Get("limit"), -1)
	if limit >= 0 {
		q.end = q.start + limit
	}
	return q, err
}

// translated returns a query of rows in the words of the content API: select is fields, where
// is filters, and orderBy is sort, also inside of populate.
func translated(given, where *params.Node) (*params.Node, error) {
	tree := &params.Node{Kind: params.Object}
	if where != nil && len(where.Items) > 0 {
		tree = tree.With("filters", where)
	}
	if fields := given.Get("select"); fields != nil {
		tree = tree.With("fields", fields)
	}
	if order := given.Get("orderBy"); order != nil {
		tree = tree.With("sort", order)
	}
	if count := given.Get("count"); count != nil {
		tree = tree.With("count", count)
	}
	for _, key := range []string{"populate", "on"} {
		inside, err := translatedEach(given.Get(key))
		if err != nil {
			return nil, err
		}
		if inside != nil {
			tree = tree.With(key, inside)
		}
	}
	return tree, nil
}

// translatedEach translates what belongs to each attribute of populate, or each type of on.
func translatedEach(each *params.Node) (*params.Node, error) {
	if !each.IsObject() {
		return each, nil
	}
	inside := &params.Node{Kind: params.Object}
	for i, key := range each.Keys {
		one := each.Items[i]
		if one.IsObject() {
			where := one.Get("where")
			if where == nil {
				where = one.Get("filters")
			}
			var err error
			if one, err = translated(one, where); err != nil {
				return nil, err
			}
		}
		inside = inside.With(key, one)
	}
	return inside, nil
}

// withoutStatus takes the condition on publishedAt out of the conditions: rows with one are
// published, rows without are drafts.
func withoutStatus(where *params.Node) (rest *params.Node, status string) {
	at := where.Get("publishedAt")
	switch {
	case at == nil:
		if and := where.Get("$and"); and.IsList() {
			left := &params.Node{Kind: params.List}
			for _, one := range and.Items {
				one, found := withoutStatus(one)
				status = cmp.Or(found, status)
				left.Items = append(left.Items, one)
			}
			return where.With("$and", left), status
		}
		return where, ""
	case at.IsNull() || isTrue(at.Get("$null")) || isFalse(at.Get("$notNull")):
		return where.Without("publishedAt"), "draft"
	case isTrue(at.Get("$notNull")) || isFalse(at.Get("$null")) || at.Get("$ne").IsNull():
		return where.Without("publishedAt"), "published"
	}
	return where, "published"
}

// populatedStatus returns the status of what rows without drafts populate: published if it is
// asked for, as a condition on publishedAt.
func populatedStatus(populate *params.Node) string {
	if populate.IsObject() {
		for _, one := range populate.Items {
			for _, key := range []string{"where", "filters"} {
				if _, status := withoutStatus(one.Get(key)); status == "published" {
					return status
				}
			}
			if populatedStatus(one.Get("populate")) == "published" {
				return "published"
			}
		}
	}
	return "draft"
}

func isTrue(n *params.Node) bool  { return n.IsText() && n.Text == "true" }
func isFalse(n *params.Node) bool { return n.IsText() && n.Text == "false" }

// orderOf reads an order by attributes of the rows themselves; that by others is left to the
// query.
func orderOf(n *params.Node) (keys []orderKey) {
	switch {
	case n.IsText():
		for _, part := range strings.Split(n.Text, ",") {
			name, direction, _ := strings.Cut(strings.TrimSpace(part), ":")
			keys = append(keys, orderKey{name, strings.EqualFold(direction, "desc")})
		}
	case n.IsList():
		for _, one := range n.Items {
			keys = append(keys, orderOf(one)...)
		}
	case n.IsObject():
		for i, name := range n.Keys {
			keys = append(keys, orderKey{name, n.Items[i].IsText() && strings.EqualFold(n.Items[i].Text, "desc")})
		}
	}
	return keys
}

func whole(n *params.Node, otherwise int) (int, error) {
	if n == nil || n.IsNull() {
		return otherwise, nil
	}
	var number int
	if _, err := fmt.Sscan(n.Text, &number); err != nil || number < 0 {
		return 0, &Error{Name: "ValidationError", Message: fmt.Sprintf("%q is no number of rows", n.Text), Status: 400}
	}
	return number, nil
}

func (c *call) findRows() ([]byte, error) {
	if c.onPermissions() {
		return c.findPermissions()
	}
	q, err := c.rows()
	if err != nil {
		return nil, err
	}
	if len(q.statuses) == 1 {
		return c.versionRows(q, q.statuses[0], q.start, q.end)
	}
	return c.bothRows(q)
}

// versionRows returns the rows of one status, from start to end.
func (c *call) versionRows(q *rowQuery, status string, start, end int) ([]byte, error) {
	tree := q.tree.WithText("start", fmt.Sprint(start))
	if end >= 0 {
		tree = tree.WithText("limit", fmt.Sprint(end-start))
	}
	compiled, err := c.compileRows(q.t, tree, status)
	if err != nil {
		return nil, err
	}
	return compiled.AppendBare(c.ctx, c.snapshot(), nil)
}

func (c *call) compileRows(t *schema.Type, tree *params.Node, status string) (*query.Query, error) {
	if status != "" {
		tree = tree.WithText("status", status)
	}
	if t.Localized && tree.Get("locale") == nil {
		tree = tree.WithText("locale", "*")
	}
	return c.compile(t, tree, query.Options{Bare: true})
}

// entryRow is a row, and its values.
type entryRow struct {
	text   json.RawMessage
	values map[string]any
}

// bothRows returns drafts and published rows in one order.
func (c *call) bothRows(q *rowQuery) ([]byte, error) {
	var all []entryRow
	for _, status := range q.statuses {
		list, err := c.versionRows(q, status, 0, q.end)
		if err != nil {
			return nil, err
		}
		var texts []json.RawMessage
		if err := json.Unmarshal(list, &texts); err != nil {
			return nil, err
		}
		for _, text := range texts {
			one := entryRow{text: text}
			if err := json.Unmarshal(text, &one.values); err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	keys := append(q.order, orderKey{name: "id"})
	slices.SortStableFunc(all, func(a, b entryRow) int { return compareBy(keys, a, b) })
	all = all[min(q.start, len(all)):]
	if q.end >= 0 {
		all = all[:min(q.end-q.start, len(all))]
	}
	texts := make([][]byte, len(all))
	for i, one := range all {
		texts[i] = one.text
	}
	return slices.Concat([]byte("["), bytes.Join(texts, []byte(",")), []byte("]")), nil
}

func compareBy(keys []orderKey, a, b entryRow) int {
	for _, key := range keys {
		order := compare(a.values[key.name], b.values[key.name])
		if key.down {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// compare compares two values of JSON; null is last.
func compare(a, b any) int {
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			return cmp.Compare(x, y)
		}
	case bool:
		if y, ok := b.(bool); ok && x != y {
			if y {
				return -1
			}
			return 1
		}
		return 0
	}
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return 0
}

func (c *call) countRows() ([]byte, error) {
	if c.onPermissions() {
		return c.countPermissions()
	}
	q, err := c.rows()
	if err != nil {
		return nil, err
	}
	total := 0
	for _, status := range q.statuses {
		compiled, err := c.compileRows(q.t, q.tree.Without("populate", "fields", "sort"), status)
		if err != nil {
			return nil, err
		}
		n, err := compiled.Count(c.ctx, c.snapshot())
		if err != nil {
			return nil, err
		}
		total += n
	}
	return fmt.Append(nil, total), nil
}

// row returns the entry with the id that the call names.
func (c *call) row() (row content.Row, err error) {
	if row.Type, err = c.t(); err != nil {
		return row, err
	}
	var id uint64
	if err := json.Unmarshal(c.arguments["id"], &id); err != nil {
		return row, &Error{Name: "ValidationError", Message: "id must be the id of a row", Status: 400}
	}
	var found bool
	if row.Key, found = c.snapshot().ByID(row.Type, id); found {
		return row, nil
	}
	return row, &Error{Name: "NotFoundError", Message: fmt.Sprintf("%s has no row %d", row.Type.UID, id), Status: 404}
}

// createRow creates a row of its own document. With publishedAt, it is published.
func (c *call) createRow() ([]byte, error) {
	if c.onPermissions() {
		return c.createPermission()
	}
	t, err := c.t()
	if err != nil {
		return nil, err
	}
	input, err := c.input(t)
	if err != nil {
		return nil, err
	}
	var given struct{ DocumentID, Locale, PublishedAt *string }
	_ = json.Unmarshal(c.arguments["data"], &given) // other values count as missing
	r := content.Request{Type: t, Status: store.Published, Input: input}
	if t.DraftAndPublish && given.PublishedAt == nil {
		r.Status = store.Draft
	}
	if given.DocumentID != nil {
		r.DocumentID = *given.DocumentID
	}
	if given.Locale != nil {
		r.Locale = *given.Locale
	}
	return c.written(r, content.ToCreate(r))
}

func (c *call) updateRow() ([]byte, error) {
	if c.onPermissions() {
		return c.updatePermission()
	}
	row, err := c.row()
	if err != nil {
		return nil, err
	}
	input, err := c.input(row.Type)
	if err != nil {
		return nil, err
	}
	return c.written(content.Request{Type: row.Type}, content.ToUpdateRow(row, input))
}

// deleteRow answers the row as it was.
func (c *call) deleteRow() ([]byte, error) {
	if c.onPermissions() {
		return c.deletePermission()
	}
	row, err := c.row()
	if err != nil {
		return nil, err
	}
	was, err := c.show(row.Type, c.snapshot(), row.Key)
	if err != nil {
		return nil, err
	}
	_, err = c.do(content.ToDeleteRow(row))
	return was, err
}
