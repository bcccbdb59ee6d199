package query

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"quire/schema"
)

// asker writes one random query in the grammar of a schema. A few of its
// queries are such that they have to be refused.
type asker struct {
	*dice
	params []string
}

// query is a random query on entries of type t.
func (d *dice) query(t *schema.Type) string {
	q := &asker{dice: d}
	depth := 4
	if d.size > 100 {
		depth = 2 // the model looks at every row behind every row
	}
	if q.IntN(4) > 0 {
		q.group("filters", t, 1+q.IntN(depth))
	}
	if q.chance(2) {
		q.sort("sort", t)
	}
	if q.chance(2) {
		q.populate("populate", t, depth-1)
	}
	if q.chance(4) {
		q.fields("fields", t)
	}
	q.page()
	q.version(t)
	return strings.Join(q.params, "&")
}

func (q *asker) set(key, value string) {
	q.params = append(q.params, key+"="+url.QueryEscape(value))
}

// null is a key without a value.
func (q *asker) null(key string) { q.params = append(q.params, key) }

func at(path, key string) string { return path + "[" + key + "]" }

// list sets up to n values one after the other.
func (q *asker) list(key string, n int, value func() string) {
	for i := range 1 + q.IntN(n) {
		switch {
		case q.chance(40):
			q.null(at(key, strconv.Itoa(i)))
		default:
			q.set(at(key, strconv.Itoa(i)), value())
		}
	}
}

// group is conditions on rows of type t, depth levels of groups and relations deep.
func (q *asker) group(key string, t *schema.Type, depth int) {
	used := map[string]bool{}
	size := pick(q.dice, 1, 1, 1, 1, 1, 2, 2, 3)
	if t.IsComponent() {
		size = pick(q.dice, 1, 2, 2) // of the same instance
	}
	for range size {
		name := pick(q.dice, "$and", "$or", "$not")
		var a *schema.Attribute
		if depth == 0 || q.IntN(4) > 0 {
			a = q.attribute(t, depth)
			name = a.Name
		}
		switch {
		case used[name]:
		case a == nil:
			q.operator(at(key, name), name, t, depth-1)
		case a.IsScalar():
			q.scalar(at(key, name), a, depth)
		default:
			q.behind(at(key, name), a, depth-1)
		}
		used[name] = true
	}
}

// attribute is one to filter by, rarely a hidden one; where depth allows, every
// second one is a relation or component.
func (q *asker) attribute(t *schema.Type, depth int) *schema.Attribute {
	var scalars, others []*schema.Attribute
	for _, a := range append(slices.Clone(t.Attributes), t.System...) {
		switch {
		case a.IsScalar() && (!a.Hidden() || q.chance(100)):
			scalars = append(scalars, a)
		case a.Repeatable:
			others = append(others, a, a, a) // few, and with much to get wrong
		case !a.IsScalar() && a.Kind != schema.DynamicZone && !a.Hidden():
			others = append(others, a)
		}
	}
	if depth > 0 && len(others) > 0 && q.chance(2) {
		return pick(q.dice, others...)
	}
	return pick(q.dice, scalars...)
}

// operator is $and, $or or $not with its conditions.
func (q *asker) operator(key, name string, t *schema.Type, depth int) {
	if name == "$not" && q.IntN(3) > 0 {
		q.group(key, t, depth)
		return
	}
	for i := range 1 + q.IntN(3) {
		item := at(key, strconv.Itoa(i))
		if q.chance(6) {
			q.group(at(item, "0"), t, depth)
			item = at(item, "1")
		}
		q.group(item, t, depth)
	}
}

func (q *asker) scalar(key string, a *schema.Attribute, depth int) {
	switch q.IntN(12) {
	case 0:
		q.set(key, q.operand(a))
	case 1:
		q.list(key, 3, func() string { return q.operand(a) })
	case 2:
		switch q.IntN(30) {
		case 0: // a group around operators, which Strapi does not know
			q.set(at(at(at(key, "$or"), "0"), "$eq"), "a")
		case 1, 2, 3, 4, 5, 6, 7:
			q.null(key)
		default:
			q.truth(at(key, pick(q.dice, "$null", "$notNull")))
		}
	case 3, 4:
		if depth > 0 {
			q.scalar(at(key, "$not"), a, depth-1)
			return
		}
		fallthrough
	case 5:
		q.compare(key, a, pick(q.dice, "$gte", "$gt", "$ne", "$notNull"))
		q.compare(key, a, pick(q.dice, "$lte", "$lt", "$nei", "$null"))
	default:
		q.compare(key, a, q.comparison(a))
	}
}

// comparison is an operator for an attribute, rarely one that does not apply.
func (q *asker) comparison(a *schema.Attribute) string {
	for {
		if name := pick(q.dice, modelOperators...); applies(a, name) || q.chance(80) {
			return name
		}
	}
}

func (q *asker) compare(key string, a *schema.Attribute, operator string) {
	key = at(key, operator)
	operand := func() string { return q.operand(a) }
	if strings.Contains(strings.ToLower(operator), "with") || strings.Contains(strings.ToLower(operator), "contain") {
		operand = func() string { return q.piece(q.operand(a)) }
	}
	switch dice := q.IntN(20); {
	case operator == "$null" || operator == "$notNull":
		q.truth(key)
	case operator == "$between" && dice > 0:
		q.set(at(key, "0"), operand())
		q.set(at(key, "1"), operand())
	case dice == 1 && q.chance(2):
		q.null(key)
	case dice < 6 || operator == "$in" || operator == "$notIn":
		q.list(key, 4, operand)
	case dice == 6 && q.chance(3):
		q.set(at(key, pick(q.dice, "$eq", "200", "zzz")), operand())
	default:
		q.set(key, operand())
	}
}

// truth is an operand of $null and $notNull.
func (q *asker) truth(key string) {
	switch q.IntN(8) {
	case 0:
		q.null(key)
	case 1:
		q.set(at(key, "0"), "false")
	default:
		q.set(key, pick(q.dice, "true", "true", "false", "abc", "0", "1", "f", ""))
	}
}

// piece is a part of a text.
func (q *asker) piece(text string) string {
	runes := []rune(text)
	start := q.IntN(len(runes) + 1)
	return string(runes[start:min(len(runes), start+1+q.IntN(4))])
}

// operand is a value that some row may have, in one of the forms in which it
// may be written.
func (q *asker) operand(a *schema.Attribute) string {
	if q.chance(250) {
		return pick(q.dice, "abc", "", "1.5", "99999999999999999999")
	}
	switch a.Kind {
	case schema.Boolean:
		return pick(q.dice, "true", "false", "1", "0", "t", "f", "maybe")
	case schema.Integer:
		if a.System == schema.SystemID {
			return strconv.Itoa(1 + q.IntN(2*max(q.docs[a.Owner], 10)))
		}
		return strconv.FormatInt(oneOf(q.dice, wholePool), 10) + pick(q.dice, "", "", ".0")
	case schema.BigInteger:
		return strconv.FormatInt(oneOf(q.dice, bigPool), 10)
	case schema.Float, schema.Decimal:
		return strconv.FormatFloat(oneOf(q.dice, floatPool), pick(q.dice, byte('f'), 'g'), -1, 64)
	case schema.Date:
		return oneOf(q.dice, datePool) + pick(q.dice, "", "", "T10:00:00Z")
	case schema.JSON, schema.Blocks:
		return pick(q.dice, "t0", "1", "rank", "true")
	}
	return q.operandText(a)
}

func (q *asker) operandText(a *schema.Attribute) string {
	switch {
	case a.System == schema.SystemDocumentID:
		return documentName(a.Owner, q.IntN(q.docs[a.Owner]+1))
	case a.System == schema.SystemLocale:
		return pick(q.dice, "en", "fr", "it", "xx")
	case a.System != schema.NotSystem:
		return isoTime(oneOf(q.dice, momentPool)).(string)
	case a.Kind == schema.DateTime && q.chance(3):
		return pick(q.dice, "2024-02-15T13:00:00+02:00", "2024-03-15", "2024-02-15T11:00", "1700000000000")
	case a.IsText() && q.chance(4):
		return strings.ToUpper(q.text(a))
	}
	return q.text(a)
}

// behind is conditions on what stands behind a relation or component.
func (q *asker) behind(key string, a *schema.Attribute, depth int) {
	t := behindOf(a)
	id := t.Attribute("id")
	switch q.IntN(16) {
	case 0:
		q.set(key, q.operand(id))
	case 1:
		q.null(key)
	case 2:
		q.list(key, 3, func() string { return q.operand(id) })
	case 3, 4:
		q.truth(at(key, pick(q.dice, "$null", "$notNull")))
	case 5:
		q.compare(key, id, q.comparison(id))
	case 6:
		q.set(at(key, "$not"), q.operand(id))
	default:
		q.group(key, t, depth)
	}
}
