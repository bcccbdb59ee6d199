package people

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quire/auth"
	"quire/auth/password"
	"quire/content/audit"
	"quire/content/verify"
	"quire/schema"
	"quire/store"
	"quire/store/storetest"
)

// What one node does holds on the others: sessions, their ends, roles.
func TestNodesAgree(t *testing.T) {
	journal := storetest.NewMemory()
	one, two := openNode(t, journal), openNode(t, journal)
	fresh := func(n *node) { t.Helper(); check(t, n.db.Fresh(t.Context())) }
	ana := one.addAccount("ana", "owner")
	token := one.enter("ana")
	fresh(two)
	if !two.lasts(token) {
		t.Fatal("who has signed in on one node is nobody on the other")
	}
	session, err := two.Session(token)
	check(t, err)
	two.clock.pass(usedEvery)
	two.Use(session)
	fresh(one)
	one.clock.pass(Idle) // since the first use; the other node has noted another one
	if !one.lasts(token) {
		t.Error("a session ends that is used on the other node")
	}
	role, err := two.CreateRole(By{}, RoleForm{Name: "Dishes", Rights: auth.AdminRole{Types: map[string]auth.TypeRights{dish: {Actions: []string{"read"}}}}})
	check(t, err)
	bob := two.addAccount("bob", role.ID)
	fresh(one)
	if got := one.ByID(bob.ID); got == nil || got.Roles[0].Name != "Dishes" || !got.caller.HasPermission(auth.Permission{UID: dish, Action: schema.Find}) {
		t.Errorf("on the other node bob is %+v", got)
	}
	changed := one.ByID(ana.ID).caller
	check(t, one.Remove(By{}, bob.ID))
	fresh(two)
	if two.ByID(bob.ID) != nil {
		t.Error("who was removed on one node is there on the other")
	}
	if one.ByID(ana.ID).caller != changed {
		t.Error("a change of another account makes another caller of this one")
	}
}

const dish = "api::dish.dish"

// An account has so many sessions and no more, and the oldest ends first.
func TestSessionsAreBounded(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	n.addAccount("bob", "owner")
	bobs, first := n.enter("bob"), n.enter("ana")
	n.clock.pass(time.Second)
	second := n.enter("ana")
	n.clock.pass(time.Second)
	for range MostSessions - 1 {
		check(t, n.db.Update(func(tx *store.Tx) error { _, err := n.begin(tx, n.find("ana@example.org").ID, Device{}); return err }))
	}
	if n.lasts(first) || !n.lasts(second) || !n.lasts(bobs) {
		t.Errorf("the first lasts: %t, the second: %t, that of another account: %t", n.lasts(first), n.lasts(second), n.lasts(bobs))
	}
}

// Sessions and links that are over are removed from the data file in time.
func TestSweep(t *testing.T) {
	n := openNode(t, nil)
	ana := n.addAccount("ana", "owner")
	n.enter("ana")
	_, _, err := n.ResetLink(By{}, ana.ID)
	check(t, err)
	n.clock.pass(LinkLife)
	n.enter("ana")
	for bucket, want := range map[string]int{sessionsBucket: 1, linksBucket: 0} {
		check(t, n.db.View(func(tx *store.Tx) error {
			if got, err := tx.CountRecords(bucket, ""); err != nil || got != want {
				t.Errorf("%s: %d, want %d", bucket, got, want)
			}
			return nil
		}))
	}
}

func TestAccountsAndRolesAreBounded(t *testing.T) {
	n := openNode(t, nil)
	n.put(accountsBucket, many(MostAccounts-1, "%016x", `{"name":"X","email":"x%d@example.org","role":"reader"}`))
	n.put(rolesBucket, many(MostRoles-1, "%016x", `{"name":"R%d","rights":{}}`))
	n.addAccount("ana", "owner")
	var refused *RefusedError
	if _, err := n.Create(t.Context(), By{}, NewAccount{Name: "B", Email: "b@example.org", Role: "reader"}); !errors.As(err, &refused) {
		t.Errorf("one account more: %v", err)
	}
	_, err := n.CreateRole(By{}, RoleForm{Name: "R"})
	check(t, err)
	if _, err := n.CreateRole(By{}, RoleForm{Name: "R"}); !errors.As(err, &refused) {
		t.Errorf("one role more: %v", err)
	}
}

// A role that names what the site has lost allows the rest, and all again when the site
// has it again.
func TestRoleOfALostType(t *testing.T) {
	n := openNode(t, nil)
	n.put(rolesBucket, map[string]string{"r": `{"name":"R","rights":{"types":{
		"api::gone.gone":{"actions":["read"]},
		"api::dish.dish":{"actions":["read"],"hidden":["gone","name"],"readOnly":["gone.too"],"locales":["xx"]},
		"*":{"actions":["read"],"hidden":["gone"]}}}}`})
	a := n.addAccount("ana", "r")
	for uid, want := range map[string]bool{dish: true, "api::category.category": true, "api::gone.gone": false} {
		if got := a.caller.HasPermission(auth.Permission{UID: uid, Action: schema.Find}); got != want {
			t.Errorf("%s: %t", uid, got)
		}
	}
	site := loadSite(t)
	types := site.Type(dish)
	if sight := a.caller.Sight(types); sight.Sees(types.Attribute("name")) {
		t.Error("what the role hides is seen")
	}
	if len(n.Roles()[len(n.Roles())-1].Rights.Types) != 3 {
		t.Error("the role forgets what the site has lost")
	}
}

// Whether an address has an account is not seen by how much work a sign-in is: each has a
// password compared.
func TestSignInOfNobodyIsWork(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	_, err := n.Create(t.Context(), By{}, NewAccount{Name: "Bob", Email: "bob@example.org", Role: "reader"})
	check(t, err)
	n.passwords.Close() // from now on comparing is refused
	for _, email := range []string{"ana@example.org", "bob@example.org", "nobody@example.org", ""} {
		if _, err := n.SignIn(t.Context(), Credentials{Email: email, Password: secret}); !errors.As(err, new(*password.BusyError)) {
			t.Errorf("%q: %v", email, err)
		}
	}
}

// A stranger who tries passwords keeps nobody out who has signed in from where they are.
func TestNobodyIsLockedOut(t *testing.T) {
	n := openNode(t, nil)
	site := loadSite(t)
	site.Settings.Admin.RateLimit.Max, site.Settings.Admin.RateLimit.Interval = 3, time.Hour
	check(t, n.Reload(site))
	n.addAccount("ana", "owner")
	home := netip.MustParseAddr("2001:db8:1:2::3")
	signIn := func(password, from string) error {
		_, err := n.SignIn(t.Context(), Credentials{Email: "ana@example.org", Password: password, From: netip.MustParseAddr(from)})
		return err
	}
	check(t, signIn(secret, home.String()))
	for _, from := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"} {
		if err := signIn("wrong", from); !errors.Is(err, ErrCredentials) {
			t.Errorf("a stranger: %v", err)
		}
	}
	if err := signIn(secret, "192.0.2.4"); !errors.As(err, new(*auth.ThrottledError)) {
		t.Errorf("from elsewhere: %v", err)
	}
	for range 5 {
		check(t, signIn(secret, "2001:db8:1:2::9"))
	}
}

// What cannot be read lets nobody in and stops nothing, is reported, and is removed by a
// repair.
func TestCheckAndRepair(t *testing.T) {
	n := openNode(t, nil)
	n.addAccount("ana", "owner")
	token := n.enter("ana")
	for _, bucket := range buckets {
		n.put(bucket.name, map[string]string{"broken": "{"})
	}
	n.put(sessionsBucket, map[string]string{"x.y": `{"account":"z"}`})
	n.put(accountsBucket, map[string]string{"lost": `{"name":"X","email":"x@example.org","role":"gone"}`})
	check(t, n.Reload(loadSite(t)))
	if !n.lasts(token) || len(n.List()) != 2 {
		t.Errorf("there are %d accounts", len(n.List()))
	}
	count := func() (faults, notes int) {
		check(t, n.db.View(func(tx *store.Tx) error {
			found, err := Check(tx)
			for _, f := range found {
				if f.Note {
					notes++
				} else {
					faults++
				}
			}
			return err
		}))
		return faults, notes
	}
	if faults, notes := count(); faults != 20 || notes != 1 {
		t.Errorf("%d faults, %d notes", faults, notes)
	}
	var removed []verify.Fault
	err := n.db.Update(func(tx *store.Tx) (err error) { removed, err = Repair(tx); return err })
	if err != nil || len(removed) != 20 {
		t.Errorf("%v, %v", removed, err)
	}
	if faults, notes := count(); faults != 0 || notes != 1 {
		t.Errorf("after the repair %d faults, %d notes", faults, notes)
	}
}

// No secret is stored as it is.
func TestSecretsAreHashed(t *testing.T) {
	n := openNode(t, nil)
	ana := n.addAccount("ana", "owner")
	session := n.enter("ana")
	link, _, err := n.ResetLink(By{}, ana.ID)
	check(t, err)
	assistant, _ := n.addAssistant("ana", "Claude", Limits{})
	check(t, n.db.View(func(tx *store.Tx) error {
		for _, bucket := range buckets {
			err := tx.Records(bucket.name, func(key string, value []byte) error {
				for _, plain := range []string{secret, session, link, assistant, strings.TrimPrefix(assistant, assistantPrefix)} {
					if strings.Contains(key+string(value), plain) {
						t.Errorf("%s holds a secret: %s %s", bucket.name, key, value)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// While another version of the site is read, the former one is still served, and goes on
// being served where the other cannot be. What is hidden there stays hidden, although the
// other has it no more.
func TestHiddenInTheFormerSite(t *testing.T) {
	n := openNode(t, nil)
	former := loadSite(t)
	role, err := n.CreateRole(By{}, RoleForm{Name: "R", Rights: auth.AdminRole{Types: map[string]auth.TypeRights{
		dish: {Actions: []string{"read"}, Hidden: []string{"price"}, ReadOnly: []string{"name"}},
	}}})
	check(t, err)
	bob := n.addAccount("bob", role.ID)
	check(t, n.Reload(siteWithout(t, "price")))
	c := n.ByID(bob.ID).caller
	d := former.Type(dish)
	if sight := c.Sight(d); !c.Allows(d, schema.Find) || sight.Sees(d.Attribute("price")) || !sight.Sees(d.Attribute("name")) || sight.Sets(d.Attribute("name")) {
		t.Error("the account sees or sets something else than before")
	}
}

// siteWithout is the test site whose dishes have no such attribute.
func siteWithout(t *testing.T, attribute string) *schema.Site {
	t.Helper()
	all := fstest.MapFS{}
	folder := os.DirFS("../../testdata/site")
	check(t, fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(folder, path)
		if strings.HasSuffix(path, "dish/schema.json") {
			text = []byte(strings.ReplaceAll(string(text), `"`+attribute+`"`, `"other"`))
		}
		all[path] = &fstest.MapFile{Data: text, Mode: 0o600}
		return err
	}))
	site, err := schema.Load(all)
	check(t, err)
	return site
}

// Who makes roles gives no rights on the users of the site but those of the own role, which
// are never those on all types.
func TestRightsOnUsersAreNotMadeUp(t *testing.T) {
	site := loadSite(t)
	of := func(types map[string]auth.TypeRights) *Role { return &Role{Rights: auth.AdminRole{Types: types}} }
	every := auth.TypeRights{Actions: []string{"read", "create", "update", "delete", "publish", "unpublish"}}
	reads, changes := auth.TypeRights{Actions: []string{"read"}}, auth.TypeRights{Actions: []string{"read", "update"}, ReadOnly: []string{"role"}}
	users := func(r auth.TypeRights) *Role {
		return of(map[string]auth.TypeRights{schema.UserUID: r, auth.EveryType: every})
	}
	for _, c := range []struct {
		mine, theirs *Role
		covers       bool
	}{
		{of(map[string]auth.TypeRights{auth.EveryType: every}), users(reads), false},
		{users(reads), users(reads), true},
		{users(reads), users(changes), false},
		{users(changes), users(reads), true},
		{users(changes), users(auth.TypeRights{Actions: []string{"read", "update"}}), false},
		{users(reads), of(map[string]auth.TypeRights{auth.EveryType: every}), true},
		{&Role{Rights: auth.AdminRole{Full: true}}, users(changes), true},
	} {
		if got := (Roles{c.mine}).covers(c.theirs, site); got != c.covers {
			t.Errorf("%v covers %v: %t", c.mine.Rights.Types, c.theirs.Rights.Types, got)
		}
	}
	if left := fitting(users(changes).Rights, site); len(left.Types) != 2 {
		t.Errorf("what is left of it is %v", left.Types)
	}
}

// refusals counts the lines of the audit log about what was refused.
func (n *node) refusals() (count int) {
	n.t.Helper()
	read := func(from uint64) (audit.Lines, error) { return audit.NewLog(n.db).Read(audit.Query{}, from) }
	check(n.t, audit.Export(read, func(line []byte) error {
		if strings.Contains(string(line), `"outcome":"refused"`) {
			count++
		}
		return nil
	}))
	return count
}

// What is refused makes at most 100 lines in a minute, whoever is refused.
func TestLinesAboutRefusalsAreBounded(t *testing.T) {
	n := openNode(t, nil)
	refuse := func(times int) {
		for i := range times {
			from := netip.AddrFrom4([4]byte{192, 0, byte(i), 1})
			n.NoteRefused(audit.With(t.Context(), &audit.Source{From: from, Way: audit.ByAdmin}), "session.begin", audit.Target{Type: "account"}, nil)
		}
	}
	for minute := 1; minute <= 3; minute++ {
		refuse(150)
		if got := n.refusals(); got != minute*mostRefusals {
			t.Errorf("after %d minutes there are %d lines", minute, got)
		}
		n.clock.pass(time.Minute)
	}
}
