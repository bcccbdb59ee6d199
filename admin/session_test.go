package admin_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth/people"
)

// The first account is made with the link that the start printed, once.
func TestSetUp(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.client()
	if got := v.want(200, "GET", "/setup", "").text("data.needed"); got != "true" {
		t.Errorf("needed: %s", got)
	}
	v.want(401, "GET", "/session", "")
	v.want(400, "POST", "/setup", `{"token":"wrong",`+ana[1:])
	for key, body := range map[string]string{
		"name":     `"name":" ","email":"ana@example.org","password":"12345678"`,
		"email":    `"name":"Ana","email":"Ana <ana@example.org>","password":"12345678"`,
		"password": `"name":"Ana","email":"ana@example.org","password":"1234567"`,
		"extra":    `"extra":1`,
	} {
		a := v.want(400, "POST", "/setup", `{"token":"`+o.setup+`",`+body+`}`)
		if got := a.text("error.details.key"); got != key {
			t.Errorf("%s: the error names %s: %s", body, got, a.body)
		}
	}
	a := v.want(200, "POST", "/setup", `{"token":"`+o.setup+`","name":" Ana ","email":"Ana@Example.org","password":"`+secret+`"}`)
	if a.text("data.account.email") != "ana@example.org" || a.text("data.account.name") != "Ana" || a.text("data.account.role.id") != "owner" {
		t.Errorf("the first account is %s", a.body)
	}
	v.want(200, "GET", "/session", "")
	if got := v.want(200, "GET", "/setup", "").text("data.needed"); got != "false" {
		t.Errorf("needed afterwards: %s", got)
	}
	again := o.client().want(400, "POST", "/setup", `{"token":"`+o.setup+`",`+ana[1:])
	if !strings.Contains(again.fault(), "not valid any more") {
		t.Errorf("the second time: %s", again.body)
	}
	if token, err := o.people.SetupToken(); token != "" || err != nil {
		t.Errorf("another link: %q, %v", token, err)
	}
}

// Of many who use the link at once, one makes the account.
func TestSetUpOnce(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	var all sync.WaitGroup
	statuses := make(chan int, 8)
	for range cap(statuses) {
		all.Go(func() {
			statuses <- o.client().ask("POST", "/setup", `{"token":"`+o.setup+`",`+ana[1:]).status
		})
	}
	all.Wait()
	close(statuses)
	made := 0
	for status := range statuses {
		if status == 200 {
			made++
		} else if status != 400 {
			t.Errorf("one gets %d", status)
		}
	}
	if made != 1 {
		t.Errorf("%d accounts were made", made)
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	o.owner()
	v := o.client()
	for _, body := range []string{
		`{"email":"ana@example.org","password":"wrong password"}`,
		`{"email":"bob@example.org","password":"` + secret + `"}`,
		`{}`,
	} {
		a := v.want(400, "POST", "/session", body)
		if a.fault() != "ValidationError: The email or the password is wrong" || v.cookie != "" {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	a := v.want(200, "POST", "/session", `{"email":" ANA@example.org","password":"`+secret+`"}`)
	if a.text("data.account.name") != "Ana" || a.text("data.language") != "null" {
		t.Errorf("signed in as %s", a.body)
	}
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=/admin;", "Max-Age=2592000"} {
		if cookie := a.header.Get("Set-Cookie"); !strings.Contains(cookie, part) || strings.Contains(cookie, "Secure") {
			t.Errorf("the cookie %q lacks %s, or is Secure without TLS", cookie, part)
		}
	}
	if a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("Cache-Control: %s", a.header.Get("Cache-Control"))
	}
	stolen := v.cookie
	v.want(204, "DELETE", "/session", "")
	if v.cookie != "" {
		t.Errorf("the browser keeps %q", v.cookie)
	}
	v.cookie = stolen
	if a := v.want(401, "GET", "/session", ""); a.text("error.name") != "SessionExpired" {
		t.Errorf("after signing out: %s", a.body)
	}
	if log := o.log.String(); strings.Contains(log, secret) || strings.Contains(log, stolen) {
		t.Error("the log has a secret")
	}
}

// A cookie that a neighbouring domain has set shuts nobody out, and lets nobody in.
func TestPlantedCookies(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id := v.make("categories", `{"name":"Soups"}`)
	own, planted := "quire_admin="+v.cookie, "quire_admin="+strings.Repeat("0", len(v.cookie))
	for cookies, status := range map[string]int{
		own + "; " + planted:                                    200,
		planted + "; " + own:                                    200,
		strings.Repeat("quire_admin=; ", 3) + own:               200,
		strings.Repeat("quire_admin=; ", mostCookies) + own:     401,
		planted + "; " + planted + "; quire_admin2=" + v.cookie: 401,
	} {
		for _, path := range []string{"/session", "/content/categories/" + id, "/documents/api::category.category/" + id} {
			v.want(status, "GET", path, "", "Cookie", cookies)
		}
	}
	v.want(204, "DELETE", "/session", "", "Cookie", planted+"; "+own)
	o.client().want(401, "GET", "/session", "", "Cookie", own)
}

// mostCookies is how many are tried.
const mostCookies = 4

// What no page of the admin has sent is refused, whatever cookie it has.
func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	for _, headers := range [][]string{
		{"X-Quire-Admin", "-"},
		{"X-Quire-Admin", "yes"},
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Sec-Fetch-Site", "-", "Origin", "https://evil.example"},
		{"Sec-Fetch-Site", "-", "Origin", "null"},
	} {
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
			if a := v.want(403, method, "/session", "", headers...); a.text("error.name") != "ForbiddenError" {
				t.Errorf("%s %v: %s", method, headers, a.body)
			}
		}
	}
	v.want(200, "GET", "/session", "", "X-Quire-Admin", "-", "Sec-Fetch-Site", "cross-site")
	v.want(405, "PATCH", "/session", "", "Sec-Fetch-Site", "-", "Origin", "http://example.com") // which is the host
	preflight := v.ask("OPTIONS", "/session", "", "Access-Control-Request-Method", "POST", "Origin", "https://evil.example")
	if preflight.status != 405 || preflight.header.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("a preflight gets %d %v", preflight.status, preflight.header)
	}
}

// A session ends when it is not used, and at last in any case.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	o.clock.pass(people.Idle - time.Second)
	v.want(200, "GET", "/session", "")
	o.clock.pass(people.Idle - time.Second) // since the last request
	v.want(200, "GET", "/session", "")
	check(t, o.people.Reload(o.site)) // as after a start
	v.want(200, "GET", "/session", "")
	o.clock.pass(people.Idle)
	v.want(401, "GET", "/session", "")

	v.want(200, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`)
	for range people.Longest / people.Idle * 2 {
		v.ask("GET", "/session", "")
		o.clock.pass(people.Idle / 2)
	}
	v.want(401, "GET", "/session", "")
}

// Content is served as the content API serves it, in the name of the account.
func TestContent(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.client()
	v.want(401, "GET", "/content/dishes", "")
	v.want(401, "POST", "/content/dishes", `{"data":{}}`)
	v = o.owner()
	made := v.want(201, "POST", "/content/dishes?status=draft", `{"data":{"name":"Soup"}}`)
	id := made.text("data.documentId")
	list := v.want(200, "GET", "/content/dishes?status=draft", "")
	if !strings.Contains(list.body, `"Soup"`) || list.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the list: %v %s", list.header, list.body)
	}
	v.want(304, "GET", "/content/dishes?status=draft", "", "If-None-Match", list.header.Get("Etag"))
	v.want(200, "PUT", "/content/dishes/"+id, `{"data":{"name":"Stew"}}`)
	v.want(204, "DELETE", "/content/dishes/"+id, "")
	v.want(400, "GET", "/content/dishes?sort=nonsense", "")
	for _, path := range []string{"/content/nonsense", "/content/auth/local", "/content/connect/hub", "/content/connect/hub/callback", "/content/", "/content", "/content/../../_health", "/nonsense", "//admin", "//admin/content", "//"} {
		v.want(404, "GET", path, "")
	}
	if log := o.log.String(); !strings.Contains(log, "path=/admin/api/v1/content/dishes") || !strings.Contains(log, `role \"Owner\"`) {
		t.Errorf("the log does not say who did what: %s", log)
	}
}

// Credentials of the content API are no credentials of the admin, and the other way round.
func TestCredentialsStayApart(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	token := "Bearer " + v.cookie
	v.want(401, "GET", "//api/dishes", "", "Authorization", token)
	with, without := v.ask("GET", "//api/reviews", ""), o.client().ask("GET", "//api/reviews", "")
	if with.status != 403 || with.body != without.body {
		t.Errorf("with the cookie the content API answers %d %s, without it %d %s", with.status, with.body, without.status, without.body)
	}
	v.cookie = ""
	v.want(401, "GET", "/content/dishes", "", "Authorization", token)
}
