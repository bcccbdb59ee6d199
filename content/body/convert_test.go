package body_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

func text(s string) store.Value { return store.TextValue(s) }
func whole(n int64) store.Value { return store.Value{Kind: store.Int, Num: n} }
func real(f float64) store.Value {
	return store.Value{Kind: store.Float, Real: f}
}
func truth(n int64) store.Value   { return store.Value{Kind: store.Bool, Num: n} }
func asJSON(s string) store.Value { return store.Value{Kind: store.JSON, Text: s} }

// A converted value has the same meaning. If a value cannot be converted, the error
// says why.
func TestConvert(t *testing.T) {
	null := store.Value{}
	for _, c := range []struct {
		from      store.Value
		to        schema.Kind
		want      store.Value
		lost, why string
	}{
		{text("12"), schema.Integer, whole(12), "", ""},
		{text(" -7 "), schema.Integer, whole(-7), "", ""},
		{text("1e3"), schema.Integer, whole(1000), "", ""},
		{text("3.0"), schema.Integer, whole(3), "", ""},
		{text("3.5"), schema.Integer, null, "", "not a whole number"},
		{text("2147483648"), schema.Integer, null, "", "not between"},
		{text("abc"), schema.Integer, null, "", "not a number"},
		{text("0x10"), schema.Integer, null, "", "not a number"},
		{text("Infinity"), schema.Float, null, "", "not a number"},
		{text("1e-400"), schema.Float, null, "", "rounded to 0"},
		{text("0.000"), schema.Float, real(0), "", ""},
		{text("-0"), schema.Float, real(0), "", ""},
		{text(strings.Repeat("1", 65)), schema.Float, null, "", "not a number"},
		{text(""), schema.Integer, null, "", ""},
		{text("  "), schema.Boolean, null, "", ""},
		{text("9223372036854775807"), schema.BigInteger, whole(1<<63 - 1), "", ""},
		{text("9223372036854775808"), schema.BigInteger, null, "", "too large"},
		{text("9007199254740993"), schema.Float, null, "", "rounded to 9007199254740992"},
		{whole(9007199254740993), schema.Float, null, "", "rounded"},
		{whole(5), schema.Float, real(5), "", ""},
		{real(5), schema.Integer, whole(5), "", ""},
		{real(5.5), schema.BigInteger, null, "", "not a whole number"},
		{text("0.1"), schema.Float, real(0.1), "", ""},
		{text("1.50"), schema.Decimal, real(1.5), "", ""},
		{text("1.005"), schema.Decimal, null, "", "two digits"},
		{text("100000000"), schema.Decimal, null, "", "two digits"},
		{whole(42), schema.String, text("42"), "", ""},
		{real(0.25), schema.Text, text("0.25"), "", ""},
		{truth(1), schema.RichText, text("true"), "", ""},
		{truth(1), schema.Integer, whole(1), "", ""},
		{truth(0), schema.Float, real(0), "", ""},
		{whole(1), schema.Boolean, truth(1), "", ""},
		{whole(2), schema.Boolean, null, "", "neither true nor false"},
		{text("True"), schema.Boolean, truth(1), "", ""},
		{text("yes"), schema.Boolean, null, "", "neither true nor false"},
		{text("red"), schema.Enumeration, text("red"), "", ""},
		{text(" red "), schema.Enumeration, text("red"), "", ""},
		{text("pink"), schema.Enumeration, null, "", "none of red, 5"},
		{whole(5), schema.Enumeration, text("5"), "", ""},
		{text(""), schema.Enumeration, null, "", ""},
		{text("2024-05-01"), schema.Date, text("2024-05-01"), "", ""},
		{text("2024-02-30"), schema.Date, null, "", "no date"},
		{text("20240501"), schema.Date, null, "", "no date"},
		{text("2024"), schema.DateTime, null, "", "no datetime"},
		{text("1714521600000"), schema.DateTime, null, "", "no datetime"},
		{whole(1714521600), schema.DateTime, null, "", "a number is no datetime"},
		{text("2024-05-01"), schema.DateTime, text("2024-05-01T00:00:00.000Z"), "", ""},
		{text("2024-05-01T00:00:00.000Z"), schema.Date, text("2024-05-01"), "", ""},
		{text("2024-05-01T10:30:00.000Z"), schema.Date, text("2024-05-01"), "10:30:00 UTC", ""},
		{text("2024-05-01T23:00:00-05:00"), schema.DateTime, text("2024-05-02T04:00:00.000Z"), "", ""},
		{text("10:30:00.500"), schema.Time, text("10:30:00.5"), "", ""},
		{text("10 o'clock"), schema.Time, null, "", "no time"},
		{text(`a "b"`), schema.JSON, asJSON(`"a \"b\""`), "", ""},
		{whole(3), schema.JSON, asJSON(`3`), "", ""},
		{asJSON(`"a"`), schema.String, text("a"), "", ""},
		{asJSON(`12`), schema.Integer, whole(12), "", ""},
		{asJSON(`[1]`), schema.String, null, "", "lists and objects"},
		{asJSON(`{"a":1}`), schema.Integer, null, "", "lists and objects"},
		{asJSON(`{"a":1}`), schema.Blocks, null, "", "not a list of blocks"},
		{whole(1), schema.Blocks, null, "", "not a list of blocks"},
		{text("a"), schema.Blocks, asJSON(`[{"type":"paragraph","children":[{"type":"text","text":"a"}]}]`), "", ""},
		{text("a\r\n\n\"b\""), schema.Blocks, asJSON(`[{"type":"paragraph","children":[{"type":"text","text":"a"}]},{"type":"paragraph","children":[{"type":"text","text":""}]},{"type":"paragraph","children":[{"type":"text","text":"\"b\""}]}]`), "", ""},
		{text(""), schema.Blocks, null, "", ""},
		{text(strings.Repeat("\n", 10_000)), schema.Blocks, null, "", "more than 10000 lines"},
		{asJSON(`[{"type":"paragraph","children":[{"type":"text","text":"a"}]},{"type":"paragraph","children":[{"type":"text","text":"b"}]}]`), schema.Text, text("a\nb"), "", ""},
		{asJSON(`[{"type":"paragraph","children":[{"type":"text","text":"a","bold":true}]}]`), schema.RichText, text("a"), "its formatting", ""},
		{asJSON(`[{"type":"paragraph","children":[{"type":"text","text":"a "},{"type":"link","url":"/","children":[{"type":"text","text":"b"}]}]}]`), schema.String, text("a b"), "its formatting", ""},
		{asJSON(`[{"type":"heading","level":1,"children":[{"type":"text","text":"a"}]},{"type":"list","format":"ordered","children":[{"type":"list-item","children":[{"type":"text","text":"b"}]},{"type":"list-item","children":[{"type":"text","text":"c"}]}]}]`), schema.Text, text("a\nb\nc"), "its formatting", ""},
		{asJSON(`[{"type":"paragraph","children":[{"type":"text","text":"a\nb"}]}]`), schema.Text, text("a\nb"), "its formatting", ""},
		{asJSON(`[1, 2]`), schema.Text, null, "", "no blocks are no text"},
		{asJSON(`[]`), schema.Integer, null, "", "lists and objects"},
		{text("a"), schema.Password, null, "", "nothing becomes a password"},
		{text("a"), schema.Component, null, "", "do not become each other"},
	} {
		a := &schema.Attribute{Name: "it", Kind: c.to, Enum: []string{"red", "5"}}
		got, lost, err := body.Convert(a, c.from)
		why := ""
		if err != nil {
			why = err.Error()
		}
		if !got.Equal(c.want) || got.Kind != c.want.Kind || lost != c.lost || (c.why == "") != (err == nil) || !strings.Contains(why, c.why) {
			t.Errorf("%+v to %s: %+v, %q, %v", c.from, c.to, got, lost, err)
		}
		if err == nil && !got.IsEmpty() && !index.Suits(a, &got) {
			t.Errorf("%+v to %s is not stored as one: %+v", c.from, c.to, got)
		}
	}
}

// Numbers, booleans and choices are the same after a conversion to text and back. A
// number that is converted to another kind of number has the same value.
func TestConvertThereAndBack(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	attribute := func(k schema.Kind) *schema.Attribute {
		return &schema.Attribute{Name: "it", Kind: k, Enum: []string{"true", "false"}}
	}
	for range 5000 {
		home, v := schema.Kind(schema.Integer), whole(int64(int32(r.Uint32())))
		switch r.IntN(4) {
		case 0:
			home, v = schema.BigInteger, whole(int64(r.Uint64()))
		case 1:
			f, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", r.IntN(1<<30)-1<<29, r.IntN(30)-15), 64)
			home, v = schema.Float, real(f)
		case 2:
			home, v = schema.Boolean, truth(int64(r.IntN(2)))
		}
		for _, by := range []schema.Kind{schema.String, schema.Text, schema.RichText, schema.JSON, schema.Float, schema.BigInteger, schema.Integer, schema.Decimal, schema.Enumeration} {
			there, lost, err := body.Convert(attribute(by), v)
			if err != nil {
				if by == schema.String || by == schema.Text || by == schema.RichText || by == schema.JSON {
					t.Fatalf("%+v to %s: %v", v, by, err)
				}
				continue
			}
			back, _, err := body.Convert(attribute(home), there)
			if err != nil || lost != "" || !back.Equal(v) {
				t.Fatalf("%s %+v by %s %+v: %+v, %v", home, v, by, there, back, err)
			}
		}
	}
}
