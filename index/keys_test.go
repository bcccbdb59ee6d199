package index

import (
	"math"
	"slices"
	"testing"
	"time"

	"quire/schema"
	"quire/store"
)

// Strings sort as Strapi's database sorts them: letters by the alphabet
// whatever their case or accents, digits before letters, and no two different
// strings are equal.
func TestTextKeysSortLikePeople(t *testing.T) {
	want := []string{"", "_x", "-x", "100% Natural", "9", "Biscotte", "Chez Ana", "cote", "Cote", "coté", "côte", "Da Marco", "Étoile", "Green Leaf", "osteria", "Panda Wok", "Panda_Wok", "Quiet Corner", "Zafferano"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int {
		if TextKey(a) < TextKey(b) {
			return -1
		}
		return 1
	})
	if !slices.Equal(got, want) {
		t.Errorf("sorted as\n%q, want\n%q", got, want)
	}
}

func TestNumberKeysSortLikeNumbers(t *testing.T) {
	floats := []float64{math.Inf(-1), -math.MaxFloat64, -2.5, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 0.1, 1, 2.5, math.MaxFloat64, math.Inf(1)}
	for i := 1; i < len(floats); i++ {
		if FloatKey(floats[i-1]) >= FloatKey(floats[i]) {
			t.Errorf("%v does not sort before %v", floats[i-1], floats[i])
		}
	}
	if FloatKey(0) != FloatKey(math.Copysign(0, -1)) {
		t.Error("0 and -0 differ")
	}
	ints := []int64{math.MinInt64, -1 << 40, -1, 0, 1, 1 << 40, math.MaxInt64}
	for i, n := range ints {
		if i > 0 && IntKey(ints[i-1]) >= IntKey(n) {
			t.Errorf("%d does not sort before %d", ints[i-1], n)
		}
		if KeyInt(IntKey(n)) != n {
			t.Errorf("%d comes back as %d", n, KeyInt(IntKey(n)))
		}
	}
}

// A value that is looked up has the key that entries with this value have in the index.
func TestLookedUpValuesHaveTheKeysOfStoredOnes(t *testing.T) {
	for kind, values := range map[schema.Kind][]store.Value{
		schema.String:     {store.TextValue("Café"), store.TextValue("a \"quoted\"\n\u0001 one"), store.TextValue("")},
		schema.Date:       {store.TextValue("2024-02-29")},
		schema.DateTime:   {store.TextValue("2024-02-29T12:00:00.000Z")},
		schema.Boolean:    {{Kind: store.Bool}, {Kind: store.Bool, Num: 1}},
		schema.Integer:    {{Kind: store.Int}, {Kind: store.Int, Num: -7}},
		schema.BigInteger: {{Kind: store.Int, Num: math.MaxInt64}, {Kind: store.Int, Num: math.MinInt64}},
		schema.Float:      {{Kind: store.Float, Real: math.Copysign(0, -1)}, {Kind: store.Float, Real: -1.5e300}, {Kind: store.Float, Real: 1e-7}},
		schema.Decimal:    {{Kind: store.Float, Real: 0.1}},
		schema.JSON:       {{Kind: store.JSON, Text: `{"a":[1,"b"]}`}},
	} {
		a := &schema.Attribute{Kind: kind}
		for _, v := range values {
			slot := new(encoder).appendValue(nil, a, &v)
			if got, want := valueKey(a, &v), SlotKey(a, slot); got != want {
				t.Errorf("%s %+v is looked up as %q, and %s has the key %q", kind, v, got, slot, want)
			}
		}
	}
}

func TestNumbersPrintLikeJavaScript(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 4.5: "4.5", -3: "-3", 1e21: "1e+21", 1e-7: "1e-7", 123456789012: "123456789012", 1.5e300: "1.5e+300", 0.000001: "0.000001"} {
		if got := string(AppendNumber(nil, f)); got != want {
			t.Errorf("%v prints as %s, want %s", f, got, want)
		}
	}
}

func TestTimesPrintLikeJavaScript(t *testing.T) {
	for _, ms := range []int64{1, -1, 999, 1000, 1700000000123, -62135596800000, 253402300799999, 951782400000, 1e15} {
		want := time.UnixMilli(ms).UTC().Format(`"2006-01-02T15:04:05.000Z"`)
		if got := string(AppendTime(nil, ms)); got != want {
			t.Errorf("%d prints as %s, want %s", ms, got, want)
		}
	}
	if got := string(AppendTime(nil, 0)); got != "null" {
		t.Errorf("no time prints as %s", got)
	}
}

func TestStringsComeBackFromJSON(t *testing.T) {
	for _, s := range []string{"", "plain", `quote " and \ slash`, "line\nbreak\ttab\r\b\f", "\x00\x01\x1f", "Étoile 🍝 <b>&", "\u2028"} {
		if got := string(unquote(AppendString(nil, s))); got != s {
			t.Errorf("%q comes back as %q", s, got)
		}
	}
}
