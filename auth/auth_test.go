package auth_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"quire/auth"
	"quire/schema"
	"quire/store"
)

// site has a collection with drafts, one without, a single type, and a public
// role that may find dishes.
func site(t *testing.T) *schema.Site {
	t.Helper()
	file := func(kind, singular, plural, drafts string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"kind": "` + kind + `", "info": {"singularName": "` + singular + `",
			"pluralName": "` + plural + `", "displayName": "x"}, "options": {"draftAndPublish": ` + drafts + `},
			"attributes": {"name": {"type": "string"}}}`)}
	}
	s, err := schema.Load(fstest.MapFS{
		"src/api/dish/content-types/dish/schema.json": file("collectionType", "dish", "dishes", "true"),
		"src/api/chef/content-types/chef/schema.json": file("collectionType", "chef", "chefs", "false"),
		"src/api/home/content-types/home/schema.json": file("singleType", "home", "homes", "false"),
		"site.json": {Data: []byte(`{"roles": {"public": {"api::dish.dish": ["find"], "plugin::i18n.locales": ["listLocales"]}}}`)},
	})
	check(t, err)
	return s
}

// clock is a time that tests move, and that other goroutines read meanwhile.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func start() *clock { return &clock{now: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)} }

func openDB(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(path, store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func openAuth(t *testing.T, db *store.DB, c *clock) *auth.Auth {
	t.Helper()
	a, err := auth.Open(db, site(t), auth.Options{Now: c.Now})
	check(t, err)
	t.Cleanup(func() { a.Close(context.Background()) })
	return a
}

// authenticate returns the caller whom a token stands for.
func authenticate(a *auth.Auth, token string) (*auth.Caller, error) {
	identity, err := a.Authenticate(token, nobody{})
	return identity.Caller, err
}

// nobody is accounts of which there are none.
type nobody struct{}

func (nobody) SignedIn(uint64, string, string) *auth.User { return nil }

func create(t *testing.T, a *auth.Auth, spec auth.TokenSpec) string {
	t.Helper()
	token, err := a.CreateToken(t.Context(), spec)
	check(t, err)
	return token
}

func TestWhatCallersMayDo(t *testing.T) {
	s := site(t)
	a := openAuth(t, openDB(t, filepath.Join(t.TempDir(), "quire.db")), start())
	callers := map[string]*auth.Caller{"public": a.Public()}
	for _, spec := range []auth.TokenSpec{
		{Name: "full", Kind: auth.FullAccess},
		{Name: "reader", Kind: auth.ReadOnly},
		{Name: "form", Kind: auth.Custom, Permissions: []string{"api::chef.chef.create", "plugin::i18n.locales.listLocales"}},
	} {
		caller, err := authenticate(a, create(t, a, spec))
		check(t, err)
		callers[spec.Name] = caller
	}
	for _, test := range []struct {
		permission string
		who        string
	}{
		{"api::dish.dish.find", "full public reader"},
		{"api::dish.dish.findOne", "full reader"},
		{"api::dish.dish.readDraft", "full reader"},
		{"api::dish.dish.create", "full"},
		{"api::chef.chef.find", "full reader"},
		{"api::chef.chef.create", "form full"},
		{"api::chef.chef.update", "full"},
		{"api::home.home.delete", "full"},
		{"plugin::i18n.locales.listLocales", "form full public"},
	} {
		p, ok := auth.ParsePermission(test.permission)
		if !ok {
			t.Fatalf("%s is not read as a permission", test.permission)
		}
		var who []string
		for name, caller := range callers {
			if caller.HasPermission(p) {
				who = append(who, name)
			}
			if contentType := s.Type(p.UID); contentType != nil && caller.Allows(contentType, p.Action) != caller.HasPermission(p) {
				t.Errorf("%s: Allows and Holds disagree for %s", test.permission, caller)
			}
		}
		slices.Sort(who)
		if got := strings.Join(who, " "); got != test.who {
			t.Errorf("%s: allowed to %q, want %q", test.permission, got, test.who)
		}
	}
}

func TestCallersAreStable(t *testing.T) {
	a := openAuth(t, openDB(t, filepath.Join(t.TempDir(), "quire.db")), start())
	token := create(t, a, auth.TokenSpec{Name: "x", Kind: auth.FullAccess})
	public := a.Public()
	first, _ := authenticate(a, token)
	second, _ := authenticate(a, token)
	if first == nil || first != second || public != a.Public() {
		t.Error("the same token or role gave two callers")
	}
}

func TestAuthenticateRefuses(t *testing.T) {
	c := start()
	a := openAuth(t, openDB(t, filepath.Join(t.TempDir(), "quire.db")), c)
	token := create(t, a, auth.TokenSpec{Name: "short", Kind: auth.FullAccess, Lifetime: time.Hour})
	if len(token) != 256 || strings.Trim(token, "0123456789abcdef") != "" {
		t.Errorf("the token is %q, want 256 hex digits", token)
	}
	other := strings.Map(func(r rune) rune { return map[bool]rune{true: '1', false: '0'}[r == '0'] }, token)
	for _, bearer := range []string{"", "x", token[:255], token + "0", other, strings.ToUpper(token), strings.Repeat("é", 128)} {
		if _, err := authenticate(a, bearer); !isUnauthorized(err) {
			t.Errorf("bearer %q: %v, want an UnauthorizedError", bearer, err)
		}
	}
	c.advance(time.Hour - time.Second)
	if _, err := authenticate(a, token); err != nil {
		t.Errorf("a second before it expires: %v", err)
	}
	c.advance(time.Second)
	if _, err := authenticate(a, token); !isUnauthorized(err) {
		t.Errorf("when it expires: %v, want an UnauthorizedError", err)
	}
}

func isUnauthorized(err error) bool {
	var e *auth.UnauthorizedError
	return errors.As(err, &e)
}

func TestTokensOutliveARestartAndAreNotInTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := openDB(t, path)
	a := openAuth(t, db, start())
	token := create(t, a, auth.TokenSpec{Name: " deploy ", Kind: auth.ReadOnly})
	check(t, db.Close())
	content, err := os.ReadFile(path)
	check(t, err)
	if !bytes.Contains(content, []byte("deploy")) || bytes.Contains(content, []byte(token)) {
		t.Error("the file should hold the token's name and not the token")
	}
	caller, err := authenticate(openAuth(t, openDB(t, path), start()), token)
	check(t, err)
	if got := caller.String(); got != `token "deploy"` {
		t.Errorf("the caller is called %s", got)
	}
}

func TestCreateTokenRefuses(t *testing.T) {
	a := openAuth(t, openDB(t, filepath.Join(t.TempDir(), "quire.db")), start())
	create(t, a, auth.TokenSpec{Name: "taken", Kind: auth.FullAccess})
	for _, test := range []struct {
		spec auth.TokenSpec
		want string
	}{
		{auth.TokenSpec{Kind: auth.FullAccess}, "needs a name"},
		{auth.TokenSpec{Name: "  ", Kind: auth.FullAccess}, "needs a name"},
		{auth.TokenSpec{Name: strings.Repeat("n", 101), Kind: auth.FullAccess}, "100 characters"},
		{auth.TokenSpec{Name: "\xff", Kind: auth.FullAccess}, "must be text"},
		{auth.TokenSpec{Name: "taken", Kind: auth.ReadOnly}, `"taken" already`},
		{auth.TokenSpec{Name: "a\x1b[2J", Kind: auth.ReadOnly}, "of one line"},
		{auth.TokenSpec{Name: "a", Kind: "admin"}, `not "admin"`},
		{auth.TokenSpec{Name: "a", Kind: auth.ReadOnly, Permissions: []string{"api::dish.dish.find"}}, "only custom tokens"},
		{auth.TokenSpec{Name: "a", Kind: auth.Custom}, "at least one permission"},
		{auth.TokenSpec{Name: "a", Kind: auth.Custom, Permissions: []string{"api::dish.dish.find", "api::nope.nope.find", "x", "."}},
			"unknown permissions: api::nope.nope.find, x, .;"},
		{auth.TokenSpec{Name: "a", Kind: auth.Custom, Permissions: []string{"api::home.home.create"}}, "api::home.home.create"},
		{auth.TokenSpec{Name: "a", Kind: auth.FullAccess, Lifetime: -1}, "in the future"},
	} {
		_, err := a.CreateToken(t.Context(), test.spec)
		var refused *auth.TokenError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want a TokenError with %q", test.spec, err, test.want)
		}
	}
}

func TestKnownPermissions(t *testing.T) {
	var got []string
	for _, p := range auth.AllPermissions(site(t)) {
		got = append(got, p.String())
	}
	got = slices.DeleteFunc(got, func(p string) bool { return strings.HasPrefix(p, "plugin::") })
	want := []string{
		"api::chef.chef.find", "api::chef.chef.findOne", "api::chef.chef.create", "api::chef.chef.update", "api::chef.chef.delete", "api::chef.chef.duplicate", "api::chef.chef.readHistory",
		"api::dish.dish.find", "api::dish.dish.findOne", "api::dish.dish.create", "api::dish.dish.update", "api::dish.dish.delete", "api::dish.dish.duplicate", "api::dish.dish.readHistory", "api::dish.dish.readDraft",
		"api::dish.dish.createDraft", "api::dish.dish.updateDraft", "api::dish.dish.publish", "api::dish.dish.unpublish", "api::dish.dish.discardDraft", "api::dish.dish.previewLink",
		"api::home.home.find", "api::home.home.update", "api::home.home.delete", "api::home.home.readHistory",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestReloadTakesTheRolesOfAnotherSite(t *testing.T) {
	a := openAuth(t, openDB(t, filepath.Join(t.TempDir(), "quire.db")), start())
	s := site(t)
	dish := s.Type("api::dish.dish")
	if !a.Public().Allows(dish, schema.Find) {
		t.Fatal("everybody should find dishes at first")
	}
	s.Settings.Roles = nil
	check(t, a.Reload(s))
	if a.Public().Allows(dish, schema.Find) {
		t.Error("the public role kept what the site no longer gives it")
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
