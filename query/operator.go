package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"quire/index"
	"quire/query/params"
	"quire/schema"
)

// operator is one of the comparison operators of filters, without the group operators $and,
// $or and $not.
type operator struct {
	kind   testKind
	negate bool
	fold   bool

	from, to bool // ranges: the operand is the lower or the upper bound
	open     bool // ranges: the operand itself does not match
	list     bool // takes a list as one operand: $in, $notIn, $between
	null     bool // asks for null: $null, $notNull
}

var operators = map[string]operator{
	"$eq":           {kind: equals},
	"$eqi":          {kind: same, fold: true},
	"$ne":           {kind: equals, negate: true},
	"$nei":          {kind: same, fold: true, negate: true},
	"$in":           {kind: equals, list: true},
	"$notIn":        {kind: equals, list: true, negate: true},
	"$lt":           {kind: ranges, to: true, open: true},
	"$lte":          {kind: ranges, to: true},
	"$gt":           {kind: ranges, from: true, open: true},
	"$gte":          {kind: ranges, from: true},
	"$between":      {kind: ranges, from: true, to: true, list: true},
	"$contains":     {kind: contains},
	"$notContains":  {kind: contains, negate: true},
	"$containsi":    {kind: contains, fold: true},
	"$notContainsi": {kind: contains, fold: true, negate: true},
	"$startsWith":   {kind: begins},
	"$startsWithi":  {kind: begins, fold: true},
	"$endsWith":     {kind: ends},
	"$endsWithi":    {kind: ends, fold: true},
	"$null":         {null: true},
	"$notNull":      {null: true, negate: true},
}

// isGroup reports whether a key is one of the operators that contain conditions.
func isGroup(key string) bool { return key == "$and" || key == "$or" || key == "$not" }

// isFalse reports whether an operand turns $null and $notNull into each other.
func isFalse(n *params.Node) bool {
	return n.IsNull() || n.IsText() && slices.Contains([]string{"false", "0", "f", ""}, n.Text)
}

// comparison compiles one operator and its operand. A nil condition with a nil error means
// that the operand is ignored, as in Strapi.
func (c *filters) comparison(a *schema.Attribute, at, name string, n *params.Node, negate bool) (condition, error) {
	op := operators[name]
	switch {
	case n.IsObject():
		return c.object(a, joinPath(at, name), op, n, negate)
	case op.null:
		return &isNull{a, op.negate != isFalse(n) != negate}, nil
	}
	if n.IsList() && !op.list {
		return c.each(a, at, name, n, negate)
	}
	if err := c.count(); err != nil {
		return nil, err
	}
	if !a.IsText() && !op.fold && op.kind > ranges && a.System != schema.SystemDocumentID && a.System != schema.SystemLocale {
		return nil, refuseParam("filters", at, fmt.Sprintf("%s does not apply to %s, which is not text", name, at))
	}
	if (a.Kind == schema.JSON || a.Kind == schema.Blocks) && op.kind == ranges {
		return nil, refuseParam("filters", at, fmt.Sprintf("%s does not apply to %s, which is json", name, at))
	}
	return c.tested(a, at, name, op, operands(n), op.negate != negate)
}

// object compiles an operator whose operand is an object: it refuses the object's first
// key. There are two exceptions, as in Strapi: nothing equals an object of operators, and a
// list is left out if some of its indexes exceed the limit of lists.
func (c *filters) object(a *schema.Attribute, at string, op operator, n *params.Node, negate bool) (condition, error) {
	if len(n.Keys) == 0 {
		return nil, refuseParam("filters", at, at+" takes values, not objects")
	}
	if _, nested := operators[n.Keys[0]]; nested && !op.list && !op.null {
		if op.negate != negate {
			return &isNull{a, true}, nil
		}
		return anyOf{}, nil
	}
	if key := notInList(n.Keys); key != "" || op.null {
		return nil, unknownKey(cmp.Or(key, n.Keys[0]), at, "filters")
	}
	return nil, nil
}

// notInList returns the first key that is not an index of a list. It is "" if some indexes
// exceed the limit of lists and at least one is within it.
func notInList(keys []string) string {
	past, begun := "", false
	for _, key := range keys {
		place, err := strconv.Atoi(key)
		switch {
		case err != nil || place < 0:
			return key
		case place < params.DefaultLimits().ArrayLimit:
			begun = true
		default:
			past = cmp.Or(past, key)
		}
	}
	if begun {
		return ""
	}
	return past
}

// each compiles an operator whose operand is a list: one of its values must match.
func (c *filters) each(a *schema.Attribute, at, name string, n *params.Node, negate bool) (condition, error) {
	var parts []condition
	for _, item := range n.Items {
		if !item.IsText() && !item.IsNull() {
			return nil, refuseParam("filters", at, fmt.Sprintf("%s at %s takes values, not lists of lists or objects", name, at))
		}
		part, err := c.comparison(a, at, name, item, negate)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if negate {
		return allOf(parts), nil
	}
	return anyOf(parts), nil
}

func operands(n *params.Node) []*params.Node {
	if n.IsList() {
		return n.Items
	}
	return []*params.Node{n}
}

// tested returns the condition of an operator and its checked operands.
func (c *filters) tested(a *schema.Attribute, at, name string, op operator, values []*params.Node, negate bool) (condition, error) {
	var texts []string
	hasNull := false
	for _, v := range values {
		switch {
		case v.IsNull():
			hasNull = true
		case v.IsText():
			texts = append(texts, v.Text)
		default:
			return nil, refuseParam("filters", at, fmt.Sprintf("%s at %s takes values, not lists of lists or objects", name, at))
		}
	}
	switch {
	case op.kind == equals:
		return c.equals(a, at, op, texts, hasNull, negate)
	case op.kind == ranges:
		return c.span(a, at, name, op, texts, hasNull, negate)
	case hasNull && op.kind == same:
		return &isNull{a, negate}, nil
	case hasNull:
		return anyOf{}, nil
	}
	return &compare{a, newTextTest(op.kind, texts[0], op.fold), negate}, nil
}

// equals compiles $eq, $ne, $in and $notIn. As in SQL, null equals null only in $eq and
// $in, and a list with a null excludes everything.
func (c *filters) equals(a *schema.Attribute, at string, op operator, texts []string, hasNull, negate bool) (condition, error) {
	t := test{kind: equals}
	for _, text := range texts {
		key, canonical, err := operandKey(a, text)
		if err != nil {
			return nil, refuseParam("filters", at, err.Error())
		}
		t.keys = append(t.keys, key)
		t.texts = append(t.texts, canonical)
	}
	slices.Sort(t.keys)
	t.keys = slices.Compact(t.keys)
	value := &compare{a, t, negate}
	switch {
	case !hasNull && len(texts) == 0 && negate:
		return allOf{}, nil
	case !hasNull:
		return value, nil
	case !op.list:
		return &isNull{a, negate}, nil
	case negate:
		return anyOf{}, nil
	}
	return anyOf{value, &isNull{attribute: a}}, nil
}

// span compiles $lt, $lte, $gt, $gte and $between.
func (c *filters) span(a *schema.Attribute, at, name string, op operator, texts []string, hasNull, negate bool) (condition, error) {
	bounds := 1
	if op.list {
		bounds = 2
	}
	if len(texts) != bounds && !hasNull {
		return nil, refuseParam("filters", at, fmt.Sprintf("%s at %s takes %d values", name, at, bounds))
	}
	if hasNull {
		return anyOf{}, nil
	}
	var keys []string
	for _, text := range texts {
		key, _, err := operandKey(a, text)
		if err != nil {
			return nil, refuseParam("filters", at, err.Error())
		}
		keys = append(keys, key)
	}
	span := index.Range{HasFrom: op.from, HasTo: op.to, AfterFrom: op.open, BeforeTo: op.open}
	t := test{kind: ranges, span: span}
	if op.from {
		t.span.From, t.from = keys[0], []byte(texts[0])
	}
	if op.to {
		t.span.To, t.to = keys[len(keys)-1], []byte(texts[len(texts)-1])
	}
	return &compare{a, t, negate}, nil
}

// operandKey returns the index key of an operand, and its text in the stored form of the
// attribute's values.
func operandKey(a *schema.Attribute, text string) (key, canonical string, err error) {
	switch a.System {
	case schema.SystemDocumentID, schema.SystemLocale:
		return text, text, nil
	case schema.SystemCreatedAt, schema.SystemUpdatedAt, schema.SystemPublishedAt:
		moment, err := schema.ParseDateTime(text)
		return index.IntKey(moment.UnixMilli()), text, err
	}
	switch a.Kind {
	case schema.Integer:
		n, err := wholeNumber(text, math.MinInt32, math.MaxInt32)
		return index.IntKey(n), strconv.FormatInt(n, 10), err
	case schema.BigInteger:
		n, err := wholeNumber(text, math.MinInt64, math.MaxInt64)
		return index.IntKey(n), strconv.FormatInt(n, 10), err
	case schema.Float, schema.Decimal:
		f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return "", "", fmt.Errorf("expected a number, got %q", text)
		}
		return index.FloatKey(f), text, nil
	case schema.Boolean:
		is := !slices.Contains([]string{"false", "f", "0", ""}, text) // anything else is true
		return index.BoolKey(is), strconv.FormatBool(is), nil
	case schema.Date:
		day, err := schema.ParseDate(text)
		return day, day, err
	case schema.Time:
		clock, err := schema.ParseTime(text)
		return clock, clock, err
	case schema.DateTime, schema.Timestamp:
		moment, err := schema.ParseDateTime(text)
		iso := moment.Format(schema.DateTimeLayout)
		return iso, iso, err
	case schema.JSON, schema.Blocks:
		quoted := string(index.AppendString(nil, text)) // Strapi compares with a JSON string
		return quoted, quoted, nil
	}
	return index.TextKey(text), text, nil
}

// wholeNumber reads an integer, which may have a fraction of zeros.
func wholeNumber(text string, low, high int64) (int64, error) {
	digits := strings.TrimSpace(text)
	if whole, fraction, found := strings.Cut(digits, "."); found && strings.Trim(fraction, "0") == "" && fraction != "" {
		digits = whole
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("expected an integer from %d to %d, got %q", low, high, text)
	}
	return n, nil
}
