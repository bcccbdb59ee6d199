package schema

import (
	"errors"
	"os"
	"testing"
)

func TestSight(t *testing.T) {
	site, err := Load(os.DirFS("../testdata/site"))
	if err != nil {
		t.Fatal(err)
	}
	r := site.Type("api::restaurant.restaurant")
	s, err := NewSight(r, []string{"rating", "opening_hours.note", "sections.text"}, []string{"name"})
	if err != nil {
		t.Fatal(err)
	}
	hours, quote := site.Type("place.hours"), site.Type("section.quote")
	inHours, inZone := s.Within(r.Attribute("opening_hours")), s.Within(r.Attribute("sections"))
	for _, one := range []struct {
		sight      *Sight
		attribute  *Attribute
		sees, sets bool
	}{
		{s, r.Attribute("rating"), false, false},
		{s, r.Attribute("name"), true, false},
		{s, r.Attribute("secret_note"), true, true},
		{s, r.Attribute("door_code"), false, true}, // a password
		{inHours, hours.Attribute("note"), false, false},
		{inHours, hours.Attribute("day"), true, true},
		{inZone, quote.Attribute("text"), false, false},
		{inZone, quote.Attribute("chef"), true, true},
		{s.Within(r.Attribute("location")), site.Type("place.address").Attributes[0], true, true},
		{nil, r.Attribute("rating"), true, true},
		{nil, r.Attribute("secret_note"), false, true},
		{(*Sight)(nil).Within(r.Attribute("opening_hours")), hours.Attribute("note"), false, true},
		{NoSight(), r.Attribute("name"), false, false},
	} {
		if one.sight.Sees(one.attribute) != one.sees || one.sight.Sets(one.attribute) != one.sets {
			t.Errorf("%s: sees %t, sets %t", one.attribute.Name, !one.sees, !one.sets)
		}
	}
	if s.Within(r.Attribute("location")) != WholeSight() || inHours != s.Within(r.Attribute("opening_hours")) {
		t.Error("a place has several sights")
	}
	for _, path := range []string{"nothing", "opening_hours.nothing", "name.x", "", "opening_hours.", "createdAt", "chef.name"} {
		var wrong *PathError
		if _, err := NewSight(r, nil, []string{path}); !errors.As(err, &wrong) || wrong.Path != path {
			t.Errorf("%q: %v", path, err)
		}
	}
	if s := SightOf([]string{"nothing", "opening_hours.nothing"}, nil); !s.Sees(r.Attribute("rating")) || s.KnowsPath([]string{"nothing"}) || s.KnowsPath([]string{"opening_hours", "0", "nothing"}) {
		t.Error("what is not there yet is not hidden")
	}
	if s, err := NewSight(r, nil, nil); err != nil || s != WholeSight() {
		t.Error("a sight that hides nothing is another than the whole one")
	}
}

// A sight conceals what the content API would show, and nothing else.
func TestConceals(t *testing.T) {
	site, err := Load(os.DirFS("../testdata/site"))
	if err != nil {
		t.Fatal(err)
	}
	r := site.Type("api::restaurant.restaurant")
	for _, one := range []struct {
		hidden   string
		conceals bool
	}{
		{"rating", true}, {"secret_note", false}, {"door_code", false},
		{"opening_hours", true}, {"opening_hours.day", true}, {"opening_hours.note", false}, {"sections.text", true}, {"location.geo.lat", true},
	} {
		s, err := NewSight(r, []string{one.hidden}, []string{"name"})
		if err != nil || s.Conceals(r) != one.conceals {
			t.Errorf("%s: conceals %t, %v", one.hidden, !one.conceals, err)
		}
	}
	if (*Sight)(nil).Conceals(r) || WholeSight().Conceals(r) || !NoSight().Conceals(r) {
		t.Error("those without a limit conceal something, or the blind one does not")
	}
}
