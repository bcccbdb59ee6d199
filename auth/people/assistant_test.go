package people

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/content/audit"
	"quire/schema"
	"quire/store"
	"quire/store/storetest"
)

const category = "api::category.category"

// session returns the session of an account that signs in.
func (n *node) session(name string) *Session {
	n.t.Helper()
	s, err := n.Session(n.enter(name))
	check(n.t, err)
	return s
}

// addAssistant makes an assistant of an account.
func (n *node) addAssistant(owner, name string, l Limits) (token string, _ *Assistant) {
	n.t.Helper()
	token, a, err := n.CreateAssistant(n.t.Context(), n.session(owner), AssistantForm{Name: name, Limits: l, Days: 30})
	check(n.t, err)
	return token, a
}

// acts reports whether the assistant with a token may act.
func (n *node) acts(token string) bool {
	_, err := n.Assistant(token)
	return err == nil
}

func (n *node) mayDo(token, uid string, a schema.Action) bool {
	n.t.Helper()
	one, err := n.Assistant(token)
	check(n.t, err)
	return one.Caller().HasPermission(auth.Permission{UID: uid, Action: a})
}

func TestAssistantWritesDraftsUnlessItsOwnerAllowsMore(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	site := loadSite(t)
	restaurant := "api::restaurant.restaurant"
	if !site.Type(restaurant).DraftAndPublish || site.Type(category).DraftAndPublish {
		t.Fatal("the types of the site are not as this test needs them")
	}
	token, a := n.addAssistant("ana", "Claude", Limits{})
	if !strings.HasPrefix(token, "qra_") || a.Limits.Publish != No || a.Limits.Delete != No {
		t.Errorf("the token is %.8q…, the limits are %+v", token, a.Limits)
	}
	for action, may := range map[schema.Action]bool{
		schema.Find: true, schema.FindOne: true, schema.ReadDraft: true, schema.ReadHistory: true, schema.CreateDraft: true, schema.UpdateDraft: true, schema.DiscardDraft: true,
		schema.Create: false, schema.Update: false, schema.Publish: false, schema.Unpublish: false, schema.Delete: false, schema.PreviewLink: false,
	} {
		if n.mayDo(token, restaurant, action) != may {
			t.Errorf("%s on a type with drafts: %t", action, !may)
		}
	}
	for action, may := range map[schema.Action]bool{schema.Find: true, schema.Create: false, schema.Update: false, schema.Delete: false} {
		if n.mayDo(token, category, action) != may {
			t.Errorf("%s on a type without drafts: %t", action, !may)
		}
	}
	for _, p := range []auth.Permission{auth.ManageAccounts, auth.ManageAccess, auth.ManageSchemas, auth.ManageSettings, auth.FindUsers, auth.CreateUser, auth.CreateRole, auth.Upload, auth.DeleteFile, auth.PublishRelease, auth.CreateWebhook, auth.ReadBackups} {
		if a.Caller().HasPermission(p) {
			t.Errorf("it may %s", p)
		}
	}
	more, _ := n.addAssistant("ana", "More", Limits{Publish: Yes, Delete: Yes, Files: true, Types: []string{restaurant, schema.UserUID}})
	for action, may := range map[schema.Action]bool{schema.Create: true, schema.Publish: true, schema.Unpublish: true, schema.Delete: true} {
		if n.mayDo(more, restaurant, action) != may || n.mayDo(more, dish, action) {
			t.Errorf("%s with more rights, on one type: %t", action, n.mayDo(more, restaurant, action))
		}
	}
	one, err := n.Assistant(more)
	check(t, err)
	if c := one.Caller(); !c.HasPermission(auth.FindUsers) || c.HasPermission(auth.UpdateUser) || !c.HasPermission(auth.Upload) || !c.HasPermission(auth.DeleteFile) || c.Full() {
		t.Error("users that are named can be read and not changed, and files can be uploaded")
	}
	reader, _ := n.addAssistant("ana", "Reader", Limits{Publish: Yes, Delete: Yes, Files: true, ReadOnly: true})
	for _, action := range []schema.Action{schema.CreateDraft, schema.UpdateDraft, schema.Publish, schema.Delete, schema.Duplicate} {
		if n.mayDo(reader, restaurant, action) {
			t.Errorf("an assistant that only reads may %s", action)
		}
	}
}

func TestAssistantMayNeverMoreThanItsOwner(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("root", "owner")
	role, err := n.CreateRole(By{}, RoleForm{Name: "Dishes", Rights: auth.AdminRole{Types: map[string]auth.TypeRights{dish: {Actions: []string{"read", "create", "update"}, Hidden: []string{"name"}}}}})
	check(t, err)
	bob := n.addAccount("bob", role.ID)
	token, a := n.addAssistant("bob", "Claude", Limits{Publish: Yes, Delete: Yes, Files: true})
	site := loadSite(t)
	for _, p := range auth.AllPermissions(site) {
		if a.Caller().HasPermission(p) && !bob.caller.HasPermission(p) {
			t.Errorf("the assistant may %s, and its owner may not", p)
		}
	}
	if a.Caller().Sight(site.Type(dish)).Sees(site.Type(dish).Attribute("name")) {
		t.Error("the assistant sees what its owner does not")
	}
	reader := "reader"
	_, err = n.Change(t.Context(), By{}, bob.ID, AccountChange{Role: &reader})
	check(t, err)
	if n.mayDo(token, dish, schema.UpdateDraft) || n.mayDo(token, dish, schema.Update) || !n.mayDo(token, dish, schema.Find) {
		t.Error("the assistant keeps the rights of its owner's former role")
	}
}

// Whatever the role and the limits are: an assistant has no permission that its owner lacks,
// sees and sets no attribute that is hidden from the owner, and changes no document and no
// locale that the owner may not.
func TestNoLimitsGiveMoreThanTheRole(t *testing.T) {
	site := loadSite(t)
	roles := slices.Clone(builtIn())
	for name, rights := range map[string]auth.TypeRights{
		"own":     {Actions: []string{"read", "create", "update", "delete", "publish"}, Own: true},
		"locales": {Actions: []string{"read", "update", "publish"}, Locales: []string{"fr"}},
		"sight":   {Actions: []string{"read", "update", "unpublish"}, Hidden: []string{"name"}, ReadOnly: []string{"slug"}},
	} {
		roles = append(roles, &Role{Name: name, Rights: auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: rights}, Site: []string{"accounts", "settings"}, Files: []string{"read", "delete"}}})
	}
	permissions := append(auth.TokenPermissions(site), auth.ManageAccounts, auth.ManageAccess, auth.ManageSchemas, auth.ManageSettings)
	values, compared := []Allowed{No, Ask, Yes}, 0
	for _, role := range roles {
		owner := Roles{role}.caller(site)
		for mask := range 9 * 8 {
			l := Limits{Publish: values[mask%3], Delete: values[mask/3%3], Files: mask/9%2 == 1, ReadOnly: mask/18%2 == 1}
			if mask/36 == 1 {
				l.Types = []string{dish, schema.UserUID}
			}
			c := l.Caller(site, "a1.b2", role)
			for _, p := range permissions {
				if has := c.HasPermission(p); has && !owner.HasPermission(p) || has && strings.Contains(p.String(), "plugin::quire.admin") {
					t.Errorf("role %s, %+v: the assistant may %s", role.Name, l, p)
				}
				compared++
			}
			for of := range site.Served() {
				if !c.Allows(of, schema.Find) {
					continue
				}
				for _, a := range of.Attributes {
					if c.Sight(of).Sees(a) && !owner.Sight(of).Sees(a) || c.Sight(of).Sets(a) && !owner.Sight(of).Sets(a) {
						t.Errorf("role %s, %+v: the assistant sees or sets %s of %s", role.Name, l, a.Name, of.UID)
					}
				}
				if r, own := c.Reach(of), owner.Reach(of); own != nil && (r == nil || r.Own != own.Own || !slices.Equal(r.Locales, own.Locales)) {
					t.Errorf("role %s, %+v: the assistant changes more of %s", role.Name, l, of.UID)
				}
			}
		}
	}
	if compared < 10_000 {
		t.Errorf("only %d permissions were compared", compared)
	}
}

func TestAssistantEndsWithItsOwnerAndItsTime(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("root", "owner")
	block, password := true, "another password"
	for name, end := range map[string]func(a *Assistant) error{
		"blocked": func(a *Assistant) error {
			_, err := n.Change(t.Context(), By{}, a.Account.ID, AccountChange{Blocked: &block})
			return err
		},
		"password": func(a *Assistant) error {
			_, err := n.Change(t.Context(), By{}, a.Account.ID, AccountChange{Password: &password})
			return err
		},
		"own": func(a *Assistant) error {
			return n.ChangePassword(t.Context(), n.session("own"), PasswordForm{Current: secret, Password: password})
		},
		"link": func(a *Assistant) error {
			link, _, err := n.ResetLink(By{}, a.Account.ID)
			check(t, err)
			_, err = n.Choose(t.Context(), Choice{Token: link, Password: password})
			return err
		},
		"removed": func(a *Assistant) error { return n.Remove(By{}, a.Account.ID) },
		"hand":    func(a *Assistant) error { return n.EndAssistant(t.Context(), n.session("hand"), a.ID) },
		"manager": func(a *Assistant) error { return n.EndAssistantOf(By{}, a.Account.ID, a.ID) },
		"time":    func(*Assistant) error { n.clock.pass(30 * 24 * time.Hour); return nil },
	} {
		n.addAccount(name, "editor")
		token, a := n.addAssistant(name, "Claude", Limits{})
		if !n.acts(token) {
			t.Fatalf("%s: it may not act before the end", name)
		}
		check(t, end(a))
		if n.acts(token) {
			t.Errorf("%s: it still acts", name)
		}
		want := name + "'s assistant (Claude)"
		if name == "removed" {
			want = "assistant (Claude)"
		}
		if got := n.Title(a.Actor()); got != want {
			t.Errorf("%s: it is called %q", name, got)
		}
	}
	if err := n.EndAssistant(t.Context(), n.session("root"), "0.0"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown one: %v", err)
	}
}

// Nobody ends or lists the assistants of another account without the right to change it.
func TestAssistantsOfOthers(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("root", "owner")
	editor := n.addAccount("ed", "editor")
	_, a := n.addAssistant("root", "Claude", Limits{})
	if err := n.EndAssistant(t.Context(), n.session("ed"), a.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("as one's own: %v", err)
	}
	if err := n.EndAssistantOf(By{Account: editor}, a.Account.ID, a.ID); !errors.Is(err, ErrForbidden) {
		t.Errorf("as that of another: %v", err)
	}
	if n.Assistants(editor.ID) == nil || len(n.Assistants(editor.ID)) != 0 || len(n.Assistants(a.Account.ID)) != 1 {
		t.Error("the lists are wrong")
	}
}

func TestAssistantsAreBounded(t *testing.T) {
	n := openNode(t, nil)
	ana := n.addAccount("ana", "owner")
	s := n.session("ana")
	for _, f := range []AssistantForm{
		{Name: "", Days: 1}, {Name: strings.Repeat("x", 101), Days: 1}, {Name: "two\nlines", Days: 1}, {Name: "A", Days: 0}, {Name: "A", Days: 366},
		{Name: "A", Days: 1, Limits: Limits{Publish: "always"}}, {Name: "A", Days: 1, Limits: Limits{Types: []string{"api::gone.gone"}}}, {Name: "A", Days: 1, Limits: Limits{Most: -1}},
	} {
		var wrong *FieldError
		if _, _, err := n.CreateAssistant(t.Context(), s, f); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	n.put(assistantsBucket, many(MostAssistants-1, ana.ID+".%016x", `{"name":"A%d","limits":{},"created":"2026-05-04T09:00:00Z","expires":"2026-05-05T09:00:00Z","way":"password"}`))
	n.addAssistant("ana", "Claude", Limits{})
	var wrong *FieldError
	if _, _, err := n.CreateAssistant(t.Context(), s, AssistantForm{Name: "Claude", Days: 1}); !errors.As(err, &wrong) || wrong.Key != "name" {
		t.Errorf("a name that another one has: %v", err)
	}
	var refused *RefusedError
	if _, _, err := n.CreateAssistant(t.Context(), s, AssistantForm{Name: "More", Days: 1}); !errors.As(err, &refused) {
		t.Errorf("one more: %v", err)
	}
	n.clock.pass(24 * time.Hour) // the others have expired
	n.addAssistant("ana", "More", Limits{})
	if got := len(n.Assistants(ana.ID)); got != 2 {
		t.Errorf("%d are listed", got)
	}
}

func TestNamesOfEndedAssistantsAreBounded(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	_, first := n.addAssistant("ana", "First", Limits{})
	n.put(namesBucket, many(mostNames-1, "gone.%016x", `{"name":"Gone %d","created":"2020-05-04T09:00:00Z"}`))
	_, last := n.addAssistant("ana", "Last", Limits{})
	check(t, n.db.View(func(tx *store.Tx) error {
		if got, err := tx.CountRecords(namesBucket, ""); err != nil || got != mostNames-droppedNames+1 {
			t.Errorf("%d names are kept, %v", got, err)
		}
		return nil
	}))
	for _, a := range []*Assistant{first, last} {
		if n.Title(a.Actor()) != a.Title() {
			t.Errorf("the name of %s is lost", a.Title())
		}
	}
}

func TestAssistantNeedsTheFactorOfItsOwner(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	token, _ := n.addAssistant("ana", "Claude", Limits{})
	site := *loadSite(t)
	site.Settings.Admin.SecondFactor = true
	check(t, n.Reload(&site))
	if _, err := n.Assistant(token); !errors.Is(err, ErrFactorNeeded) {
		t.Errorf("without a second factor: %v", err)
	}
	site.Settings.Admin.SecondFactor, site.Settings.Admin.Enabled = false, false
	if n.acts(token) {
		t.Error("it acts on a site without an admin")
	}
}

func TestNodesAgreeOnAssistants(t *testing.T) {
	journal := storetest.NewMemory()
	one, two := openNode(t, journal), openNode(t, journal)
	fresh := func(n *node) { t.Helper(); check(t, n.db.Fresh(t.Context())) }
	one.addAccount("ana", "owner")
	token, a := one.addAssistant("ana", "Claude", Limits{})
	fresh(two)
	seen, err := two.Assistant(token)
	check(t, err)
	from := netip.MustParseAddr("192.0.2.7")
	two.UseAssistant(seen, from)
	fresh(one)
	if used := one.Assistants(a.Account.ID)[0].Used; used.IsZero() {
		t.Error("one node does not know that another has been asked")
	}
	check(t, two.EndAssistantOf(By{}, a.Account.ID, a.ID))
	fresh(one)
	if one.acts(token) || one.Title(a.Actor()) != "ana's assistant (Claude)" {
		t.Errorf("after its end on another node it acts: %t; its name is %q", one.acts(token), one.Title(a.Actor()))
	}
}

// The audit log says when an assistant begins, from which networks it is used, and when it ends.
func TestAuditLogOfAssistants(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	ctx := audit.With(t.Context(), &audit.Source{Way: audit.ByAdmin})
	s := n.session("ana")
	token, a, err := n.CreateAssistant(ctx, s, AssistantForm{Name: "Claude", Days: 1})
	check(t, err)
	for _, from := range []string{"192.0.2.7", "192.0.2.7", "2001:db8::1", "2001:db8::2"} {
		one, err := n.Assistant(token)
		check(t, err)
		n.clock.pass(time.Second)
		n.UseAssistant(one, netip.MustParseAddr(from))
	}
	check(t, n.EndAssistant(ctx, s, a.ID))
	page, err := audit.NewLog(n.db).Back(audit.Query{}, 0, 100)
	check(t, err)
	var lines []string
	for _, e := range page.Events {
		if e.Target.Type == "assistant" {
			lines = append(lines, strings.TrimSpace(strings.Join([]string{e.By.Name, e.Action, e.Target.Name, e.From}, " ")))
		}
	}
	want := []string{
		"ana@example.org assistant.end Claude", "ana's assistant (Claude) assistant.network Claude 2001:db8::1",
		"ana's assistant (Claude) assistant.network Claude 192.0.2.7", "ana@example.org assistant.create Claude",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the log says %q, want %q", lines, want)
	}
}
