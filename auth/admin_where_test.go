package auth

import (
	"testing"

	"quire/schema"
)

// What several roles with conditions show: together the entries of all of them, and no attribute
// that the role for an entry hides.
func TestConditionsOfSeveralRoles(t *testing.T) {
	site := adminSite(t)
	restaurants := site.Type(restaurant)
	role := func(r TypeRights) *AdminRole { return &AdminRole{Types: map[string]TypeRights{restaurant: r}} }
	on := func(account string) []Where {
		if account == "" {
			return nil
		}
		return []Where{{Attribute: "name", Account: account}}
	}
	values := AccountValues{"team": "north", "country": "de"}
	reader := func(hidden string, account string) *AdminRole {
		r := TypeRights{Actions: []string{"read"}, Where: on(account)}
		if hidden != "" {
			r.Hidden = []string{hidden}
		}
		of := role(r).For(values)
		return &of
	}
	for name, one := range map[string]struct {
		roles []*AdminRole
		ways  int // -1 for all entries
		shown bool
	}{
		"one condition":                        {[]*AdminRole{reader("", "team")}, 1, true},
		"two conditions":                       {[]*AdminRole{reader("", "team"), reader("", "country")}, 2, true},
		"the same twice":                       {[]*AdminRole{reader("stars", "team"), reader("", "team")}, 1, false},
		"with one that hides":                  {[]*AdminRole{reader("", "team"), reader("stars", "country")}, 2, false},
		"with all entries, of which one hides": {[]*AdminRole{reader("", "team"), reader("stars", "")}, -1, false},
		"with all of all entries":              {[]*AdminRole{reader("stars", "team"), reader("", "")}, -1, true},
		"without the value":                    {[]*AdminRole{reader("", "region")}, -1, true},
	} {
		c, err := NewAdminCaller(site, "1", "some", one.roles...)
		if err != nil {
			t.Fatal(name, err)
		}
		if f := c.Filter(restaurants); (f == nil) != (one.ways < 0) || f != nil && len(f.Ways) != one.ways {
			t.Errorf("%s: the filter is %v", name, f)
		}
		if got := c.Sight(restaurants).Sees(restaurants.Attribute("stars")); got != one.shown {
			t.Errorf("%s: shows the attribute: %t", name, got)
		}
		if name == "without the value" && c.Allows(restaurants, schema.Find) {
			t.Error("a condition on a value that the account does not have allows something")
		}
		agent, err := NewAssistantCaller(site, "1.2", "some", true, one.roles...)
		if err != nil || (agent.Filter(restaurants) == nil) != (one.ways < 0) {
			t.Errorf("%s: an assistant has another filter: %v %v", name, agent.Filter(restaurants), err)
		}
		shown := Identity{Caller: c}.narrowed(Preview{restaurant, "doc", ""})
		if (shown.Filter(restaurants) == nil) != (one.ways < 0) {
			t.Errorf("%s: a preview link has another filter", name)
		}
	}
	north, _ := NewAdminCaller(site, "1", "some", reader("", "team"))
	south, _ := NewAdminCaller(site, "1", "some", reader("", "country"))
	if *north.Rights() == *south.Rights() {
		t.Error("accounts with other values have the same rights")
	}
}
