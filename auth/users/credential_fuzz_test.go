package users_test

import (
	"encoding/json"
	"strings"
	"testing"

	"quire/auth"
	"quire/auth/users"
)

// FuzzBearer: nobody is let in but by a credential that was handed out, to the
// last byte.
func FuzzBearer(f *testing.F) {
	h := reopenFixture(f, f.TempDir()+"/quire.db", loadSite(f, `{}`), start(), options{JWTSecret: outside})
	session := h.join("ana").JWT
	token, err := h.CreateToken(f.Context(), auth.TokenSpec{Name: "all", Kind: auth.FullAccess})
	h.check(err)
	parts := strings.Split(session, ".")
	for _, bearer := range []string{
		session, token, strings.ToUpper(token), session + "=", parts[0] + "." + parts[1] + ".",
		"eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + parts[1] + ".", "", "..", strings.Repeat("0", 256),
	} {
		f.Add(bearer)
	}
	f.Fuzz(func(t *testing.T, bearer string) {
		identity, err := h.authenticate(bearer)
		switch {
		case err == nil && bearer != session && bearer != token:
			t.Errorf("%q is %s", bearer, identity)
		case err != nil && !isUnauthorized(err):
			t.Errorf("%q: %v", bearer, err)
		case err != nil && (identity.User != nil || identity.Caller != nil):
			t.Errorf("%q is refused, and still %s", bearer, identity)
		}
	})
}

// FuzzRefresh: a session goes on with its latest refresh token alone.
func FuzzRefresh(f *testing.F) {
	h := openFixture(f, refreshing)
	session := h.join("ana")
	id, _, _ := strings.Cut(session.RefreshToken, ".")
	for _, shown := range []string{"", ".", id, id + ".", session.RefreshToken, session.RefreshToken + ".x", session.JWT} {
		f.Add(shown)
	}
	f.Fuzz(func(t *testing.T, shown string) {
		h := h.in(t)
		body, err := json.Marshal(map[string]string{"refreshToken": shown})
		h.check(err)
		form, err := users.ReadForm(body)
		h.check(err)
		next, err := h.Refresh(h.Context(), form)
		if err == nil && shown != session.RefreshToken {
			t.Fatalf("%q is taken for %q", shown, session.RefreshToken)
		}
		if err == nil {
			session = next
		} else if h.who(session.JWT) == "" { // it was ended, as by a token that is no more
			session, err = h.SignIn(h.Context(), with(t, "identifier", "ana", "password", "secret-1"))
			h.check(err)
		}
	})
}

// FuzzCommand: whatever comes over the socket, a command is carried out or
// refused, and no answer has a password or its hash in it.
func FuzzCommand(f *testing.F) {
	h := openFixture(f, `{"auth": {"rateLimit": {"enabled": false}}}`)
	h.join("ana")
	for _, seed := range [][2]string{
		{"token create", `{"Name": "x", "Kind": "custom", "Permissions": ["api::dish.dish.find"], "Lifetime": -1}`}, {"token list", `{}`}, {"token revoke", `"x"`},
		{"user create", `{"username": "bo", "email": "bo@example.org", "role": "authenticated"}`}, {"user list", `null`}, {"user block", `{"user": "bo"}`},
		{"user set-role", `{"user": "1", "role": "public"}`}, {"user reset-link", `{"user": "ana@example.org"}`}, {"user delete", `{"user": "bo"}`},
		{"user sign-out", `[]`}, {"role list", `0`}, {"role show", `"public"`}, {"sign-out all", `{`}, {"data compact", ``},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, name string, args []byte) {
		h := h.in(t)
		result, err := h.Do(h.Context(), name, args)
		if err != nil {
			if strings.Contains(err.Error(), "$argon2") {
				t.Errorf("%s %q: %v", name, args, err)
			}
			return
		}
		text, err := json.Marshal(result)
		if err != nil || strings.Contains(string(text), "$argon2") {
			t.Errorf("%s %q: %s, %v", name, args, text, err)
		}
	})
}
