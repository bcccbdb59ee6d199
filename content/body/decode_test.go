package body

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"quire/schema"
	"quire/store"
)

// values decodes a body of one attribute with the given schema.
func decodeOne(t *testing.T, attribute, value string) (store.Value, error) {
	t.Helper()
	site := loadSite(t, mapSite(`"a": `+attribute))
	kind := site.Type("api::one.one")
	in, err := Decode(site, kind, json.RawMessage(`{"a": `+value+`}`), nil)
	if err != nil {
		return store.Value{}, err
	}
	return in.Given[0].Scalar, nil
}

func TestDecodeScalars(t *testing.T) {
	long := strings.Repeat("é", 255)
	type example struct{ in, out string } // out "" is refused, "null" is null
	for attribute, examples := range map[string][]example{
		`{"type": "string"}`: {
			{`"x"`, `"x"`}, {`""`, `""`}, {`"a\nb 😀"`, `"a\nb 😀"`}, {`"\ud800"`, `"�"`}, {`null`, `null`},
			{`"` + long + `"`, `"` + long + `"`}, {`"` + long + `x"`, ""},
			{`5`, ""}, {`true`, ""}, {`["a"]`, ""}, {`{}`, ""}, {`"a\u0000b"`, ""},
		},
		`{"type": "text"}`:                       {{`"` + long + long + `"`, `"` + long + long + `"`}, {`1`, ""}, {`"\u0000"`, ""}},
		`{"type": "richtext"}`:                   {{`"# T"`, `"# T"`}, {`[]`, ""}},
		`{"type": "string", "maxLength": 2}`:     {{`"ab"`, `"ab"`}, {`"abc"`, ""}, {`"😀"`, `"😀"`}, {`"😀a"`, ""}},
		`{"type": "string", "minLength": 2}`:     {{`"a"`, `"a"`}},
		`{"type": "email"}`:                      {{`"a@b.co"`, `"a@b.co"`}, {`"not one"`, `"not one"`}, {`5`, ""}, {`"` + long + `x"`, ""}},
		`{"type": "uid"}`:                        {{`"has space"`, `"has space"`}, {`5`, ""}},
		`{"type": "password"}`:                   {{`"open"`, `"open"`}, {`""`, `""`}, {`5`, ""}, {`"` + strings.Repeat("x", 73) + `"`, ""}},
		`{"type": "enumeration", "enum": ["a"]}`: {{`"a"`, `"a"`}, {`"b"`, ""}, {`""`, ""}, {`1`, ""}, {`[]`, ""}, {`null`, `null`}},
		`{"type": "integer"}`: {
			{`0`, `0`}, {`-1`, `-1`}, {`"3"`, `3`}, {`" 3 "`, `3`}, {`2.0`, `2`}, {`1e2`, `100`}, {`2147483647`, `2147483647`}, {`-2147483648`, `-2147483648`}, {`-0`, `0`},
			{`2.5`, ""}, {`"x"`, ""}, {`""`, ""}, {`true`, ""}, {`[]`, ""}, {`{}`, ""}, {`2147483648`, ""}, {`-2147483649`, ""}, {`1e400`, ""}, {`"0x10"`, ""}, {`"Infinity"`, ""}, {`"NaN"`, ""}, {`"1_0"`, ""},
		},
		`{"type": "integer", "min": 1, "max": 5}`: {{`5`, `5`}, {`6`, ""}, {`0`, `0`}}, // a draft may be below min
		`{"type": "biginteger"}`: {
			{`12`, `12`}, {`"12"`, `12`}, {`"9007199254740993"`, `9007199254740993`}, {`9223372036854775807`, `9223372036854775807`}, {`"-9223372036854775808"`, `-9223372036854775808`}, {`12.0`, `12`}, {`1e3`, `1000`},
			{`9223372036854775808`, ""}, {`"9223372036854775808"`, ""}, {`1.5`, ""}, {`"x"`, ""}, {`""`, ""}, {`true`, ""}, {`[]`, ""},
		},
		`{"type": "biginteger", "max": "10"}`: {{`10`, `10`}, {`"11"`, ""}},
		`{"type": "float"}`:                   {{`0.1`, `0.1`}, {`"0.25"`, `0.25`}, {`-3`, `-3`}, {`"no"`, ""}, {`1e400`, ""}, {`false`, ""}},
		`{"type": "decimal"}`: {
			{`4.5`, `4.5`}, {`"4.5"`, `4.5`}, {`1.005`, `1.01`}, {`-1.005`, `-1.01`}, {`1.004`, `1`}, {`0.999`, `1`}, {`-0.001`, `0`}, {`99999999.99`, `99999999.99`},
			{`99999999.994`, `99999999.99`}, {`99999999.995`, ""}, {`100000000`, ""}, {`1e300`, ""}, {`"four"`, ""}, {`true`, ""},
		},
		`{"type": "boolean"}`: {
			{`true`, `true`}, {`false`, `false`}, {`"true"`, `true`}, {`"false"`, `false`}, {`"t"`, `true`}, {`"f"`, `false`}, {`"1"`, `true`}, {`"0"`, `false`}, {`1`, `true`}, {`0`, `false`},
			{`"yes"`, ""}, {`2`, ""}, {`""`, ""}, {`[]`, ""}, {`"TRUE"`, ""},
		},
		`{"type": "date"}`: {
			{`"2020-02-29"`, `"2020-02-29"`}, {`"2020-01-02T23:00:00.000-05:00"`, `"2020-01-02"`},
			{`"2021-02-29"`, ""}, {`"2020-13-01"`, ""}, {`"2020-1-2"`, ""}, {`"0000-01-01"`, ""}, {`"x"`, ""}, {`5`, ""}, {`""`, ""}, {`"2020-01-02Tnoon"`, ""}, {`[]`, ""},
		},
		`{"type": "time"}`: {
			{`"10:30:00"`, `"10:30:00"`}, {`"10:30:00.123"`, `"10:30:00.123"`}, {`"10:30:00.100"`, `"10:30:00.1"`}, {`"10:30:00.000"`, `"10:30:00"`},
			{`"10:30"`, ""}, {`"25:00:00"`, ""}, {`"10:61:00"`, ""}, {`"1:00:00"`, ""}, {`"10:30:00.1234"`, ""}, {`"10:30:00."`, ""}, {`5`, ""}, {`""`, ""},
		},
		`{"type": "datetime"}`: {
			{`"2020-02-29T10:00:00Z"`, `"2020-02-29T10:00:00.000Z"`}, {`"2020-02-29T10:00:00.5+02:00"`, `"2020-02-29T08:00:00.500Z"`}, {`"2020-02-29"`, `"2020-02-29T00:00:00.000Z"`},
			{`1582970400000`, `"2020-02-29T10:00:00.000Z"`}, {`0`, `"1970-01-01T00:00:00.000Z"`}, {`-1`, `"1969-12-31T23:59:59.999Z"`},
			{`"2020-02-30T00:00:00Z"`, ""}, {`"x"`, ""}, {`""`, ""}, {`1e18`, ""}, {`true`, ""}, {`"9999-12-31T23:59:59-05:00"`, ""}, {`"0001-01-01T00:00:00+05:00"`, ""},
		},
		`{"type": "timestamp"}`: {{`1582970400000`, `"2020-02-29T10:00:00.000Z"`}, {`"x"`, ""}},
		`{"type": "json"}`: {
			{`{"b": 1, "a": [1, null]}`, `{"b":1,"a":[1,null]}`}, {`5`, `5`}, {`true`, `true`}, {`"{\"a\": 1}"`, `{"a":1}`}, {`"plain"`, `"plain"`}, {`""`, `""`}, {`null`, `null`}, {`"null"`, `null`},
			{`12345678901234567890`, `12345678901234567890`}, {`"\\u0000"`, `"\\u0000"`}, {`"a\u0000"`, ""}, {`{"a\u0000": 1}`, ""},
		},
	} {
		for _, e := range examples {
			t.Run(attribute+e.in[:min(len(e.in), 40)], func(t *testing.T) {
				v, err := decodeOne(t, attribute, e.in)
				switch {
				case e.out == "" && err == nil:
					t.Errorf("%s was taken as %+v", e.in, v)
				case e.out == "":
					if paths := pathsOf(t, err); !slices.Equal(paths, []string{"a"}) {
						t.Errorf("%s is refused at %q, want a", e.in, paths)
					}
				case err != nil:
					t.Errorf("%s was refused: %v", e.in, err)
				case string(AsJSON(&schema.Attribute{}, v)) != e.out:
					t.Errorf("%s became %s, want %s", e.in, AsJSON(&schema.Attribute{}, v), e.out)
				}
			})
		}
	}
}

// Publishing applies limits that drafts need not fulfil.
func TestDecodeData(t *testing.T) {
	site := guide(t)
	deep := strings.Repeat("[", 25) + strings.Repeat("]", 25)
	for _, e := range []struct{ data, message string }{
		{``, MissingData},
		{` `, MissingData},
		{`null`, MissingData},
		{`5`, MissingData},
		{`"text"`, MissingData},
		{`[]`, "this must be a `object` type, but the final value was: `null` (cast from the value `[]`)."},
		{`{`, "data is not valid JSON"},
		{"{\"name\": \"\xff\"}", "data is not valid UTF-8"},
		{`{"meta": ` + deep + `}`, "data is nested deeper than 20 levels"},
		{`{"name": 5}`, "name must be a `string` type, but the final value was: `5`."},
		{`{"name": ["a"]}`, "name must be a `string` type, but the final value was: `[\n  \"\\\"a\\\"\"\n]`."},
		{`{"name": {"a": 1}}`, "name must be a `string` type, but the final value was: `{\n  \"a\": \"1\"\n}`."},
		{`{"name": {"a": [null, {"b": true}]}}`, "name must be a `string` type, but the final value was: `{\n  \"a\": [\n    \"null\",\n    {\n      \"b\": \"true\"\n    }\n  ]\n}`."},
		{`{"locale": 1}`, "locale must be a `string` type, but the final value was: `1`."},
		{`{"stars": "x"}`, "stars must be a `number` type, but the final value was: `NaN` (cast from the value `\"x\"`)."},
		{`{"price_tier": "p9"}`, "price_tier must be one of the following values: p1, p2, p3, p4, "},
		{`{"stars": 6, "name": 5}`, "2 errors occurred"},
	} {
		_, err := Decode(site, site.Type("api::restaurant.restaurant"), json.RawMessage(e.data), nil)
		if err == nil || err.Error() != e.message {
			t.Errorf("%s: got %v, want %s", e.data, err, e.message)
		}
	}
}

func TestDecodeKeys(t *testing.T) {
	site := guide(t)
	for _, e := range []struct {
		data string
		want KeyError
	}{
		{`{"zzz": 1}`, KeyError{"zzz", "", UnknownKey}},
		{`{"status": "draft"}`, KeyError{"status", "", UnknownKey}},
		{`{"Name": "x"}`, KeyError{"Name", "", UnknownKey}},
		{`{"id": 1}`, KeyError{"id", "", IdentityKey}},
		{`{"documentId": "x"}`, KeyError{"documentId", "", IdentityKey}},
		{`{"createdAt": null}`, KeyError{"createdAt", "createdAt", ReservedKey}},
		{`{"updatedAt": null}`, KeyError{"updatedAt", "updatedAt", ReservedKey}},
		{`{"createdBy": null}`, KeyError{"createdBy", "createdBy", ReservedKey}},
		{`{"updatedBy": null}`, KeyError{"updatedBy", "updatedBy", ReservedKey}},
		{`{"localizations": []}`, KeyError{"localizations", "localizations", ReservedKey}},
		{`{"location": {"zzz": 1}}`, KeyError{"zzz", "location", UnknownKey}},
		{`{"location": {"geo": {"zzz": 1}}}`, KeyError{"zzz", "location.geo", UnknownKey}},
		{`{"location": {"__component": "place.address"}}`, KeyError{"__component", "location", UnknownKey}},
		{`{"location": {"documentId": "x"}}`, KeyError{"documentId", "location", UnknownKey}},
		{`{"sections": [{"__component": "section.cta", "zzz": 1}]}`, KeyError{"zzz", "sections", UnknownKey}},
		{`{"sections": [{"__component": "section.related", "links": [{"zzz": 1}]}]}`, KeyError{"zzz", "sections.links", UnknownKey}},
		{`{"categories": {"zzz": 1}}`, KeyError{"zzz", "categories", UnknownKey}},
		{`{"categories": [{"zzz": 1}]}`, KeyError{"zzz", "categories", UnknownKey}},
		{`{"categories": {"connect": [{"documentId": "x", "zzz": 1}]}}`, KeyError{"zzz", "categories", UnknownKey}},
		{`{"categories": {"connect": [], "documentId": "x"}}`, KeyError{"documentId", "categories", UnknownKey}},
		{`{"categories": {"options": {"zzz": 1}}}`, KeyError{"zzz", "categories", UnknownKey}},
		{`{"categories": [{"documentId": "x", "__type": "api::category.category"}]}`, KeyError{"__type", "categories", UnknownKey}},
		{`{"name": 5, "zzz": 1}`, KeyError{"zzz", "", UnknownKey}}, // keys are checked before values
	} {
		_, err := Decode(site, site.Type("api::restaurant.restaurant"), json.RawMessage(e.data), nil)
		var got *KeyError
		if !errors.As(err, &got) || *got != e.want {
			t.Errorf("%s: got %#v, want %#v", e.data, err, e.want)
		}
	}
	_, err := Decode(site, site.Type("api::restaurant.restaurant"), json.RawMessage(`{"publishedAt": 5, "locale": "zz"}`), nil)
	if err != nil {
		t.Errorf("publishedAt and locale: %v", err)
	}
}

// findable allows finding some types, and nothing else.
type findable []string

func (f findable) Allows(t *schema.Type, a schema.Action) bool {
	return a == schema.Find && slices.Contains(f, t.UID)
}

func (findable) Sight(*schema.Type) *schema.Sight { return nil }

func (findable) Reach(*schema.Type) *schema.Reach { return nil }

func (findable) Filter(*schema.Type) *schema.Filter { return nil }

func TestDecodeAccess(t *testing.T) {
	site := guide(t)
	access := findable{"api::category.category"}
	for data, key := range map[string]string{
		`{"categories": ["x"], "cover": 1}`: "", // links to files are allowed
		`{"chef": "x"}`:                     "chef",
		`{"chef": null}`:                    "chef",
		`{"reviews": []}`:                   "reviews",
		`{"sections": [{"__component": "section.quote", "chef": "x"}]}`: "chef",
	} {
		_, err := Decode(site, site.Type("api::restaurant.restaurant"), json.RawMessage(data), access)
		var got *KeyError
		if errors.As(err, &got) != (key != "") || key != "" && (got.Key != key || got.Fault != ReservedKey) {
			t.Errorf("%s: got %v, want key %q", data, err, key)
		}
	}
	site = kitchen(t)
	_, err := Decode(site, site.Type("api::note.note"), json.RawMessage(`{"about": {"documentId": "x", "__type": "api::thing.thing"}}`), access)
	if !errors.As(err, new(*KeyError)) {
		t.Errorf("a morph link to a type that may not be found: %v", err)
	}
}

// A link of two bytes in a body takes two hundred times as much memory, so a body with
// too many links is refused before they are decoded.
func TestItemsOfOneBody(t *testing.T) {
	site := guide(t)
	list := func(item string, n int) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	half := list("1", mostItems/2)
	for data, at := range map[string]string{
		`{"categories": ` + list("1", mostItems) + `}`:                                                             "",
		`{"categories": ` + list("1", mostItems+1) + `}`:                                                           "categories",
		`{"categories": {"connect": ` + half + `, "disconnect": ` + half + `}}`:                                    "",
		`{"categories": {"connect": ` + half + `, "disconnect": ` + half + `}, "opening_hours": [{"day": "mon"}]}`: "opening_hours",
		`{"categories": ` + list("null", 2*mostItems) + `}`:                                                        "",
		`{"opening_hours": ` + list("{}", mostItems+1) + `}`:                                                       "opening_hours",
		`{"sections": ` + list("{}", mostItems+1) + `}`:                                                            "sections",
	} {
		_, err := Decode(site, site.Type("api::restaurant.restaurant"), json.RawMessage(data), nil)
		want := at + " has one item too many"
		if refused := err != nil && strings.HasPrefix(err.Error(), want); refused != (at != "") {
			t.Errorf("%.60s…: %v, want %q", data, err, want)
		}
	}
	site.Settings.Limits.WriteLinks = 2 * mostItems
	if _, err := Decode(site, site.Type("api::restaurant.restaurant"), json.RawMessage(`{"categories": `+list("1", 2*mostItems)+`}`), nil); err != nil {
		t.Errorf("a site whose writes may name so many: %v", err)
	}
	site.Settings.Limits.WriteLinks = 0
	if _, err := DecodeUnbounded(site, site.Type("api::restaurant.restaurant"), JSON(`{"categories": `+list("1", mostItems+1)+`}`)); err != nil {
		t.Errorf("an import of many links: %v", err)
	}
}

// Iterating over a list keeps nothing of it.
func TestElementsTakeNoMemory(t *testing.T) {
	raw := JSON("[" + strings.Repeat("1,", 1000) + "1]")
	n := 0
	allocated := testing.AllocsPerRun(10, func() {
		for range raw.Elements() {
			n++
		}
	})
	if allocated > 4 || n != 11*1001 {
		t.Errorf("%v allocations for %d elements", allocated, n)
	}
}

func TestDecodeRelationForms(t *testing.T) {
	site := guide(t)
	for form, fine := range map[string]bool{
		`null`: true, `"x"`: true, `5`: true, `"5"`: true, `[]`: true, `[null, "x", 5]`: true, `{}`: true,
		`{"documentId": "x"}`: true, `{"id": 5}`: true, `{"id": "5"}`: true, `{"id": null, "documentId": "x"}`: true,
		`{"set": null}`: true, `{"set": "x"}`: true, `{"connect": null, "disconnect": []}`: true,
		`{"documentId": "x", "locale": null, "status": "draft"}`:                                         true,
		`{"connect": [{"documentId": "x", "position": {"start": true}}], "options": {"strict": false}}`:  true,
		`{"connect": [{"documentId": "x", "position": {"before": 5}}]}`:                                  true,
		`{"connect": [{"documentId": "x", "position": {"after": {"documentId": "y", "locale": "fr"}}}]}`: true,
		`true`: false, `""`: false, `1.5`: false, `-1`: false, `0`: false, `[[]]`: false, `[{}]`: false, `[true]`: false, `[""]`: false,
		`{"documentId": 5}`: false, `{"id": "x"}`: false, `{"id": 1.5}`: false, `{"documentId": "x", "locale": 5}`: false,
		`{"documentId": "x", "status": 5}`: false, `{"documentId": "x", "position": 5}`: false,
		`{"set": {}}`: false, `{"connect": {}}`: false, `{"disconnect": [{"documentId": 5}]}`: false,
		`{"options": null}`: false, `{"options": {"strict": 1}}`: false,
		`{"connect": [{"documentId": "x", "position": {}}]}`:                           false,
		`{"connect": [{"documentId": "x", "position": {"zzz": true}}]}`:                false,
		`{"connect": [{"documentId": "x", "position": {"start": false}}]}`:             false,
		`{"connect": [{"documentId": "x", "position": {"before": null}}]}`:             false,
		`{"connect": [{"documentId": "x", "position": {"before": ""}}]}`:               false,
		`{"connect": [{"documentId": "x", "position": {"start": true, "end": true}}]}`: false,
	} {
		_, err := Decode(site, site.Type("api::restaurant.restaurant"), json.RawMessage(`{"categories": `+form+`}`), nil)
		if fine != (err == nil) || err != nil && !errors.As(err, new(*ValidationError)) {
			t.Errorf("%s: got %v", form, err)
		}
	}
}

func TestDecodeComponents(t *testing.T) {
	site := guide(t)
	for _, e := range []struct {
		data  string
		paths []string
	}{
		{`{"location": []}`, []string{"location"}},
		{`{"location": "x"}`, []string{"location"}},
		{`{"location": null}`, nil},
		{`{"location": {"id": "no number"}}`, []string{"location.id"}},
		{`{"location": {"id": null}}`, nil},
		{`{"location": {"street": 5, "geo": {"lat": 91}}}`, []string{"location.street", "location.geo.lat"}},
		{`{"opening_hours": null}`, []string{"opening_hours"}},
		{`{"opening_hours": {}}`, []string{"opening_hours"}},
		{`{"opening_hours": [null, 5]}`, []string{"opening_hours.0", "opening_hours.1"}},
		{`{"opening_hours": [{"day": "mon"}, {"day": "zzz"}]}`, []string{"opening_hours.1.day"}},
		{`{"sections": null}`, []string{"sections"}},
		{`{"sections": {}}`, []string{"", "sections"}},
		{`{"sections": [null]}`, []string{"", "sections.0"}},
		{`{"sections": [{}]}`, []string{"", "sections.0.__component"}},
		{`{"sections": [{"__component": null}]}`, []string{"", "sections.0.__component"}},
		{`{"sections": [{"__component": 5}]}`, []string{"", "sections.0.__component"}},
		{`{"sections": [{"__component": "place.address"}]}`, []string{"", "sections.0.__component"}},
		{`{"sections": [{"__component": "section.related", "links": [{"label": 5}]}]}`, []string{"sections.0.links.0.label"}},
	} {
		_, err := Decode(site, site.Type("api::restaurant.restaurant"), json.RawMessage(e.data), nil)
		var got []string
		if err != nil {
			got = pathsOf(t, err)
			slices.Sort(got)
		}
		if slices.Sort(e.paths); !slices.Equal(got, e.paths) {
			t.Errorf("%s: wrong at %q, want %q", e.data, got, e.paths)
		}
	}
}

func TestDecodeBlocks(t *testing.T) {
	text := `{"type": "text", "text": "x"}`
	for _, e := range []struct {
		blocks string
		paths  []string
	}{
		{`[]`, nil},
		{`[{"type": "paragraph", "children": [` + text + `, {"type": "link", "url": "/", "children": [` + text + `]}]}]`, nil},
		{`[{"type": "heading", "level": 6, "children": [` + text + `], "kept": 1}]`, nil},
		{`[{"type": "code", "language": "go", "children": [` + text + `]}]`, nil},
		{`[{"type": "image", "image": {"url": "/a.png"}, "children": [` + text + `]}]`, nil},
		{`[{"type": "list", "format": "ordered", "children": [{"type": "list-item", "children": [` + text + `]}, {"type": "list", "format": "unordered", "children": [{"type": "list-item", "children": [` + text + `]}]}]}]`, nil},
		{`"text"`, []string{""}},
		{`{}`, []string{""}},
		{`[5]`, []string{"0"}},
		{`[{"type": "nope", "children": []}]`, []string{"0"}},
		{`[{"type": 5, "children": []}]`, []string{"0"}},
		{`[{"type": "paragraph"}]`, []string{"0.children"}},
		{`[{"type": "paragraph", "children": {}}]`, []string{"0.children"}},
		{`[{"type": "paragraph", "children": []}]`, []string{"0.children"}},
		{`[{"type": "paragraph", "children": [5]}]`, []string{"0.children.0"}},
		{`[{"type": "paragraph", "children": [{"type": "paragraph", "children": []}]}]`, []string{"0.children.0"}},
		{`[{"type": "heading", "level": 9, "children": []}]`, []string{"0.level", "0.children"}},
		{`[{"type": "heading", "children": [` + text + `]}]`, []string{"0.level"}},
		{`[{"type": "list", "format": "x", "children": [` + text + `]}]`, []string{"0.format", "0.children.0"}},
		{`[{"type": "quote", "children": [{"type": "text"}]}]`, []string{"0.children.0.text"}},
		{`[{"type": "quote", "children": [{"type": "text", "text": 5, "bold": "yes"}]}]`, []string{"0.children.0.text", "0.children.0.bold"}},
		{`[{"type": "quote", "children": [{"type": "link", "children": [{"type": "link"}]}]}]`, []string{"0.children.0.url", "0.children.0.children.0"}},
		{`[{"type": "code", "language": 5, "children": [` + text + `]}]`, []string{"0.language"}},
		{`[{"type": "image", "children": [` + text + `]}]`, []string{"0.image"}},
		{`[{"type": "image", "image": {}, "children": [` + text + `]}]`, []string{"0.image.url"}},
		{`[{"type": "quote", "children": [{"type": "text", "text": "\u0000"}]}]`, []string{""}},
	} {
		_, err := decodeOne(t, `{"type": "blocks"}`, e.blocks)
		var got, want []string
		if err != nil {
			got = pathsOf(t, err)
		}
		for _, p := range e.paths {
			want = append(want, strings.TrimSuffix("a."+p, "."))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: wrong at %q, want %q", e.blocks, got, want)
		}
	}
}

// A message repeats a refused value only up to a length.
func TestShowIsBounded(t *testing.T) {
	list := "[" + strings.Repeat("1,", 10000) + "1]"
	_, err := decodeOne(t, `{"type": "string"}`, list)
	if n := len(fmt.Sprint(err)); n > 2*shownLength {
		t.Errorf("the message has %d bytes", n)
	}
}
