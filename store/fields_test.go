package store

import "testing"

func TestFieldsAreComparedByName(t *testing.T) {
	text := func(s string) Value { return Value{Kind: Text, Text: s} }
	list := func(id uint64, street string) Value {
		return Value{Kind: Instances, Instances: []Instance{{ID: id, Component: "place.address", Fields: Fields{{"street", text(street)}}}}}
	}
	base := Fields{{"name", text("Tino")}, {"address", list(1, "Main")}}
	for _, c := range []struct {
		other            Fields
		equal, butForIDs bool
	}{
		{Fields{{"address", list(1, "Main")}, {"name", text("Tino")}}, true, true},
		{Fields{{"name", text("Tino")}, {"address", list(2, "Main")}}, false, true},
		{Fields{{"name", text("Tino")}, {"address", list(1, "Side")}}, false, false},
		{Fields{{"name", text("Tina")}, {"address", list(1, "Main")}}, false, false},
		{Fields{{"name", text("Tino")}}, false, false},
	} {
		if got := base.Equal(c.other); got != c.equal {
			t.Errorf("%v equals the base: %t, want %t", c.other, got, c.equal)
		}
		if got := base.EqualButIDs(c.other); got != c.butForIDs {
			t.Errorf("%v equals the base but for ids: %t, want %t", c.other, got, c.butForIDs)
		}
	}
}

func TestWithLeavesTheFieldsAsTheyAre(t *testing.T) {
	one, two := Value{Kind: Int, Num: 1}, Value{Kind: Int, Num: 2}
	base := Fields{{"a", one}, {"b", one}}
	changed := base.With("a", two).With("b", Value{}).With("c", two)
	if !changed.Equal(Fields{{"a", two}, {"c", two}}) {
		t.Errorf("changed: %v", changed)
	}
	if !base.Equal(Fields{{"a", one}, {"b", one}}) {
		t.Errorf("the fields that were changed: %v", base)
	}
	if !changed.Value("b").IsEmpty() || !changed.With("d", Value{Kind: Edges}).Equal(changed) {
		t.Error("an empty value is stored")
	}
}
