package query

import (
	"math"

	"quire/query/params"
)

// paginatedByCursor reads the paging of the first page of a list that is read from
// cursor to cursor. Whether there is another page is all that the model says of it.
func (m *model) paginatedByCursor(query *params.Node, total int) (window, error) {
	n := query.Get("pagination")
	after, limit := n.Get("after"), n.Get("limit").IsText()
	both := limit && n.Get("pageSize").IsText()
	if query.Get("page") != nil || query.Get("pageSize") != nil || both || n.Get("page").IsText() || n.Get("start").IsText() || !after.IsNull() && !(after.IsText() && after.Text == "") {
		return window{}, errRefused
	}
	sized := "limit"
	if n.Get("pageSize").IsText() {
		sized = "pageSize"
	}
	size := number(n.Get(sized), 25)
	if math.IsNaN(size) || size > 100 {
		size = 100
	}
	size = max(size, 1)
	w := window{size: int(size), meta: map[string]any{sized: size, "next": nil}}
	if size != math.Trunc(size) {
		return w, errRefused
	}
	if total > w.size {
		w.meta["next"] = "more"
	}
	return w, w.count(n.Get("withCount"), total, sized == "limit")
}
