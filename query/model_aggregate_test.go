package query

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// figures answers an aggregate as the model sees it: entry by entry, group by group.
// It is nil where the query is refused.
func (w *world) figures(t *schema.Type, n *params.Node, access schema.Access) any {
	selecting := &params.Node{Kind: params.Object}
	for i, key := range n.Keys {
		if key != "sort" && key != "pagination" {
			selecting.Keys, selecting.Items = append(selecting.Keys, key), append(selecting.Items, n.Items[i])
		}
	}
	a, err := w.read(t, selecting, access)
	if err != nil || n.Get("fields") != nil || n.Get("populate") != nil {
		return nil
	}
	f := &figured{model: a.model}
	if !f.understand(t, n) {
		return nil
	}
	for _, r := range a.selected() {
		f.sort(r)
	}
	return f.answer(n)
}

// figured is an aggregate of the model as far as it is worked out.
type figured struct {
	*model
	by    []figureCall // groupBy
	of    []figureCall // what figures are asked of, with the function
	count bool
	order []func(a, b *group) int
	all   []*group
}

type figureCall struct {
	function, name string
	path           []*schema.Attribute
	month          bool
}

func (a *figureCall) last() *schema.Attribute { return a.path[len(a.path)-1] }

// group is entries that share values, with what was measured of them.
type group struct {
	values []any
	count  int
	of     [][]any
}

// named reads the attributes that a parameter lists.
func (f *figured) named(t *schema.Type, n *params.Node, function string) (all []figureCall, ok bool) {
	var texts []string
	switch {
	case n == nil || n.IsNull():
		return nil, true
	case n.IsText():
		texts = []string{n.Text}
	case n.IsObject():
		return nil, false
	}
	for _, item := range n.Items {
		if !item.IsText() {
			return nil, false
		}
		texts = append(texts, item.Text)
	}
	for name := range strings.SplitSeq(strings.Join(texts, ","), ",") {
		name = strings.TrimSpace(name)
		path, month := name, false
		if function == "" {
			path, month = strings.CutSuffix(name, ".month")
		}
		c, err := f.criterion(t, strings.Split(path, "."), "asc")
		if err != nil {
			return nil, false
		}
		if last := c.path[len(c.path)-1].Kind; month && (last != schema.Date && last != schema.DateTime && last != schema.Timestamp || severalInside(c.path)) {
			return nil, false
		}
		if !slices.ContainsFunc(all, func(a figureCall) bool { return a.name == name }) {
			all = append(all, figureCall{function, name, c.path, month})
		}
	}
	return all, true
}

// severalInside is several without relations.
func severalInside(path []*schema.Attribute) bool {
	for i, a := range slices.Backward(path) {
		if a.Relation != nil {
			path = path[i+1:]
			break
		}
	}
	return slices.ContainsFunc(path, func(a *schema.Attribute) bool { return a.Repeatable })
}

func several(path []*schema.Attribute) bool {
	return slices.ContainsFunc(path, func(a *schema.Attribute) bool { return a.Repeatable || a.Relation != nil && a.Relation.Many() })
}

func (f *figured) understand(t *schema.Type, n *params.Node) (ok bool) {
	if f.by, ok = f.named(t, n.Get("groupBy"), ""); !ok {
		return false
	}
	manifold := 0
	for _, a := range f.by {
		if several(a.path) {
			manifold++
		}
		if a.last().Kind == schema.JSON || a.last().Kind == schema.Blocks {
			return false
		}
	}
	for _, function := range []string{"sum", "avg", "min", "max"} {
		some, ok := f.named(t, n.Get(function), function)
		if !ok {
			return false
		}
		for _, a := range some {
			kind, adds := a.last().Kind, function == "sum" || function == "avg"
			numeric := kind >= schema.Integer && kind <= schema.Decimal && (!adds || a.last().System == schema.NotSystem)
			if adds && !numeric || kind == schema.Boolean || kind == schema.JSON || kind == schema.Blocks || several(a.path) {
				return false
			}
			if slices.ContainsFunc(a.path, func(a *schema.Attribute) bool { return a.Relation != nil }) {
				return false
			}
		}
		f.of = append(f.of, some...)
	}
	switch c := n.Get("count"); {
	case c == nil || c.IsNull():
		f.count = len(f.of) == 0
	case !c.IsText() || !slices.Contains([]string{"true", "false"}, c.Text):
		return false
	default:
		f.count = c.Text == "true"
	}
	return manifold < 2 && len(f.by) <= 4 && (f.count || len(f.of)+len(f.by) > 0) && f.ordered(n.Get("sort"))
}

// ordered reads an order of groups, which the questions ask for in one text.
func (f *figured) ordered(n *params.Node) bool {
	text := ""
	if n != nil {
		text = n.Text
	}
	for part := range strings.SplitSeq(text, ",") {
		name, direction, _ := strings.Cut(part, ":")
		compare := f.comparing(name)
		switch {
		case name == "":
			continue
		case compare == nil:
			return false
		case direction == "desc":
			f.order = append(f.order, func(a, b *group) int { return compare(b, a) })
		default:
			f.order = append(f.order, compare)
		}
	}
	for _, a := range f.by {
		f.order = append(f.order, f.comparing("group."+a.name))
	}
	return true
}

func (f *figured) comparing(name string) func(a, b *group) int {
	if name == "count" {
		return func(a, b *group) int { return cmp.Compare(a.count, b.count) }
	}
	for i, one := range f.of {
		if name == one.function+"."+one.name {
			return func(a, b *group) int { return f.compareFigures(one, f.work(one, a.of[i]), f.work(one, b.of[i])) }
		}
	}
	for i, one := range f.by {
		if name == one.name || name == "group."+one.name {
			return func(a, b *group) int { return f.orderNulls(criterion{path: one.path}, a.values[i], b.values[i]) }
		}
	}
	return nil
}

func (f *figured) compareFigures(one figureCall, x, y any) int {
	if a, ok := x.(*big.Rat); ok && y != nil {
		return a.Cmp(y.(*big.Rat))
	}
	return f.orderNulls(criterion{path: one.path}, x, y)
}

// values are the different values that a row has at a path: null too, where a
// component or relation on the way is missing.
func (f *figured) values(r row, path []*schema.Attribute) []any {
	if len(path) == 1 {
		return []any{f.value(r, path[0])}
	}
	var all []any
	for _, next := range f.related(r, path[0]) {
		for _, v := range f.values(next, path[1:]) {
			if !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	if all == nil {
		return []any{nil}
	}
	return all
}

// sort puts an entry into its groups.
func (f *figured) sort(r row) {
	combinations := [][]any{nil}
	for _, a := range f.by {
		var longer [][]any
		for _, one := range combinations {
			for _, v := range f.shared(r, a) {
				if v == math.Copysign(0, -1) {
					v = 0.0
				}
				longer = append(longer, append(slices.Clone(one), v))
			}
		}
		combinations = longer
	}
	for _, values := range combinations {
		g := f.find(values)
		g.count++
		for i, a := range f.of {
			if v := f.values(r, a.path)[0]; v != nil {
				g.of[i] = append(g.of[i], v)
			}
		}
	}
}

// shared is the values by which a row is grouped.
func (f *figured) shared(r row, a figureCall) (all []any) {
	for _, v := range f.values(r, a.path) {
		if v != nil && a.month {
			v = v.(string)[:7]
		}
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

func (f *figured) find(values []any) *group {
	for _, g := range f.all {
		if slices.Equal(g.values, values) {
			return g
		}
	}
	g := &group{values: values, of: make([][]any, len(f.of))}
	f.all = append(f.all, g)
	return g
}

// work is what a function makes of values; nil of none.
func (f *figured) work(a figureCall, values []any) any {
	if len(values) == 0 {
		return nil
	}
	compare := func(x, y any) int { return f.model.order(a.last(), x, y) }
	switch a.function {
	case "min":
		return slices.MinFunc(values, compare)
	case "max":
		return slices.MaxFunc(values, compare)
	}
	sum := new(big.Rat)
	for _, v := range values {
		text := fmt.Sprint(v)
		if f, ok := v.(float64); ok {
			text = strconv.FormatFloat(f, 'g', -1, 64)
		}
		one, ok := new(big.Rat).SetString(text)
		if !ok {
			panic(text)
		}
		sum.Add(sum, one)
	}
	if a.function == "avg" {
		sum.Quo(sum, big.NewRat(int64(len(values)), 1))
	}
	return sum
}

// shownFigure is how an answer shows a figure.
func shownFigure(a figureCall, v any) any {
	figure, ok := v.(*big.Rat)
	switch {
	case !ok:
		return plainValue(a.last(), v)
	case a.last().Kind != schema.BigInteger:
		number, _ := figure.Float64()
		return number
	case figure.IsInt():
		return figure.Num().String()
	}
	return strings.TrimRight(figure.FloatString(16), "0")
}

func (f *figured) answer(n *params.Node) any {
	w, err := f.paginated(n, len(f.all))
	if err != nil || n.Get("pagination").Get("after") != nil {
		return nil
	}
	if len(f.by) == 0 {
		if len(f.all) == 0 {
			f.all = []*group{{of: make([][]any, len(f.of))}}
		}
		return map[string]any{"data": f.show(f.all[0]), "meta": map[string]any{}}
	}
	slices.SortFunc(f.all, func(a, b *group) int {
		for _, compare := range f.order {
			if n := compare(a, b); n != 0 {
				return n
			}
		}
		return 0
	})
	data, start := []any{}, min(w.start, len(f.all))
	for _, g := range f.all[start:min(start+w.size, len(f.all))] {
		data = append(data, f.show(g))
	}
	return map[string]any{"data": data, "meta": map[string]any{"pagination": w.meta}}
}

func (f *figured) show(g *group) any {
	shown := map[string]any{}
	set := func(part, name string, v any) {
		if shown[part] == nil {
			shown[part] = map[string]any{}
		}
		shown[part].(map[string]any)[name] = v
	}
	for i, a := range f.by {
		set("group", a.name, plainValue(a.last(), g.values[i]))
	}
	if f.count {
		shown["count"] = float64(g.count)
	}
	for i, a := range f.of {
		set(a.function, a.name, shownFigure(a, f.work(a, g.of[i])))
	}
	return shown
}

// figures is a random aggregate over entries of type t.
func (d *dice) figures(t *schema.Type) string {
	q := &asker{dice: d}
	if q.chance(2) {
		q.group("filters", t, 1+q.IntN(2))
	}
	q.version(t)
	q.params = slices.DeleteFunc(q.params, func(param string) bool { return strings.HasPrefix(param, "sort") })
	var order []string
	add := func(param string, one func(others int) string) {
		var names []string
		for i := range 1 + q.IntN(2) {
			names = append(names, one(i))
		}
		if q.chance(2) {
			q.set(param, strings.Join(names, ","))
		} else {
			for i, name := range names {
				q.set(at(param, strconv.Itoa(i)), name)
			}
		}
		prefix := param + "."
		if param == "groupBy" {
			prefix = pick(d, "", "group.")
		}
		order = append(order, prefix+names[0])
	}
	if q.IntN(5) > 0 {
		add("groupBy", func(others int) string { return q.groupPath(t, others) })
	}
	for _, function := range functionNames {
		if q.chance(3) {
			add(function, func(int) string { return q.measured(t, function) })
		}
	}
	if q.chance(2) {
		q.set("count", pick(d, "true", "true", "true", "false"))
	}
	if len(order) > 0 && q.chance(2) {
		q.set("sort", pick(d, append(order, "count")...)+pick(d, "", ":desc")+pick(d, "", ","+pick(d, order...)))
	}
	if q.chance(2) {
		q.page()
	}
	return strings.Join(q.params, "&")
}

func (q *asker) groupPath(t *schema.Type, others int) string {
	for {
		path := q.sortPath(t)
		if strings.HasSuffix(path, "At") && q.chance(2) {
			path += ".month"
		}
		if steps := strings.Count(strings.TrimSuffix(path, ".month"), "."); steps == 0 || others == 0 && (steps < 2 || q.chance(4) && q.size <= 100) || q.chance(8) {
			return path
		}
	}
}

// measured is an attribute that a function can be asked of, nearly always.
func (q *asker) measured(t *schema.Type, function string) string {
	for {
		a := q.attribute(t, 0)
		number, ordered := a.Kind >= schema.Integer && a.Kind <= schema.Decimal && a.System == schema.NotSystem, a.Kind != schema.Boolean && a.Kind != schema.JSON && a.Kind != schema.Blocks
		if number || ordered && function[0] == 'm' || q.chance(50) {
			return a.Name
		}
	}
}

// TestAggregateModel asks random aggregates of random documents, of the index and of
// the model.
func TestAggregateModel(t *testing.T) {
	seed, sets := *seedFlag, *setsFlag
	if seed == 0 {
		seed = rand.Uint64N(1e9)
	}
	switch {
	case sets > 0:
	case testing.Short():
		sets = 10
	default:
		sets = 40
	}
	t.Logf("go test ./query -run TestAggregateModel -seed %d", seed)
	s := &trial{site: loadSite(t), requested: map[string]int{}}
	s.compiler = NewCompiler(s.site)
	for i := range sets {
		if s.figures(t, seed+uint64(i)); t.Failed() {
			t.Fatalf("again: go test ./query -run TestAggregateModel -seed %d -sets 1", seed+uint64(i))
		}
	}
	t.Logf("%v", s.requested)
	if sets >= 40 && (s.requested["answered"] < s.requested["refused"] || s.requested["several groups"] < s.requested["answered"]/6) {
		t.Errorf("the questions are too often refused or in vain: %v", s.requested)
	}
}

func (s *trial) figures(t *testing.T, seed uint64) {
	d := newDice(s.site, seed)
	w := d.world()
	file := newFile(t, s.site)
	file.apply(w.changes())
	grown := file.build()
	var queries []modelQuery
	for _, q := range d.queries(40) {
		q.raw = d.figures(q.t)
		queries = append(queries, q)
	}
	s.compareFigures(t, "built for the question", w, queries, grown.Snapshot())
	changes := d.edit(w, 1+d.IntN(2*d.size))
	edit := grown.Edit()
	for _, c := range changes {
		check(t, edit.Apply(c))
	}
	edit.Publish(store.CommitID{Revision: 2})
	s.compareFigures(t, "grown by writes", w, queries, grown.Snapshot())
}

func (s *trial) compareFigures(t *testing.T, state string, w *world, queries []modelQuery, snapshot *index.Snapshot) {
	for _, q := range queries {
		want, got := s.figuresOfModel(w, q), s.figuresOfIndex(t, snapshot, q)
		s.note(want)
		if reflect.DeepEqual(want, got) {
			continue
		}
		small := q
		small.raw = shorten(q.raw, func(raw string) bool {
			small.raw = raw
			return !reflect.DeepEqual(s.figuresOfModel(w, small), s.figuresOfIndex(t, snapshot, small))
		})
		t.Errorf("%s\n%s?%s\nby %v: %s\nIt was part of %s", state, q.t.UID, small.raw, q.caller, differs(s.figuresOfIndex(t, snapshot, small), s.figuresOfModel(w, small)), q.raw)
		return
	}
}

func (s *trial) note(answer any) {
	if answer == nil {
		s.requested["refused"]++
		return
	}
	s.requested["answered"]++
	if groups, _ := answer.(map[string]any)["data"].([]any); len(groups) > 1 {
		s.requested["several groups"]++
	}
}

func (s *trial) figuresOfModel(w *world, q modelQuery) any {
	n, err := params.Parse(q.raw, params.Limits{})
	if err != nil {
		return nil
	}
	return w.of(q.caller).figures(q.t, n, q.caller)
}

func (s *trial) figuresOfIndex(t *testing.T, snapshot *index.Snapshot, q modelQuery) any {
	n, err := params.Parse(q.raw, params.Limits{})
	if err != nil {
		return nil
	}
	a, err := s.compiler.CompileAggregate(q.t, n, q.caller)
	if err != nil {
		if !isRefusal(err) {
			t.Errorf("%s?%s: refused with %#v", q.t.UID, q.raw, err)
		}
		return nil
	}
	text, err := a.Append(context.Background(), snapshot, nil)
	if isRefusal(err) {
		return nil
	}
	var value any
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		t.Errorf("%s?%s: %v in %s", q.t.UID, q.raw, err, text)
	}
	return value
}
