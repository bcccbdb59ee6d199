package describe

import (
	"math"
	"strconv"
	"time"

	"quire/schema"
)

// An example is a body that the server accepts. It satisfies every rule of the type, so
// that it can be published. It links to nothing, because the target would have to
// exist. A unique attribute has another value in each example.

// Bounds of an example.
const (
	exampleDepth = 3 // levels of components of which optional values are shown
	exampleItems = 3 // items of a list, unless it needs more
	exampleMost  = 1000
)

// exampleOf is an example of a body; nil where none is known that the server accepts.
func (d *document) exampleOf(t *schema.Type) object {
	if made, known := d.examples[t]; known {
		return made
	}
	e := &example{used: d.used}
	var made object
	if data, ok := e.instance(t, 0); ok && e.values <= exampleMost {
		made = object{{"data", data}}
	}
	d.examples[t] = made
	return made
}

// example is an example that is being made.
type example struct {
	used   map[*schema.Attribute]int // how often unique attributes have been given a value
	values int
}

// instance is the values of a type. An optional one without an example is left out.
func (e *example) instance(t *schema.Type, depth int) (object, bool) {
	values := object{}
	for _, a := range t.Attributes {
		if !writable(a) || depth >= exampleDepth && !a.Required {
			continue
		}
		v, ok := e.value(a, depth)
		switch {
		case ok:
			values = append(values, member{a.Name, v})
		case a.Required:
			return nil, false
		}
	}
	return values, true
}

func (e *example) value(a *schema.Attribute, depth int) (any, bool) {
	e.values++
	switch {
	case e.values > exampleMost:
		return nil, false
	case a.Relation != nil:
		return object{{"connect", list{}}}, true
	case a.Kind == schema.DynamicZone:
		return e.zone(a, depth)
	case a.Kind == schema.Component && a.Repeatable:
		return e.items(a, 1, func(int) (object, bool) { return e.instance(a.ComponentType, depth+1) })
	case a.Kind == schema.Component:
		return e.instance(a.ComponentType, depth+1)
	}
	n := 0
	if a.Unique || a.Kind == schema.UID {
		n = e.used[a]
		e.used[a]++
	}
	return exampleScalar(a, n)
}

// zone shows the components that the zone allows, one after the other.
func (e *example) zone(a *schema.Attribute, depth int) (any, bool) {
	return e.items(a, len(a.Zone), func(i int) (object, bool) {
		if len(a.Zone) == 0 {
			return nil, false
		}
		t := a.Zone[i%len(a.Zone)]
		item, ok := e.instance(t, depth+1)
		return append(object{{"__component", t.UID}}, item...), ok
	})
}

// items is a list of as many items as are wanted and allowed.
func (e *example) items(a *schema.Attribute, wanted int, item func(i int) (object, bool)) (any, bool) {
	n := min(wanted, exampleItems)
	if a.MaxItems != nil {
		n = min(n, *a.MaxItems)
	}
	if a.MinItems != nil {
		n = max(n, *a.MinItems)
	}
	items := list{}
	for i := range n {
		v, ok := item(i)
		if !ok {
			return nil, false
		}
		items = append(items, v)
	}
	return items, true
}

// exampleScalar is the nth example of a plain value.
func exampleScalar(a *schema.Attribute, n int) (any, bool) {
	day := time.Date(2026, time.January, 31, 12, 30, 0, 0, time.UTC).AddDate(0, 0, n)
	switch a.Kind {
	case schema.Enumeration:
		if len(a.Enum) == 0 {
			return nil, false
		}
		return a.Enum[n%len(a.Enum)], true
	case schema.Integer:
		v, ok := nthInLimits(a, n, 1, math.Ceil, math.Floor)
		return v, ok && v >= math.MinInt32 && v <= math.MaxInt32
	case schema.Float, schema.Decimal:
		v, ok := nthInLimits(a, n, 1.5, roundUp, roundDown)
		return v, ok
	case schema.BigInteger:
		return nthBigInLimits(a, int64(n))
	case schema.Boolean:
		return n%2 == 0, true
	case schema.Date:
		return day.Format(time.DateOnly), true
	case schema.Time:
		return day.Add(time.Duration(n) * time.Second).Format("15:04:05.000"), true
	case schema.DateTime, schema.Timestamp:
		return day.Format("2006-01-02T15:04:05.000Z"), true
	case schema.JSON:
		return object{{"key", numberedText("value", n)}}, true
	case schema.Blocks:
		return list{paragraph(numberedText(a.Name, n))}, true
	}
	return exampleText(a, n)
}

// numberedText is a different text for each n.
func numberedText(word string, n int) string {
	if n == 0 {
		return word
	}
	return word + strconv.Itoa(n+1)
}

func paragraph(words string) object {
	leaf := object{{"type", "text"}, {"text", words}}
	return object{{"type", "paragraph"}, {"children", list{leaf}}}
}

// nthInLimits is the nth number, counted from first, within the limits of an attribute.
// up and down round a limit to a number that can be stored.
func nthInLimits(a *schema.Attribute, n int, first float64, up, down func(float64) float64) (float64, bool) {
	if a.Min != nil {
		first = max(first, up(*a.Min))
	}
	v := first + float64(n)
	if a.Max != nil && v > *a.Max {
		v = down(*a.Max) - float64(n)
	}
	return v, (a.Min == nil || v >= *a.Min) && (a.Max == nil || v <= *a.Max)
}

// Decimals have two places.
func roundUp(v float64) float64   { return math.Ceil(v*100) / 100 }
func roundDown(v float64) float64 { return math.Floor(v*100) / 100 }

// nthBigInLimits is nthInLimits for whole numbers of 64 bits, which are written as
// texts.
func nthBigInLimits(a *schema.Attribute, n int64) (any, bool) {
	v := n + 1
	if a.MinInt != nil && v < *a.MinInt {
		v = *a.MinInt + n
	}
	if a.MaxInt != nil && v > *a.MaxInt {
		v = *a.MaxInt - n
	}
	return strconv.FormatInt(v, 10), (a.MinInt == nil || v >= *a.MinInt) && (a.MaxInt == nil || v <= *a.MaxInt)
}
