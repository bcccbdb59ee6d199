package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"quire/schema"
)

// paging is which part of the result is asked for, and how the answer says it.
type paging struct {
	byPage     bool // meta says page and pageSize rather than start and limit
	page, size int
	start      int
	withCount  bool
}

const (
	mixedMessage    = "Cannot use both page & offset pagination in the same query"
	misplaceMessage = "Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object"
	countMessage    = `Invalid withCount parameter. Expected "t","1","true","false","0","f"`
)

// compilePaging resolves the pagination parameter. The reference clamps what is
// too low or too high instead of refusing it, and takes a size that is no
// number for the highest; so does this.
func compilePaging(query *Node, s *schema.Settings) (paging, error) {
	if query.Get("page") != nil || query.Get("pageSize") != nil {
		return paging{}, &PaginationError{misplaceMessage}
	}
	n := query.Get("pagination")
	page, size := value(n, "page"), value(n, "pageSize")
	start, limit := value(n, "start"), value(n, "limit")
	p := paging{byPage: start == nil && limit == nil, withCount: s.WithCount}
	if (page != nil || size != nil) && !p.byPage {
		return p, &PaginationError{mixedMessage}
	}
	var err error
	if p.withCount, err = withCount(value(n, "withCount"), s.WithCount); err != nil {
		return p, err
	}
	if p.byPage {
		return p, p.setPage(page, size, s)
	}
	return p, p.setOffset(start, limit, s)
}

// value is one paging parameter; nil where it is not given as a value.
func value(n *Node, key string) *string {
	v := n.Get(key)
	if v == nil || !v.IsText() {
		return nil
	}
	return &v.Text
}

func withCount(text *string, byDefault bool) (bool, error) {
	if text == nil {
		return byDefault, nil
	}
	switch *text {
	case "t", "1", "true":
		return true, nil
	case "f", "0", "false":
		return false, nil
	}
	return false, refuse("pagination", "pagination[withCount]", countMessage)
}

func (p *paging) setPage(page, size *string, s *schema.Settings) (err error) {
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
	if p.start, err = startAt(first); err != nil {
		return err
	}
	if number != math.Trunc(number) {
		return refuse("pagination", "pagination[page]", "Invalid 'page' parameter. Expected an integer > 0, received: "+*page)
	}
	p.page = int(number)
	return nil
}

func (p *paging) setOffset(start, limit *string, s *schema.Settings) (err error) {
	if p.size, err = pageSize(limit, "limit", s); err != nil {
		return err
	}
	first := 0.0
	if start != nil {
		first = toNumber(*start)
	}
	p.start, err = startAt(max(first, 0))
	return err
}

// startAt checks the number of the first entry.
func startAt(first float64) (int, error) {
	if math.IsNaN(first) || first != math.Trunc(first) || first > math.MaxInt32*100 {
		return 0, refuse("pagination", "pagination", "convertStartQueryParams expected a positive integer got "+formatNumber(first))
	}
	return int(min(first, math.MaxInt)), nil // which is less where there are 32 bits
}

func pageSize(text *string, name string, s *schema.Settings) (int, error) {
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
		return 0, refuse("pagination", "pagination["+name+"]", fmt.Sprintf("convertLimitQueryParams expected a positive integer got %s", formatNumber(number)))
	}
	return int(number), nil
}

// toNumber reads a number as JavaScript does: nothing is 0, and what is no
// number is NaN.
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
