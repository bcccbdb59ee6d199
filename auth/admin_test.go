package auth

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"quire/schema"
)

const restaurant, review, dish = "api::restaurant.restaurant", "api::review.review", "api::dish.dish"

func adminSite(t *testing.T) *schema.Site {
	t.Helper()
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(t, err)
	return site
}

func adminCaller(t *testing.T, site *schema.Site, id string, role AdminRole) *Caller {
	t.Helper()
	c, err := NewAdminCaller(site, id, "some", &role)
	check(t, err)
	return c
}

// held are the actions that a caller may perform on a type, in the order of Actions.
func held(c *Caller, t *schema.Type) string {
	var names []string
	for _, a := range t.Actions() {
		if c.Allows(t, a) {
			names = append(names, string(a))
		}
	}
	return strings.Join(names, " ")
}

func TestActionsOfAnAdminRole(t *testing.T) {
	site := adminSite(t)
	for _, one := range []struct{ uid, actions, held string }{
		{restaurant, "read", "find findOne readHistory readDraft"},
		{restaurant, "create", "duplicate createDraft"},
		{restaurant, "update", "updateDraft discardDraft previewLink"},
		{restaurant, "delete", "delete"},
		{restaurant, "publish", "publish"},
		{restaurant, "unpublish", "unpublish"},
		{restaurant, "update publish", "update updateDraft publish discardDraft previewLink"},
		{restaurant, "create publish", "create duplicate createDraft publish"},
		{review, "read create update delete publish unpublish", "find findOne create update delete duplicate readHistory"},
		{"api::global.global", "read update", "find update readHistory"},
		{restaurant, "", ""},
	} {
		named := AdminRole{Types: map[string]TypeRights{one.uid: {Actions: strings.Fields(one.actions)}}}
		rest := AdminRole{Types: map[string]TypeRights{EveryType: {Actions: strings.Fields(one.actions)}}}
		for _, role := range []AdminRole{named, rest} {
			c := adminCaller(t, site, "1", role)
			if got := held(c, site.Type(one.uid)); got != one.held {
				t.Errorf("%s, %s: %s", one.uid, one.actions, got)
			}
			if user := site.Type(schema.UserUID); held(c, user) != "" || c.HasPermission(FindFiles) || c.HasPermission(ManageAccounts) || c.Full() {
				t.Errorf("%s: more than the type is allowed", one.actions)
			}
		}
	}
	all := BuiltInAdminRoles()
	if owner := adminCaller(t, site, "1", all["owner"]); !owner.Full() || !owner.HasPermission(ManageAccounts) || !owner.HasPermission(DeleteFile) {
		t.Error("an owner may not do everything")
	}
	developer := adminCaller(t, site, "1", all["developer"])
	if !developer.HasPermission(ManageSchemas) || developer.HasPermission(ManageAccounts) || !developer.HasPermission(PublishRelease) {
		t.Error("a developer has the wrong rights")
	}
	if author := adminCaller(t, site, "1", all["author"]); author.HasPermission(Permission{restaurant, schema.Publish}) || !author.HasPermission(Upload) || author.HasPermission(DeleteFile) {
		t.Error("an author has the wrong rights")
	}
}

// A type that a role names has what the role says of it, and nothing of EveryType.
func TestATypeThatARoleNames(t *testing.T) {
	site := adminSite(t)
	c := adminCaller(t, site, "1", AdminRole{Types: map[string]TypeRights{EveryType: {Actions: []string{"read", "delete"}, Hidden: []string{"name"}}, review: {Actions: []string{"read"}}}})
	r := site.Type(restaurant)
	if held(c, site.Type(review)) != "find findOne readHistory" || !c.Allows(r, schema.Find) {
		t.Error("a named type has the rights of the others")
	}
	if c.Sight(r).Sees(r.Attribute("name")) || !c.Sight(r).Sees(r.Attribute("secret_note")) || c.Sight(r).Sees(r.Attribute("door_code")) {
		t.Error("the wrong attributes are seen")
	}
	if c.HasPermission(FindUsers) || c.HasPermission(FindRoles) {
		t.Error("users are among the types that are not named")
	}
}

// A role that names users may do with them what it says, and sees none of their secrets;
// neither does an owner.
func TestARoleThatNamesUsers(t *testing.T) {
	site := adminSite(t)
	user := site.Type(schema.UserUID)
	of := func(rights TypeRights) *Caller {
		return adminCaller(t, site, "1", AdminRole{Types: map[string]TypeRights{schema.UserUID: rights}})
	}
	for action, held := range map[string][]Permission{
		"read": {FindUsers, FindUser, CountUsers, FindRoles}, "create": {CreateUser}, "update": {UpdateUser}, "delete": {DeleteUser},
	} {
		c := of(TypeRights{Actions: []string{action}})
		for _, p := range AllPermissions(site) {
			if c.HasPermission(p) != (slices.Contains(held, p) || p == ListLocales) {
				t.Errorf("%s: holds %s: %t", action, p, c.HasPermission(p))
			}
		}
	}
	for name, sight := range map[string]*schema.Sight{
		"owner": adminCaller(t, site, "1", AdminRole{Full: true}).Sight(user), "role": of(TypeRights{Actions: []string{"read"}, Hidden: []string{"email"}}).Sight(user),
	} {
		for _, secret := range []string{"password", "resetPasswordToken", "confirmationToken", "sessionEpoch"} {
			if sight.Sees(user.Attribute(secret)) {
				t.Errorf("%s sees %s", name, secret)
			}
		}
		if !sight.Sees(user.Attribute("username")) || sight.Sees(user.Attribute("email")) != (name == "owner") {
			t.Errorf("%s sees the wrong attributes", name)
		}
	}
}

func TestWhatIsWrongWithAnAdminRole(t *testing.T) {
	site := adminSite(t)
	of := func(r TypeRights) AdminRole { return AdminRole{Types: map[string]TypeRights{restaurant: r}} }
	for _, one := range []struct {
		role AdminRole
		path string
	}{
		{AdminRole{Files: []string{"rename"}}, "files"},
		{AdminRole{Site: []string{"everything"}}, "site"},
		{AdminRole{Types: map[string]TypeRights{"api::none.none": {}}}, "types api::none.none"},
		{AdminRole{Types: map[string]TypeRights{schema.RoleUID: {}}}, "types " + schema.RoleUID},
		{AdminRole{Types: map[string]TypeRights{schema.UserUID: {Actions: []string{"publish"}}}}, "types " + schema.UserUID + " actions"},
		{AdminRole{Types: map[string]TypeRights{schema.UserUID: {Own: true}}}, "types " + schema.UserUID + " own"},
		{AdminRole{Types: map[string]TypeRights{schema.UserUID: {Hidden: []string{"sessionEpoch"}}}}, "types " + schema.UserUID + " hidden"},
		{AdminRole{Types: map[string]TypeRights{schema.UserUID: {Actions: []string{"create"}, ReadOnly: []string{"role"}}}}, "types " + schema.UserUID + " actions"},
		{AdminRole{Types: map[string]TypeRights{"place.hours": {}}}, "types place.hours"},
		{of(TypeRights{Actions: []string{"find"}}), "types " + restaurant + " actions"},
		{of(TypeRights{Locales: []string{"xx"}}), "types " + restaurant + " locales"},
		{of(TypeRights{Hidden: []string{"nothing"}}), "types " + restaurant + " hidden"},
		{of(TypeRights{ReadOnly: []string{"opening_hours.nothing"}}), "types " + restaurant + " readOnly"},
		{of(TypeRights{Hidden: slices.Repeat([]string{"name"}, maxRolePaths+1)}), "types " + restaurant + " hidden"},
		{AdminRole{Types: map[string]TypeRights{EveryType: {Hidden: []string{"nothing"}}}}, "types * hidden"},
	} {
		var wrong *AdminRoleError
		if err := one.role.Check(site); !errors.As(err, &wrong) || strings.Join(wrong.Path, " ") != one.path {
			t.Errorf("%s: %v", one.path, err)
		}
	}
}

// Answers and prepared queries are shared by callers of equal rights, and by no others.
func TestRightsOfAdminCallers(t *testing.T) {
	site := adminSite(t)
	of := func(r TypeRights) AdminRole { return AdminRole{Types: map[string]TypeRights{restaurant: r}} }
	read := []string{"read"}
	own := of(TypeRights{Actions: read, Own: true})
	callers := []*Caller{
		newRole("public", nil), (&token{Kind: FullAccess}).caller(),
		newRole("reader", []Permission{{restaurant, schema.Find}, {restaurant, schema.FindOne}, {restaurant, schema.ReadDraft}, {restaurant, schema.ReadHistory}, ListLocales}),
		adminCaller(t, site, "1", AdminRole{}), adminCaller(t, site, "1", AdminRole{Full: true}),
		adminCaller(t, site, "1", of(TypeRights{Actions: read})),
		adminCaller(t, site, "1", of(TypeRights{Actions: read, Hidden: []string{"name"}})),
		adminCaller(t, site, "1", of(TypeRights{Actions: read, ReadOnly: []string{"name"}})),
		adminCaller(t, site, "1", of(TypeRights{Actions: read, Hidden: []string{"rating"}})),
		adminCaller(t, site, "1", of(TypeRights{Actions: read, Locales: []string{"en"}})),
		adminCaller(t, site, "1", of(TypeRights{Actions: read, Locales: []string{}})),
		adminCaller(t, site, "1", own), adminCaller(t, site, "2", own),
	}
	for i, a := range callers {
		for j, b := range callers {
			if same := *a.Rights() == *b.Rights(); same != (i == j) {
				t.Errorf("%s (%d) and %s (%d): same rights %t", a, i, b, j, same)
			}
		}
	}
	again := adminCaller(t, site, "2", of(TypeRights{Actions: read}))
	if *again.Rights() != *callers[5].Rights() {
		t.Error("two accounts of one role have different rights")
	}
}

// Whoever shows a preview link of an account sees what the account sees, private attributes
// aside: whoever has the link may be nobody.
func TestPreviewOfAnAdminCaller(t *testing.T) {
	site := adminSite(t)
	maker := adminCaller(t, site, "1", AdminRole{Types: map[string]TypeRights{restaurant: {Actions: []string{"read"}, Hidden: []string{"name"}}}})
	shown := Identity{Caller: maker}.narrowed(Preview{restaurant, "doc", ""})
	r := site.Type(restaurant)
	if shown.Allows(r, schema.Update) || *shown.Rights() == *maker.Rights() {
		t.Error("a preview link may do what its maker may do")
	}
	for name, sees := range map[string][2]bool{"name": {false, false}, "secret_note": {true, false}, "tagline": {true, true}} {
		a := r.Attribute(name)
		if got := [2]bool{maker.Sight(r).Sees(a), shown.Sight(r).Sees(a)}; got != sees {
			t.Errorf("%s is seen by the account and through its link: %v", name, got)
		}
	}
}

// Accounts with one role share its rights, and are still distinguished.
func TestAnotherAccountOfARole(t *testing.T) {
	site := adminSite(t)
	for _, own := range []bool{false, true} {
		role := AdminRole{Types: map[string]TypeRights{restaurant: {Actions: []string{"read"}, Own: own, Hidden: []string{"name"}}}}
		one := adminCaller(t, site, "1", role)
		two, again := one.As("2", ""), adminCaller(t, site, "2", role)
		if two.String() != again.String() || two.actor != again.actor || two.admin != "2" || *two.Rights() != *again.Rights() {
			t.Errorf("%s is not %s", two, again)
		}
		if r := site.Type(restaurant); two.Sight(r) != one.Sight(r) || two.Reach(r) != one.Reach(r) || !two.Allows(r, schema.Find) {
			t.Error("the accounts of a role see and reach something else")
		}
	}
}
