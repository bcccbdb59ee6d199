package users_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/auth/users"
	"quire/schema"
	"quire/store"
	"quire/store/storetest"
)

// openNodes opens two nodes of one site. The user ana has registered on the first.
func openNodes(t *testing.T, siteJSON string) (one, two *fixture, ana *users.Session) {
	t.Helper()
	journal, site, c := storetest.NewMemory(), loadSite(t, siteJSON), start()
	open := func() *fixture {
		return reopenFixture(t, filepath.Join(t.TempDir(), "quire.db"), site, c, options{journal: journal, Mailer: newMailbox()})
	}
	one, two = open(), open()
	ana = one.join("ana")
	two.fresh()
	return one, two, ana
}

// fresh brings a node to what has been decided by now.
func (h *fixture) fresh() {
	h.Helper()
	h.check(h.db.Fresh(h.Context()))
}

func TestNodesAgreeOnTokens(t *testing.T) {
	one, two, _ := openNodes(t, `{}`)
	token, err := one.CreateToken(t.Context(), auth.TokenSpec{Name: "deploy", Kind: auth.FullAccess})
	one.check(err)
	two.fresh()
	if _, err := two.authenticate(token); err != nil {
		t.Fatalf("created on the other node: %v", err)
	}
	two.check(two.RevokeToken(t.Context(), "deploy"))
	if _, err := two.authenticate(token); !isUnauthorized(err) {
		t.Errorf("where it was revoked: %v", err)
	}
	one.fresh()
	if _, err := one.authenticate(token); !isUnauthorized(err) {
		t.Errorf("revoked on the other node: %v", err)
	}
}

// The use of a token is noted by one node, and changes nothing for those who use it on
// another.
func TestNodesNoteTheUseOfTokens(t *testing.T) {
	one, two, _ := openNodes(t, `{}`)
	token, err := one.CreateToken(t.Context(), auth.TokenSpec{Name: "deploy", Kind: auth.FullAccess})
	one.check(err)
	two.fresh()
	noted := make(chan uint64, 10)
	defer two.db.Subscribe(func(c store.Commit) {
		if c.RecordsOf("tokens") != nil {
			noted <- c.Revision
		}
	})()
	first, err := two.authenticate(token)
	two.check(err)
	<-noted
	one.fresh()
	one.clock.advance(time.Hour)
	if _, err := one.authenticate(token); err != nil {
		t.Fatal(err)
	}
	one.check(one.Auth.Close(t.Context()))
	two.fresh()
	<-noted
	if again, err := two.authenticate(token); err != nil || again.Caller != first.Caller {
		t.Errorf("it stands for another caller (%v)", err)
	}
	two.check(two.Auth.Close(t.Context()))
	list, err := two.Tokens()
	if err != nil || len(list) != 1 || !list[0].Used.Equal(one.clock.Now()) || len(noted) != 0 {
		t.Errorf("the other node lists %+v and noted its use %d times more, %v", list, len(noted), err)
	}
}

func TestNodesAgreeOnSessions(t *testing.T) {
	for name, end := range map[string]func(one *fixture, s *users.Session){
		"logout": func(one *fixture, s *users.Session) {
			identity, err := one.authenticate(s.JWT)
			one.check(err)
			one.check(one.Logout(one.Context(), identity, with(one, "scope", "session")))
		},
		"a stolen refresh token": func(one *fixture, s *users.Session) {
			one.prolong(s.RefreshToken)
			if next := one.prolong(s.RefreshToken); next != nil {
				one.Error("a refresh token works twice")
			}
		},
		"another secret": func(one *fixture, s *users.Session) { one.do("sign-out all", struct{}{}) },
		"a blocked user": func(one *fixture, s *users.Session) { one.do("user block", users.UserRef{User: "ana"}) },
		"a deleted user": func(one *fixture, s *users.Session) { one.check(one.DeleteUser(one.Context(), s.DocumentID)) },
	} {
		t.Run(name, func(t *testing.T) {
			one, two, s := openNodes(t, refreshing)
			if two.who(s.JWT) != "ana" {
				t.Fatal("a session of the other node is refused")
			}
			end(one, s)
			if one.who(s.JWT) != "" {
				t.Error("the session goes on where it was ended")
			}
			two.fresh()
			if two.who(s.JWT) != "" {
				t.Error("the session goes on on the other node")
			}
		})
	}
}

// A session that one node prolongs can be prolonged by the other, once.
func TestNodesProlongSessions(t *testing.T) {
	one, two, s := openNodes(t, refreshing)
	next := two.prolong(s.RefreshToken)
	if next == nil {
		t.Fatal("a refresh token of the other node does not work")
	}
	if one.prolong(s.RefreshToken) != nil {
		t.Error("a refresh token works on both nodes")
	}
	if two.fresh(); two.prolong(next.RefreshToken) != nil {
		t.Error("the session goes on after a token was shown twice")
	}
}

// A code for a new password works on one of two nodes, also where both are asked before either
// has heard of the other.
func TestNodesTakeACodeOnce(t *testing.T) {
	one, two, _ := openNodes(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	two.stop() // one node of a server sends mail; another code would make the first one invalid
	one.check(one.ForgotPassword(t.Context(), with(one, "email", "ana@example.org")))
	code := one.code()
	one.fresh()
	two.fresh()
	answers := make(chan string, 2)
	for i, h := range []*fixture{one, two} {
		go func() { answers <- h.newPassword(code, []string{"secret-one", "secret-two"}[i]) }()
	}
	if first, second := <-answers, <-answers; first+second != "Incorrect code provided" {
		t.Errorf("the nodes answer %q and %q", first, second)
	}
	one.fresh()
	two.fresh()
	if in := one.signIn("ana", "secret-one"); in != two.signIn("ana", "secret-one") || (in == "") == (one.signIn("ana", "secret-two") == "") {
		t.Error("the nodes do not agree on the password")
	}
}

func TestNodesAgreeOnRoles(t *testing.T) {
	one, two, s := openNodes(t, `{}`)
	may := func() bool {
		identity, err := two.authenticate(s.JWT)
		two.check(err)
		return identity.Caller.Allows(two.site.Type("api::dish.dish"), schema.Find)
	}
	change := func(enabled string) {
		f, err := readForm(`{"permissions": {"api::dish": {"controllers": {"dish": {"find": {"enabled": ` + enabled + `}}}}}}`)
		one.check(err)
		one.check(one.UpdateRole(one.Context(), one.Role("authenticated"), f))
		two.fresh()
	}
	if may() {
		t.Fatal("users should find no dishes at first")
	}
	if change("true"); !may() {
		t.Error("what the other node allowed is refused")
	}
	if change("false"); may() {
		t.Error("what the other node took away is allowed")
	}
	f, err := readForm(`{"name": "Cook"}`)
	one.check(err)
	one.check(one.CreateRole(one.Context(), f))
	two.fresh()
	if two.Role("cook") == nil {
		t.Error("a role of the other node is missing")
	}
	two.check(two.DeleteRole(two.Context(), two.Role("cook")))
	if one.fresh(); one.Role("cook") != nil {
		t.Error("a role that the other node deleted is there")
	}
}

// What a node reads anew is no older than what the feed has shown it.
func TestNodesAgreeAfterAReload(t *testing.T) {
	one, two, s := openNodes(t, refreshing)
	two.check(two.reload(two.site))
	token, err := one.CreateToken(t.Context(), auth.TokenSpec{Name: "late", Kind: auth.ReadOnly})
	one.check(err)
	one.do("user set-role", users.UserRef{User: "ana", Role: "public"})
	one.do("user sign-out", users.UserRef{User: "ana"})
	two.fresh()
	if _, err := two.authenticate(token); err != nil {
		t.Errorf("a token that came after the reload: %v", err)
	}
	if two.who(s.JWT) != "" {
		t.Error("a session that ended after the reload goes on")
	}
	var users []users.UserInfo
	two.check(json.Unmarshal([]byte(two.do("user list", struct{}{})), &users))
	if len(users) != 1 || users[0].Role != "public" || !strings.HasPrefix(users[0].Email, "ana@") {
		t.Errorf("the other node has the users %+v", users)
	}
}
