package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"quire/query/params"
	"quire/schema/settings"
)

// paging is the requested part of the result, and how the response describes it.
type paging struct {
	byPage     bool // meta has page and pageSize, not start and limit
	page, size int
	start      int
	withCount  bool
	byCursor   bool   // meta has next, in addition to limit or pageSize
	sized      string // which of these
}

const (
	mixedMessage    = "Cannot use both page & offset pagination in the same query"
	misplaceMessage = "Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object"
	countMessage    = `Invalid withCount parameter. Expected "t","1","true","false","0","f"`
)

// compilePaging resolves the pagination parameter. Like Strapi, it clamps what is too low
// or too high instead of refusing it, and treats a size that is not a number as the
// maximum.
func compilePaging(query *params.Node, s *settings.Settings) (paging, error) {
	if query.Get("page") != nil || query.Get("pageSize") != nil {
		return paging{}, &PaginationError{misplaceMessage}
	}
	n := query.Get("pagination")
	page, size := pagingText(n, "page"), pagingText(n, "pageSize")
	start, limit := pagingText(n, "start"), pagingText(n, "limit")
	if n.Get("after") != nil {
		return compileAfter(n, s)
	}
	p := paging{byPage: start == nil && limit == nil, withCount: s.WithCount}
	if (page != nil || size != nil) && !p.byPage {
		return p, &PaginationError{mixedMessage}
	}
	var err error
	if p.withCount, err = parseWithCount(pagingText(n, "withCount"), s.WithCount); err != nil {
		return p, err
	}
	if p.byPage {
		return p, p.setPage(page, size, s)
	}
	return p, p.setOffset(start, limit, s)
}

// compileAfter resolves the paging of a list that is read from cursor to cursor.
func compileAfter(n *params.Node, s *settings.Settings) (p paging, err error) {
	if pagingText(n, "page") != nil || pagingText(n, "start") != nil {
		return p, refuseParam("pagination", afterKey, afterKey+" goes with pagination[limit] or pagination[pageSize], not with pagination[page] or pagination[start]")
	}
	size, limit := pagingText(n, "pageSize"), pagingText(n, "limit")
	p = paging{byCursor: true, sized: "limit"}
	switch {
	case size != nil && limit != nil:
		return p, &PaginationError{mixedMessage}
	case size != nil:
		p.sized, limit = "pageSize", size
	}
	if p.size, err = pageSize(limit, p.sized, s); err == nil {
		p.withCount, err = parseWithCount(pagingText(n, "withCount"), s.WithCount)
	}
	return p, err
}

// pageKeys are the parameters of a page.
var pageKeys = []string{"page", "pageSize", "start", "limit", "withCount", "after"}

// stretch returns the part of the order for the page. After a cursor it has one row more,
// which shows whether there is another page.
func (p *paging) stretch() stretch {
	if p.byCursor {
		return stretch{limit: p.size + 1}
	}
	return stretch{skip: p.start, limit: p.size}
}

// checkPages refuses lists and objects as a value of pagination, because the response would
// otherwise be the first page.
func checkPages(n *params.Node, bare bool) error {
	if err := checkPage(n.Get("pagination"), "pagination[%s]"); err != nil || !bare {
		return err
	}
	return checkPage(n, "%s")
}

func checkPage(n *params.Node, name string) error {
	for _, key := range pageKeys {
		if v := n.Get(key); v.IsList() || v.IsObject() {
			at := fmt.Sprintf(name, key)
			return refuseParam("pagination", at, fmt.Sprintf("Invalid %s parameter. Expected a single value", at))
		}
	}
	return nil
}

// pagingText returns one paging parameter; nil if it is not given as a value.
func pagingText(n *params.Node, key string) *string {
	v := n.Get(key)
	if v == nil || !v.IsText() {
		return nil
	}
	return &v.Text
}

func parseWithCount(text *string, byDefault bool) (bool, error) {
	if text == nil {
		return byDefault, nil
	}
	switch *text {
	case "t", "1", "true":
		return true, nil
	case "f", "0", "false":
		return false, nil
	}
	return false, refuseParam("pagination", "pagination[withCount]", countMessage)
}

func (p *paging) setPage(page, size *string, s *settings.Settings) (err error) {
	if p.size, err = pageSize(size, "pageSize", s); err != nil {
		return err
	}
	number := 1.0
	if page != nil {
		number = toNumber(*page)
	}
	if number < 1 {
		number = 1
	}
	first := (number - 1) * float64(p.size)
	if p.start, err = checkStart(first); err != nil {
		return err
	}
	if number != math.Trunc(number) {
		return refuseParam("pagination", "pagination[page]", "Invalid 'page' parameter. Expected an integer > 0, received: "+*page)
	}
	p.page = int(number)
	return nil
}

func (p *paging) setOffset(start, limit *string, s *settings.Settings) (err error) {
	if p.size, err = pageSize(limit, "limit", s); err != nil {
		return err
	}
	first := 0.0
	if start != nil {
		first = toNumber(*start)
	}
	p.start, err = checkStart(max(first, 0))
	return err
}

// checkStart checks the offset of the first entry.
func checkStart(first float64) (int, error) {
	if math.IsNaN(first) || first != math.Trunc(first) || first > math.MaxInt32*100 {
		return 0, refuseParam("pagination", "pagination", "convertStartQueryParams expected a positive integer got "+formatNumber(first))
	}
	return int(min(first, math.MaxInt)), nil // which is less on 32 bits
}

func pageSize(text *string, name string, s *settings.Settings) (int, error) {
	if text == nil {
		return min(s.DefaultLimit, s.MaxLimit), nil
	}
	number := toNumber(*text)
	switch {
	case math.IsNaN(number) || number > float64(s.MaxLimit):
		return s.MaxLimit, nil
	case number < 1:
		return 1, nil
	case number != math.Trunc(number):
		return 0, refuseParam("pagination", "pagination["+name+"]", fmt.Sprintf("convertLimitQueryParams expected a positive integer got %s", formatNumber(number)))
	}
	return int(number), nil
}

// toNumber reads a number as JavaScript does: "" is 0, and a text that is not a number is
// NaN.
func toNumber(text string) float64 {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Page is the requested part of a list that does not come from a query.
type Page struct{ paging }

// ReadPage reads the pagination parameter of a list that Strapi does not have: it refuses
// values that are not numbers, too low or too high. Errors are those of Compile.
func ReadPage(n *params.Node, s *settings.Settings) (Page, error) {
	pages := n.Get("pagination")
	switch {
	case pages.Get("after") != nil:
		return Page{}, &PaginationError{"This list has no cursors; use page and pageSize, or start and limit"}
	case pages != nil && !pages.IsObject():
		return Page{}, refuseParam("pagination", "pagination", "Invalid pagination parameter. Expected pagination[page] and pagination[pageSize], or pagination[start] and pagination[limit]")
	}
	for _, whole := range []struct {
		key         string
		least, most int
	}{{"page", 1, math.MaxInt32}, {"pageSize", 1, s.MaxLimit}, {"start", 0, math.MaxInt32}, {"limit", 1, s.MaxLimit}} {
		text := pagingText(pages, whole.key)
		if text == nil {
			continue
		}
		if i, err := strconv.Atoi(*text); err != nil || strconv.Itoa(i) != *text || i < whole.least || i > whole.most {
			at := "pagination[" + whole.key + "]"
			return Page{}, refuseParam("pagination", at, fmt.Sprintf("Invalid %s parameter. Expected a whole number from %d to %d", at, whole.least, whole.most))
		}
	}
	p, err := compilePages(n, s, false)
	return Page{p}, err
}

// Range returns the part of a list of total items: from start up to end.
func (p Page) Range(total int) (start, end int) {
	start = min(p.start, total)
	return start, min(start+p.size, total)
}

// Append appends the pagination object of a response.
func (p Page) Append(dst []byte, total int) []byte { return p.append(dst, total, "") }
