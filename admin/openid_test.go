package admin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"quire/admin"
	"quire/auth/openid/openidtest"
	"quire/auth/people"
)

// openProvided serves the test site with a provider. more is added to admin.openid, and
// rest to admin.
func openProvided(t *testing.T, more, rest string, replacements ...string) (*testAdmin, *openidtest.Provider) {
	t.Helper()
	p := openidtest.New(t)
	settings := fmt.Sprintf(`"url": "http://cms.example.org", "admin": {%s"openid": {"issuer": %q, "clientId": %q, "label": "Example"%s}}, "auth": {`, rest, p.URL, openidtest.ClientID, more)
	return openAdmin(t, append(replacements, `"auth": {`, settings)...), p
}

// making has accounts made of editors and, of all others, of readers.
const making = `, "createAccounts": true, "roles": {"claim": "groups", "map": {"owners": "owner", "writers": "editor"}, "default": "reader"}`

// leave goes to the provider, and returns the path and the query of where it sends back.
func (v *client) leave(to string) string {
	v.t.Helper()
	a := v.want(302, "GET", "/session/openid?to="+url.QueryEscape(to), "")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(a.header.Get("Location"))
	check(v.t, err)
	answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		v.t.Fatalf("the provider sends to %q: %v", a.header.Get("Location"), err)
	}
	return back.RequestURI()
}

// followCallback comes back from the provider, and returns where the browser is sent then.
func (v *client) followCallback(back string) string {
	v.t.Helper()
	a := v.want(302, "GET", "/"+back, "")
	if a.header.Get("Cache-Control") != "no-store" || a.header.Get("Referrer-Policy") != "no-referrer" {
		v.t.Errorf("coming back: %v", a.header)
	}
	return a.header.Get("Location")
}

// provided signs in at the provider, from the button to the page.
func (v *client) provided() string {
	v.t.Helper()
	return v.followCallback(v.leave("/admin/content/x?page=2"))
}

// noted is the lines of the audit log of an action, as an owner sees them.
func (v *client) noted(action string) string {
	v.t.Helper()
	return v.want(200, "GET", "/audit?action="+action, "").body
}

func TestOpenIDMakesAnAccount(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	owner := o.owner()
	if a := o.client().want(200, "GET", "/setup", ""); a.text("data.openid") != "Example" || a.text("data.passwords") != "true" {
		t.Errorf("the page for signing in: %s", a.body)
	}
	p.Person = map[string]any{"sub": "7", "email": "Bob@example.org", "email_verified": true, "name": "Bob  Example", "groups": []string{"guests", "writers"}}
	bob := o.client()
	if to := bob.provided(); to != "/admin/content/x?page=2" {
		t.Fatalf("bob is sent to %s", to)
	}
	a := bob.want(200, "GET", "/session", "")
	if a.text("data.account.email") != "bob@example.org" || a.text("data.account.role.id") != "editor" || a.text("data.password") != "false" {
		t.Errorf("bob is %s", a.body)
	}
	if list := bob.want(200, "GET", "/sessions", ""); !strings.Contains(list.body, `"way":"openid"`) {
		t.Errorf("his sessions: %s", list.body)
	}
	if list := owner.want(200, "GET", "/accounts", ""); !strings.Contains(list.body, `"openid":true`) || !strings.Contains(list.body, `"openid":false`) {
		t.Errorf("the accounts: %s", list.body)
	}
	again := o.client()
	again.provided()
	if b := again.want(200, "GET", "/session", ""); b.text("data.account.id") != a.text("data.account.id") {
		t.Errorf("the second time he is %s", b.body)
	}
	if lines := owner.noted("account.create"); !strings.Contains(lines, p.URL) || !strings.Contains(lines, `"role":"editor"`) {
		t.Errorf("the audit log: %s", lines)
	}
	if lines := owner.noted("session.begin"); strings.Count(lines, p.URL) != 2 {
		t.Errorf("the audit log: %s", lines)
	}
}

// Whoever is not sent back by the provider, to the browser that went there, is not let in.
func TestOpenIDIsBoundToTheBrowser(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	owner := o.owner()
	p.Person["email"] = "bob@example.org"
	other := func() *client { v := o.client(); v.leave("/admin/"); return v }
	for what, try := range map[string]func(v *client, back string) string{
		"another state": func(v *client, back string) string {
			return v.followCallback(strings.Replace(back, "state=", "state=x", 1))
		},
		"no state": func(v *client, back string) string {
			return v.followCallback(strings.Replace(back, "state=", "other=", 1))
		},
		"no browser":        func(_ *client, back string) string { return o.client().followCallback(back) },
		"another browser":   func(_ *client, back string) string { return other().followCallback(back) },
		"the provider's no": func(v *client, back string) string { return v.followCallback(back + "&error=access_denied") },
		"a made-up code": func(v *client, back string) string {
			return v.followCallback(strings.Replace(back, "code=", "code=x", 1))
		},
	} {
		v := o.client()
		to := try(v, v.leave("/admin/"))
		if want := map[string]string{"the provider's no": "refused", "a made-up code": "refused"}[what]; to != "/admin/?error="+want && (want != "" || to != "/admin/?error=state") {
			t.Errorf("%s is sent to %s", what, to)
		}
		v.want(401, "GET", "/session", "")
		o.clock.pass(time.Hour)
	}
	v := o.client()
	back, cookies := v.leave("/admin/"), map[string]string{}
	for name, value := range v.others {
		cookies[name] = value
	}
	v.followCallback(back)
	v.want(200, "GET", "/session", "")
	thief := o.client()
	thief.others = cookies
	if to := thief.followCallback(back); to != "/admin/?error=refused" {
		t.Errorf("the same again is sent to %s", to)
	}
	thief.want(401, "GET", "/session", "")
	if lines := owner.noted("session.begin"); !strings.Contains(lines, `"why":"provider: state"`) || !strings.Contains(lines, `"outcome":"refused"`) {
		t.Errorf("the audit log: %s", lines)
	}
	if log := o.log.String(); strings.Contains(log, "code=") || strings.Contains(log, openidtest.Secret) || strings.Contains(log, p.IDToken("")[:20]) {
		t.Errorf("the log says too much: %s", log)
	}
}

// Whoever keeps the cookie of one attempt cannot have the provider asked about codes for ever.
func TestOpenIDWaysBackAreCounted(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	v := o.client()
	back, cookies := strings.Replace(v.leave("/admin/"), "code=", "code=x", 1), map[string]string{}
	for name, value := range v.others {
		cookies[name] = value
	}
	to := ""
	for range 70 {
		again := o.client()
		again.others = map[string]string{}
		for name, value := range cookies {
			again.others[name] = value
		}
		to = again.followCallback(back)
	}
	if requested := p.Count("/token"); requested != 60 || to != "/admin/?error=many" {
		t.Errorf("the provider was asked %d times, and the last one is sent to %s", requested, to)
	}
}

// An ID token that does not prove it is the person's, for this site and attempt, signs nobody
// in, and a claim of another form neither.
func TestOpenIDTokensThatProveNothing(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	o.owner()
	many := make([]string, 1001)
	for want, changes := range map[string][]func(claims map[string]any){
		"provider": {
			func(c map[string]any) { c["aud"] = "another" },
			func(c map[string]any) { c["aud"] = []string{openidtest.ClientID, "another"} },
			func(c map[string]any) { c["iss"] = "https://evil.example" },
			func(c map[string]any) { c["nonce"] = "another" },
			func(c map[string]any) { delete(c, "nonce") },
			func(c map[string]any) { c["exp"] = 1 },
			func(c map[string]any) { c["sub"] = "" },
		},
		"claim": {
			func(c map[string]any) { c["groups"] = 7 },
			func(c map[string]any) { c["groups"] = map[string]any{"owners": true} },
			func(c map[string]any) { c["groups"] = []any{"owners", 7} },
			func(c map[string]any) { c["groups"] = []any{"owners", nil} },
			func(c map[string]any) { c["groups"] = many },
			func(c map[string]any) { c["groups"] = strings.Repeat("x", 1001) },
		},
		"email": {
			func(c map[string]any) { delete(c, "email_verified") },
			func(c map[string]any) { c["email_verified"] = false },
			func(c map[string]any) { c["email"] = "no address" },
		},
		"account": {
			func(c map[string]any) { c["email"] = "ana@example.org" },
		},
	} {
		for i, change := range changes {
			p.Person = map[string]any{"sub": "7", "email": "bob@example.org", "email_verified": true, "groups": "owners"}
			p.Info, p.Change = map[string]any{"sub": "7"}, change
			v := o.client()
			if to := v.provided(); to != "/admin/?error="+want {
				t.Errorf("%s %d is sent to %s", want, i, to)
			}
			v.want(401, "GET", "/session", "")
			o.clock.pass(time.Hour)
		}
	}
}

// What the provider says decides the role at each sign-in.
func TestOpenIDRoles(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, `, "createAccounts": true, "roles": {"claim": "realm_access.roles", "map": {"w": "Writers", "e": "Editor", "o": "owner", "k": "king"}}`, "")
	owner := o.owner()
	writers := owner.want(201, "POST", "/roles", `{"name":"Writers","rights":{"types":{"*":{"actions":["read"]}}}}`).text("data.id")
	give := func(roles any) {
		p.Person = map[string]any{"sub": "7", "email": "bob@example.org", "email_verified": true, "realm_access": map[string]any{"roles": roles}}
	}
	signInAs := func(what, role string) *client {
		v := o.client()
		if to := v.provided(); strings.Contains(to, "error") {
			t.Fatalf("%s is sent to %s", what, to)
		}
		if a := v.want(200, "GET", "/session", ""); a.text("data.account.role.id") != role {
			t.Errorf("%s: %s", what, a.body)
		}
		return v
	}
	refuse := func(what string) {
		v := o.client()
		if to := v.provided(); to != "/admin/?error=role" {
			t.Errorf("%s is sent to %s", what, to)
		}
		v.want(401, "GET", "/session", "")
	}
	give([]string{"x"})
	refuse("no role, no account")
	give("k")
	refuse("a role that there is not")
	give([]string{"o", "e", "w"})
	bob := signInAs("the first of the map", writers)
	give("e")
	signInAs("one text", "editor")
	if a := bob.want(200, "GET", "/session", ""); a.text("data.account.role.id") != "editor" {
		t.Errorf("his other session: %s", a.body)
	}
	give([]string{})
	refuse("a role that was taken away")
	bob.want(401, "GET", "/session", "")
	if list := owner.want(200, "GET", "/accounts", ""); !strings.Contains(list.body, `"role":{"id":"","name":"none"}`) {
		t.Errorf("he keeps a role: %s", list.body)
	}
	if lines := owner.noted("account.update"); strings.Count(lines, "former role") != 2 || !strings.Contains(lines, `"role":"none"`) {
		t.Errorf("the audit log: %s", lines)
	}
	give("o")
	bob = signInAs("a role that is given again", "owner")
	id := owner.want(200, "GET", "/session", "").text("data.account.id")
	bob.want(204, "DELETE", "/accounts/"+id, "")
	give("e")
	signInAs("the last owner", "owner")
	p.Person["realm_access"] = nil
	signInAs("the last owner without a claim", "owner")
}

// What decides the role is asked for where the ID token does not say it, about the same
// person.
func TestOpenIDRoleFromUserinfo(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	o.owner()
	p.Person["email"] = "bob@example.org"
	p.Info = map[string]any{"sub": p.Person["sub"], "groups": []string{"writers"}}
	v := o.client()
	v.provided()
	if a := v.want(200, "GET", "/session", ""); a.text("data.account.role.id") != "editor" {
		t.Errorf("the role: %s", a.body)
	}
	p.Info["sub"] = "another"
	if to := o.client().provided(); to != "/admin/?error=provider" {
		t.Errorf("what is said of somebody else leads to %s", to)
	}
}

// The first account of a site is an owner's, also where the provider signs in.
func TestOpenIDFirstAccount(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	v := o.client()
	if to := v.provided(); to != "/admin/?error=account" {
		t.Errorf("a reader is sent to %s", to)
	}
	v.want(200, "POST", "/setup/link", `{"token":"`+o.setup+`"}`)
	p.Person["groups"] = "owners"
	v.provided()
	v.want(200, "GET", "/accounts", "")
	v.want(400, "POST", "/setup/link", `{"token":"`+o.setup+`"}`)
}

// An account is linked by its address where the site wants that and the provider has verified
// the address, and once.
func TestOpenIDLinks(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, `, "linkAccounts": true`, "")
	o.owner()
	sign := func(sub string, verified any) string {
		p.Person = map[string]any{"sub": sub, "email": "ANA@example.org", "email_verified": verified}
		defer o.clock.pass(time.Hour)
		return o.client().provided()
	}
	if to := sign("1", false); to != "/admin/?error=account" {
		t.Errorf("an address that is not verified: %s", to)
	}
	if to := sign("1", true); strings.Contains(to, "error") {
		t.Errorf("an address that is verified: %s", to)
	}
	if to := sign("2", true); to != "/admin/?error=account" {
		t.Errorf("somebody else with the address: %s", to)
	}
	if to := sign("1", false); strings.Contains(to, "error") {
		t.Errorf("who was linked: %s", to)
	}
	owner := o.client()
	owner.want(200, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`)
	if lines := owner.noted("account.openid-link"); strings.Count(lines, p.URL) != 1 {
		t.Errorf("the audit log: %s", lines)
	}
	o, p = openProvided(t, "", "")
	o.owner()
	if to := o.client().provided(); to != "/admin/?error=account" {
		t.Errorf("where nothing is linked: %s", to)
	}
}

// Where the provider decides roles, whoever has made an account for somebody's address does
// not get in by its password once that person has come.
func TestOpenIDLinksWithoutFormerPasswords(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, `, "linkAccounts": true, "roles": {"claim": "groups", "map": {"owners": "owner"}, "default": "owner"}`, "")
	former := o.owner()
	p.Person = map[string]any{"sub": "1", "email": "ana@example.org", "email_verified": true, "groups": []string{"owners"}}
	ana := o.client()
	if to := ana.provided(); strings.Contains(to, "error") {
		t.Fatalf("who is linked is sent to %s", to)
	}
	ana.want(200, "GET", "/session", "")
	former.want(401, "GET", "/session", "")
	o.client().want(400, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`)
}

// An account is parted from somebody at the provider, who then does not get in by it.
func TestOpenIDUnlinks(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	owner := o.owner()
	p.Person["email"] = "bob@example.org"
	bob := o.client()
	bob.provided()
	id := bob.want(200, "GET", "/session", "").text("data.account.id")
	if a := owner.want(200, "PUT", "/accounts/"+id, `{"openid":false}`); a.text("data.openid") != "false" {
		t.Errorf("unlinked: %s", a.body)
	}
	bob.want(401, "GET", "/session", "")
	if to := bob.provided(); to != "/admin/?error=account" {
		t.Errorf("who is unlinked is sent to %s", to)
	}
	if a := owner.want(400, "PUT", "/accounts/"+id, `{"openid":true}`); a.text("error.details.key") != "openid" {
		t.Errorf("linked by hand: %s", a.body)
	}
	if lines := owner.noted("account.update"); !strings.Contains(lines, "unlinked") {
		t.Errorf("the audit log: %s", lines)
	}
}

func TestOpenIDBlocked(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	owner := o.owner()
	p.Person["email"] = "bob@example.org"
	bob := o.client()
	bob.provided()
	id := bob.want(200, "GET", "/session", "").text("data.account.id")
	owner.want(200, "PUT", "/accounts/"+id, `{"blocked":true}`)
	bob.want(401, "GET", "/session", "")
	if to := bob.provided(); to != "/admin/?error=blocked" {
		t.Errorf("who is blocked is sent to %s", to)
	}
	if lines := owner.noted("session.begin"); !strings.Contains(lines, "the account is blocked") || !strings.Contains(lines, "bob@example.org") {
		t.Errorf("the audit log: %s", lines)
	}
}

// The second factor of an account is asked for, unless the provider has asked for one and the
// site trusts that.
func TestOpenIDSecondFactor(t *testing.T) {
	t.Parallel()
	for trusted, setting := range map[bool]string{false: "", true: `, "trustSecondFactor": true`} {
		o, p := openProvided(t, `, "linkAccounts": true`+setting, "")
		owner := o.owner()
		app := owner.arm()
		p.Person["amr"] = []string{"pwd", "mfa"}
		v := o.client()
		to := v.provided()
		if trusted {
			v.want(200, "GET", "/session", "")
			p.Person["amr"] = []string{"pwd"}
			v = o.client()
			to = v.provided()
		}
		if to != "/admin/?second=1&to=%2Fadmin%2Fcontent%2Fx%3Fpage%3D2" {
			t.Errorf("trusted %t: sent to %s", trusted, to)
		}
		v.want(401, "GET", "/session", "")
		o.clock.pass(time.Minute)
		v.want(200, "POST", "/session/code", `{"code":"`+app.code()+`"}`)
		if list := v.want(200, "GET", "/sessions", ""); !strings.Contains(list.body, `"way":"openid"`) {
			t.Errorf("the sessions: %s", list.body)
		}
	}
}

// An account without a password sets up a second factor soon after it has signed in.
func TestOpenIDFactorWithoutPassword(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, `"secondFactor": "required", `)
	p.Person["groups"] = "owners"
	v := o.client()
	v.provided()
	if a := v.want(200, "GET", "/session", ""); a.text("data.needsSecondFactor") != "true" {
		t.Errorf("the session: %s", a.body)
	}
	v.want(403, "GET", "/accounts", "")
	o.clock.pass(11 * time.Minute)
	if a := v.want(400, "POST", "/session/second-factor/setup", `{"password":""}`); a.text("error.details.key") != "password" {
		t.Errorf("later: %s", a.body)
	}
	v.provided()
	v.want(200, "POST", "/session/second-factor/setup", `{"password":""}`)
}

// Without passwords the provider is the way in, and whoever is on the machine.
func TestPasswordsOff(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, `"passwords": false, `)
	owner := o.owner() // by the link that the program has printed
	owner.want(200, "GET", "/session", "")
	signIn := `{"email":"ana@example.org","password":"` + secret + `"}`
	if a := o.client().want(403, "POST", "/session", signIn); a.text("error.name") != "PasswordsClosed" {
		t.Errorf("with a password: %s", a.body)
	}
	o.client().want(403, "POST", "/session/passkey/begin", "")
	owner.want(400, "PUT", "/session/password", `{"current":"`+secret+`","password":"another `+secret+`"}`)
	owner.want(400, "POST", "/accounts", `{"name":"Bob","email":"bob@example.org","role":"editor","password":"`+secret+`"}`)
	id := owner.want(201, "POST", "/accounts", `{"name":"Bob","email":"bob@example.org","role":"editor"}`).text("data.id")
	owner.want(400, "PUT", "/accounts/"+id, `{"password":"`+secret+`"}`)
	owner.want(400, "POST", "/accounts/"+id+"/reset-link", "")
	p.Person["email"] = "cy@example.org"
	cy := o.client()
	cy.provided()
	cy.want(200, "GET", "/session", "")
	made, err := o.people.Do(t.Context(), "admin reset", []byte(`"ana@example.org"`))
	check(t, err)
	v := o.client()
	v.want(200, "POST", "/setup", `{"token":"`+made.(people.Info).LinkToken+`","password":"`+secret+`"}`)
	v.want(200, "GET", "/accounts", "")
	if list := v.want(200, "GET", "/sessions", ""); !strings.Contains(list.body, `"way":"command"`) {
		t.Errorf("the sessions: %s", list.body)
	}
}

// People of one network go to the provider a bounded number of times, and those who are
// refused count against their network.
func TestOpenIDThrottled(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	o.owner()
	p.Person["groups"] = 7
	for i := range 6 {
		want := "claim"
		if i == 5 {
			want = "many"
		}
		if to := o.client().provided(); to != "/admin/?error="+want {
			t.Errorf("the %d. time: %s", i, to)
		}
	}
	for range 60 {
		o.client().want(302, "GET", "/session/openid", "")
	}
	if to := o.client().want(302, "GET", "/session/openid", "").header.Get("Location"); to != "/admin/?error=many" {
		t.Errorf("too many begin: %s", to)
	}
	elsewhere := o.client()
	elsewhere.from = "198.51.100.7:1"
	delete(p.Person, "groups")
	p.Person["email"] = "bob@example.org"
	elsewhere.provided()
	elsewhere.want(200, "GET", "/session", "")
}

// Signing in leads to pages of the admin alone.
func TestOpenIDLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	o.owner()
	p.Person["email"] = "bob@example.org"
	for to, want := range map[string]string{
		"/admin/content/x?a=1#b":              "/admin/content/x?a=1#b",
		"/admin/":                             "/admin/",
		"":                                    "/admin/",
		"//evil.example/admin/":               "/admin/",
		"https://evil.example/admin":          "/admin/",
		"javascript:alert(1)":                 "/admin/",
		"/admin/../evil":                      "/admin/",
		"/admin/%2e%2e/%2e%2e/evil":           "/admin/",
		`/admin/\evil.example`:                "/admin/",
		"/admin/%5cevil.example":              "/admin/",
		"/adminevil":                          "/admin/",
		"/admin/api/v1/session":               "/admin/",
		"/admin/a%0d%0ab":                     "/admin/",
		"/admin/" + strings.Repeat("x", 1000): "/admin/",
	} {
		v := o.client()
		v.from = fmt.Sprintf("192.0.%d.1:1", len(to)%250)
		if got := v.followCallback(v.leave(to)); got != want {
			t.Errorf("%q leads to %q", to, got)
		}
	}
}

// Asking for the head of what signs in does nothing.
func TestOpenIDHead(t *testing.T) {
	t.Parallel()
	o, _ := openProvided(t, making, "")
	o.owner()
	v := o.client()
	v.want(204, "HEAD", "/session/openid", "")
	back := v.leave("/admin/")
	v.want(204, "HEAD", "/"+back, "")
	v.want(401, "GET", "/session", "")
}

// A provider that cannot be asked, and a site without one, are said in words.
func TestOpenIDWithoutProvider(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, making, "")
	p.Answer["/.well-known/openid-configuration"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	if to := o.client().want(302, "GET", "/session/openid", "").header.Get("Location"); to != "/admin/?error=provider" {
		t.Errorf("a provider that is down: %s", to)
	}
	o = openAdmin(t)
	for _, path := range []string{"/session/openid", "/session/openid/callback?code=a&state=b&more=c"} {
		if to := o.client().want(302, "GET", path, "").header.Get("Location"); to != admin.Path+"/?error=closed" {
			t.Errorf("%s without a provider: %s", path, to)
		}
	}
}

// With "all", every value of the claim gives a role, and losing one takes only this role away.
func TestAllRolesByClaim(t *testing.T) {
	t.Parallel()
	o, p := openProvided(t, `, "createAccounts": true, "roles": {"claim": "groups", "map": {"o": "owner", "e": "editor", "r": "reader"}, "all": true}`, "")
	o.owner()
	for _, c := range []struct {
		groups []string
		roles  string
	}{{[]string{"r", "e", "x"}, `"roles":[{"id":"editor","name":"Editor"},{"id":"reader","name":"Reader"}]`}, {[]string{"r"}, `"roles":[{"id":"reader","name":"Reader"}]`}} {
		p.Person = map[string]any{"sub": "7", "email": "bob@example.org", "email_verified": true, "groups": c.groups}
		v := o.client()
		if to := v.provided(); strings.Contains(to, "error") {
			t.Fatalf("%v is sent to %s", c.groups, to)
		}
		if a := v.want(200, "GET", "/session", ""); !strings.Contains(a.body, c.roles) {
			t.Errorf("%v: %s", c.groups, a.body)
		}
	}
}
