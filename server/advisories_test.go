package server_test

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// Each test here has the name of a published flaw of content APIs, and shows that Quire
// does not have it. hidden_test.go and auth/jwt_test.go test some of them further.

// sampleWith is testdata/site with other members in site.json: authMember replaces the
// "auth" member.
func sampleWith(t *testing.T, authMember string, roles string) fs.FS {
	t.Helper()
	site := os.DirFS("../testdata/site")
	folder := fstest.MapFS{}
	check(t, fs.WalkDir(site, "src", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(site, name)
		folder[name] = &fstest.MapFile{Data: text}
		return err
	}))
	folder["site.json"] = &fstest.MapFile{Data: []byte(`{"i18n": {"defaultLocale": "en", "locales": [{"code": "en"}, {"code": "fr"}]},
		"auth": ` + authMember + `, "mail": {"from": "g@example.org"}, "roles": ` + roles + `}`)}
	return folder
}

const (
	unlimited = `{"rateLimit": {"enabled": false}}`
	noRoles   = `{}`
)

// join registers a user with the password "secret-1". Its JWT has the same name.
func (h *accountSite) join(name string) {
	h.t.Helper()
	a := h.send("", "POST", "/api/auth/local/register", fmt.Sprintf(`{"username": %q, "email": "%s@example.org", "password": "secret-1"}`, name, name))
	h.tokens[name] = a.text(h.t, "jwt")
}

func openSample(t *testing.T) *accountSite {
	return openAccountSite(t, os.DirFS("../testdata/site"), options{})
}

// refuses requires 400 for each request.
func (h *accountSite) refuses(as, method string, paths ...string) {
	h.t.Helper()
	for _, path := range paths {
		if a := h.send(as, method, path, `{"data": {}}`); a.status != 400 {
			h.t.Errorf("%s %s: %d %.200s", method, path, a.status, a.body)
		}
	}
}

func TestCVE202322894FiltersOnPrivateFieldsAndCreators(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.refuses("full", "GET", "/api/restaurants?filters[secret_note][$startsWith]=a", "/api/restaurants?filters[createdBy][password][$startsWith]=$2",
		"/api/restaurants?filters[updatedBy][resetPasswordToken][$startsWith]=0", "/api/restaurants?sort=createdBy.email", "/api/users?filters[password][$startsWith]=$")
}

func TestCVE202334235KeysWithAnAlias(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.refuses("full", "GET", "/api/users?filters[t0.password][$startsWith]=$", "/api/users?filters[t1.password]=x", "/api/users?sort=t0.password",
		"/api/users?fields=t0.password", "/api/restaurants?filters[t1.secret_note]=x", "/api/users?filters[users.password]=x")
}

func TestCVE202334093ExtendedTypesKeepTheirPrivacy(t *testing.T) {
	t.Parallel()
	folder := sampleWith(t, unlimited, noRoles).(fstest.MapFS)
	folder["src/extensions/users-permissions/content-types/user/schema.json"] = &fstest.MapFile{Data: []byte(`{"attributes": {
		"password": {"type": "password", "private": false}, "resetPasswordToken": {"type": "string", "private": false, "searchable": true}, "nickname": {"type": "string"}}}`)}
	h := openAccountSite(t, folder, options{})
	h.join("ana")
	h.refuses("full", "GET", "/api/users?filters[resetPasswordToken][$null]=true", "/api/users?fields=password", "/api/users?sort=sessionEpoch")
	if a := h.send("full", "GET", "/api/users?populate=*", ""); a.status != 200 || strings.Contains(a.body, "assword") || strings.Contains(a.body, "oken") || !strings.Contains(a.body, "nickname") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestCVE202336472FieldsOfUsersThroughRelations(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.refuses("full", "GET", "/api/reviews?filters[author][password][$startsWith]=$", "/api/reviews?sort=author.resetPasswordToken", "/api/reviews?populate[author][fields]=password",
		"/api/reviews?populate[author][filters][confirmationToken]=x", "/api/users-permissions/roles?filters[users][password]=x", "/api/users?filters[role][users][email]=x")
}

// Without the right to find a related entry, a caller can neither see it nor filter by
// it.
func TestCVE202337263RelationsWithoutPermission(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.join("ana")
	h.refuses("ana", "GET", "/api/reviews?filters[author][username]=ana", "/api/reviews?sort=author.email", "/api/reviews?filters[author][id]=1")
	a := h.send("full", "POST", "/api/reviews", `{"data": {"note": 1, "author": 1}}`)
	a = h.send("ana", "GET", "/api/reviews/"+a.text(t, "data.documentId")+"?populate=author", "")
	if a.status != 200 || strings.Contains(a.body, "author") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := h.send("ana", "POST", "/api/reviews", `{"data": {"note": 1, "author": 1}}`); a.status != 400 {
		t.Errorf("linking to a user that may not be found: %d %s", a.status, a.body)
	}
}

func TestCVE202429181RelationsOfTypesThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.refuses("", "GET", "/api/restaurants?filters[reviews][note][$gt]=1", "/api/restaurants?sort=reviews.note", "/api/restaurants?populate[chef][filters][restaurants][reviews][note]=1",
		"/api/categories?filters[restaurants][reviews][author][email][$contains]=@")
}

func TestCVE202339345RegisteringWithOtherFields(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	for _, extra := range []string{`"role": 1`, `"confirmed": true`, `"blocked": false`, `"provider": "github"`, `"resetPasswordToken": "x"`, `"sessionEpoch": "x"`,
		`"id": 1`, `"createdAt": "2020-01-01"`, `"nope": 1`, `"__proto__": {}`, `"role": null`} {
		a := h.send("", "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "secret-1", `+extra+`}`)
		name, _, _ := strings.Cut(strings.Trim(extra, `"`), `"`)
		if a.status != 400 || a.Error.Message != "Invalid parameters: "+name {
			t.Errorf("%s: %d %s", extra, a.status, a.body)
		}
	}
}

// The limit counts per route, however the path is written.
func TestCVE202338507RateLimitByRoute(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{}`, noRoles), options{})
	paths := []string{"/api/auth/local", "/api/auth/local/", "/api/auth/local?x=1", "/api/auth/local//", "/api/auth/%6cocal"}
	for i, path := range paths {
		if a := h.send("", "POST", path, fmt.Sprintf(`{"identifier": "user%d", "password": "x"}`, i)); a.status != 400 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, path := range append(paths, "/api/Auth/Local", "/API/auth/local", "/api/auth/../auth/local") {
		if a := h.send("", "POST", path, `{"identifier": "other", "password": "x"}`); a.status != 429 && a.status != 404 && a.status != 405 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// The limit counts per account that is attacked. Other members of the body have no
// effect on it.
func TestCVE202564526RateLimitByAccount(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{}`, noRoles), options{})
	try := func(i int, identifier string) int {
		return h.send("", "POST", "/api/auth/local", fmt.Sprintf(`{"identifier": %q, "password": "x", "email": "e%d@example.org"}`, identifier, i), "From", fmt.Sprintf("192.0.2.%d:1000", i)).status
	}
	for i := range 5 {
		if status := try(i+1, "ana@example.org"); status != 400 {
			t.Errorf("try %d: %d", i, status)
		}
	}
	if status := try(6, " ANA@example.org"); status != 429 {
		t.Errorf("from a sixth address: %d", status)
	}
	if status := try(6, "bo@example.org"); status != 400 {
		t.Errorf("another account: %d", status)
	}
	for i := range 5 {
		try(7, fmt.Sprintf("x%d@example.org", i))
	}
	if status := try(7, "y@example.org"); status != 429 {
		t.Errorf("one address, another account each time: %d", status)
	}
}

// Mail contains texts of users unchanged. Templates have four variables.
func TestCVE202322621MailTemplatesRunNothing(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	const name = `<%= process.env %>${7*7}{{7*7}}{code}{link}`
	a := h.send("", "POST", "/api/auth/local/register", `{"username": "`+name+`", "email": "ana@example.org", "password": "secret-1"}`)
	h.send("", "POST", "/api/auth/forgot-password", `{"email": "ana@example.org"}`)
	if m := <-h.mail; a.status != 200 || !strings.Contains(m.Text, "Hello "+name+",") {
		t.Errorf("the mail: %s", m.Text)
	}
}

func TestCVE202322893UnsignedJWTs(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.join("ana")
	parts := strings.Split(h.tokens["ana"], ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`))
	for _, token := range []string{none + "." + parts[1] + ".", none + "." + parts[1] + "." + parts[2], parts[0] + "." + parts[1] + "."} {
		h.tokens["forged"] = token
		if a := h.send("forged", "GET", "/api/users/me", ""); a.status != 401 {
			t.Errorf("%s: %d", token, a.status)
		}
	}
}

// Only the site sets where users are redirected to, and never the request.
func TestCVE202434065Redirects(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"confirmation": {"required": true, "redirect": "https://example.org/in"}, "rateLimit": {"enabled": false}}`, noRoles), options{})
	h.send("", "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "secret-1"}`)
	code := codeForm.FindString((<-h.mail).Text)
	a := h.send("", "GET", "/api/auth/email-confirmation?confirmation="+code+"&redirect=https://evil.example&url=//evil.example", "",
		"Referer", "https://evil.example", "Host", "evil.example", "X-Forwarded-Host", "evil.example")
	if got := a.header.Get("Location"); a.status != 302 || got != "https://example.org/in" {
		t.Errorf("%d to %s", a.status, got)
	}
}

func TestCVE202456143Lookup(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	for _, path := range []string{"/api/restaurants", "/api/users", "/api/upload/files", "/api/users-permissions/roles"} {
		h.refuses("full", "GET", path+"?lookup[secret_note][$startsWith]=a", path+"?lookup=x")
	}
	h.refuses("full", "GET", "/api/restaurants?populate[chef][lookup][name]=x", "/api/restaurants?filters[lookup][name]=x")
}

// "where" has no effect anywhere.
func TestCVE202627886Where(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.join("ana")
	for _, path := range []string{"/api/users", "/api/restaurants", "/api/upload/files"} {
		plain := h.send("full", "GET", path, "")
		for _, q := range []string{"?where[id]=99", "?where[password][$startsWith]=x", "?where[updatedBy][resetPasswordToken][$startsWith]=a", "?_where[id]=99", "?and[id]=99"} {
			if a := h.send("full", "GET", path+q, ""); a.body != plain.body {
				t.Errorf("%s%s: %s", path, q, a.body)
			}
		}
	}
}

func TestCVE202525298LongPasswords(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	long := strings.Repeat("p", 72)
	register := func(name, password string) int {
		return h.send("", "POST", "/api/auth/local/register", fmt.Sprintf(`{"username": %q, "email": "%s@example.org", "password": %q}`, name, name, password)).status
	}
	if status := register("long", long+"x"); status != 400 {
		t.Errorf("73 bytes: %d", status)
	}
	if status := register("just", long); status != 200 {
		t.Errorf("72 bytes: %d", status)
	}
	if a := h.send("", "POST", "/api/auth/local", fmt.Sprintf(`{"identifier": "just", "password": %q}`, long+"x")); a.status != 400 {
		t.Errorf("signing in with more than the password: %d", a.status)
	}
}

func TestCVE20253930JWTsAfterTheEnd(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	for name, end := range map[string]func() *answer{
		"logout": func() *answer { return h.send("logout", "POST", "/api/auth/logout", "") },
		"block":  func() *answer { return h.send("full", "PUT", "/api/users/"+h.id("block"), `{"blocked": true}`) },
		"delete": func() *answer { return h.send("full", "DELETE", "/api/users/"+h.id("delete"), "") },
		"change": func() *answer {
			return h.send("change", "POST", "/api/auth/change-password", `{"currentPassword": "secret-1", "password": "secret-2", "passwordConfirmation": "secret-2"}`)
		},
	} {
		h.join(name)
		if a := h.send(name, "GET", "/api/users/me", ""); a.status != 200 {
			t.Fatal(a.body)
		}
		if a := end(); a.status != 200 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		for _, path := range []string{"/api/users/me", "/api/restaurants"} {
			if a := h.send(name, "GET", path, ""); a.status != 401 {
				t.Errorf("after %s, %s: %d", name, path, a.status)
			}
		}
	}
}

// id returns the numeric id of the user whose JWT has that name.
func (h *accountSite) id(name string) string {
	h.t.Helper()
	return h.send(name, "GET", "/api/users/me", "").text(h.t, "id")
}

func TestCVE202553092OriginsAndCredentials(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	for _, path := range []string{"/api/auth/local", "/api/users/me"} {
		a := h.send("", "OPTIONS", path, "", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST")
		if a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", path, a.header)
		}
	}
}

func TestCVE202622706NewPasswordsEndRefreshTokens(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, `{"refresh": {"enabled": true}, "rateLimit": {"enabled": false}}`, noRoles), options{})
	a := h.send("", "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "secret-1"}`)
	h.tokens["ana"] = a.text(t, "jwt")
	refresh := `{"refreshToken": "` + a.text(t, "refreshToken") + `"}`
	h.send("ana", "POST", "/api/auth/change-password", `{"currentPassword": "secret-1", "password": "secret-2", "passwordConfirmation": "secret-2"}`)
	if a := h.send("", "POST", "/api/auth/refresh", refresh); a.status != 401 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// The query of a write of a single type is checked like any other.
func TestSingleTypesCheckTheQueriesOfWrites(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	for _, method := range []string{"PUT", "DELETE"} {
		h.refuses("full", method, "/api/homepage?populate[featured][filters][secret_note][$startsWith]=a", "/api/homepage?populate[featured][fields]=door_code",
			"/api/homepage?filters[createdBy][email]=x", "/api/homepage?populate[featured][sort]=secret_note")
	}
}

func TestIssue4442CodesThatAreNoText(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.join("ana")
	h.send("", "POST", "/api/auth/forgot-password", `{"email": "ana@example.org"}`)
	<-h.mail
	for _, code := range []string{`{"$gt": 0}`, `{"$ne": null}`, `[]`, `["x"]`, `true`, `0`, `null`, `""`} {
		a := h.send("", "POST", "/api/auth/reset-password", `{"code": `+code+`, "password": "secret-2", "passwordConfirmation": "secret-2"}`)
		if a.status != 400 || !strings.Contains(a.body, `"path":["code"]`) {
			t.Errorf("%s: %d %s", code, a.status, a.body)
		}
	}
	if a := h.send("", "GET", "/api/auth/email-confirmation?confirmation[$ne]=x", ""); a.status != 400 {
		t.Errorf("an object in the link: %d %s", a.status, a.body)
	}
}

func TestIssue11869NamesThatReachTheEngine(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	for _, name := range []string{`name"; drop table users;--`, "password%20as%20name", "name->>'x'", "(select%20password)", "_id", "rowid", "*"} {
		h.refuses("full", "GET", "/api/users?filters["+name+"]=1", "/api/users?sort="+name)
	}
}
