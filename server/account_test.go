package server_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"quire/auth"
	"quire/index"
	"quire/schema"
	"quire/server"
)

// A route refuses a caller with every permission except its own, and accepts a caller
// with only that one.
func TestEachRouteNeedsItsOwnPermission(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	var all []string
	for _, p := range auth.AllPermissions(h.site) {
		all = append(all, p.String())
	}
	token := func(name string, permissions ...string) {
		plain, err := h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: auth.Custom, Permissions: permissions})
		check(t, err)
		h.tokens[name] = plain
	}
	for i, r := range server.Routes(h.site) {
		if r.Open {
			continue
		}
		own, instead := r.Permission.String(), r.Instead.String()
		lacks, has := fmt.Sprintf("lacks %d", i), fmt.Sprintf("has %d", i)
		token(lacks, slices.DeleteFunc(slices.Clone(all), func(p string) bool { return p == own || p == instead })...)
		if token(has, own); r.Permission.Action == schema.PreviewLink { // a link lends the rights of its maker
			reads := []string{own, r.Permission.UID + ".find", r.Permission.UID + ".findOne", r.Permission.UID + ".readDraft"}
			token(has+" and reads", slices.DeleteFunc(reads, func(p string) bool { return !slices.Contains(all, p) })...)
			has += " and reads"
		}
		path := strings.NewReplacer(":documentId", "x", ":id", "99").Replace(r.Path)
		if a := h.send(lacks, r.Method, path, ""); a.status != 403 {
			t.Errorf("%s %s without %s: %d", r.Method, path, own, a.status)
		}
		if a := h.send(has, r.Method, path, ""); a.status == 403 {
			t.Errorf("%s %s with %s: %d %s", r.Method, path, own, a.status, a.body)
		}
	}
}

// bodies are mistakes and attacks that clients send.
var bodies = []string{
	``, `null`, `[]`, `"x"`, `5`, `{`, `{"identifier": }`, "\x00", "{\"identifier\": \"\xff\"}", `[{"identifier": "ana"}]`,
	`{"identifier": {}, "password": [], "email": 5, "code": true, "username": [1], "refreshToken": {}, "scope": 5, "name": [], "permissions": 5, "role": "x"}`,
	`{"identifier": [["a"]], "password": {"$ne": ""}, "email": {"a": 1}, "code": [0], "username": {}, "permissions": {"a": {"controllers": []}}, "name": {}}`,
	`{"email": "` + strings.Repeat("a", 300) + `@example.org", "username": "` + strings.Repeat("u", 300) + `", "password": "` + strings.Repeat("p", 300) + `", "role": 1}`,
	`{"email": "a\u0000@example.org", "username": "a\u0000bc", "password": "p\u0000assword", "role": 1, "name": "a\u0000bc"}`,
	`{"email": "x@example.org", "username": "xyz", "password": "secret-1", "role": {"connect": [{"id": []}]}}`,
	`{"email": "x@example.org", "username": "xyz", "password": "secret-1", "role": ` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}`,
	`{"data": {"identifier": "ana", "password": "secret-1"}}`,
}

func TestBadBodiesAreTheClientsFault(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"refresh": {"enabled": true}, "rateLimit": {"enabled": false}}`, noRoles), options{})
	h.join("ana")
	for _, r := range server.Routes(h.site) {
		if !strings.HasPrefix(r.Path, "/api/auth") && !strings.HasPrefix(r.Path, "/api/users") || r.Method == "GET" || r.Method == "DELETE" || strings.HasSuffix(r.Path, "logout") {
			continue
		}
		path := strings.NewReplacer(":id", "1").Replace(r.Path)
		for _, body := range bodies {
			for _, kind := range []string{"application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data"} {
				as := "full"
				if strings.HasSuffix(path, "change-password") {
					as = "ana"
				}
				a := h.send(as, r.Method, path, body, "Content-Type", kind)
				if a.status >= 500 {
					t.Errorf("%s %s %s %.80q: %d %s", r.Method, path, kind, body, a.status, a.body)
				}
				if a.status == 200 && !strings.HasSuffix(path, "forgot-password") && !strings.HasSuffix(path, "send-email-confirmation") && r.Method == "POST" {
					t.Errorf("%s %s %s %.80q: %d %s", r.Method, path, kind, body, a.status, a.body)
				}
			}
		}
	}
	if a := h.send("ana", "GET", "/api/users/me", ""); a.text(t, "username") != "ana" {
		t.Errorf("the user has become %s", a.body)
	}
}

func TestFormsFromBrowsers(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.join("ana")
	a := h.send("", "POST", "/api/auth/local", "identifier=ana%40example.org&password=secret-1", "Content-Type", "application/x-www-form-urlencoded")
	if a.status != 200 || a.text(t, "user.username") != "ana" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if got := a.header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("an answer with a JWT may be kept: %q", got)
	}
}

func TestUsersAreQueriedLikeAnythingElse(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	for _, name := range []string{"ana", "bob", "cyd"} {
		h.join(name)
	}
	for q, want := range map[string]string{
		"fields=username&sort=username:desc":                      "cyd bob ana",
		"sort=username&start=1&limit=1":                           "bob",
		"sort=username&pagination[page]=2&pagination[pageSize]=2": "cyd",
		"filters[email][$contains]=b":                             "bob",
		"filters[role][type]=authenticated&sort=id:desc":          "cyd bob ana",
		"filters[$or][0][username]=ana&filters[$or][1][id]=3":     "ana cyd",
		"_q=CYD":                   "cyd",
		"filters[username]=nobody": "",
	} {
		a := h.send("full", "GET", "/api/users?"+q, "")
		var names []string
		for i := range strings.Count(a.body, "documentId") {
			names = append(names, a.text(t, fmt.Sprint(i, ".username")))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
	if a := h.send("full", "GET", "/api/users/count?filters[username][$ne]=bob", ""); a.body != "2" {
		t.Errorf("the count is %s", a.body)
	}
	plain := h.send("full", "GET", "/api/users/2", "")
	if old := h.send("full", "GET", "/api/users/2", "", "Strapi-Response-Format", "v4"); old.body != plain.body {
		t.Errorf("in the previous format users look otherwise: %s", old.body)
	}
	if same := h.send("full", "GET", "/api/users/"+plain.text(t, "documentId"), ""); same.body != plain.body {
		t.Errorf("by documentId: %d %s", same.status, same.body)
	}
	for _, a := range []*answer{h.send("full", "HEAD", "/api/users/me", ""), h.send("full", "GET", "/api/users/me", "")} {
		if a.status != 401 {
			t.Errorf("a token's own account: %d", a.status)
		}
	}
	if a := h.send("full", "PUT", "/api/users/me", `{"username": "x"}`); a.status != 404 {
		t.Errorf("PUT /api/users/me: %d", a.status)
	}
}

const articleEditor = `{"api::restaurant": {"controllers": {"restaurant": {"find": {"enabled": true, "policy": ""}, "delete": {"enabled": false}}}}}`

func TestRolesOverHTTP(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, unlimited, `{"author": {"api::dish.dish": ["find"]}}`), options{})
	h.join("ana")
	if a := h.send("full", "POST", "/api/users-permissions/roles", `{"name": "Editor", "description": "d", "permissions": `+articleEditor+`}`); a.status != 200 || a.body != `{"ok":true}` {
		t.Fatalf("%d %s", a.status, a.body)
	}
	list := h.send("full", "GET", "/api/users-permissions/roles", "")
	if list.text(t, "roles.3.type") != "editor" || list.text(t, "roles.0.nb_users") != "1" || strings.Contains(list.body, "permissions") {
		t.Errorf("the roles: %s", list.body)
	}
	path := "/api/users-permissions/roles/" + list.text(t, "roles.3.id")
	one := h.send("full", "GET", path, "")
	if one.text(t, "role.permissions.api::restaurant.controllers.restaurant.find.enabled") != "true" ||
		one.text(t, "role.permissions.api::restaurant.controllers.restaurant.delete.enabled") != "false" {
		t.Errorf("the role: %s", one.body)
	}
	may := func() int { return h.send("ana", "GET", "/api/restaurants", "").status }
	if may() != 403 {
		t.Error("a user may what editors may")
	}
	h.send("full", "PUT", "/api/users/1", `{"role": `+list.text(t, "roles.3.id")+`}`)
	if may() != 200 {
		t.Error("an editor may not at the next request")
	}
	h.send("full", "PUT", path, `{"permissions": {}}`)
	if may() != 403 {
		t.Error("an editor may still at the next request")
	}
	if a := h.send("full", "DELETE", path, ""); a.status != 200 || h.send("full", "GET", path, "").status != 404 {
		t.Errorf("deleting: %d %s", a.status, a.body)
	}
	if got := h.send("full", "GET", "/api/users?populate=role", "").text(t, "0.role.type"); got != "authenticated" {
		t.Errorf("ana is %s", got)
	}
	author := "/api/users-permissions/roles/" + list.text(t, "roles.2.id")
	for _, method := range []string{"PUT", "DELETE"} {
		if a := h.send("full", method, author, `{"name": "x"}`); a.status != 400 || !strings.Contains(a.Error.Message, "site.json") {
			t.Errorf("%s of a role of site.json: %d %s", method, a.status, a.body)
		}
	}
	for _, a := range []*answer{h.send("full", "DELETE", "/api/users-permissions/roles/1", ""), h.send("full", "DELETE", "/api/users-permissions/roles/2", "")} {
		if a.status != 400 || !strings.HasPrefix(a.Error.Message, "Cannot delete") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	own := h.send("full", "GET", "/api/users-permissions/permissions", "")
	if own.text(t, "permissions.plugin::users-permissions.controllers.role.deleteRole.enabled") != "true" {
		t.Errorf("the permissions: %s", own.body)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"rateLimit": {"max": 2, "interval": "1h"}, "trustedProxies": ["10.0.0.0/8"]}`, noRoles), options{})
	n := 0
	forgot := func(headers ...string) *answer {
		n++
		return h.send("", "POST", "/api/auth/forgot-password", fmt.Sprintf(`{"email": "user%d@example.org"}`, n), headers...)
	}
	for range 2 {
		if a := forgot("From", "192.0.2.1:1"); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	refused := forgot("From", "192.0.2.1:2")
	if wait := refused.header.Get("Retry-After"); refused.status != 429 || refused.Error.Name != "RateLimitError" || wait != "3600" && wait != "3599" {
		t.Errorf("%d %s, Retry-After %s", refused.status, refused.body, wait)
	}
	if c := h.server.Counts(); c.Throttled != 1 || c.Rated != 0 {
		t.Errorf("%+v", c)
	}
	for _, test := range []struct {
		what   string
		status int
		h      []string
	}{
		{"a client that says it is another", 429, []string{"From", "192.0.2.1:1", "X-Forwarded-For", "192.0.2.77"}},
		{"another client behind a proxy", 200, []string{"From", "10.0.0.1:1", "X-Forwarded-For", "192.0.2.2"}},
		{"the same client behind a proxy", 429, []string{"From", "10.0.0.1:1", "X-Forwarded-For", "192.0.2.1"}},
		{"behind two proxies", 429, []string{"From", "10.0.0.1:1", "X-Forwarded-For", "192.0.2.1, 10.0.0.2"}},
		{"with a lie before what the proxy says", 429, []string{"From", "10.0.0.1:1", "X-Forwarded-For", "1.1.1.1, 192.0.2.1"}},
		{"with a lie in a header of its own", 429, []string{"From", "10.0.0.1:1", "X-Forwarded-For", "1.1.1.1", "X-Forwarded-For", "192.0.2.1"}},
		{"behind a stranger's proxy", 429, []string{"From", "10.0.0.1:1", "X-Forwarded-For", "192.0.2.50, 192.0.2.1"}},
		{"nonsense", 200, []string{"From", "10.0.0.3:1", "X-Forwarded-For", "unknown"}},
	} {
		if a := forgot(test.h...); a.status != test.status {
			t.Errorf("%s: %d, want %d", test.what, a.status, test.status)
		}
	}
	if a := h.send("", "GET", "/api/restaurants", "", "From", "192.0.2.1:1"); a.status != 403 {
		t.Errorf("reading is limited too: %d", a.status)
	}
}

// Wrong passwords from many addresses do not lock out a user who has signed in before.
func TestOwnersGetInWhileStrangersTry(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"rateLimit": {"max": 4, "interval": "1h"}}`, noRoles), options{})
	enter := func(from, password string) int {
		t.Helper()
		return h.send("", "POST", "/api/auth/local", fmt.Sprintf(`{"identifier": "ana", "password": %q}`, password), "From", from).status
	}
	h.send("", "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "pass-word-1"}`, "From", "192.0.2.1:1")
	for i := range 5 {
		enter(fmt.Sprintf("198.51.100.%d:1", i+1), "wrong")
	}
	if got := enter("198.51.100.99:1", "pass-word-1"); got != 429 {
		t.Errorf("a stranger: %d", got)
	}
	if got := enter("192.0.2.1:2", "pass-word-1"); got != 200 {
		t.Errorf("the owner: %d", got)
	}
}

// No log contains a credential, or what leads to one.
func TestLogsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"refresh": {"enabled": true}, "confirmation": {"required": true, "url": "https://a.example/c"}, "reset": {"url": "https://a.example/r"}, "rateLimit": {"enabled": false}}`, noRoles), options{})
	h.send("", "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "pass-word-1"}`)
	confirmation := codeForm.FindString((<-h.mail).Text)
	h.send("", "GET", "/api/auth/email-confirmation?confirmation="+confirmation, "")
	a := h.send("", "POST", "/api/auth/local", `{"identifier": "ana", "password": "pass-word-1"}`)
	h.tokens["ana"] = a.text(t, "jwt")
	first := a.text(t, "refreshToken")
	a = h.send("", "POST", "/api/auth/refresh", `{"refreshToken": "`+first+`"}`)
	second := a.text(t, "refreshToken")
	h.send("", "POST", "/api/auth/refresh", `{"refreshToken": "`+first+`"}`)
	h.send("", "POST", "/api/auth/forgot-password", `{"email": "ana@example.org"}`)
	reset := codeForm.FindString((<-h.mail).Text)
	h.send("", "POST", "/api/auth/reset-password?code="+reset, `{"code": "`+reset+`", "password": "pass-word-2", "passwordConfirmation": "pass-word-2"}`)
	h.send("ana", "GET", "/api/users/me?jwt="+h.tokens["ana"], "")
	h.send("full", "POST", "/api/users", `{"username": "bob", "email": "bob@example.org", "password": "pass-word-3", "role": 1}`)
	h.send("full", "GET", "/api/users?filters[password]=pass-word-4", "")
	h.send("", "POST", "/api/auth/local", `{"identifier": "ana", "password": "pass-word-5`) // broken JSON
	h.tokens["bad"] = "bad-token"
	h.send("bad", "GET", "/api/restaurants", "")
	logged := h.log.String()
	if strings.Count(logged, "msg=request") != 12 || !strings.Contains(logged, "user 1, role") && !strings.Contains(logged, `token \"full\"`) {
		t.Errorf("the log is not as it should be: %s", logged)
	}
	for what, secret := range map[string]string{
		"a password": "pass-word", "a hash": "argon2", "a JWT": h.tokens["ana"], "part of a JWT": "eyJ", "a token": h.tokens["full"], "a bad token": "bad-token",
		"a refresh token": first, "another refresh token": second, "a confirmation": confirmation, "a reset code": reset,
	} {
		if strings.Contains(logged, secret) {
			t.Errorf("the log holds %s: %s", what, logged)
		}
	}
}

func TestConfirmationOverHTTP(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"confirmation": {"required": true}, "rateLimit": {"enabled": false}}`, noRoles), options{})
	a := h.send("", "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "secret-1"}`)
	if a.status != 200 || strings.Contains(a.body, `"jwt"`) || a.text(t, "user.confirmed") != "false" {
		t.Errorf("registering: %d %s", a.status, a.body)
	}
	link := "/api/auth/email-confirmation?confirmation=" + codeForm.FindString((<-h.mail).Text)
	if a := h.send("", "HEAD", link, ""); a.status != 200 {
		t.Errorf("looking: %d", a.status)
	}
	if a := h.send("", "GET", link, ""); a.status != 200 || a.body != `{"ok":true}` {
		t.Errorf("confirming: %d %s", a.status, a.body)
	}
	if a := h.send("", "GET", link, ""); a.status != 400 || a.Error.Message != "Invalid token" {
		t.Errorf("confirming again: %d %s", a.status, a.body)
	}
	for _, email := range []string{"ana@example.org", "nobody@example.org"} {
		if a := h.send("", "POST", "/api/auth/send-email-confirmation", `{"email": "`+email+`"}`); a.body != `{"email":"`+email+`","sent":true}` {
			t.Errorf("asking for another: %d %s", a.status, a.body)
		}
	}
}

func TestRefreshOverHTTP(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"refresh": {"enabled": true}, "rateLimit": {"enabled": false}}`, noRoles), options{})
	a := h.send("", "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "secret-1"}`)
	next := h.send("", "POST", "/api/auth/refresh", `{"refreshToken": "`+a.text(t, "refreshToken")+`"}`)
	h.tokens["ana"] = next.text(t, "jwt")
	if a := h.send("ana", "GET", "/api/users/me", ""); a.status != 200 {
		t.Errorf("with the new JWT: %d", a.status)
	}
	if a := h.send("", "POST", "/api/auth/refresh", `{}`); a.status != 400 || a.Error.Message != "Missing refresh token" {
		t.Errorf("without a token: %d %s", a.status, a.body)
	}
	if a := h.send("ana", "POST", "/api/auth/logout", ""); a.body != `{"ok":true}` || h.send("ana", "GET", "/api/users/me", "").status != 401 {
		t.Errorf("logging out: %d %s", a.status, a.body)
	}
	if a := openSample(t).send("", "POST", "/api/auth/refresh", `{"refreshToken": "x"}`); a.status != http.StatusNotFound {
		t.Errorf("a site without refresh tokens: %d", a.status)
	}
}

// Only refused tokens count against the address. Beyond the limit, it is refused before
// its body is read.
func TestRefreshIsLimited(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"refresh": {"enabled": true}}`, noRoles), options{})
	refresh := func(body string) *answer { return h.send("", "POST", "/api/auth/refresh", body) }
	a := h.send("", "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "secret-1"}`)
	for i := range 10 {
		token := a.text(t, "refreshToken")
		if a = refresh(`{"refreshToken": "` + token + `"}`); a.status != 200 {
			t.Fatalf("refresh %d: %d %s", i, a.status, a.body)
		}
	}
	for i := range 5 {
		if a := refresh(`{"refreshToken": "x"}`); a.status != 401 {
			t.Errorf("guess %d: %d", i, a.status)
		}
	}
	for _, body := range []string{`{"refreshToken": "x"}`, `{"refreshToken": "` + a.text(t, "refreshToken") + `"}`, `{`} {
		if a := refresh(body); a.status != 429 || a.header.Get("Retry-After") == "" {
			t.Errorf("%.20s after five guesses: %d", body, a.status)
		}
	}
}

// A request that can be refused without its body is refused before the body is read.
// Bodies with credentials are small.
func TestAccountsRefuseBeforeReading(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"register": {"enabled": false}, "rateLimit": {"enabled": false}}`, noRoles), options{})
	h.tokens["api"] = createToken(t, h.auth, "api", auth.FullAccess)
	long := `{"code": "` + strings.Repeat("x", 64<<10) + `"}`
	for _, test := range []struct {
		as, path, body string
		status         int
		message        string
	}{
		{"", "/api/auth/local/register", "{", 400, "Register action is currently disabled"},
		{"", "/api/auth/refresh", "{", 404, "Not Found"},
		{"api", "/api/auth/change-password", "{", 401, "Unauthorized"},
		{"api", "/api/auth/logout", "{", 401, "Unauthorized"},
		{"", "/api/auth/local", long, 413, "larger than 65536 bytes"},
		{"", "/api/auth/reset-password", long, 413, "larger than 65536 bytes"},
		{"", "/api/auth/forgot-password", long, 413, "larger than 65536 bytes"},
		{"", "/api/auth/send-email-confirmation", long, 413, "larger than 65536 bytes"},
	} {
		a := h.send(test.as, "POST", test.path, test.body)
		if a.status != test.status || !strings.Contains(a.Error.Message, test.message) {
			t.Errorf("%s: %d %s, want %d %s", test.path, a.status, a.body, test.status, test.message)
		}
	}
}

// Waiting writes, for example during an import, take no places of reads, and their
// number is limited.
func TestWritesThatWaitLeaveReadsTheirPlaces(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.site.Settings.Limits.Requests = 2
	h.tokens["api"] = createToken(t, h.auth, "api", auth.FullAccess)
	begun, end := make(chan bool), make(chan bool)
	imported := make(chan error)
	go func() {
		imported <- h.writer.Alone(t.Context(), func() (*index.Index, error) {
			begun <- true
			<-end
			return nil, nil
		})
	}()
	<-begun
	var writes sync.WaitGroup
	for range 2 {
		writes.Go(func() {
			if a := h.send("api", "DELETE", "/api/dishes/x", ""); a.status != 204 {
				t.Errorf("a write that waits: %d %s", a.status, a.body)
			}
		})
	}
	for h.server.Counts().Writes < 2 {
		runtime.Gosched()
	}
	if a := h.send("api", "GET", "/api/dishes", ""); a.status != 200 {
		t.Errorf("a read: %d %s", a.status, a.body)
	}
	for _, method := range []string{"PUT", "DELETE"} {
		if a := h.send("api", method, "/api/dishes/x", `{`); a.status != 503 || a.header.Get("Retry-After") == "" {
			t.Errorf("another write: %d %s", a.status, a.body)
		}
	}
	close(end)
	writes.Wait()
	if err := <-imported; err != nil {
		t.Error(err)
	}
}

func TestRolesOfSiteJSONAreChecked(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.site.Settings.Roles["public"]["plugin::users-permissions.auth"] = append(h.site.Settings.Roles["public"]["plugin::users-permissions.auth"], "signin")
	problems := server.CheckSite(h.site)
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "roles.public: there is no action plugin::users-permissions.auth.signin") {
		t.Errorf("got %v", problems)
	}
}
