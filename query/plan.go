package query

import (
	"fmt"
	"strings"
	"time"

	"quire/index"
	"quire/schema"
)

// Plan is how a query was answered: which indexes it used, how many rows it examined, and
// where the time went.
type Plan struct {
	Explain bool // also record Steps, which costs time

	Steps    []string // one decision per line, indented by its depth
	Visited  int      // rows or groups of rows that were examined one by one
	Matched  int      // entries that the query selects
	Returned int      // entries of the page

	sets int // sets of rows, each as long as the table, that ordering created

	Select, Order, Encode time.Duration
}

// String returns the plan in one line: the steps, then the figures.
func (p *Plan) String() string {
	steps := ""
	if len(p.Steps) > 0 {
		steps = strings.Join(p.Steps, "; ") + "; "
	}
	return fmt.Sprintf("%svisited %d, matched %d, returned %d; select %s, order %s, encode %s",
		steps, p.Visited, p.Matched, p.Returned, p.Select, p.Order, p.Encode)
}

// Observe makes the query record its plan each time it runs. An observed query must
// not run twice at the same time.
func (q *Query) Observe(p *Plan) { q.plan = p }

// Reset empties the plan, so that it can be reused.
func (p *Plan) Reset() { *p = Plan{Explain: p.Explain, Steps: p.Steps[:0]} }

// maxSteps limits the steps of a plan: a query of a thousand conditions would have as many.
const maxSteps = 100

// recording reports whether decisions are to be recorded.
func (x *run) recording() bool {
	return x.plan.Explain && !x.silent && len(x.plan.Steps) < maxSteps
}

// note records one decision.
func (x *run) note(format string, args ...any) {
	if x.recording() {
		x.plan.Steps = append(x.plan.Steps, strings.Repeat("  ", x.depth)+fmt.Sprintf(format, args...))
	}
}

// noteFirst records a decision of every list, without the cost of formatting.
func (x *run) noteFirst(step, of string) {
	if x.recording() {
		x.plan.Steps = append(x.plan.Steps, step+of)
	}
}

// lap returns the time since the last lap; 0 if the query is not observed.
func (x *run) lap() time.Duration {
	if x.plan == &x.unobserved {
		return 0
	}
	before := x.lapped
	x.lapped = time.Since(x.begun)
	return x.lapped - before
}

// noteSelection records how the rows of one condition are selected.
func (x *run) noteSelection(tb *index.Table, way []*schema.Attribute, c condition) {
	if !x.recording() {
		return
	}
	switch c := c.(type) {
	case nil:
		x.note("all of %s", tb.Type.UID)
	case allOf:
		x.note("all of these, fewest rows first")
	case anyOf:
		x.note("any of these")
	case *unlinked:
		x.note("nothing links to them: asking %d rows", tb.Len())
	case *inside:
		x.note("in %s", c.attribute.Name)
	case *related:
		x.note("through %s", pathName(way, c.attribute))
	case *isNull:
		x.note("%s is%s null: index", pathName(way, c.attribute), negation(c.negate))
	case *compare:
		x.note("%s%s %s: %s", pathName(way, c.attribute), negation(c.negate), c.test.kind, x.method(tb, way, c))
	}
}

func negation(negate bool) string {
	if negate {
		return " not"
	}
	return ""
}

func pathName(way []*schema.Attribute, a *schema.Attribute) string {
	return index.NewPath(append(way[:len(way):len(way)], a)...).String()
}

// method returns how the rows of a comparison are found.
func (x *run) method(tb *index.Table, way []*schema.Attribute, c *compare) string {
	_, indexed := indexedPath(way, c.attribute)
	switch {
	case !indexed && len(way) == 0 && c.test.kind == equals && !c.negate:
		return "look-up"
	case indexed && c.test.byKey():
		return "index"
	case indexed && searchesWords(way, c):
		return "words"
	}
	return fmt.Sprintf("asking %d rows", tb.Len())
}

// String names the kind of test.
func (k testKind) String() string {
	return [...]string{"equals", "in a range", "contains", "begins with", "ends with", "is the same as"}[k]
}
