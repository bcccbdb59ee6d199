package content

import (
	"testing"

	"quire/schema"
	"quire/store"
)

// With several roles, an entry must meet the conditions of one of them before and after a write,
// and only what that one lets set may change.
func TestWritesWithConditions(t *testing.T) {
	f := newFixture(t, guide(t))
	is := func(name, value string) []schema.Equality {
		return []schema.Equality{{Attribute: name, Value: value}}
	}
	every := []schema.Action{schema.Create, schema.Update, schema.Delete, schema.Publish}
	north := schema.RoleReach{Actions: every, Where: is("tagline", "north")}
	cheap := schema.RoleReach{Actions: []schema.Action{schema.Update}, Where: is("price_tier", "p1"), Fixed: []string{"name"}}
	l := f.sees(nil, nil)
	l.reaches = map[string]*schema.Reach{restaurants: {Ways: []schema.RoleReach{north, cheap}}}
	l.filters = map[string]*schema.Filter{restaurants: schema.FilterOf(north.Where, cheap.Where)}
	ada := f.as("admin:ada", l)
	make := func(tagline, tier string) string {
		return f.create("restaurant", `{"name": "One", "tagline": "`+tagline+`", "price_tier": "`+tier+`"}`, asDraft)
	}
	both, other, none := make("north", "p1"), make("south", "p1"), make("south", "p2")
	for _, one := range []struct {
		id, data string
		may      bool
	}{
		{both, `{"name": "Two"}`, true},
		{both, `{"name": "Three", "tagline": "south"}`, false},
		{both, `{"tagline": "south"}`, true},
		{other, `{"stars": 2}`, true},
		{other, `{"name": "Two"}`, false},
		{other, `{"tagline": "north"}`, true},
		{other, `{"name": "Now north's", "price_tier": "p2"}`, true},
		{other, `{"tagline": "south", "price_tier": "p1"}`, false},
	} {
		err := ada.put("restaurant", one.id, one.data, asDraft)
		if (err == nil) != one.may {
			t.Errorf("%s: %v", one.data, err)
		}
	}
	if _, missing := ada.put("restaurant", none, `{"tagline": "north"}`, asDraft).(*NotFoundError); !missing {
		t.Error("a document that no role reaches is there")
	}
	r, err := ada.request("restaurant", "", `{"name": "New"}`)
	done(t, err)
	r.Status = store.Draft
	made, err := f.writer.Create(ada.ctx, r)
	done(t, err)
	if e := f.mustRead("restaurant", store.Key{DocumentID: made.DocumentID, Locale: "en", Status: store.Draft}); e.Value("tagline").Text != "north" {
		t.Errorf("the only role that creates gives %+v", e.Value("tagline"))
	}
	r, err = ada.request("restaurant", "", `{"name": "New", "tagline": "south", "price_tier": "p1"}`)
	done(t, err)
	r.Status = store.Draft
	if _, err = f.writer.Create(ada.ctx, r); err == nil {
		t.Error("a role that creates nothing has lent its condition")
	}
}
