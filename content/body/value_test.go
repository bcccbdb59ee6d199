package body

import (
	"encoding/json"
	"reflect"
	"testing"
)

// rebuilt returns a JSON value as Go code would make it.
func rebuilt(raw JSON) Value {
	switch raw.shape() {
	case jsonNull:
		return Value{}
	case jsonBool:
		return Bool(string(raw) == "true")
	case jsonNumber:
		var f float64
		_ = json.Unmarshal(raw, &f)
		return Number(f)
	case jsonString:
		return Text(raw.text())
	case jsonList:
		elements := []Value{}
		for _, element := range raw.Elements() {
			elements = append(elements, rebuilt(element))
		}
		return List(elements...)
	}
	members := []Field{}
	for _, m := range raw.Members() {
		members = append(members, Field{m.Key, rebuilt(m.Value)})
	}
	return Object(members...)
}

// A value from Go code is accepted or refused like the same value in JSON, with the
// same errors.
func TestMadeValuesAreDecodedLikeJSON(t *testing.T) {
	site := guide(t)
	restaurant := site.Type("api::restaurant.restaurant")
	for _, text := range []string{
		benchBody,
		`{}`, `null`, `[]`, `[{"name": 1}]`, `"name"`,
		`{"name": "x", "stars": "5", "rating": "4.25", "seats": "40", "vegan": "true"}`,
		`{"name": null, "stars": 4.5, "rating": "x", "seats": 1e3, "vegan": "yes", "price_tier": 5}`,
		`{"name": ["x", {"a": "b\n"}], "founded": 5, "opens_at": true, "location": "x", "opening_hours": {"day": 1}}`,
		`{"location": {"street": "1 Quay", "city": "Lyon", "zzz": 1}}`,
		`{"opening_hours": [{"id": "7", "day": "mon"}, null, "x"]}`,
		`{"chef": "abc"}`, `{"chef": 5}`, `{"chef": {"documentId": "abc"}}`, `{"chef": {"connect": ["abc", {"id": 5}], "disconnect": null}}`,
		`{"chef": {"connect": [{"documentId": "abc", "position": {"start": true}}]}}`,
		`{"chef": {"connect": [{"documentId": "abc", "position": {"start": "true"}}]}}`,
		`{"chef": {"set": [], "options": {"strict": "false"}}}`, `{"chef": {"set": [], "options": {"strict": false}}}`,
		`{"zzz": 1}`, `{"id": 1}`, `{"locale": 1}`, "{\"name\": \"a\\u0000b\"}",
	} {
		text = JSON(text).compact() // errors repeat the refused text
		want, wantErr := Decode(site, restaurant, json.RawMessage(text), nil)
		got, err := DecodeValue(site, restaurant, rebuilt(JSON(text)), nil)
		for _, in := range []*Input{got, want} {
			if in != nil {
				in.sent = Value{} // the source differs
			}
		}
		if !reflect.DeepEqual(err, wantErr) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nis decoded as %+v, %v\nand made of values as %+v, %v", text, want, wantErr, got, err)
		}
	}
}

func TestMadeValuesAreBoundedLikeJSON(t *testing.T) {
	site := guide(t)
	restaurant := site.Type("api::restaurant.restaurant")
	deep := Text("x")
	for range site.Settings.Limits.Depth + 1 {
		deep = List(deep)
	}
	many := List(make([]Value, MostItems(site)+1)...)
	for name, v := range map[string]Value{
		"too deep":  Object(Field{"name", deep}),
		"too many":  Object(Field{"opening_hours", many}),
		"not UTF-8": Object(Field{"name", Text("\xff")}),
		"a bad key": Object(Field{"\xff", Text("x")}),
	} {
		if _, err := DecodeValue(site, restaurant, v, nil); err == nil {
			t.Errorf("a value is accepted that is %s", name)
		}
	}
}
