package content

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"quire/content/body"
	"quire/store"
)

// instances returns the instances in one attribute as "id:value".
func instances(v store.Value, attribute string) string {
	var out []string
	for _, r := range v.Instances {
		out = append(out, fmt.Sprintf("%d:%s", r.ID, r.Value(attribute).Text))
	}
	return strings.Join(out, " ")
}

func TestComponentIdentity(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "Comp",
		"location": {"street": "1 A", "city": "X", "geo": {"lat": 1, "lng": 2}},
		"opening_hours": [{"day": "mon", "opens": "10:00:00"}, {"day": "tue"}],
		"sections": [{"__component": "section.cta", "label": "one"}, {"__component": "section.quote", "text": "two"}]}`)
	live := func(attribute string) store.Value { return f.mustRead("restaurant", liveOf(id, "en")).Value(attribute) }
	location, hours, sections := live("location").Instances[0], live("opening_hours").Instances, live("sections").Instances
	if draft := f.mustRead("restaurant", draftOf(id, "en")).Value("location").Instances[0]; draft.ID != location.ID {
		t.Error("draft and published version have different component ids")
	}

	// An instance with its id is changed in part. One without it is replaced.
	f.update("restaurant", id, fmt.Sprintf(`{"location": {"id": %d, "street": "2 B", "geo": {"id": %d, "lat": 5}}}`, location.ID, location.Value("geo").Instances[0].ID))
	kept := live("location").Instances[0]
	geo := kept.Value("geo").Instances[0]
	if kept.ID != location.ID || kept.Value("street").Text != "2 B" || kept.Value("city").Text != "X" || geo.Value("lat").Real != 5 || geo.Value("lng").Real != 2 {
		t.Errorf("the kept location is %+v", kept)
	}
	f.update("restaurant", id, `{"location": {"street": "3 C"}}`)
	if fresh := live("location").Instances[0]; fresh.ID == location.ID || fresh.Value("city").Kind != store.Null {
		t.Errorf("the replaced location is %+v", fresh)
	}

	// A list gets the order of the input, and loses the instances that the input does
	// not name.
	f.update("restaurant", id, fmt.Sprintf(`{"opening_hours": [{"day": "sun"}, {"id": %d, "day": "wed"}]}`, hours[0].ID))
	list := live("opening_hours")
	if want := fmt.Sprintf("%d:sun %d:wed", list.Instances[0].ID, hours[0].ID); instances(list, "day") != want || list.Instances[1].Value("opens").Text != "10:00:00" {
		t.Errorf("hours are %s, want %s", instances(list, "day"), want)
	}

	// Ids of other instances or of other components are unknown here, and so are ids
	// that are used twice.
	for _, body := range []string{
		fmt.Sprintf(`{"location": {"id": %d, "street": "gone"}}`, location.ID),
		`{"opening_hours": [{"id": 999999, "day": "mon"}]}`,
		fmt.Sprintf(`{"opening_hours": [{"id": %d}, {"id": %[1]d}]}`, hours[0].ID),
		fmt.Sprintf(`{"sections": [{"__component": "section.quote", "id": %d}]}`, sections[0].ID+100),
		`{"location": {"street": "x", "geo": {"id": 1}}}`,
		`{"location": {"id": 0, "street": "x"}}`,
	} {
		var foreign *ApplicationError
		if _, err := f.tryUpdate("restaurant", id, body); !errors.As(err, &foreign) || !strings.HasPrefix(foreign.Message, "Some of the provided components in ") {
			t.Errorf("%s: got %v", body, err)
		}
	}
	f.update("restaurant", id, fmt.Sprintf(`{"sections": [{"__component": "section.quote", "id": %d, "by": "me"}]}`, sections[1].ID))
	if got := live("sections").Instances; len(got) != 1 || got[0].Value("text").Text != "two" || got[0].Value("by").Text != "me" {
		t.Errorf("sections are %+v", got)
	}
}

// A new instance gets defaults for missing values; a changed one does not.
func TestComponentDefaults(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "Comp", "sections": [{"__component": "section.cta", "label": "a"}, {"__component": "section.cta", "label": "b", "style": null}]}`)
	sections := f.mustRead("restaurant", liveOf(id, "en")).Value("sections")
	if got := []string{sections.Instances[0].Value("style").Text, sections.Instances[1].Value("style").Text}; got[0] != "primary" || got[1] != "" {
		t.Errorf("styles are %q", got)
	}
	f.update("restaurant", id, fmt.Sprintf(`{"sections": [{"__component": "section.cta", "id": %d, "label": "c"}]}`, sections.Instances[1].ID))
	if style := f.mustRead("restaurant", liveOf(id, "en")).Value("sections").Instances[0].Value("style"); style.Kind != store.Null {
		t.Errorf("the style became %+v", style)
	}
}

func TestComponentLinks(t *testing.T) {
	f := newFixture(t, guide(t))
	a, b := f.create("restaurant", `{"name": "aa"}`), f.create("restaurant", `{"name": "bb"}`)
	id := f.create("restaurant", fmt.Sprintf(`{"name": "cc", "sections": [{"__component": "section.related", "restaurants": [%q]}]}`, a))
	related := f.mustRead("restaurant", liveOf(id, "en")).Value("sections").Instances[0]
	f.update("restaurant", id, fmt.Sprintf(`{"sections": [{"__component": "section.related", "id": %d, "restaurants": {"connect": [{"documentId": %q, "position": {"start": true}}]}}]}`, related.ID, b))
	edges := f.mustRead("restaurant", liveOf(id, "en")).Value("sections").Instances[0].Value("restaurants").Edges
	if len(edges) != 2 || edges[0].Target != b || edges[1].Target != a {
		t.Errorf("edges are %+v", edges)
	}
	_, err := f.tryUpdate("restaurant", id, `{"sections": [{"__component": "section.related", "restaurants": ["nobody"]}]}`)
	if !errors.As(err, new(*body.ValidationError)) {
		t.Errorf("got %v", err)
	}
}
