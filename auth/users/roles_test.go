package users_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/auth"
	"quire/content"
	"quire/schema"
)

const twoRoles = `{"auth": {"rateLimit": {"enabled": false}}, "roles": {
	"public": {"api::dish.dish": ["find"]},
	"author": {"api::dish.dish": ["create"]}
}}`

// types names the roles, in the order of their ids.
func types(h *fixture) string {
	var list []string
	for _, r := range h.Roles() {
		list = append(list, r.Type)
	}
	return strings.Join(list, " ")
}

func TestEverySiteHasItsRoles(t *testing.T) {
	h := openFixture(t, `{}`)
	if got := types(h); got != "authenticated public" {
		t.Errorf("without site.json: %s", got)
	}
	if got := strings.Join(h.Role("public").Permissions(), " "); got != "plugin::users-permissions.auth.callback plugin::users-permissions.auth.connect "+
		"plugin::users-permissions.auth.emailConfirmation plugin::users-permissions.auth.forgotPassword plugin::users-permissions.auth.refresh "+
		"plugin::users-permissions.auth.register plugin::users-permissions.auth.resetPassword plugin::users-permissions.auth.sendEmailConfirmation" {
		t.Errorf("the public may %s", got)
	}
	h = openFixture(t, twoRoles)
	if got := types(h); got != "authenticated public author" {
		t.Errorf("with site.json: %s", got)
	}
	for kind, inSite := range map[string]bool{"authenticated": false, "public": true, "author": true} {
		if r := h.Role(kind); r.InSite != inSite {
			t.Errorf("%s: in the site %v", kind, r.InSite)
		}
	}
	h.check(h.EnsureRoles(t.Context()))
	if got := types(h); got != "authenticated public author" {
		t.Errorf("after a second start: %s", got)
	}
}

// A controller that site.json names has what it lists and no more.
func TestSignInCanBeTakenAway(t *testing.T) {
	h := openFixture(t, `{"roles": {"public": {"plugin::users-permissions.auth": ["callback"]}, "authenticated": {"plugin::users-permissions.auth": []}}}`)
	public, authenticated := h.Role("public"), h.Role("authenticated")
	if !public.HasPermission(auth.SignIn) || public.HasPermission(auth.Register) {
		t.Error("the public may", public.Permissions())
	}
	if authenticated.HasPermission(auth.ChangePassword) || !authenticated.HasPermission(auth.Me) {
		t.Error("users may", authenticated.Permissions())
	}
}

// permissions is the form of a role's permissions in a body.
func permissions(names ...string) json.RawMessage {
	tree := map[string]map[string]map[string]map[string]map[string]bool{}
	for _, name := range names {
		uid, action := name[:strings.LastIndexByte(name, '.')], name[strings.LastIndexByte(name, '.')+1:]
		group, controller := uid[:strings.LastIndexByte(uid, '.')], uid[strings.LastIndexByte(uid, '.')+1:]
		if tree[group] == nil {
			tree[group] = map[string]map[string]map[string]map[string]bool{"controllers": {}}
		}
		if tree[group]["controllers"][controller] == nil {
			tree[group]["controllers"][controller] = map[string]map[string]bool{}
		}
		tree[group]["controllers"][controller][action] = map[string]bool{"enabled": true}
	}
	text, _ := json.Marshal(tree)
	return text
}

func TestRolesChangeAtOnce(t *testing.T) {
	h := openFixture(t, twoRoles)
	s := h.join("ana")
	dish := h.site.Type("api::dish.dish")
	may := func(a schema.Action) bool {
		identity, err := h.authenticate(s.JWT)
		h.check(err)
		return identity.Caller.Allows(dish, a)
	}
	h.check(h.CreateRole(t.Context(), form(t, map[string]any{"name": "Éditeur en chef", "description": "d", "permissions": permissions("api::dish.dish.find")})))
	editor := h.Role("editeur-en-chef")
	if editor == nil {
		t.Fatal("there is no such role; there are", types(h))
	}
	if may(schema.Find) {
		t.Error("a user may what only editors may")
	}
	h.check(h.UpdateUser(t.Context(), s.DocumentID, form(t, map[string]any{"role": editor.DocumentID}), everything{}))
	if !may(schema.Find) || may(schema.Update) {
		t.Error("the user may not what editors may")
	}
	h.check(h.UpdateRole(t.Context(), editor, form(t, map[string]any{"permissions": permissions("api::dish.dish.update")})))
	if may(schema.Find) || !may(schema.Update) {
		t.Error("the user may not what editors may since")
	}
	h.check(h.DeleteRole(t.Context(), h.Role("editeur-en-chef")))
	identity, err := h.authenticate(s.JWT)
	h.check(err)
	if got := identity.String(); got != `user 1, role "authenticated"` || h.CountUsers(h.Role("authenticated")) != 1 {
		t.Errorf("after the role is gone: %s", got)
	}
}

// A user whose role is gone may nothing.
func TestUsersWithoutRole(t *testing.T) {
	h := openFixture(t, twoRoles)
	s := h.join("ana")
	h.check(h.UpdateUser(t.Context(), s.DocumentID, form(t, map[string]any{"role": nil}), everything{}))
	identity, err := h.authenticate(s.JWT)
	h.check(err)
	for _, p := range auth.AllPermissions(h.site) {
		if identity.Caller.HasPermission(p) {
			t.Errorf("the user may %s", p)
		}
	}
}

// Callers are the same pointers as long as nothing about them changes, so that
// what is derived of them can be kept.
func TestRolesAreStable(t *testing.T) {
	h := openFixture(t, twoRoles)
	s := h.join("ana")
	caller := func() *auth.Caller {
		identity, err := h.authenticate(s.JWT)
		h.check(err)
		return identity.Caller
	}
	user, public := caller(), h.Public()
	h.join("bob")
	h.check(h.CreateRole(t.Context(), with(t, "name", "Other")))
	h.check(h.reload(h.site))
	if caller() != user || h.Public() != public {
		t.Error("a caller is another one although nothing about it has changed")
	}
	h.check(h.UpdateRole(t.Context(), h.Role("authenticated"), form(t, map[string]any{"permissions": permissions("api::dish.dish.find")})))
	if caller() == user {
		t.Error("a caller is the same although it may something else")
	}
}

func TestRolesOutliveARestart(t *testing.T) {
	file, site, c := filepath.Join(t.TempDir(), "quire.db"), loadSite(t, twoRoles), start()
	h := reopenFixture(t, file, site, c, options{})
	h.check(h.CreateRole(t.Context(), form(t, map[string]any{"name": "Editor", "permissions": permissions("api::dish.dish.find", "plugin::upload.content-api.upload")})))
	h.settle()
	h.check(h.db.Close())
	again := reopenFixture(t, file, site, c, options{})
	if got := again.Role("editor").Permissions(); !slices.Equal(got, []string{"api::dish.dish.find", "plugin::upload.content-api.upload"}) {
		t.Errorf("got %v", got)
	}
}

func TestRolesRefuse(t *testing.T) {
	h := openFixture(t, twoRoles)
	h.check(h.CreateRole(t.Context(), with(t, "name", "Editor")))
	create := func(members map[string]any) error { return h.CreateRole(t.Context(), form(t, members)) }
	change := func(kind string, members map[string]any) error {
		return h.UpdateRole(t.Context(), h.Role(kind), form(t, members))
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{create(nil), "name is a required field"},
		{create(map[string]any{"name": 5}), "name must be a `string` type"},
		{create(map[string]any{"name": "ab"}), "name must be at least 3 characters"},
		{create(map[string]any{"name": "!!!"}), "name needs a letter or digit"},
		{create(map[string]any{"name": "editor!"}), "A role with that name already exists"},
		{create(map[string]any{"name": "Public"}), "A role with that name already exists"},
		{create(map[string]any{"name": "abc", "description": 5}), "description must be a `string` type"},
		{create(map[string]any{"name": "abc", "permissions": []string{"api::dish.dish.find"}}), "permissions must look like"},
		{create(map[string]any{"name": "abc", "permissions": permissions("api::dish.dish.find", "api::nope.nope.find", "plugin::users-permissions.auth.nope")}),
			"Unknown permissions provided: api::nope.nope.find, plugin::users-permissions.auth.nope"},
		{change("author", map[string]any{"name": "x"}), `The role "author" is set under "roles" in site.json of the site folder; change it there`},
		{change("editor", map[string]any{"name": nil}), "name is a required field"},
		{h.DeleteRole(t.Context(), h.Role("author")), `The role "author" is set under "roles" in site.json of the site folder; change it there`},
		{h.DeleteRole(t.Context(), h.Role("authenticated")), "Cannot delete authenticated role"},
	} {
		if test.err == nil || !strings.HasPrefix(test.err.Error(), test.want) {
			t.Errorf("got %v, want %s", test.err, test.want)
		}
	}
	plain := openFixture(t, `{}`)
	if err := plain.DeleteRole(t.Context(), plain.Role("public")); !errors.As(err, new(*content.ApplicationError)) || err.Error() != "Cannot delete public role" {
		t.Errorf("deleting public: %v", err)
	}
}

func TestTree(t *testing.T) {
	h := openFixture(t, twoRoles)
	tree := auth.NewTree(h.site, h.Role("public").HasPermission)
	text, err := json.Marshal(tree)
	h.check(err)
	granted, err := auth.ReadTree(h.site, text)
	h.check(err)
	var names []string
	for _, p := range granted {
		names = append(names, p.String())
	}
	slices.Sort(names)
	if !slices.Equal(names, h.Role("public").Permissions()) {
		t.Errorf("a tree that is read back allows %v", names)
	}
	if leaf := tree["api::dish"].Controllers["dish"]["delete"]; leaf.Enabled {
		t.Error("the tree allows what the role does not")
	}
	if got := len(tree["plugin::users-permissions"].Controllers); got != 4 {
		t.Errorf("users-permissions has %d controllers", got)
	}
}
