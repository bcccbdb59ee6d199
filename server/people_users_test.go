package server_test

import (
	"os"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema"
)

// openClerks opens a site with accounts that have rights on its users, and one, "none",
// with all other rights.
func openClerks(t *testing.T) *accountSite {
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	h.receivePeople()
	rest := auth.TypeRights{Actions: everyAction}
	for name, rights := range map[string]auth.TypeRights{
		"clerk":  {Actions: []string{"read", "create", "update", "delete"}},
		"looker": {Actions: []string{"read"}, Hidden: []string{"email"}},
		"keeper": {Actions: []string{"read", "update"}, Hidden: []string{"email"}, ReadOnly: []string{"role"}},
	} {
		h.receive(t, name, auth.AdminRole{Types: map[string]auth.TypeRights{schema.UserUID: rights, auth.EveryType: rest}})
	}
	h.receive(t, "none", auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: rest}})
	h.receive(t, "owner", auth.AdminRole{Full: true})
	return h
}

const newUser = `{"username": "mia", "email": "Mia@example.org", "password": "secret-1", "role": "1"}`

// When accounts write users, the rules of users apply: passwords are hashed, names are
// unique, and nobody can set secrets.
func TestAccountsWriteUsers(t *testing.T) {
	t.Parallel()
	h := openClerks(t)
	send := func(as, method, path, body string, status int, parts ...string) *answer {
		t.Helper()
		a := h.send(as, method, path, body)
		if a.status != status {
			t.Errorf("%s %s %s by %s: %d %s", method, path, body, as, a.status, a.body)
		}
		for _, part := range parts {
			if !strings.Contains(a.body, part) {
				t.Errorf("%s %s by %s: no %s in %s", method, path, as, part, a.body)
			}
		}
		for _, secret := range []string{"$argon2", "secret-", "Token", "sessionEpoch", `"password":`} {
			if a.status < 300 && as != "" && strings.Contains(a.body, secret) {
				t.Errorf("%s %s by %s shows %s: %s", method, path, as, secret, a.body)
			}
		}
		return a
	}
	for _, as := range []string{"none", "looker", "keeper"} {
		send(as, "POST", "/api/users", newUser, 403)
	}
	one := "/api/users/" + send("clerk", "POST", "/api/users", newUser, 201, `"email":"mia@example.org"`, `"provider":"local"`, `"role":{`).text(t, "documentId")
	const signIn = `{"identifier": "mia", "password": "secret-1"}`
	jwt := send("", "POST", "/api/auth/local", signIn, 200).text(t, "jwt")
	h.tokens["mia"] = jwt
	send("clerk", "POST", "/api/users", strings.Replace(newUser, "mia", "ada", 1), 400, "Email already taken")
	send("clerk", "POST", "/api/users", strings.Replace(newUser, "Mia", "ada", 1), 400, "Username already taken")
	send("clerk", "PUT", one, `{"sessionEpoch": "x"}`, 400, "sessionEpoch")
	send("clerk", "PUT", one, `{"role": "4711"}`, 400)
	send("keeper", "PUT", one, `{"role": "2"}`, 403, `"path":"role"`)
	send("keeper", "PUT", one, `{"username": "mia2", "email": "taken@example.org"}`, 200, `"username":"mia2"`)
	send("clerk", "GET", one, "", 200, `"email":"mia@example.org"`)
	send("owner", "GET", one+"?populate=*", "", 200, `"username":"mia2"`)
	for _, as := range []string{"none", "looker"} {
		send(as, "PUT", one, `{"username": "no"}`, 403)
		send(as, "DELETE", one, "", 403)
	}
	send("clerk", "PUT", one, `{"blocked": true}`, 200, `"blocked":true`)
	send("mia", "GET", "/api/users/me", "", 401)
	send("clerk", "DELETE", one, "", 200)
	send("", "POST", "/api/auth/local", signIn, 400)
}

// An account that may not read users can neither see nor set relations to them, and learns
// nothing through them. An account that may read users sees the attributes that its role
// allows.
func TestAccountsReadUsers(t *testing.T) {
	t.Parallel()
	h := openClerks(t)
	mia := h.send("clerk", "POST", "/api/users", newUser).text(t, "documentId")
	review := h.send("clerk", "POST", "/api/reviews", `{"data": {"note": 1, "author": "`+mia+`"}}`)
	one := "/api/reviews/" + review.text(t, "data.documentId")
	for _, c := range []struct {
		as, method, path, body string
		status                 int
		has, hasNot            string
	}{
		{"none", "GET", "/api/users", "", 403, "", "mia"},
		{"none", "GET", "/api/users/" + mia, "", 403, "", "mia"},
		{"none", "GET", "/api/users-permissions/roles", "", 403, "", "ublic"},
		{"none", "GET", one + "?populate=*", "", 200, `"note":1`, "mia"},
		{"none", "GET", "/api/reviews?filters[author][username]=mia", "", 400, "author", "mia"},
		{"none", "PUT", one, `{"data": {"author": "` + mia + `"}}`, 400, "author", "mia"},
		{"looker", "GET", "/api/users", "", 200, `"username":"mia"`, "example.org"},
		{"looker", "GET", "/api/users?filters[email]=mia@example.org", "", 400, "email", `"username"`},
		{"looker", "GET", "/api/users?_q=example", "", 200, "[]", "mia"},
		{"looker", "GET", "/api/users/count", "", 200, "1", ""},
		{"looker", "GET", "/api/users-permissions/roles", "", 200, `"Public"`, ""},
		{"looker", "GET", "/api/users-permissions/roles/1", "", 403, "", "permissions"},
		{"looker", "GET", one + "?populate=*", "", 200, `"username":"mia"`, "example.org"},
		{"looker", "GET", one + "?populate[author][filters][email]=mia@example.org", "", 400, "email", `"username"`},
		{"looker", "GET", "/api/reviews?filters[author][username]=mia", "", 200, `"total":1`, ""},
		{"looker", "PUT", one, `{"data": {"author": null}}`, 200, "", ""},
		{"looker", "PUT", one, `{"data": {"author": "` + mia + `"}}`, 200, "", ""},
	} {
		a := h.send(c.as, c.method, c.path, c.body)
		if a.status != c.status || !strings.Contains(a.body, c.has) || c.hasNot != "" && strings.Contains(strings.ReplaceAll(a.body, mia, ""), c.hasNot) {
			t.Errorf("%s %s by %s: %d %s", c.method, c.path, c.as, a.status, a.body)
		}
	}
}
