package users_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"quire/auth"
	"quire/auth/users"
)

// do carries out a command and returns its result as JSON, or its error.
func (h *fixture) do(command string, args any) string {
	h.Helper()
	raw, err := json.Marshal(args)
	h.check(err)
	result, err := h.Do(h.Context(), command, raw)
	if err != nil {
		return "error: " + err.Error()
	}
	text, err := json.Marshal(result)
	h.check(err)
	return string(text)
}

func TestCommandsOnUsers(t *testing.T) {
	h := openFixture(t, `{"auth": {"reset": {"url": "https://example.org/reset"}, "rateLimit": {"enabled": false}}, "roles": {"author": {}}}`)
	made := h.do("user create", users.NewUser{Username: "ana", Email: "Ana@example.org", Role: "author"})
	var ana users.UserInfo
	h.check(json.Unmarshal([]byte(made), &ana))
	if ana.ID != 1 || ana.Email != "ana@example.org" || ana.Role != "author" || !ana.Confirmed || ana.Blocked {
		t.Errorf("made %s", made)
	}
	if got := h.signIn("ana", ""); got == "" {
		t.Error("a user without a password can sign in")
	}
	var link users.ResetLink
	h.check(json.Unmarshal([]byte(h.do("user reset-link", users.UserRef{User: "ana@example.org"})), &link))
	if link.Link != "https://example.org/reset?code="+link.Code {
		t.Errorf("the link is %+v", link)
	}
	if got := h.newPassword(link.Code, "secret-1"); got != "" {
		t.Errorf("with the link: %s", got)
	}
	s, err := h.SignIn(t.Context(), with(t, "identifier", "ana", "password", "secret-1"))
	h.check(err)
	h.do("user set-role", users.UserRef{User: "1", Role: "authenticated"})
	if identity, err := h.authenticate(s.JWT); err != nil || identity.String() != `user 1, role "authenticated"` {
		t.Errorf("with another role: %v, %v", identity, err)
	}
	if got := h.do("user block", users.UserRef{User: ana.DocumentID}); !strings.Contains(got, `"blocked":true`) || h.who(s.JWT) != "" {
		t.Errorf("blocked: %s", got)
	}
	if got := h.do("user unblock", users.UserRef{User: "ana"}); !strings.Contains(got, `"blocked":false`) || h.signIn("ana", "secret-1") != "" {
		t.Errorf("unblocked: %s", got)
	}
	s, err = h.SignIn(t.Context(), with(t, "identifier", "ana", "password", "secret-1"))
	h.check(err)
	if h.do("user sign-out", users.UserRef{User: "ana"}); h.who(s.JWT) != "" {
		t.Error("the session goes on")
	}
	h.do("user create", users.NewUser{Username: "bob", Email: "bob@example.org", Role: "authenticated", Password: "secret-2"})
	if got := h.signIn("bob", "secret-2"); got != "" {
		t.Errorf("a user with a password: %s", got)
	}
	if got := h.do("user list", nil); strings.Count(got, `"documentId"`) != 2 || strings.Contains(got, "$argon2id") {
		t.Errorf("the list: %s", got)
	}
	h.do("user delete", users.UserRef{User: "bob"})
	if got := h.do("user list", nil); strings.Count(got, `"documentId"`) != 1 {
		t.Errorf("the list without bob: %s", got)
	}
}

func TestCommandsEndAllSessions(t *testing.T) {
	h := openFixture(t, `{}`)
	s := h.join("ana")
	if got := h.do("sign-out all", nil); got != "{}" || h.who(s.JWT) != "" {
		t.Errorf("got %s", got)
	}
	outside, s := openKnown(t)
	if got := outside.do("sign-out all", nil); !strings.Contains(got, "JWT_SECRET") || outside.who(s.JWT) != "ana" {
		t.Errorf("with a secret from the environment: %s", got)
	}
}

func TestCommandsOnRolesAndTokens(t *testing.T) {
	h := openFixture(t, `{"roles": {"author": {"api::dish.dish": ["find", "create"]}}}`)
	h.join("ana")
	if got := h.do("role show", "author"); !strings.Contains(got, `"inSite":true,"users":0,"permissions":["api::dish.dish.create","api::dish.dish.find"]`) {
		t.Errorf("a role: %s", got)
	}
	if got := h.do("role list", nil); strings.Count(got, `"type"`) != 3 || !strings.Contains(got, `"inSite":false,"users":1`) {
		t.Errorf("the roles: %s", got)
	}
	token := strings.Trim(h.do("token create", auth.TokenSpec{Name: "x", Kind: auth.FullAccess}), `"`)
	if identity, err := h.authenticate(token); err != nil || identity.String() != `token "x"` {
		t.Errorf("the token %.10s: %v", token, err)
	}
	if got := h.do("token list", nil); !strings.Contains(got, `"name":"x"`) || strings.Contains(got, "hash") {
		t.Errorf("the tokens: %s", got)
	}
	if got := h.do("token revoke", "x"); got != "{}" {
		t.Errorf("revoked: %s", got)
	}
}

func TestCommandsRefuse(t *testing.T) {
	h := openFixture(t, `{}`)
	h.join("ana")
	for _, test := range []struct {
		command string
		args    any
		want    string
	}{
		{"user create", users.NewUser{Username: "ana", Email: "new@example.org", Role: "authenticated"}, "already taken"},
		{"user create", users.NewUser{Username: "new", Email: "ana@example.org", Role: "authenticated"}, "already taken"},
		{"user create", users.NewUser{Username: "new", Email: "new.example.org", Role: "authenticated"}, "valid email"},
		{"user create", users.NewUser{Username: "new", Email: "new@example.org", Role: "editor"}, `no role "editor"`},
		{"user create", users.NewUser{Username: "new", Email: "new@example.org", Role: "authenticated", Password: "x"}, "at least 6 characters"},
		{"user block", users.UserRef{User: "bob"}, `no user "bob"`},
		{"user set-role", users.UserRef{User: "ana", Role: "editor"}, `no role "editor"`},
		{"role show", "editor", `no role "editor"`},
		{"token revoke", "x", `no token "x"`},
		{"token create", auth.TokenSpec{Name: "x", Kind: "admin"}, "not created"},
		{"user list", []int{1}, "cannot be read"},
		{"drop everything", nil, `no command "drop everything"`},
	} {
		if got := h.do(test.command, test.args); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, test.want) {
			t.Errorf("%s %s: %s, want %s", test.command, fmt.Sprint(test.args), got, test.want)
		}
	}
}
