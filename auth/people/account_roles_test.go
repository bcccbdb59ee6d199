package people

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema"
	"quire/store"
)

// What a form says about roles, and what of it is wrong.
func TestFormsOfRoles(t *testing.T) {
	n := openNode(t, nil)
	root := n.addAccount("root", "owner")
	ana := n.addAccount("ana", "editor")
	text := func(s string) *string { return &s }
	ids := func(ids ...string) *[]string { return &ids }
	many := strings.Split(strings.Repeat("editor ", 11), " ")[:11]
	for _, c := range []struct {
		change AccountChange
		roles  string // or the key of the error, with a !
	}{
		{AccountChange{Roles: ids("author", "reader")}, "author reader"},
		{AccountChange{Name: text("Anna")}, "author reader"},
		{AccountChange{Role: text("reader"), Roles: ids("author", "reader")}, "author reader"},
		{AccountChange{Role: text("reader")}, "reader"},
		{AccountChange{Roles: ids("reader", "owner")}, "owner reader"},
		{AccountChange{Roles: ids("editor")}, "editor"},
		{AccountChange{Role: text("reader"), Roles: ids("editor")}, "!role"},
		{AccountChange{Role: text("king")}, "!role"},
		{AccountChange{Role: text("")}, "!role"},
		{AccountChange{Roles: ids("editor", "king")}, "!roles"},
		{AccountChange{Roles: ids("editor", "")}, "!roles"},
		{AccountChange{Roles: ids("editor", "editor")}, "!roles"},
		{AccountChange{Roles: ids()}, "!roles"},
		{AccountChange{Roles: ids(many...)}, "!roles"},
	} {
		a, err := n.Change(t.Context(), By{Account: root}, ana.ID, c.change)
		wrong := (*FieldError)(nil)
		if key, refused := strings.CutPrefix(c.roles, "!"); refused {
			if !errors.As(err, &wrong) || wrong.Key != key {
				t.Errorf("%s: %v", c.roles, err)
			}
			continue
		}
		if err != nil || idsOf(a.record.roles()) != c.roles {
			t.Errorf("%s: %v, %v", c.roles, a, err)
		}
	}
	if got := idsOf(n.ByID(ana.ID).record.roles()); got != "editor" {
		t.Errorf("after refused changes the roles are %s", got)
	}
	for _, form := range []NewAccount{{Name: "Bob", Email: "bob@example.org"}, {Name: "Bob", Email: "bob@example.org", Roles: []string{}}} {
		if _, err := n.Create(t.Context(), By{}, form); !errors.As(err, new(*FieldError)) {
			t.Errorf("an account without a role: %v", err)
		}
	}
}

// An account with several roles may do what one of them allows, and needs what one of them needs.
func TestSeveralRoles(t *testing.T) {
	n := openNode(t, nil)
	manager, err := n.CreateRole(By{}, RoleForm{Name: "Managers", Rights: auth.AdminRole{Site: []string{"accounts"}}, Second: true})
	check(t, err)
	ana, err := n.Create(t.Context(), By{}, NewAccount{Name: "ana", Email: "ana@example.org", Roles: []string{"author", manager.ID}, Password: secret})
	check(t, err)
	n.addAccount("root", "owner")
	dishes := loadSite(t).Type(dish)
	if c := ana.Sees(); !c.HasPermission(auth.ManageAccounts) || !c.Allows(dishes, schema.Delete) || c.Allows(dishes, schema.Unpublish) || c.Reach(dishes) == nil || !c.Reach(dishes).Own {
		t.Errorf("ana may %v, %+v", c, c.Reach(dishes))
	}
	if !ana.Roles.NeedsFactor(&loadSite(t).Settings.Admin) || (Roles{builtIn()[1]}).NeedsFactor(&loadSite(t).Settings.Admin) {
		t.Error("one of the roles needs a second factor")
	}
	if many := n.HowMany(); many["author"] != 1 || many[manager.ID] != 1 {
		t.Errorf("accounts of each role: %v", many)
	}
	if err := n.RemoveRole(By{}, manager.ID); !errors.As(err, new(*RefusedError)) {
		t.Errorf("a role that an account has besides another: %v", err)
	}
	give := func(roles ...string) error {
		_, err := n.Create(t.Context(), By{Account: ana}, NewAccount{Name: "bob", Email: strings.Join(roles, ".") + "@example.org", Roles: roles})
		return err
	}
	check(t, give("author"))
	check(t, give(manager.ID, "author"))
	if err := give("author", "editor"); !errors.Is(err, ErrForbidden) {
		t.Errorf("a role with more rights than those of all roles: %v", err)
	}
}

// A link that somebody has seen stops working when they may no longer change its account: with it,
// they could take over an account that has got more rights since.
func TestLinkOfSomebodyWithFewerRights(t *testing.T) {
	type world struct {
		*node
		manager, ana *Account
	}
	for what, change := range map[string]func(w *world) error{
		"the account gets another role": func(w *world) error {
			_, err := w.Change(t.Context(), By{}, w.ana.ID, AccountChange{Roles: &[]string{"author", "owner"}})
			return err
		},
		"the manager gets another role": func(w *world) error {
			_, err := w.Change(t.Context(), By{}, w.manager.ID, AccountChange{Roles: &[]string{"author"}})
			return err
		},
		"the manager is blocked": func(w *world) error {
			_, err := w.Change(t.Context(), By{}, w.manager.ID, AccountChange{Blocked: new(true)})
			return err
		},
		"the manager is removed": func(w *world) error { return w.Remove(By{}, w.manager.ID) },
	} {
		n := openNode(t, nil)
		n.addAccount("root", "owner")
		role, err := n.CreateRole(By{}, RoleForm{Name: "Managers", Rights: auth.AdminRole{Site: []string{"accounts"}}})
		check(t, err)
		w := &world{node: n, ana: n.addAccount("ana", "author")}
		w.manager, err = n.Create(t.Context(), By{}, NewAccount{Name: "max", Email: "max@example.org", Roles: []string{role.ID, "author"}, Password: secret})
		check(t, err)
		token, _, err := n.ResetLink(By{Account: w.manager}, w.ana.ID)
		check(t, err)
		if a, err := n.LinkOf(token); err != nil || a.ID != w.ana.ID {
			t.Fatalf("%s: before that the link is for %v, %v", what, a, err)
		}
		check(t, change(w))
		if _, err := n.LinkOf(token); !errors.Is(err, ErrLink) {
			t.Errorf("%s: the link is shown: %v", what, err)
		}
		if _, err := n.Choose(t.Context(), Choice{Token: token, Password: "another password"}); !errors.Is(err, ErrLink) {
			t.Errorf("%s: the link gives a password: %v", what, err)
		}
	}
}

// The last owner stays one, whatever other roles there are.
func TestLastOwnerAmongRoles(t *testing.T) {
	n := openNode(t, nil)
	ana := n.addAccount("ana", "owner")
	both, one := []string{"editor", "owner"}, []string{"editor"}
	_, err := n.Change(t.Context(), By{}, ana.ID, AccountChange{Roles: &both})
	check(t, err)
	if _, err := n.Change(t.Context(), By{}, ana.ID, AccountChange{Roles: &one}); !errors.As(err, new(*RefusedError)) {
		t.Errorf("the last owner becomes an editor: %v", err)
	}
	n.addAccount("bob", "owner")
	_, err = n.Change(t.Context(), By{}, ana.ID, AccountChange{Roles: &one})
	check(t, err)
}

// What a former version has written is read as it is. What this one writes, a former one reads as
// an account with the first role.
func TestRecordsOfRoles(t *testing.T) {
	n := openNode(t, nil)
	n.put(accountsBucket, map[string]string{"a1": `{"name":"Ana","email":"ana@example.org","role":"editor","created":"2026-05-04T09:00:00Z"}`})
	check(t, n.Reload(loadSite(t)))
	if got := n.ByID("a1"); got == nil || idsOf(got.record.roles()) != "editor" || got.Roles[0].Name != "Editor" {
		t.Fatalf("read: %+v", got)
	}
	roles := []string{"reader", "author"}
	_, err := n.Change(t.Context(), By{}, "a1", AccountChange{Roles: &roles})
	check(t, err)
	check(t, n.db.View(func(tx *store.Tx) error {
		value, err := tx.Record(accountsBucket, "a1")
		var former struct{ Role string }
		if err := json.Unmarshal(value, &former); err != nil || former.Role != "reader" {
			t.Errorf("a former version reads %q, %v", value, err)
		}
		return err
	}))
	n.put(accountsBucket, map[string]string{"a2": `{"name":"Bob","email":"bob@example.org","role":"gone","otherRoles":["reader"],"created":"2026-05-04T09:00:00Z"}`})
	check(t, n.Reload(loadSite(t)))
	if got := n.ByID("a2"); got.Roles.Names() != "Reader" || slices.Contains(got.Roles.Site(), Accounts) {
		t.Errorf("an account with a role that is gone and another: %+v", got.Roles)
	}
}
