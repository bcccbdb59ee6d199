package users_test

import (
	"errors"
	"strings"
	"testing"

	"quire/content"
	"quire/content/body"
	"quire/schema"
)

// noAccess may do nothing.
type noAccess struct{ schema.Unlimited }

func (noAccess) Allows(*schema.Type, schema.Action) bool { return false }

func TestCreateUser(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	role := h.Role("authenticated").DocumentID
	id, err := h.CreateUser(t.Context(), form(t, map[string]any{
		"username": "bob", "email": "Bob@Example.org", "password": "secret-1", "role": role,
		"note": "by hand", "unknown": 1, "id": 99, "documentId": "mine", "createdAt": "2000-01-01T00:00:00Z",
	}), everything{})
	h.check(err)
	u := h.stored(id)
	if u.ID != 1 || id == "mine" || u.Value("email").Text != "bob@example.org" || u.Value("note").Text != "by hand" || u.Value("confirmed").Num != 0 {
		t.Errorf("stored: %+v", u)
	}
	if got := h.signIn("bob", "secret-1"); got != "" {
		t.Errorf("the sign-in: %s", got)
	}
	if h.Find("1") != id || h.Find(id) != id || h.Find("2") != "" || h.Find("bob") != "" || h.Find("") != "" {
		t.Error("the user is not found by what a path names")
	}
}

func TestWritesOfUsersRefuse(t *testing.T) {
	h := openFixture(t, `{}`)
	role := h.Role("authenticated").DocumentID
	ana, bob := h.join("ana").DocumentID, h.join("bob").DocumentID
	create := func(members map[string]any, access schema.Access) error {
		_, err := h.CreateUser(t.Context(), form(t, members), access)
		return err
	}
	change := func(members map[string]any) error {
		return h.UpdateUser(t.Context(), bob, form(t, members), everything{})
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{create(nil, everything{}), "4 errors occurred"},
		{create(map[string]any{"username": "cyd", "email": "c@example.org", "password": "secret-1"}, everything{}), "role is a required field"},
		{create(map[string]any{"username": "cyd", "email": "c@example.org", "password": "secret-1", "role": role}, noAccess{}), "Invalid key role"},
		{create(map[string]any{"username": "cyd", "email": "c@example.org", "password": "secret-1", "role": 99}, everything{}), "1 relation(s) of type plugin::users-permissions.role"},
		{create(map[string]any{"username": "ana", "email": "c@example.org", "password": "secret-1", "role": role}, everything{}), "Username already taken"},
		{change(map[string]any{"username": "ana"}), "Username already taken"},
		{change(map[string]any{"email": "ANA@example.org"}), "Email already taken"},
		{change(map[string]any{"email": "x"}), "email must be a valid email"},
		{change(map[string]any{"email": []string{"x"}}), "email must be a `string` type"},
		{change(map[string]any{"password": map[string]string{"$ne": ""}}), "password must be a `string` type"},
		{change(map[string]any{"password": "x"}), "password must be at least 6 characters"},
		{change(map[string]any{"username": nil}), "username must be a `string` type"},
		{change(map[string]any{"blocked": "yes"}), "blocked must be a `boolean` type"},
		{change(map[string]any{"resetPasswordToken": "x"}), "Invalid key resetPasswordToken"},
		{change(map[string]any{"confirmationToken": nil}), "Invalid key confirmationToken"},
		{change(map[string]any{"sessionEpoch": "x"}), "Invalid key sessionEpoch"},
		{h.UpdateUser(t.Context(), "nope", form(t, nil), everything{}), "no document nope"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("got %v, want %s", test.err, test.want)
		}
	}
	if err := h.UpdateUser(t.Context(), "nope", form(t, nil), everything{}); !errors.As(err, new(*content.NotFoundError)) {
		t.Errorf("got %v", err)
	}
	if got := h.stored(ana).Value("username").Text + h.stored(bob).Value("username").Text; got != "anabob" {
		t.Errorf("what was refused has left traces: %s", got)
	}
}

func TestForms(t *testing.T) {
	h := openFixture(t, `{}`)
	for _, text := range []string{``, ` `, `null`, `[]`, `"x"`, `5`, `{}`} {
		f, err := readForm(text)
		h.check(err)
		if _, err := h.SignIn(t.Context(), f); err == nil || err.Error() != "2 errors occurred" {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{`{`, `{"a":}`, "{\"identifier\": \"\xff\"}"} {
		var refused *body.ValidationError
		if _, err := readForm(text); !errors.As(err, &refused) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
