package auth

import (
	"testing"

	"quire/schema"
)

// Roles whose limits differ stay apart; a role that another one includes has no effect.
func TestUnionOfRoles(t *testing.T) {
	site := adminSite(t)
	restaurants := site.Type(restaurant)
	every := func(r TypeRights) *AdminRole { return &AdminRole{Types: map[string]TypeRights{EveryType: r}} }
	all := []string{"read", "create", "update", "delete", "publish", "unpublish"}
	author := every(TypeRights{Actions: []string{"read", "create", "update", "delete"}, Own: true})
	translator := every(TypeRights{Actions: []string{"read", "update"}, Locales: []string{"fr"}, Hidden: []string{"stars", "seo"}, ReadOnly: []string{"slug"}})
	reader := every(TypeRights{Actions: []string{"read"}, Hidden: []string{"stars", "seo.keywords"}})
	editor := every(TypeRights{Actions: all})
	caller := func(roles ...*AdminRole) *Caller {
		c, err := NewAdminCaller(site, "1", "some", roles...)
		check(t, err)
		return c
	}
	sees := func(c *Caller, name string) bool { return c.Sight(restaurants).Sees(restaurants.Attribute(name)) }
	sets := func(c *Caller, name string) bool { return c.Sight(restaurants).Sets(restaurants.Attribute(name)) }

	if c := caller(author, editor, reader); c.Reach(restaurants) != nil || !sees(c, "stars") || !sets(c, "slug") || !c.Allows(restaurants, schema.Update) {
		t.Error("an editor who is also an author may do less")
	}
	c := caller(translator, reader)
	if r := c.Reach(restaurants); r == nil || len(r.Ways) > 0 || len(r.Locales) != 1 {
		t.Errorf("a translator who is also a reader reaches %+v", r)
	}
	if sees(c, "stars") || !sees(c, "seo") || sets(c, "seo") || sets(c, "slug") {
		t.Error("a translator who is also a reader sees and sets other attributes")
	}
	c = caller(author, translator)
	r := c.Reach(restaurants)
	if r == nil || len(r.Ways) != 2 || r.Own || r.Locales != nil || !sees(c, "stars") || !sets(c, "slug") {
		t.Fatalf("an author who is also a translator reaches %+v", r)
	}
	if ways := r.For(schema.Delete); len(ways) != 1 || !ways[0].Own {
		t.Errorf("ways to delete: %+v", ways)
	}
	others := r.Sight(r.For(schema.Update)[1:])
	if others.Sets(restaurants.Attribute("slug")) || others.Sets(restaurants.Attribute("stars")) || !others.Sets(restaurants.Attribute("name")) || !others.Sees(restaurants.Attribute("stars")) {
		t.Error("what a translator sets of documents of others")
	}
	if *c.Rights() == *caller(author).Rights() || *c.Rights() != *caller(author, translator).Rights() {
		t.Error("rights identify the roles")
	}
	publisher := every(TypeRights{Actions: []string{"read", "publish"}})
	if c := caller(author, publisher); !c.Allows(restaurants, schema.Update) || c.Allows(restaurants, schema.Unpublish) {
		t.Error("updating and publishing come from two roles")
	}
	if !caller(reader, &AdminRole{Full: true}).Full() || caller().Allows(restaurants, schema.Find) {
		t.Error("an owner with another role, and an account without one")
	}
}

// Users are not documents: what one of the roles that write them does not let set, stays.
func TestUnionOfRolesOnUsers(t *testing.T) {
	site := adminSite(t)
	users := site.Type(schema.UserUID)
	on := func(r TypeRights) *AdminRole { return &AdminRole{Types: map[string]TypeRights{schema.UserUID: r}} }
	helper := on(TypeRights{Actions: []string{"read", "update"}, Hidden: []string{"email"}, ReadOnly: []string{"role"}})
	maker := on(TypeRights{Actions: []string{"read", "create"}})
	all := on(TypeRights{Actions: []string{"read", "create", "update"}})
	for name, c := range map[string]struct {
		roles []*AdminRole
		sets  bool
	}{"apart": {[]*AdminRole{helper, maker}, false}, "included": {[]*AdminRole{helper, maker, all}, true}} {
		caller, err := NewAdminCaller(site, "1", "some", c.roles...)
		check(t, err)
		if sight := caller.Sight(users); sight.Sets(users.Attribute("role")) != c.sets || !sight.Sees(users.Attribute("email")) || !caller.HasPermission(CreateUser) || !caller.HasPermission(UpdateUser) {
			t.Errorf("%s: the role is set: %t", name, sight.Sets(users.Attribute("role")))
		}
	}
}
