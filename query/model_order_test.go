package query

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"quire/query/params"
	"quire/schema"
)

// criterion is one part of an order: where the values stand, and which way.
type criterion struct {
	path       []*schema.Attribute
	rank       func(row) int // in the place of a path; nil but for _rank
	descending bool
}

// ordering reads a sort parameter on rows of type t. Rows that were made or changed
// in one millisecond stand newest first where the newest come first.
func (m *model) ordering(t *schema.Type, n *params.Node) ([]criterion, error) {
	all, err := m.sorting(t, n)
	if len(all) > 0 {
		last := all[len(all)-1]
		if last.rank != nil {
			return all, err
		}
		if name := last.path[0].Name; last.descending && len(last.path) == 1 && (name == "createdAt" || name == "updatedAt") {
			all = append(all, criterion{path: []*schema.Attribute{t.Attribute("id")}, descending: true})
		}
	}
	for i, c := range all {
		if len(c.path) == 1 && c.path[0].Name == "id" {
			return all[:i+1], err // no two entries have the same
		}
	}
	return all, err
}

// sorting reads what is asked for.
func (m *model) sorting(t *schema.Type, n *params.Node) ([]criterion, error) {
	switch {
	case n == nil || n.IsNull():
		return nil, nil
	case n.IsText():
		return m.sortingList(t, n.Text)
	case n.IsObject():
		return m.sortingObject(t, n, nil)
	}
	var all []criterion
	for _, item := range n.Items {
		if item.IsList() {
			return nil, errRefused
		}
		some, err := m.sorting(t, item)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func (m *model) sortingList(t *schema.Type, text string) ([]criterion, error) {
	var all []criterion
	for part := range strings.SplitSeq(text, ",") {
		words := append(strings.Split(part, ":"), "asc")
		if name := strings.TrimSpace(words[0]); name != "" {
			one, err := m.criterion(t, strings.Split(name, "."), words[1])
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}

func (m *model) sortingObject(t *schema.Type, n *params.Node, path []string) ([]criterion, error) {
	var all []criterion
	for i, key := range n.Keys {
		at := append(slices.Clone(path), key)
		if n.Items[i].IsObject() {
			some, err := m.sortingObject(t, n.Items[i], at)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
			continue
		}
		one, err := m.criterion(t, at, n.Items[i].Text)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (m *model) criterion(t *schema.Type, names []string, direction string) (criterion, error) {
	var c criterion
	if m.rank != nil && slices.Equal(names, []string{"_rank"}) {
		c.rank, names = m.rank, nil
	}
	for i, name := range names {
		a := t.Attribute(name)
		if a == nil || !m.may(a) || a.Kind == schema.DynamicZone || a.IsScalar() != (i == len(names)-1) {
			return c, errRefused
		}
		c.path = append(c.path, a)
		if !a.IsScalar() {
			t = behindOf(a)
		}
	}
	switch direction {
	case "asc", "ASC":
	case "desc", "DESC":
		c.descending = true
	default:
		return c, errRefused
	}
	return c, nil
}

// best is the value by which a row is ordered: of several the lowest, or the
// highest when descending; nil where all are null.
func (m *model) best(c criterion, r row, path []*schema.Attribute) any {
	if c.rank != nil {
		return c.rank(r)
	}
	a := path[0]
	if len(path) == 1 {
		return m.value(r, a)
	}
	var best any
	last := path[len(path)-1]
	for _, next := range m.related(r, a) {
		v := m.best(c, next, path[1:])
		if v != nil && (best == nil || c.descending == (m.order(last, v, best) > 0)) {
			best = v
		}
	}
	return best
}

// sorted sorts rows. Rows that no criterion distinguishes keep their order. Nulls come
// last ascending, first descending.
func (m *model) sorted(rows []row, criteria []criterion) []row {
	keys := map[row][]any{}
	for _, r := range rows {
		for _, c := range criteria {
			keys[r] = append(keys[r], m.best(c, r, c.path))
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		for i, c := range criteria {
			n := m.orderNulls(c, keys[a][i], keys[b][i])
			if c.descending {
				n = -n
			}
			if n != 0 {
				return n
			}
		}
		return 0
	})
	return rows
}

func (m *model) orderNulls(c criterion, x, y any) int {
	if x == nil || y == nil {
		return cmp.Compare(kleeneOf(x == nil), kleeneOf(y == nil))
	}
	if c.rank != nil {
		return cmp.Compare(x.(int), y.(int))
	}
	return m.order(c.path[len(c.path)-1], x, y)
}

// window is the part of a list that the pagination parameter asks for.
type window struct {
	start, size int
	meta        map[string]any
}

// paginated reads the paging of a list of total entries.
func (m *model) paginated(query *params.Node, total int) (window, error) {
	n := query.Get("pagination")
	if n.Get("after") != nil {
		return m.paginatedByCursor(query, total)
	}
	byOffset := n.Get("start").IsText() || n.Get("limit").IsText()
	if query.Get("page") != nil || query.Get("pageSize") != nil || byOffset && (n.Get("page").IsText() || n.Get("pageSize").IsText()) {
		return window{}, errRefused
	}
	first, sized := "page", "pageSize"
	if byOffset {
		first, sized = "start", "limit"
	}
	from, size := number(n.Get(first), 0), number(n.Get(sized), 25)
	if math.IsNaN(size) || size > 100 {
		size = 100
	}
	size = max(size, 1)
	w := window{size: int(size), meta: map[string]any{sized: size}}
	least := map[bool]float64{false: 1, true: 0}[byOffset]
	from = max(from, least)
	if from != math.Trunc(from) || math.IsNaN(from) || size != math.Trunc(size) {
		return w, errRefused
	}
	w.start, w.meta[first] = int(from), from
	if !byOffset {
		w.start = (int(from) - 1) * w.size
	}
	return w, w.count(n.Get("withCount"), total, byOffset)
}

// ranged reads start and limit of a list without pages, as those of users and
// files are; they may stand at the top of the query too.
func (m *model) ranged(query *params.Node) (window, error) {
	n := query.Get("pagination")
	if n.Get("after") != nil {
		return window{}, errRefused
	}
	if n.Get("page") != nil || n.Get("pageSize") != nil {
		return m.paginated(query, 0)
	}
	given := func(name string) *params.Node {
		if n.Get(name).IsText() {
			return n.Get(name)
		}
		return query.Get(name)
	}
	start, limit := number(given("start"), 0), number(given("limit"), -1)
	if start < 0 || start != math.Trunc(start) || limit < -1 || limit != math.Trunc(limit) || math.IsNaN(start+limit) {
		return window{}, errRefused
	}
	if limit == -1 {
		limit = 1e9
	}
	return window{start: int(start), size: int(limit)}, nil
}

func (w *window) count(n *params.Node, total int, byOffset bool) error {
	if n.IsText() {
		switch n.Text {
		case "false", "f", "0":
			return nil
		case "true", "t", "1":
		default:
			return errRefused
		}
	}
	w.meta["total"] = float64(total)
	if !byOffset {
		w.meta["pageCount"] = math.Ceil(float64(total) / float64(w.size))
	}
	return nil
}

// number reads a number as JavaScript does.
func number(n *params.Node, absent float64) float64 {
	if !n.IsText() {
		return absent
	}
	text := strings.TrimSpace(n.Text)
	if text == "" {
		return 0
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return f
}
