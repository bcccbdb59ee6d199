package migrate_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"quire/content/contenttest"
	"quire/content/migrate"
	"quire/schema"
	"quire/store"
)

// The kinds that random attributes have, and values of each.
var (
	randomKinds = []string{"string", "text", "email", "integer", "biginteger", "float", "boolean", "enumeration", "date", "datetime", "json"}

	texts = []string{"12", "-3", "0", "1", "2.5", "4.0", "abc", "", "true", "red", "2024-05-01", "2024-05-01T10:30:00.000Z", "2024-05-01T00:00:00.000Z", "3000000000", "12 apples", "0x1F"}
	days  = []string{"2024-05-01", "1999-12-31"}
	times = []string{"2024-05-01T00:00:00.000Z", "2024-05-01T10:30:00.000Z"}
)

// randomValue returns a value that a write could have stored.
func randomValue(r *rand.Rand, kind string) store.Value {
	one := func(list []string) store.Value { return store.TextValue(list[r.IntN(len(list))]) }
	switch kind {
	case "integer":
		return store.Value{Kind: store.Int, Num: int64(r.IntN(9) - 4)}
	case "biginteger":
		return store.Value{Kind: store.Int, Num: []int64{0, 1, -7, 3_000_000_000, 1 << 60, 1<<60 + 1}[r.IntN(6)]}
	case "float":
		return store.Value{Kind: store.Float, Real: []float64{0, 1, -2, 2.5, 0.1, 3e9, 1 << 60}[r.IntN(7)]}
	case "boolean":
		return store.Value{Kind: store.Bool, Num: int64(r.IntN(2))}
	case "enumeration":
		return one([]string{"red", "12", "true"})
	case "date":
		return one(days)
	case "datetime":
		return one(times)
	case "json":
		return store.Value{Kind: store.JSON, Text: []string{`"abc"`, `"12"`, `12`, `true`, `[1]`, `{"a":"b"}`}[r.IntN(6)]}
	}
	return one(texts)
}

// word returns a value as the model writes it, false for lists and objects.
func word(v store.Value) (string, bool) {
	switch v.Kind {
	case store.Int:
		return fmt.Sprint(v.Num), true
	case store.Float:
		return strconv.FormatFloat(v.Real, 'f', -1, 64), true
	case store.Bool:
		return fmt.Sprint(v.Num == 1), true
	case store.JSON:
		return strings.Trim(v.Text, `"`), !strings.ContainsAny(v.Text, "[{")
	}
	return v.Text, true
}

var (
	decimalForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	dayForm     = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	momentForm  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T`)
)

// modelled returns the result of a conversion as a text with kind and content: "null" for
// none, "-" if it is impossible, with "cut " before it if a part is lost.
func modelled(from, to string, v store.Value) string {
	isText := func(kind string) bool { return slices.Contains([]string{"string", "text", "email"}, kind) }
	w, plain := word(v)
	switch {
	case from == to || isText(from) && isText(to):
		return described(v)
	case to == "json" && v.Kind == store.Text:
		return "json " + strconv.Quote(v.Text)
	case to == "json":
		return "json " + w
	case !plain:
		return "-"
	case isText(to):
		return "text " + w
	case w == "":
		return "null"
	}
	fromMoment := from == "date" || from == "datetime"
	number := decimalForm.MatchString(w) && !fromMoment
	switch to {
	case "integer", "biginteger", "float":
		return modelledNumber(from, to, v, w, number)
	case "boolean":
		if i := slices.Index([]string{"false", "true", "0", "1"}, w); i >= 0 {
			return fmt.Sprintf("boolean %d", i%2)
		}
	case "enumeration":
		if slices.Contains([]string{"red", "12", "true"}, w) {
			return "text " + w
		}
	case "date", "datetime":
		return modelledMoment(to, v, w)
	}
	return "-"
}

func modelledNumber(from, to string, v store.Value, w string, number bool) string {
	if from == "boolean" {
		w, number = fmt.Sprint(v.Num), true
	}
	f, _ := strconv.ParseFloat(w, 64)
	whole, isWhole := strings.CutSuffix(w, ".0")
	if !isWhole {
		isWhole = !strings.Contains(w, ".")
	}
	switch {
	case !number:
	case to == "float":
		if strconv.FormatFloat(f, 'f', -1, 64) == strings.TrimSuffix(w, ".0") {
			return fmt.Sprintf("float %v", f)
		}
	case isWhole && (to == "biginteger" || len(whole) < 10):
		return "int " + whole
	}
	return "-"
}

func modelledMoment(to string, v store.Value, w string) string {
	if v.Kind != store.Text && v.Kind != store.JSON || v.Kind == store.JSON && !strings.HasPrefix(v.Text, `"`) {
		return "-"
	}
	switch {
	case to == "date" && dayForm.MatchString(w), to == "datetime" && momentForm.MatchString(w):
		return "text " + w
	case to == "datetime" && dayForm.MatchString(w):
		return "text " + w + "T00:00:00.000Z"
	case to == "date" && momentForm.MatchString(w) && strings.Contains(w, "T00:00:00"):
		return "text " + w[:10]
	case to == "date" && momentForm.MatchString(w):
		return "cut text " + w[:10]
	}
	return "-"
}

// described returns a stored value in the words of the model.
func described(v store.Value) string {
	switch v.Kind {
	case store.Null:
		return "null"
	case store.Bool:
		return fmt.Sprintf("boolean %d", v.Num)
	case store.Int:
		return fmt.Sprintf("int %d", v.Num)
	case store.Float:
		return fmt.Sprintf("float %v", v.Real)
	case store.JSON:
		return "json " + v.Text
	}
	return "text " + v.Text
}

// randomSite has the attributes in a type, in a component, and in a component within a
// zone. list says whether the component is repeatable.
func randomSite(t *testing.T, kinds []string, list bool) *schema.Site {
	var attributes []string
	for i, kind := range kinds {
		enum := ""
		if kind == "enumeration" {
			enum = `, "enum": ["red", "12", "true"]`
		}
		attributes = append(attributes, fmt.Sprintf(`"a%d": {"type": %q%s}`, i, kind, enum))
	}
	own := strings.Join(attributes, ", ")
	return contenttest.LoadSite(t, fstest.MapFS{
		"src/components/p/one.json": contenttest.File(`{"info": {"displayName": "One"}, "attributes": {` + own + `}}`),
		"src/api/t/content-types/t/schema.json": contenttest.File(`{"kind": "collectionType",
			"info": {"singularName": "t", "pluralName": "ts", "displayName": "T"}, "options": {"draftAndPublish": true}, "attributes": {` + own + `,
			"c": {"type": "component", "component": "p.one", "repeatable": ` + fmt.Sprint(list) + `},
			"z": {"type": "dynamiczone", "components": ["p.one"]}}}`),
	})
}

// Random values of random kinds convert as a simple model says, at each depth, and the
// plan counts what the model cannot convert. If nothing may be lost, everything is
// converted or nothing.
func TestConversionsLikeTheModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for round := range 60 {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		from, to := make([]string, 5), make([]string, 5)
		for i := range from {
			from[i], to[i] = randomKinds[r.IntN(len(randomKinds))], randomKinds[r.IntN(len(randomKinds))]
		}
		wasList, isList := r.IntN(2) == 0, r.IntN(2) == 0
		f := contenttest.New(t, randomSite(t, from, wasList))
		f.Writer.Close()
		m := &model{rand: r, from: from, to: to, wasList: wasList, isList: isList, want: map[string]string{}}
		check(t, f.DB.Update(func(tx *store.Tx) error { return m.fill(tx, 6) }))
		e := migrate.Evolution{From: f.Site, To: randomSite(t, to, isList)}
		before := listed(t, f.DB)
		plan, err := e.Plan(t.Context(), f.DB, migrate.Bounds{})
		check(t, err)
		if lost, cut := values(plan.Of(migrate.Unconvertible)), values(plan.Of(migrate.Cut)); lost != m.lost || cut != m.cut {
			t.Fatalf("round %d: %v to %v: the plan loses %d and cuts %d, the model %d and %d\n%s", round, from, to, lost, cut, m.lost, m.cut, plan.Text())
		}
		_, err = e.Migrate(t.Context(), f.DB, nil)
		if (err != nil) != (m.lost+m.cut > 0) || err != nil && listed(t, f.DB) != before {
			t.Fatalf("round %d: it loses %d and cuts %d: %v", round, m.lost, m.cut, err)
		}
		e.Lossy = true
		if _, err := e.Migrate(t.Context(), f.DB, nil); err != nil {
			t.Fatal(err)
		}
		requireEvolved(t, f, e)
		err = f.DB.View(func(tx *store.Tx) error {
			return tx.Scan("api::t.t", func(e *store.Entry) error {
				if got := m.describe(e.Fields); got != m.want[e.Key().String()] {
					t.Errorf("round %d: %v to %v: %s is\n%s\nwant\n%s", round, from, to, e.Key(), got, m.want[e.Key().String()])
				}
				return nil
			})
		})
		if err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
}

func values(list []migrate.Effect) (n int) {
	for _, f := range list {
		n += f.Values
	}
	return n
}

// model fills a data file, and knows its contents after the conversion.
type model struct {
	rand            *rand.Rand
	from, to        []string
	wasList, isList bool
	want            map[string]string // by entry
	lost, cut       int
	id              uint64
}

func (m *model) fill(tx *store.Tx, n int) error {
	for i := range n {
		e := &store.Entry{ID: uint64(i + 1), DocumentID: fmt.Sprintf("document%d", i/2), Status: store.Draft, CreatedAt: 1, UpdatedAt: 1}
		if i%2 == 1 {
			e.Status, e.PublishedAt = store.Published, 1
		}
		fields, want := m.fields()
		for _, name := range []string{"c", "z"} {
			many := name == "z" || m.wasList
			instances, inside := m.instances(many, name == "z" || m.isList)
			fields = fields.Set(name, store.Value{Kind: store.Instances, Instances: instances})
			want += " " + name + "[" + strings.Join(inside, "|") + "]"
		}
		e.Fields = fields
		m.want[e.Key().String()] = want
		if err := tx.Apply(store.Change{Type: "api::t.t", After: e}); err != nil {
			return err
		}
	}
	return errors.Join(tx.SetSequence("api::t.t", uint64(n)), tx.SetSequence("p.one", m.id))
}

// fields returns random fields, and what the model makes of them.
func (m *model) fields() (fields store.Fields, want string) {
	for i := range m.from {
		if m.rand.IntN(5) == 0 {
			want += ", null"
			continue
		}
		v := randomValue(m.rand, m.from[i])
		fields = fields.Set(fmt.Sprintf("a%d", i), v)
		becomes := modelled(m.from[i], m.to[i], v)
		if becomes == "-" {
			m.lost++
			becomes = "null"
		}
		if rest, ok := strings.CutPrefix(becomes, "cut "); ok {
			m.cut++
			becomes = rest
		}
		want += ", " + becomes
	}
	return fields, want
}

func (m *model) instances(many, stay bool) (list []store.Instance, want []string) {
	n := 1
	if many {
		n = m.rand.IntN(4)
	}
	for i := range n {
		m.id++
		fields, inside := m.fields()
		list = append(list, store.Instance{ID: m.id, Component: "p.one", Fields: fields})
		if i > 0 && !stay {
			m.cut++
			continue
		}
		want = append(want, inside)
	}
	return list, want
}

// describe returns stored fields in the words of the model.
func (m *model) describe(fields store.Fields) (text string) {
	text = m.plain(fields)
	for _, name := range []string{"c", "z"} {
		var inside []string
		for _, r := range fields.Value(name).Instances {
			inside = append(inside, m.plain(r.Fields))
		}
		text += " " + name + "[" + strings.Join(inside, "|") + "]"
	}
	return text
}

func (m *model) plain(fields store.Fields) (text string) {
	for i := range m.from {
		text += ", " + described(fields.Value(fmt.Sprintf("a%d", i)))
	}
	return text
}
