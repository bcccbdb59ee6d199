package users_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth/users"
)

const refreshing = `{"auth": {"refresh": {"enabled": true, "access": "10m", "idle": "2h", "longest": "5h"}, "rateLimit": {"enabled": false}}}`

// prolong takes a refresh token and returns the next session, nil when it is
// refused.
func (h *fixture) prolong(token string) *users.Session {
	h.Helper()
	s, err := h.Refresh(h.Context(), with(h, "refreshToken", token))
	if err != nil && !isUnauthorized(err) {
		h.Errorf("refused with %v", err)
	}
	return s
}

func TestRefreshTokensRotate(t *testing.T) {
	h := openFixture(t, refreshing)
	first := h.join("ana")
	h.clock.advance(9 * time.Minute)
	second := h.prolong(first.RefreshToken)
	if second == nil || second.RefreshToken == first.RefreshToken {
		t.Fatal("the session is not prolonged")
	}
	h.clock.advance(9 * time.Minute)
	if h.who(first.JWT) != "" || h.who(second.JWT) != "ana" {
		t.Error("the JWTs do not live for 10 minutes each")
	}
	if third := h.prolong(second.RefreshToken); third == nil || h.who(third.JWT) != "ana" {
		t.Error("the session is not prolonged twice")
	}
}

// A token that is shown twice has been stolen: nobody knows by whom, so it is
// over for both.
func TestReplayEndsTheFamily(t *testing.T) {
	h := openFixture(t, refreshing)
	first, other := h.join("ana"), h.join("bob")
	second := h.prolong(first.RefreshToken)
	if h.prolong(first.RefreshToken) != nil {
		t.Error("the token works twice")
	}
	if h.prolong(second.RefreshToken) != nil || h.who(second.JWT) != "" || h.who(first.JWT) != "" {
		t.Error("the family lives on")
	}
	if h.who(other.JWT) != "bob" || h.prolong(other.RefreshToken) == nil {
		t.Error("another family has ended with it")
	}
}

// Who knows the id of a session and none of its tokens cannot end it.
func TestForgedTokensEndNothing(t *testing.T) {
	h := openFixture(t, refreshing)
	s := h.join("ana")
	id, rest, _ := strings.Cut(s.RefreshToken, ".")
	random, mac, _ := strings.Cut(rest, ".")
	for _, forged := range []string{id, id + ".", id + ".garbage", id + "." + random, id + ".garbage." + mac, id + "." + random + ".", id + "." + random + "." + strings.ToUpper(mac)} {
		if h.prolong(forged) != nil {
			t.Errorf("%q is taken for a token", forged)
		}
	}
	if h.who(s.JWT) != "ana" || h.prolong(s.RefreshToken) == nil {
		t.Error("a forged token has ended the session")
	}
}

func TestReplayAtTheSameTime(t *testing.T) {
	h := openFixture(t, refreshing)
	token := h.join("ana").RefreshToken
	answers := make(chan *users.Session, 8)
	var all sync.WaitGroup
	for range cap(answers) {
		all.Go(func() { answers <- h.prolong(token) })
	}
	all.Wait()
	close(answers)
	prolonged := 0
	for s := range answers {
		if s != nil {
			prolonged++
			if h.who(s.JWT) != "" {
				t.Error("the family lives on")
			}
		}
	}
	if prolonged != 1 {
		t.Errorf("the token worked %d times", prolonged)
	}
}

func TestRefreshByTheClock(t *testing.T) {
	h := openFixture(t, refreshing)
	idle, s := h.join("idle"), h.join("ana")
	for range 4 {
		h.clock.advance(70 * time.Minute)
		if s = h.prolong(s.RefreshToken); s == nil {
			t.Fatal("the session ends although it is used")
		}
	}
	if h.prolong(idle.RefreshToken) != nil {
		t.Error("an idle session is prolonged after 2 hours")
	}
	h.clock.advance(20 * time.Minute)
	if h.prolong(s.RefreshToken) != nil {
		t.Error("a session is prolonged after 5 hours")
	}
}

func TestRefreshRefuses(t *testing.T) {
	h := openFixture(t, refreshing)
	s := h.join("ana")
	id, secret, _ := strings.Cut(s.RefreshToken, ".")
	for _, token := range []string{"x", ".", id, id + ".", "." + secret, secret + "." + id, s.JWT} {
		h := openFixture(t, refreshing)
		h.join("ana")
		if h.prolong(token) != nil {
			t.Errorf("%s is taken for a refresh token", token)
		}
	}
	if _, err := h.Refresh(t.Context(), form(t, nil)); err == nil || err.Error() != "Missing refresh token" {
		t.Errorf("without one: %v", err)
	}
	if _, err := h.Refresh(t.Context(), form(t, map[string]any{"refreshToken": []string{s.RefreshToken}})); err == nil || isUnauthorized(err) {
		t.Errorf("a list: %v", err)
	}
	if h.who(s.RefreshToken) != "" {
		t.Error("a refresh token is taken for a credential")
	}
	legacy := openFixture(t, `{}`)
	if s := legacy.join("ana"); s.RefreshToken != "" {
		t.Error("a site without refresh tokens hands one out")
	}
	if _, err := legacy.Refresh(t.Context(), with(t, "refreshToken", "x")); !errors.As(err, new(*users.DisabledError)) {
		t.Errorf("a site without refresh tokens: %v", err)
	}
}

func TestLogout(t *testing.T) {
	h := openFixture(t, refreshing)
	one, two := h.join("ana"), (*users.Session)(nil)
	two, err := h.SignIn(t.Context(), with(t, "identifier", "ana", "password", "secret-1"))
	h.check(err)
	identity, err := h.authenticate(one.JWT)
	h.check(err)
	h.check(h.Logout(t.Context(), identity, form(t, nil)))
	if h.who(one.JWT) != "" || h.prolong(one.RefreshToken) != nil {
		t.Error("the session goes on")
	}
	if h.who(two.JWT) != "ana" {
		t.Error("the user's other session has ended too")
	}
	identity, err = h.authenticate(two.JWT)
	h.check(err)
	h.check(h.Logout(t.Context(), identity, with(t, "scope", "all")))
	if h.who(two.JWT) != "" || h.prolong(two.RefreshToken) != nil {
		t.Error("scope all does not end every session")
	}
}

// Refresh tokens end with the sessions, whatever ends them (CVE-2026-22706).
func TestRefreshTokensEndWithSessions(t *testing.T) {
	h := openFixture(t, refreshing)
	s := h.join("ana")
	h.check(h.UpdateUser(t.Context(), s.DocumentID, with(t, "password", "secret-2"), everything{}))
	if h.prolong(s.RefreshToken) != nil {
		t.Error("a refresh token survives a new password")
	}
	s = h.join("bob")
	h.check(h.DeleteUser(t.Context(), s.DocumentID))
	if h.prolong(s.RefreshToken) != nil {
		t.Error("a refresh token survives its user")
	}
}
