package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth/people"
)

// addAccount makes an account with a password and signs it in.
func (v *client) addAccount(name, role string) (id string, them *client) {
	v.t.Helper()
	body := fmt.Sprintf(`{"name":%q,"email":"%s@example.org","role":%q,"password":"%s"}`, name, name, role, secret)
	id = v.want(201, "POST", "/accounts", body).text("data.id")
	them = v.client()
	them.want(200, "POST", "/session", fmt.Sprintf(`{"email":"%s@example.org","password":"%s"}`, name, secret))
	return id, them
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id, bob := v.addAccount("bob", "editor")
	if got := bob.want(200, "GET", "/session", ""); got.text("data.account.role.name") != "Editor" || !strings.Contains(got.body, `"site":[]`) {
		t.Errorf("bob is %s", got.body)
	}
	list := v.want(200, "GET", "/accounts", "")
	if strings.Count(list.body, `"email"`) != 2 || strings.Contains(list.body, "argon2") || !strings.Contains(list.body, `"lastUsedAt":"2026-05-04T09:00:00Z"`) {
		t.Errorf("the list: %s", list.body)
	}
	a := v.want(200, "PUT", "/accounts/"+id, `{"name":"Robert","email":"ROBERT@example.org"}`)
	if a.text("data.name") != "Robert" || a.text("data.email") != "robert@example.org" || a.text("data.role.id") != "editor" {
		t.Errorf("changed: %s", a.body)
	}
	bob.want(200, "GET", "/session", "")
	v.want(204, "DELETE", "/accounts/"+id, "")
	bob.want(401, "GET", "/session", "")
	v.want(404, "DELETE", "/accounts/"+id, "")
	v.want(404, "PUT", "/accounts/"+id, `{"name":"Bob"}`)
	v.want(404, "POST", "/accounts/"+id+"/reset-link", "")
	if o.client().ask("POST", "/session", `{"email":"robert@example.org","password":"`+secret+`"}`).status != 400 {
		t.Error("who was removed signs in")
	}
}

// What is wrong with a form is named.
func TestAccountForms(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	for body, key := range map[string]string{
		`{"name":"Bob","email":"bob@example.org","role":"king"}`:                                "role",
		`{"name":"Bob","email":"ana@example.org","role":"editor"}`:                              "email",
		`{"name":"Bob","email":"bob","role":"editor"}`:                                          "email",
		`{"name":"Bob","email":"` + strings.Repeat("b", 250) + `@example.org","role":"editor"}`: "email",
		`{"name":"","email":"bob@example.org","role":"editor"}`:                                 "name",
		`{"name":"` + strings.Repeat("b", 101) + `","email":"bob@example.org","role":"editor"}`: "name",
		`{"name":"B\nb","email":"bob@example.org","role":"editor"}`:                             "name",
		`{"name":7}`:                   "name",
		`{"name":"Bob","email":["x"]}`: "email",
		`{"admin":true}`:               "admin",
		`{"name":"Bob","email":"bob@example.org","role":"editor","password":"short"}`:                           "password",
		`{"name":"Bob","email":"bob@example.org","role":"editor","password":"` + strings.Repeat("x", 73) + `"}`: "password",
	} {
		if a := v.want(400, "POST", "/accounts", body); a.text("error.details.key") != key {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	for _, body := range []string{"", "null", "[]", `"x"`, "{", `{} {}`, `{"name":`} {
		if a := v.want(400, "POST", "/accounts", body); a.text("error.name") != "ValidationError" {
			t.Errorf("%q: %s", body, a.body)
		}
	}
	v.want(413, "POST", "/accounts", `{"name":"`+strings.Repeat("x", 64<<10)+`"}`)
	v.want(400, "POST", "/accounts", `{"name":"Bob"}`, "Content-Type", "text/plain")
}

// Who is blocked is signed out and gets in nowhere, until somebody unblocks the account.
func TestBlockedAccounts(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	me := v.want(200, "GET", "/session", "").text("data.account.id")
	id, bob := v.addAccount("bob", "editor")
	link := v.want(200, "POST", "/accounts/"+id+"/reset-link", "").text("data.path")
	_, token, _ := strings.Cut(link, "#")
	if a := v.want(200, "PUT", "/accounts/"+id, `{"blocked":true}`); a.text("data.blocked") != "true" {
		t.Errorf("blocked: %s", a.body)
	}
	bob.want(401, "GET", "/session", "")
	signIn := `{"email":"bob@example.org","password":"` + secret + `"}`
	if a := o.client().want(400, "POST", "/session", signIn); a.fault() != "ValidationError: The email or the password is wrong" {
		t.Errorf("who is blocked is told %s", a.fault())
	}
	o.client().want(400, "POST", "/setup", `{"token":"`+token+`","password":"`+secret+`"}`)
	v.want(400, "PUT", "/accounts/"+me, `{"blocked":true}`)
	v.want(200, "PUT", "/accounts/"+id, `{"blocked":false}`)
	o.client().want(200, "POST", "/session", signIn)
	bob.want(401, "GET", "/session", "")
}

// The last owner who may sign in stays an owner.
func TestBlockedOwnersDoNotCount(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	me := v.want(200, "GET", "/session", "").text("data.account.id")
	id, _ := v.addAccount("bob", "owner")
	v.want(200, "PUT", "/accounts/"+id, `{"blocked":true}`)
	v.want(400, "PUT", "/accounts/"+me, `{"role":"editor"}`)
	v.want(200, "PUT", "/accounts/"+id, `{"blocked":false}`)
	bob := o.client()
	bob.want(200, "POST", "/session", `{"email":"bob@example.org","password":"`+secret+`"}`)
	bob.want(200, "PUT", "/accounts/"+me, `{"blocked":true}`)
	bob.want(400, "PUT", "/accounts/"+id, `{"role":"editor"}`)
}

// Somebody is always an owner, whoever asks and however many at once.
func TestLastOwner(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	me := v.want(200, "GET", "/session", "").text("data.account.id")
	v.want(400, "PUT", "/accounts/"+me, `{"role":"editor"}`)
	v.want(400, "DELETE", "/accounts/"+me, "")
	id, bob := v.addAccount("bob", "owner")
	var all sync.WaitGroup
	statuses := make(chan int, 2)
	for _, each := range []struct {
		by *client
		of string
	}{{v, id}, {bob, me}} {
		all.Go(func() { statuses <- each.by.ask("PUT", "/accounts/"+each.of, `{"role":"editor"}`).status })
	}
	all.Wait()
	close(statuses)
	done := 0
	for status := range statuses {
		if status == 200 {
			done++
		}
	}
	if owners := o.people.HowMany()["owner"]; owners != 1 || done != 1 {
		t.Errorf("%d were done, and there are %d owners", done, owners)
	}
}

// Who may not change accounts can do nothing with them.
func TestAccountsNeedTheRight(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id, _ := v.addAccount("bob", "reader")
	for _, role := range []string{"developer", "editor", "author", "reader"} {
		_, them := v.addAccount(role, role)
		for _, r := range []struct{ method, path string }{
			{"GET", "/accounts"}, {"POST", "/accounts"}, {"PUT", "/accounts/" + id}, {"DELETE", "/accounts/" + id},
			{"POST", "/accounts/" + id + "/reset-link"}, {"GET", "/roles"}, {"POST", "/roles"}, {"PUT", "/roles/x"}, {"DELETE", "/roles/x"},
		} {
			if a := them.want(403, r.method, r.path, ""); a.text("error.name") != "ForbiddenError" {
				t.Errorf("%s: %s %s: %s", role, r.method, r.path, a.body)
			}
		}
	}
}

const clerk = `{"name":"Clerk","rights":{"types":{"*":{"actions":["read","create","update","delete"]}},"files":["read"],"site":["accounts"]}}`

// Nobody gives rights that they do not have, nor takes over an account that has them.
func TestNobodyGivesWhatTheyLack(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	ana := v.want(200, "GET", "/session", "").text("data.account.id")
	role := v.want(201, "POST", "/roles", clerk).text("data.id")
	me, them := v.addAccount("clerk", role)
	reader, _ := them.addAccount("reader", "reader")
	for _, r := range []struct{ method, path, body string }{
		{"POST", "/accounts", `{"name":"X","email":"x@example.org","role":"owner"}`},
		{"POST", "/accounts", `{"name":"X","email":"x@example.org","role":"editor"}`},
		{"PUT", "/accounts/" + reader, `{"role":"developer"}`},
		{"PUT", "/accounts/" + me, `{"role":"owner"}`},
		{"PUT", "/accounts/" + ana, `{"password":"` + secret + `"}`},
		{"PUT", "/accounts/" + ana, `{"email":"mine@example.org"}`},
		{"DELETE", "/accounts/" + ana, ""},
		{"POST", "/accounts/" + ana + "/reset-link", ""},
		{"POST", "/roles", `{"name":"More","rights":{"types":{"*":{"actions":["publish"]}}}}`},
		{"POST", "/roles", `{"name":"More","rights":{"files":["upload"]}}`},
		{"POST", "/roles", `{"name":"More","rights":{"releases":true}}`},
		{"POST", "/roles", `{"name":"More","rights":{"site":["schemas"]}}`},
		{"PUT", "/roles/" + role, strings.Replace(clerk, `"read","create"`, `"publish","read","create"`, 1)},
	} {
		them.want(403, r.method, r.path, r.body)
	}
	them.want(201, "POST", "/roles", `{"name":"Less","rights":{"types":{"api::dish.dish":{"actions":["read"],"hidden":["name"]}}}}`)
	them.want(200, "PUT", "/accounts/"+reader, `{"name":"Rea"}`)
	them.want(204, "DELETE", "/accounts/"+reader, "")
	them.want(400, "DELETE", "/accounts/"+me, "") // its own
}

func TestRoles(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	dishes := `{"name":"Dishes","rights":{"types":{"api::dish.dish":{"actions":["read","create","update"],"hidden":["price"]}}}}`
	made := v.want(201, "POST", "/roles", dishes)
	role := made.text("data.id")
	if made.text("data.builtIn") != "false" || made.text("data.name") != "Dishes" || !strings.Contains(made.body, `"hidden":["price"]`) {
		t.Errorf("made: %s", made.body)
	}
	if list := v.want(200, "GET", "/roles", ""); strings.Count(list.body, `"builtIn":true`) != 5 || strings.Count(list.body, `"builtIn":false`) != 1 {
		t.Errorf("the list: %s", list.body)
	}
	_, bob := v.addAccount("bob", role)
	bob.want(200, "GET", "/content/dishes", "")
	bob.want(403, "GET", "/content/categories", "")
	v.want(200, "PUT", "/roles/"+role, `{"name":"Categories","rights":{"types":{"api::category.category":{"actions":["read"]}}}}`)
	bob.want(403, "GET", "/content/dishes", "")
	bob.want(200, "GET", "/content/categories", "")
	v.want(400, "DELETE", "/roles/"+role, "") // bob has it
	v.want(400, "PUT", "/roles/editor", dishes)
	v.want(400, "DELETE", "/roles/editor", "")
	v.want(404, "PUT", "/roles/nothing", dishes)
	v.want(404, "DELETE", "/roles/nothing", "")
	unused := v.want(201, "POST", "/roles", dishes).text("data.id")
	v.want(204, "DELETE", "/roles/"+unused, "")
	for body, key := range map[string]string{
		`{"name":"","rights":{}}`:                                                                          "name",
		`{"name":"A","rights":{"full":true}}`:                                                              "rights.full",
		`{"name":"A","rights":{"types":{"api::nothing.nothing":{"actions":[]}}}}`:                          "rights.types.api::nothing.nothing",
		`{"name":"A","rights":{"types":{"api::dish.dish":{"actions":["fly"]}}}}`:                           "rights.types.api::dish.dish.actions",
		`{"name":"A","rights":{"types":{"api::dish.dish":{"actions":["read"],"hidden":["nothing"]}}}}`:     "rights.types.api::dish.dish.hidden",
		`{"name":"A","rights":{"types":{"api::dish.dish":{"actions":["read"],"readOnly":["nothing"]}}}}`:   "rights.types.api::dish.dish.readOnly",
		`{"name":"A","rights":{"types":{"api::category.category":{"actions":["read"],"locales":["xx"]}}}}`: "rights.types.api::category.category.locales",
		`{"name":"A","rights":{"site":["king"]}}`:                                                          "rights.site",
		`{"name":"A","rights":{"files":["burn"]}}`:                                                         "rights.files",
		`{"name":"A","rights":{"colour":"red"}}`:                                                           "colour",
	} {
		if a := v.want(400, "POST", "/roles", body); a.text("error.details.key") != key {
			t.Errorf("%s: %s", body, a.body)
		}
	}
}

// A password is chosen through a link, once and in time.
func TestResetLink(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id, bob := v.addAccount("bob", "editor")
	path := func() string {
		_, token, _ := strings.Cut(v.want(200, "POST", "/accounts/"+id+"/reset-link", "").text("data.path"), "/admin/setup#")
		return token
	}
	former, token := path(), path()
	o.client().want(400, "POST", "/setup", `{"token":"`+former+`","password":"another secret"}`)
	if a := o.client().want(200, "POST", "/setup/link", `{"token":"`+token+`"}`); a.text("data.account.email") != "bob@example.org" {
		t.Errorf("the link is for %s", a.body)
	}
	o.client().want(400, "POST", "/setup", `{"token":"`+token+`","password":"short"}`)
	bob.want(200, "GET", "/session", "")
	again := o.client()
	if a := again.want(200, "POST", "/setup", `{"token":"`+token+`","password":"another secret"}`); a.text("data.account.id") != id {
		t.Errorf("signed in as %s", a.body)
	}
	again.want(200, "GET", "/session", "")
	bob.want(401, "GET", "/session", "")
	again.want(400, "POST", "/session", `{"email":"bob@example.org","password":"`+secret+`"}`)
	again.want(200, "POST", "/session", `{"email":"bob@example.org","password":"another secret"}`)
	o.client().want(400, "POST", "/setup", `{"token":"`+token+`","password":"another secret"}`)
	o.client().want(400, "POST", "/setup/link", `{"token":"`+token+`"}`)

	late := path()
	o.clock.pass(people.LinkLife)
	o.client().want(400, "POST", "/setup", `{"token":"`+late+`","password":"another secret"}`)
	o.client().want(400, "POST", "/setup/link", `{"token":""}`)
}

// Another password ends the other sessions of the account.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	other := o.client()
	other.want(200, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`)
	for body, key := range map[string]string{
		`{"current":"wrong","password":"another secret"}`:    "current",
		`{"current":"` + secret + `","password":"short"}`:    "password",
		`{"current":"` + secret + `","passwort":"whatever"}`: "passwort",
	} {
		if a := v.want(400, "PUT", "/session/password", body); a.text("error.details.key") != key {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	v.want(204, "PUT", "/session/password", `{"current":"`+secret+`","password":"another secret"}`)
	v.want(200, "GET", "/session", "")
	other.want(401, "GET", "/session", "")
	other.want(200, "POST", "/session", `{"email":"ana@example.org","password":"another secret"}`)

	if a := v.want(200, "PUT", "/session", `{"name":"Anna","language":"de"}`); a.text("data.account.name") != "Anna" || a.text("data.language") != "de" {
		t.Errorf("the profile: %s", a.body)
	}
	v.want(400, "PUT", "/session", `{"language":"<script>"}`)

	// Not without the current one, whatever rights the account has.
	me := "/accounts/" + v.want(200, "GET", "/session", "").text("data.account.id")
	v.want(400, "PUT", me, `{"password":"third secret"}`)
	v.want(400, "POST", me+"/reset-link", "")
	v.want(200, "PUT", me, `{"name":"Ann"}`)
}

// Who tries passwords is stopped, by address and by account. The site has turned
// auth.rateLimit off, which is for its users alone.
func TestBruteForce(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	if o.site.Settings.RateLimit.Enabled {
		t.Fatal("auth.rateLimit is on")
	}
	v := o.owner()
	for i := range 8 {
		v.want(200, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`) // one who knows it is not stopped
		_ = i
	}
	thief := o.client()
	thief.from = "198.51.100.7:1"
	for range 5 {
		thief.want(400, "POST", "/session", `{"email":"nobody@example.org","password":"wrong password"}`)
	}
	a := thief.want(http.StatusTooManyRequests, "POST", "/session", `{"email":"somebody@example.org","password":"wrong password"}`)
	if a.text("error.name") != "RateLimitError" || a.header.Get("Retry-After") != "300" {
		t.Errorf("stopped with %v %s", a.header, a.body)
	}
	for i := range 6 { // from many addresses, at one account
		thief.from = fmt.Sprintf("203.0.113.%d:1", i)
		status := thief.ask("POST", "/session", `{"email":"bob@example.org","password":"wrong password"}`).status
		if want := map[bool]int{true: 400, false: 429}[i < 5]; status != want {
			t.Errorf("try %d: %d", i, status)
		}
	}
	o.clock.pass(5*time.Minute + time.Second)
	thief.want(400, "POST", "/session", `{"email":"bob@example.org","password":"wrong password"}`)
}
