package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"quire/query/params"
	"quire/schema"
)

// CompileAggregate resolves the parameters of an aggregate over entries of type t: those
// that select entries, as in Compile, groupBy, count, sum, avg, min and max, and sort and
// pagination, which apply to the groups.
func (c *Compiler) CompileAggregate(t *schema.Type, n *params.Node, access schema.Access) (*Aggregate, error) {
	for _, name := range []string{"fields", "populate"} {
		if n.Get(name) != nil {
			return nil, refuseParam(name, name, name+" does not apply here: the answer shows groups, not entries")
		}
	}
	if n.Get("pagination").Get("after") != nil {
		return nil, refuseParam("pagination", afterKey, "Groups have pages and no cursors; use pagination[page] or pagination[start] instead of "+afterKey)
	}
	q, err := c.Compile(t, n.Without("sort", "pagination"), access, Options{})
	if err != nil {
		return nil, err
	}
	r := &aggregateReader{compilation: &compilation{access: access, types: q.types}, limit: c.limits.Depth, t: t, a: &Aggregate{query: q}}
	steps := []func() error{
		func() error { return r.groupBy(n.Get("groupBy")) },
		func() error { return r.functions(n) },
		func() error { return r.count(n.Get("count")) },
		func() error { return (&sortParam{r.order}).node(n.Get("sort")) },
		func() (err error) { r.a.paging, err = compilePages(n, &c.site.Settings, false); return },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	q.types = r.types
	return r.a, nil
}

// aggregateReader makes an aggregate from its parameters.
type aggregateReader struct {
	*compilation
	limit int // maximum steps of a path
	t     *schema.Type
	a     *Aggregate
}

// names reads a parameter that lists up to most attributes: separated by commas, or as a
// list. A repeated name counts once.
func names(n *params.Node, param string, most int) ([]string, error) {
	if n == nil || n.IsNull() {
		return nil, nil
	}
	items := n.Items
	if n.IsText() {
		items = []*params.Node{n}
	}
	var all []string
	for _, item := range items {
		if n.IsObject() || !item.IsText() {
			return nil, refuseParam(param, param, fmt.Sprintf("Invalid %s parameter. Expected a string or an array of strings", param))
		}
		for _, name := range splitNames(item.Text) {
			if name == "" {
				return nil, refuseParam(param, param, fmt.Sprintf("The %s parameter has an empty name", param))
			}
			if slices.Contains(all, name) {
				continue
			}
			if len(all) == most {
				return nil, refuseParam(param, param, fmt.Sprintf("%s takes up to %d attributes", param, most))
			}
			all = append(all, name)
		}
	}
	return all, nil
}

// path resolves a path. Names that the caller must not use get the same error as unknown
// ones.
func (r *aggregateReader) path(name, param string) (sortKey, error) {
	steps := strings.Split(name, ".")
	if len(steps) > r.limit {
		return sortKey{}, refuseParam(param, name, fmt.Sprintf("%s takes paths of up to %d steps", param, r.limit))
	}
	path, err := r.compilation.path(r.entries(r.t), steps, true, param)
	if key, ok := errors.AsType[*KeyError](err); ok {
		err = &KeyError{Key: key.Key, Path: name, Param: param}
	}
	return path, err
}

func (r *aggregateReader) groupBy(n *params.Node) error {
	paths, err := names(n, "groupBy", mostGroupBy)
	if err != nil {
		return err
	}
	several := ""
	for _, name := range paths {
		k, err := r.groupKey(name)
		if err != nil {
			return err
		}
		if kind := k.path.Last().Kind; kind == schema.JSON || kind == schema.Blocks {
			return refuseParam("groupBy", name, fmt.Sprintf("groupBy does not apply to %s, which is %s", name, kind))
		}
		if k.many() {
			if several != "" {
				return refuseParam("groupBy", name, fmt.Sprintf("An entry can have several values at %s and at %s; group by one of them", several, name))
			}
			several = name
		}
		r.a.groupBy = append(r.a.groupBy, k)
	}
	return nil
}

// groupKey resolves a path, or one to a date with ".month" after it.
func (r *aggregateReader) groupKey(name string) (groupKey, error) {
	path, err := r.path(name, "groupBy")
	date, isMonth := strings.CutSuffix(name, ".month")
	if err == nil || !isMonth {
		return groupKey{name: name, sortKey: path}, err
	}
	path, failed := r.path(date, "groupBy")
	switch {
	case failed != nil:
		return groupKey{}, err // of the whole path: the same for what is hidden and what does not exist
	case !path.path.Last().HasMonth():
		return groupKey{}, refuseParam("groupBy", name, fmt.Sprintf("%s is no date, and has no month", date))
	case path.path.Multiple():
		return groupKey{}, refuseParam("groupBy", name, fmt.Sprintf("An entry can have several values at %s, and no month", date))
	}
	return groupKey{name, path, true}, nil
}

// functions reads which functions are requested for which attributes.
func (r *aggregateReader) functions(n *params.Node) error {
	for f, param := range functionNames {
		paths, err := names(n.Get(param), param, mostMeasures)
		if err != nil {
			return err
		}
		for _, name := range paths {
			at, err := r.measure(name, param)
			if err != nil {
				return err
			}
			m := &r.a.measures[at]
			if kind := m.path.Last(); !function(f).takes(kind) {
				return refuseParam(param, name, fmt.Sprintf("%s does not apply to %s, which is %s", param, name, kindOf(kind)))
			}
			m.of[f] = true
			r.a.shown[f] = append(r.a.shown[f], at)
		}
	}
	return nil
}

// measure returns the index of the measure with that name, which is new or known.
func (r *aggregateReader) measure(name, param string) (int, error) {
	if at := slices.IndexFunc(r.a.measures, func(m measure) bool { return m.name == name }); at >= 0 {
		return at, nil
	}
	if len(r.a.measures) == mostMeasures {
		return 0, refuseParam(param, name, fmt.Sprintf("The query asks for figures of more than %d attributes", mostMeasures))
	}
	k, err := r.path(name, param)
	if err != nil {
		return 0, err
	}
	if len(k.hops) > 0 || k.path.Multiple() {
		return 0, refuseParam(param, name, fmt.Sprintf("%s takes attributes of the entry itself and of its single components; %s leads elsewhere", param, name))
	}
	r.a.measures = append(r.a.measures, measure{name: name, path: k.path})
	return len(r.a.measures) - 1, nil
}

// takes reports whether a function can be computed from an attribute's values. As in
// PostgreSQL, numbers can be added up, and values with an order compared, except booleans
// and JSON. Ids are not quantities.
func (f function) takes(a *schema.Attribute) bool {
	switch a.Kind {
	case schema.Integer, schema.BigInteger, schema.Float, schema.Decimal:
		return f == minOf || f == maxOf || a.System == schema.NotSystem
	case schema.Boolean, schema.JSON, schema.Blocks:
		return false
	}
	return f == minOf || f == maxOf
}

// kindOf returns the kind of an attribute in the words of schema files.
func kindOf(a *schema.Attribute) string {
	if a.System == schema.SystemID {
		return "an id"
	}
	return a.Kind.String()
}

// count reads whether the number of entries is shown: by default if nothing else is
// requested.
func (r *aggregateReader) count(n *params.Node) error {
	switch {
	case n == nil || n.IsNull():
		r.a.count = len(r.a.measures) == 0
		return nil
	case n.IsText() && slices.Contains([]string{"true", "t", "1"}, n.Text):
		r.a.count = true
		return nil
	case !n.IsText() || !slices.Contains([]string{"false", "f", "0"}, n.Text):
		return refuseParam("count", "count", "Invalid count parameter. Expected true or false")
	case len(r.a.measures) == 0 && len(r.a.groupBy) == 0:
		return refuseParam("count", "count", "The query asks for nothing: name attributes in groupBy, sum, avg, min or max")
	}
	return nil
}

// groupOrder is one criterion for sorting groups: a shared value, the number of entries, or
// a figure.
type groupOrder struct {
	by         groupOrderKind
	at         int // index in groupBy, or in measures
	of         function
	descending bool
}

type groupOrderKind uint8

const (
	byKey groupOrderKind = iota
	bySize
	byFigure
)

// order adds one criterion: count, sum.price and so on, or a path of groupBy; group.path
// always means the latter, even if it is called count.
func (r *aggregateReader) order(path []string, descending bool) error {
	if len(r.a.order) == mostSortKeys {
		return refuseParam("sort", "sort", fmt.Sprintf("sort takes up to %d paths", mostSortKeys))
	}
	name := strings.Join(path, ".")
	o, ok := r.ordered(name)
	if !ok {
		return unknownKey(name, "", "sort")
	}
	o.descending = descending
	r.a.order = append(r.a.order, o)
	return nil
}

func (r *aggregateReader) ordered(name string) (groupOrder, bool) {
	if name == "count" {
		return groupOrder{by: bySize}, true
	}
	for f, shown := range r.a.shown {
		for _, at := range shown {
			if name == functionNames[f]+"."+r.a.measures[at].name {
				return groupOrder{by: byFigure, at: at, of: function(f)}, true
			}
		}
	}
	at := slices.IndexFunc(r.a.groupBy, func(k groupKey) bool { return name == k.name || name == "group."+k.name })
	return groupOrder{by: byKey, at: at}, at >= 0
}
