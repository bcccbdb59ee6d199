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
	Explain bool // also record the steps, which costs time

	Visited  int // rows or groups of rows that were examined one by one
	Matched  int // entries that the query selects
	Returned int // entries of the page

	steps []step

	sets int // sets of rows, each as long as the table, that ordering created

	Select, Order, Encode time.Duration
}

// step is one decision. It is formatted only if somebody reads it.
type step struct {
	depth  int
	format string
	args   [4]any
	n      int // number of args
}

// Note records a decision. args must not change afterwards.
func (p *Plan) Note(format string, args ...any) { p.noteAt(0, format, args) }

func (p *Plan) noteAt(depth int, format string, args []any) {
	s := step{depth: depth, format: format}
	s.n = copy(s.args[:], args)
	p.steps = append(p.steps, s)
}

// Steps returns one decision per line, indented by its depth.
func (p *Plan) Steps() []string {
	var lines []string
	for i := range p.steps {
		s := &p.steps[i]
		lines = append(lines, strings.Repeat("  ", s.depth)+fmt.Sprintf(s.format, s.args[:s.n]...))
	}
	return lines
}

// String returns the plan in one line: the steps, then the figures.
func (p *Plan) String() string {
	steps := ""
	if len(p.steps) > 0 {
		steps = strings.Join(p.Steps(), "; ") + "; "
	}
	return fmt.Sprintf("%svisited %d, matched %d, returned %d; select %s, order %s, encode %s",
		steps, p.Visited, p.Matched, p.Returned, p.Select, p.Order, p.Encode)
}

// Observe makes the query record its plan each time it runs. An observed query must
// not run twice at the same time.
func (q *Query) Observe(p *Plan) { q.plan = p }

// Reset empties the plan, so that it can be reused.
func (p *Plan) Reset() {
	clear(p.steps) // they may refer to a schema that is no longer in use
	*p = Plan{Explain: p.Explain, steps: p.steps[:0]}
}

// maxSteps limits the steps of a plan: a query of a thousand conditions would have as many.
const maxSteps = 100

// recording reports whether decisions are to be recorded.
func (x *run) recording() bool {
	return x.plan.Explain && !x.silent && len(x.plan.steps) < maxSteps
}

// note records one decision.
func (x *run) note(format string, args ...any) {
	if x.recording() {
		x.plan.noteAt(x.depth, format, args)
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
		x.note("all of %s", uidOf{tb.Type})
	case allOf:
		x.note("all of these, fewest rows first")
	case anyOf:
		x.note("any of these")
	case *unlinked:
		x.note("nothing links to them: asking %d rows", tb.Len())
	case *inside:
		x.note("in %s", nameOf{c.attribute})
	case *related:
		x.note("through %s", steppedPath(way, c.attribute))
	case *isNull:
		x.note("%s is%s null: index", steppedPath(way, c.attribute), negation(c.negate))
	case *compare:
		if m := methodOf(way, c); m != asking {
			x.note("%s%s %s: %s", steppedPath(way, c.attribute), negation(c.negate), c.test.kind, m)
		} else {
			x.note("%s%s %s: asking %d rows", steppedPath(way, c.attribute), negation(c.negate), c.test.kind, tb.Len())
		}
	}
}

// Args of steps that take no memory of their own.
type (
	negation  bool
	nameOf    struct{ *schema.Attribute }
	uidOf     struct{ *schema.Type }
	pathNames struct {
		way []*schema.Attribute
		end *schema.Attribute
	}
)

func (n negation) String() string {
	if n {
		return " not"
	}
	return ""
}

func (a nameOf) String() string { return a.Name }
func (t uidOf) String() string  { return t.UID }
func (p pathNames) String() string {
	return index.NewPath(append(p.way[:len(p.way):len(p.way)], p.end)...).String()
}

func steppedPath(way []*schema.Attribute, a *schema.Attribute) fmt.Stringer {
	if len(way) == 0 {
		return nameOf{a}
	}
	return pathNames{way, a}
}

// method is how the rows of a comparison are found.
type method uint8

const (
	asking method = iota // each row
	byLookUp
	byIndex
	byWords
)

func (m method) String() string {
	return [...]string{"asking", "look-up", "index", "words"}[m]
}

func methodOf(way []*schema.Attribute, c *compare) method {
	_, indexed := indexedPath(way, c.attribute)
	switch {
	case !indexed && len(way) == 0 && c.test.kind == equals && !c.negate:
		return byLookUp
	case indexed && c.test.byKey():
		return byIndex
	case indexed && searchesWords(way, c):
		return byWords
	}
	return asking
}

// String names the kind of test.
func (k testKind) String() string {
	return [...]string{"equals", "in a range", "contains", "begins with", "ends with", "is the same as"}[k]
}
