package users_test

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"quire/auth"
	"quire/auth/users"
	"quire/content"
	"quire/schema"
	"quire/store"
)

func TestRegisterAndSignIn(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	first := h.join("ana")
	if got := h.who(first.JWT); got != "ana" {
		t.Errorf("the JWT of registering is of %q", got)
	}
	u := h.stored(first.DocumentID)
	if got := u.Value("email").Text + " " + u.Value("provider").Text; got != "ana@example.org local" {
		t.Errorf("stored: %s", got)
	}
	if password := u.Value("password").Text; !strings.HasPrefix(password, "$argon2id$") {
		t.Errorf("the password is stored as %q", password)
	}
	for identifier, want := range map[string]string{
		"ana": "", "ana@example.org": "", "ANA@Example.org": "",
		"Ana": "Invalid identifier or password", "bo": "Invalid identifier or password",
	} {
		if got := h.signIn(identifier, "secret-1"); got != want {
			t.Errorf("sign-in as %s: %q, want %q", identifier, got, want)
		}
	}
	for _, wrong := range []string{"secret-2", "secret-1 ", "SECRET-1", strings.Repeat("x", 1000)} {
		if got := h.signIn("ana", wrong); got != "Invalid identifier or password" {
			t.Errorf("sign-in with %.10q: %q", wrong, got)
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	h := openFixture(t, `{"auth": {"register": {"allowedFields": ["nickname"]}, "rateLimit": {"enabled": false}}}`)
	h.join("ana")
	ok := map[string]any{"username": "bob", "email": "bob@example.org", "password": "secret-1"}
	for _, test := range []struct {
		key   string
		value any
		want  string
	}{
		{"role", 1, "Invalid parameters: role"},
		{"confirmed", true, "Invalid parameters: confirmed"},
		{"note", "x", "Invalid parameters: note"},
		{"sessionEpoch", "x", "Invalid parameters: sessionEpoch"},
		{"resetPasswordToken", nil, "Invalid parameters: resetPasswordToken"},
		{"id", 7, "Invalid parameters: id"},
		{"nickname", 5, "nickname must be a `string` type, but the final value was: `5`."},
		{"username", nil, "username is a required field"},
		{"username", "", "username is a required field"},
		{"username", "bo", "username must be at least 3 characters"},
		{"username", []string{"bob"}, "username must be a `string` type"},
		{"username", "ana", "Email or Username are already taken"},
		{"username", "ana@example.org", "Email or Username are already taken"},
		{"email", "ANA@example.org", "Email or Username are already taken"},
		{"email", "bob", "email must be a valid email"},
		{"email", map[string]string{"$ne": ""}, "email must be a `string` type"},
		{"email", true, "email must be a `string` type"},
		{"password", nil, "password is a required field"},
		{"password", "short", "password must be at least 6 characters"},
		{"password", strings.Repeat("é", 37), "password must be at most 72 bytes"},
		{"password", []string{"secret-1"}, "password must be a `string` type"},
	} {
		given := map[string]any{test.key: test.value}
		for key, value := range ok {
			if _, replaced := given[key]; !replaced {
				given[key] = value
			}
		}
		_, err := h.Register(t.Context(), form(t, given), everything{})
		if err == nil || err.Error() != test.want {
			t.Errorf("%s %v: %v, want %s", test.key, test.value, err, test.want)
		}
	}
	ok["nickname"] = "Bobby"
	ok["password"] = strings.Repeat("é", 36)
	s, err := h.Register(t.Context(), form(t, ok), everything{})
	check(t, err)
	if got := h.stored(s.DocumentID).Value("nickname").Text; got != "Bobby" {
		t.Errorf("the nickname is %q", got)
	}
	if got := h.signIn("bob", strings.Repeat("é", 36)); got != "" {
		t.Errorf("72 bytes of password: %s", got)
	}
	if got := h.signIn("bob", strings.Repeat("é", 37)); got == "" {
		t.Error("a password that begins with the right 72 bytes is taken for the right one")
	}
}

func TestRegisterWhenClosed(t *testing.T) {
	h := openFixture(t, `{"auth": {"register": {"enabled": false}}}`)
	_, err := h.Register(t.Context(), with(t, "username", "ana", "email", "a@example.org", "password", "secret-1"), everything{})
	if refused := new(content.ApplicationError); !errors.As(err, &refused) || err.Error() != "Register action is currently disabled" {
		t.Errorf("got %v", err)
	}
}

func TestNewUsersGetTheRoleOfTheSite(t *testing.T) {
	h := openFixture(t, `{"auth": {"register": {"role": "author"}}, "roles": {"author": {"api::dish.dish": ["create"]}}}`)
	identity, err := h.authenticate(h.join("ana").JWT)
	h.check(err)
	dish := h.site.Type("api::dish.dish")
	if !identity.Caller.Allows(dish, schema.Create) || identity.Caller.Allows(dish, schema.Find) {
		t.Errorf("%s may not what authors may", identity)
	}
	if got := identity.String(); got != `user 1, role "author"` {
		t.Errorf("in logs: %s", got)
	}
}

// Whatever ends a session ends it for the JWTs that are out already.
func TestWhatEndsSessions(t *testing.T) {
	h := openFixture(t, `{}`)
	access := everything{}
	for name, end := range map[string]func(s *users.Session) error{
		"change": func(s *users.Session) error {
			identity, err := h.authenticate(s.JWT)
			h.check(err)
			_, err = h.ChangePassword(t.Context(), identity, with(t, "currentPassword", "secret-1", "password", "secret-2", "passwordConfirmation", "secret-2"))
			return err
		},
		"reset": func(s *users.Session) error {
			h.check(h.ForgotPassword(t.Context(), with(t, "email", "reset@example.org")))
			_, err := h.ResetPassword(t.Context(), with(t, "code", h.code(), "password", "secret-2", "passwordConfirmation", "secret-2"))
			return err
		},
		"logout": func(s *users.Session) error {
			identity, err := h.authenticate(s.JWT)
			h.check(err)
			return h.Logout(t.Context(), identity, form(t, nil))
		},
		"block": func(s *users.Session) error {
			return h.UpdateUser(t.Context(), s.DocumentID, form(t, map[string]any{"blocked": true}), access)
		},
		"password": func(s *users.Session) error {
			return h.UpdateUser(t.Context(), s.DocumentID, with(t, "password", "secret-2"), access)
		},
		"deletion": func(s *users.Session) error { return h.DeleteUser(t.Context(), s.DocumentID) },
	} {
		t.Run(name, func(t *testing.T) {
			s := h.join(name)
			other, err := h.SignIn(t.Context(), with(t, "identifier", name, "password", "secret-1"))
			h.check(err)
			if h.who(s.JWT) != name || h.who(other.JWT) != name {
				t.Fatal("the sessions do not begin")
			}
			h.check(end(s))
			if h.who(s.JWT) != "" || h.who(other.JWT) != "" {
				t.Error("a session goes on")
			}
			if name == "block" {
				h.check(h.UpdateUser(t.Context(), s.DocumentID, form(t, map[string]any{"blocked": false}), access))
				if h.who(s.JWT) != "" {
					t.Error("the session is back once the user is no longer blocked")
				}
			}
		})
	}
}

// Whoever is shut out stays so once that is taken back, however the change was put.
func TestWhatShutsOutEndsSessions(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}, "confirmation": {"required": true}}}`)
	for i, change := range []struct {
		name        string
		value, back any
	}{
		{"blocked", true, false}, {"blocked", "true", "false"}, {"blocked", 1, 0}, {"blocked", "1", nil}, {"blocked", "t", "f"},
		{"confirmed", false, true}, {"confirmed", nil, "true"}, {"provider", "google", "local"}, {"password", "secret-2", "secret-1"},
	} {
		name := fmt.Sprint("user", i)
		id := h.join(name).DocumentID
		write := func(name string, value any) {
			t.Helper()
			h.check(h.UpdateUser(t.Context(), id, form(t, map[string]any{name: value}), everything{}))
		}
		write("confirmed", true)
		s, err := h.SignIn(t.Context(), with(t, "identifier", name, "password", "secret-1"))
		h.check(err)
		if h.who(s.JWT) != name {
			t.Fatalf("%v: the session does not begin", change)
		}
		write(change.name, change.value)
		if h.who(s.JWT) != "" {
			t.Errorf("%v: the session goes on", change)
		}
		write(change.name, change.back)
		if h.who(s.JWT) != "" {
			t.Errorf("%v: the session is back once the change is taken back", change)
		}
		if got := h.signIn(name, "secret-1"); got != "" {
			t.Errorf("%v: the next sign-in: %s", change, got)
		}
	}
}

func TestWhatDoesNotEndSessions(t *testing.T) {
	h := openFixture(t, `{}`)
	s := h.join("ana")
	for _, f := range []*users.Form{with(t, "username", "anna"), with(t, "nickname", "A"), with(t, "email", "anna@example.org"),
		with(t, "provider", "local"), form(t, map[string]any{"blocked": false}), form(t, map[string]any{"confirmed": true})} {
		h.check(h.UpdateUser(t.Context(), s.DocumentID, f, everything{}))
	}
	if h.who(s.JWT) != "anna" {
		t.Error("the session has ended")
	}
}

func TestChangePasswordRefuses(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	identity, err := h.authenticate(h.join("ana").JWT)
	h.check(err)
	for _, test := range []struct{ current, password, again, want string }{
		{"wrong", "secret-2", "secret-2", "The provided current password is invalid"},
		{"secret-1", "secret-2", "secret-3", "Passwords do not match"},
		{"secret-1", "secret-1", "secret-1", "Your new password must be different than your current password"},
		{"secret-1", "x", "x", "password must be at least 6 characters"},
		{"", "secret-2", "secret-2", "currentPassword is a required field"},
	} {
		_, err := h.ChangePassword(t.Context(), identity, with(t, "currentPassword", test.current, "password", test.password, "passwordConfirmation", test.again))
		if err == nil || err.Error() != test.want {
			t.Errorf("%v: %v", test, err)
		}
	}
	if _, err := h.ChangePassword(t.Context(), auth.Identity{}, with(t)); !isUnauthorized(err) {
		t.Errorf("without an account: %v", err)
	}
}

// elsewhere puts a user into the data file as an import from elsewhere does: with
// a bcrypt hash, and without what sessions need.
func (h *fixture) elsewhere(name, password string) *fixture {
	h.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	h.check(err)
	file := filepath.Join(h.TempDir(), "quire.db")
	db := openDB(h.TB, file)
	h.check(db.Update(func(tx *store.Tx) error {
		fields := []store.Field{}
		for key, text := range map[string]string{"username": name, "email": name + "@example.org", "password": string(hash), "provider": "local"} {
			fields = append(fields, store.Field{Name: key, Value: store.Value{Kind: store.Text, Text: text}})
		}
		h.check(tx.SetSequence(schema.UserUID, 1))
		return tx.Apply(store.Change{Type: schema.UserUID, After: &store.Entry{
			ID: 1, DocumentID: "imported", Status: store.Published, CreatedAt: 1, UpdatedAt: 1, PublishedAt: 1, Fields: fields,
		}})
	}))
	h.check(db.Close())
	return reopenFixture(h.TB, file, h.site, h.clock, options{Mailer: newMailbox()})
}

func TestBcryptHashesFromElsewhere(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`).elsewhere("old", "secret-1")
	if got := h.signIn("old", "secret-2"); got != "Invalid identifier or password" {
		t.Errorf("with a wrong password: %q", got)
	}
	s, err := h.SignIn(t.Context(), with(t, "identifier", "old", "password", "secret-1"))
	h.check(err)
	if h.who(s.JWT) != "old" {
		t.Error("the session does not begin")
	}
	if got := h.stored("imported").Value("password").Text; !strings.HasPrefix(got, "$argon2id$") {
		t.Errorf("after the sign-in the hash is %q", got)
	}
	if got := h.signIn("old", "secret-1"); got != "" {
		t.Errorf("the second sign-in: %s", got)
	}
	if h.who(s.JWT) != "old" {
		t.Error("the second sign-in has ended the session of the first")
	}
}

// A password that would be too short for a new account still opens an old one.
func TestShortPasswordFromElsewhere(t *testing.T) {
	h := openFixture(t, `{}`).elsewhere("old", "abc")
	if got := h.signIn("old", "abc"); got != "" {
		t.Errorf("got %q", got)
	}
	if got := h.stored("imported").Value("password").Text; !strings.HasPrefix(got, "$2a$") {
		t.Errorf("the hash is %q", got)
	}
}

func TestUsersOfAProviderHaveNoPassword(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	s := h.join("ana")
	h.check(h.UpdateUser(t.Context(), s.DocumentID, with(t, "provider", "github"), everything{}))
	if got := h.signIn("ana", "secret-1"); got != "Invalid identifier or password" {
		t.Errorf("got %q", got)
	}
}

// The address decides before the username does: nobody takes over somebody
// else's account by taking the address for a name.
func TestUsernameThatIsAnAddress(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	thief, victim := h.join("thief"), h.join("victim")
	h.check(h.UpdateUser(t.Context(), thief.DocumentID, with(t, "username", "victim@example.org", "password", "stolen-1"), everything{}))
	if got := h.signIn("victim@example.org", "stolen-1"); got == "" {
		t.Error("the thief signs in under the victim's address")
	}
	s, err := h.SignIn(t.Context(), with(t, "identifier", "victim@example.org", "password", "secret-1"))
	h.check(err)
	if s.DocumentID != victim.DocumentID {
		t.Error("the victim signs in as somebody else")
	}
}

func TestSessionsEndByTheClock(t *testing.T) {
	h := openFixture(t, `{"auth": {"jwt": {"lifetime": "1h"}}}`)
	s := h.join("ana")
	h.clock.advance(time.Hour - time.Second)
	if h.who(s.JWT) != "ana" {
		t.Error("the session has ended early")
	}
	h.clock.advance(time.Second)
	if h.who(s.JWT) != "" {
		t.Error("the session goes on after its hour")
	}
}

func TestSessionsOutliveARestart(t *testing.T) {
	file, site, c := filepath.Join(t.TempDir(), "quire.db"), loadSite(t, `{"auth": {"refresh": {"enabled": true}}}`), start()
	h := reopenFixture(t, file, site, c, options{})
	s := h.join("ana")
	h.settle()
	h.check(h.db.Close())
	again := reopenFixture(t, file, site, c, options{})
	if again.who(s.JWT) != "ana" {
		t.Error("the JWT is refused")
	}
	if _, err := again.Refresh(t.Context(), with(t, "refreshToken", s.RefreshToken)); err != nil {
		t.Errorf("the refresh token: %v", err)
	}
}

func TestSecretFromOutside(t *testing.T) {
	file, site, c := filepath.Join(t.TempDir(), "quire.db"), loadSite(t, `{}`), start()
	h := reopenFixture(t, file, site, c, options{JWTSecret: "0123456789abcdef"})
	s := h.join("ana")
	h.settle()
	h.check(h.db.Close())
	again := reopenFixture(t, file, site, c, options{JWTSecret: "another secret of ours"})
	if again.who(s.JWT) != "" {
		t.Error("a JWT of another secret is believed")
	}
	if _, err := auth.Open(again.db, site, auth.Options{JWTSecret: "short"}); err == nil || !strings.Contains(err.Error(), "JWT_SECRET") {
		t.Errorf("a short secret: %v", err)
	}
}

// tryFrom signs in from an address, and reports how that ends: "" or the error.
func (h *fixture) tryFrom(address, identifier, password string, by auth.Identity) string {
	h.Helper()
	f := with(h, "identifier", identifier, "password", password)
	f.From, f.By = netip.MustParseAddr(address), by
	if _, err := h.SignIn(h.Context(), f); err != nil {
		return err.Error()
	}
	return ""
}

const tooMany = "Too many requests, please try again later."

// Strangers who try a name slow down strangers, and not the owner.
func TestWrongPasswordsKeepNobodyOut(t *testing.T) {
	h := openFixture(t, `{}`)
	s := h.join("ana")
	identity, err := h.authenticate(s.JWT)
	h.check(err)
	const home = "192.0.2.1"
	if got := h.tryFrom(home, "ana", "secret-1", auth.Identity{}); got != "" {
		t.Fatal(got)
	}
	attack := func() (last string) {
		for i := range 6 {
			for _, name := range []string{"ana", "ana@example.org"} {
				last = h.tryFrom(fmt.Sprintf("198.51.100.%d", i+1), name, "wrong", auth.Identity{})
			}
		}
		return last
	}
	if got := attack(); got != tooMany {
		t.Errorf("the sixth try of strangers: %q", got)
	}
	for range 10 {
		if got := h.tryFrom(home, "ana", "secret-1", auth.Identity{}); got != "" {
			t.Errorf("from where the owner came in before: %q", got)
		}
	}
	if got := h.tryFrom("203.0.113.9", "ana@example.org", "secret-1", auth.Identity{}); got != tooMany {
		t.Errorf("the owner as a stranger: %q", got)
	}
	if got := h.tryFrom("203.0.113.9", "ana@example.org", "secret-1", identity); got != "" {
		t.Errorf("the owner with a credential: %q", got)
	}
	if got := h.tryFrom("203.0.113.9", "ana@example.org", "secret-1", auth.Identity{}); got != "" {
		t.Errorf("the owner from there again: %q", got)
	}
}

// Whoever holds somebody's credential cannot try passwords with it without end.
func TestCredentialsHaveTriesOfTheirOwn(t *testing.T) {
	h := openFixture(t, `{}`)
	identity, err := h.authenticate(h.join("ana").JWT)
	h.check(err)
	last := ""
	for i := range 6 {
		last = h.tryFrom(fmt.Sprintf("198.51.100.%d", i+1), "ana", "wrong", identity)
	}
	if last != tooMany {
		t.Errorf("the sixth try: %q", last)
	}
}

// Nobody is kept from registering or from using a code by what others send.
func TestOthersKeepNobodyFromBeginning(t *testing.T) {
	h := openFixture(t, `{}`)
	for range 10 {
		_, err := h.Register(t.Context(), with(t, "username", "x", "email", "ana@example.org", "password", "x"), everything{})
		if err == nil || err.Error() == tooMany {
			t.Fatalf("a stranger: %v", err)
		}
	}
	ana := h.join("ana").DocumentID
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	code := h.code()
	for range 10 {
		if got := h.newPassword(ana+strings.Repeat("0", 64), "secret-2"); got != "Incorrect code provided" {
			t.Fatalf("a stranger: %q", got)
		}
	}
	if got := h.newPassword(code, "secret-2"); got != "" {
		t.Errorf("the owner: %q", got)
	}
}

// The project's own code asks for a password as often as people may try to sign in.
func TestHasPassword(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"max": 3}}}`)
	e := h.stored(h.join("ada").DocumentID)
	has := func(id uint64, password string) (bool, error) {
		return h.HasPassword(t.Context(), h.index.Snapshot(), id, password)
	}
	for range 5 {
		if ok, err := has(e.ID, "secret-1"); !ok || err != nil {
			t.Fatalf("the right password: %v, %v", ok, err)
		}
	}
	for range 3 {
		if ok, err := has(e.ID, "secret-2"); ok || err != nil {
			t.Fatalf("a wrong password: %v, %v", ok, err)
		}
	}
	if ok, err := has(e.ID, "secret-1"); ok || !errors.As(err, new(*auth.ThrottledError)) {
		t.Errorf("after 3 wrong passwords: %v, %v", ok, err)
	}
	if ok, err := has(e.ID+1, "secret-1"); ok || err != nil {
		t.Errorf("nobody has a password: %v, %v", ok, err)
	}
}
