package admin_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth/people"
	"quire/content/audit"
	"quire/store"
)

// app shows the codes of a second factor, as an app on a phone does.
type app struct {
	*client
	secret   string
	recovery []string
}

// code is what the app shows now. Each call lets time pass, so that each code is another.
func (a *app) code() string {
	a.t.Helper()
	a.clock.pass(30 * time.Second)
	return a.codeNow()
}

func (a *app) codeNow() string {
	a.t.Helper()
	key, err := base32.StdEncoding.DecodeString(a.secret)
	check(a.t, err)
	mac := hmac.New(sha1.New, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(a.clock.Now().Unix()/30)))
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff%1000000)
}

// arm sets up a second factor.
func (v *client) arm() *app {
	v.t.Helper()
	begun := v.want(200, "POST", "/session/second-factor/setup", `{"password":"`+secret+`"}`)
	a := &app{client: v, secret: begun.text("data.secret")}
	done := v.want(200, "PUT", "/session/second-factor", fmt.Sprintf(`{"ticket":%q,"code":%q}`, begun.text("data.ticket"), a.code()))
	a.recovery = codesIn(v.t, done)
	return a
}

func codesIn(t testing.TB, a *answer) []string {
	t.Helper()
	var said struct {
		Data struct {
			RecoveryCodes []string `json:"recoveryCodes"`
		}
	}
	check(t, json.Unmarshal([]byte(a.body), &said))
	if len(said.Data.RecoveryCodes) != 10 {
		t.Fatalf("the recovery codes: %s", a.body)
	}
	for _, code := range said.Data.RecoveryCodes {
		if bits := 5 * len(strings.ReplaceAll(code, "-", "")); bits < 112 {
			t.Errorf("the recovery code %q has %d bits: its digest could be guessed", code, bits)
		}
	}
	return said.Data.RecoveryCodes
}

const anaSignsIn = `{"email":"ana@example.org","password":"` + secret + `"}`

// halfway is somebody who has given the password, and not yet the code.
func (o *testAdmin) halfway() *client {
	o.t.Helper()
	v := o.client()
	if a := v.want(401, "POST", "/session", anaSignsIn); a.text("error.name") != "SecondFactor" || v.cookie != "" {
		o.t.Fatalf("after the password: %s", a.body)
	}
	return v
}

func (v *client) say(status int, code string) *answer {
	v.t.Helper()
	return v.want(status, "POST", "/session/code", fmt.Sprintf(`{"code":%q}`, code))
}

// Who has a second factor signs in with the password and a code.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	other := o.client()
	other.want(200, "POST", "/session", anaSignsIn)
	begun := v.want(200, "POST", "/session/second-factor/setup", `{"password":"`+secret+`"}`)
	if url := begun.text("data.url"); !strings.HasPrefix(url, "otpauth://totp/example.com:ana@example.org?") || !strings.Contains(url, "secret="+begun.text("data.secret")) {
		t.Errorf("the app reads %s", url)
	}
	if v.want(200, "GET", "/session/second-factor", "").text("data.on") != "false" {
		t.Error("it is on before it is confirmed")
	}
	a := v.arm()
	other.want(401, "GET", "/session", "") // whoever was in without it
	v.want(200, "GET", "/session", "")
	if state := v.want(200, "GET", "/session/second-factor", ""); state.text("data.on") != "true" || state.text("data.recoveryCodes") != "10" {
		t.Errorf("it is %s", state.body)
	}
	them := o.halfway()
	them.want(401, "GET", "/session", "")
	them.want(401, "GET", "/content/dishes", "")
	if got := them.say(400, "000000"); got.text("error.details.key") != "code" || them.cookie != "" {
		t.Errorf("a wrong code: %s", got.body)
	}
	if got := them.say(200, a.code()); got.text("data.account.name") != "Ana" || len(them.others) > 0 {
		t.Errorf("signed in: %s, with %v", got.body, them.others)
	}
	them.want(200, "GET", "/session", "")
	o.halfway().say(400, a.codeNow()) // which was used
	if list := v.want(200, "GET", "/accounts", ""); !strings.Contains(list.body, `"secondFactor":true`) {
		t.Errorf("the accounts: %s", list.body)
	}
	for _, secret := range append(a.recovery, a.secret, strings.ReplaceAll(a.recovery[0], "-", "")) {
		if strings.Contains(o.log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
		check(t, o.db.View(func(tx *store.Tx) error {
			return tx.Records("admin.factors", func(_ string, value []byte) error {
				if strings.Contains(string(value), secret) {
					t.Errorf("the data file has %s", secret)
				}
				return nil
			})
		}))
	}
}

// A recovery code is good once, also for many who use it at the same time.
func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	a := o.owner().arm()
	o.halfway().say(200, a.recovery[0])
	o.halfway().say(400, a.recovery[0])
	o.halfway().say(200, strings.ToUpper(strings.ReplaceAll(a.recovery[1], "-", " ")))
	var waiting []*client
	for range 4 {
		waiting = append(waiting, o.halfway())
	}
	var all sync.WaitGroup
	statuses := make(chan int, len(waiting))
	for _, them := range waiting {
		all.Go(func() {
			statuses <- them.ask("POST", "/session/code", fmt.Sprintf(`{"code":%q}`, a.recovery[2])).status
		})
	}
	all.Wait()
	close(statuses)
	in := 0
	for status := range statuses {
		if status == 200 {
			in++
		}
	}
	if in != 1 {
		t.Errorf("one code lets %d in", in)
	}
	o.clock.pass(time.Hour)
	if got := a.want(200, "GET", "/session/second-factor", "").text("data.recoveryCodes"); got != "7" {
		t.Errorf("%s codes are left", got)
	}
	renewed := codesIn(t, a.want(200, "POST", "/session/second-factor/recovery-codes", fmt.Sprintf(`{"password":%q,"code":%q}`, secret, a.code())))
	o.halfway().say(400, a.recovery[5])
	o.halfway().say(200, renewed[5])
}

// Codes cannot be tried one after the other, whatever site.json says about passwords.
func TestCodesAreLimited(t *testing.T) {
	t.Parallel()
	o := openAdmin(t) // whose site.json limits no passwords
	a := o.owner().arm()
	for range 5 {
		o.halfway().say(400, "000000")
	}
	them := o.halfway()
	if got := them.say(429, a.code()); got.header.Get("Retry-After") == "" {
		t.Errorf("too many codes: %v", got.header)
	}
	a.want(429, "POST", "/session/second-factor/off", fmt.Sprintf(`{"password":%q,"code":%q}`, secret, a.code()))
	o.clock.pass(5 * time.Minute)
	o.halfway().say(200, a.code())
	refused := func(e audit.Event) bool { return e.Action == "account.code" && e.Outcome == audit.Refused }
	if !slices.ContainsFunc(o.lines(), refused) {
		t.Error("the audit log does not say it")
	}
}

// The step between password and code belongs to one browser, one account and one password,
// and does not last.
func TestTheStepEnds(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	a := v.arm()
	o.client().say(401, a.code())
	forged := o.client()
	forged.others["quire_admin_step"] = strings.Repeat("A", 100)
	forged.say(401, a.code())
	forged.want(401, "POST", "/session/code", `{"code":"`+a.code()+`"}`, "Cookie", strings.Repeat("quire_admin_step=x; ", 3)+"quire_admin_step="+begunStep(o)+"x")
	o.client().want(200, "POST", "/session/code", `{"code":"`+a.code()+`"}`, "Cookie", strings.Repeat("quire_admin_step=x; ", 3)+"quire_admin_step="+begunStep(o))
	begun := o.halfway()
	o.clock.pass(people.StepLife)
	if got := begun.say(401, a.code()); got.text("error.name") != "SignInExpired" {
		t.Errorf("after five minutes: %s", got.body)
	}
	begun = o.halfway()
	v.want(204, "PUT", "/session/password", `{"current":"`+secret+`","password":"another secret"}`)
	begun.say(401, a.code())
	check(t, func() error { // a ticket that sets a factor up is none for the sign-in
		_, bob := v.addAccount("bob", "editor")
		setUp := bob.want(200, "POST", "/session/second-factor/setup", `{"password":"`+secret+`"}`)
		them := o.client()
		them.others["quire_admin_step"] = setUp.text("data.ticket")
		them.say(401, a.code())
		v.want(401, "PUT", "/session/second-factor", fmt.Sprintf(`{"ticket":%q,"code":"000000"}`, setUp.text("data.ticket")))
		return nil
	}())
}

// begunStep is the cookie of somebody who has given the password.
func begunStep(o *testAdmin) string { return o.halfway().others["quire_admin_step"] }

// Switching it off and setting it up need the password; a session that was found is not
// enough.
func TestSecondFactorNeedsThePassword(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	if got := v.want(400, "POST", "/session/second-factor/setup", `{"password":"wrong"}`); got.text("error.details.key") != "password" {
		t.Errorf("set up with a wrong password: %s", got.body)
	}
	v.want(400, "POST", "/session/second-factor/off", `{"password":"`+secret+`","code":"000000"}`)
	a := v.arm()
	v.want(400, "POST", "/session/second-factor/setup", `{"password":"`+secret+`"}`)
	for _, path := range []string{"/session/second-factor/off", "/session/second-factor/recovery-codes"} {
		v.want(400, "POST", path, fmt.Sprintf(`{"password":"wrong","code":%q}`, a.code()))
		v.want(400, "POST", path, fmt.Sprintf(`{"password":%q}`, secret))
		v.want(400, "POST", path, fmt.Sprintf(`{"password":%q,"code":"000000"}`, secret))
		v.want(403, "POST", path, fmt.Sprintf(`{"password":%q,"code":%q}`, secret, a.code()), "X-Quire-Admin", "-")
		o.client().want(401, "POST", path, "{}")
		o.clock.pass(time.Hour)
	}
	v.want(204, "POST", "/session/second-factor/off", fmt.Sprintf(`{"password":%q,"code":%q}`, secret, a.code()))
	o.client().want(200, "POST", "/session", anaSignsIn)
}

// Who has lost it gets rid of it through another account that may do as much, and nobody
// else's does.
func TestSecondFactorOfOthers(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	me := v.want(200, "GET", "/session", "").text("data.account.id")
	v.arm()
	keeper := v.want(201, "POST", "/roles", `{"name":"Keeper","rights":{"site":["accounts"]}}`).text("data.id")
	_, bob := v.addAccount("bob", keeper)
	_, cyd := v.addAccount("cyd", "owner")
	bob.want(403, "DELETE", "/accounts/"+me+"/second-factor", "")
	v.want(400, "DELETE", "/accounts/"+me+"/second-factor", "")
	o.halfway()
	cyd.want(204, "DELETE", "/accounts/"+me+"/second-factor", "")
	o.client().want(200, "POST", "/session", anaSignsIn)
	v.want(404, "DELETE", "/accounts/nobody/second-factor", "")

	v.arm()
	_, err := o.people.Do(t.Context(), "admin reset", []byte(`"ana@example.org"`))
	check(t, err)
	o.halfway()
	_, err = o.people.Do(t.Context(), "admin reset all", []byte(`"ana@example.org"`))
	check(t, err)
	o.client().want(200, "POST", "/session", anaSignsIn)
}

// A link lets choose a password, and does not take the place of the second factor.
func TestLinksAndTheSecondFactor(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	me := v.want(200, "GET", "/session", "").text("data.account.id")
	a := v.arm()
	_, cyd := v.addAccount("cyd", "owner")
	_, token, found := strings.Cut(cyd.want(200, "POST", "/accounts/"+me+"/reset-link", "").text("data.path"), "#")
	if !found {
		t.Fatal("there is no link")
	}
	them := o.client()
	if got := them.want(401, "POST", "/setup", fmt.Sprintf(`{"token":%q,"password":"another secret"}`, token)); got.text("error.name") != "SecondFactor" || them.cookie != "" {
		t.Errorf("after the link: %s", got.body)
	}
	them.want(401, "GET", "/session", "")
	them.say(200, a.code())
	o.client().want(400, "POST", "/session", anaSignsIn)
}

// Where the site requires a second factor, an account without one may only set it up.
func TestSecondFactorIsRequired(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"admin": { "secondFactor": "required" }, "auth": {`)
	v := o.client()
	first := v.want(200, "POST", "/setup", `{"token":"`+o.setup+`",`+ana[1:])
	if first.text("data.needsSecondFactor") != "true" {
		t.Errorf("the first account: %s", first.body)
	}
	for _, path := range []string{"/schema", "/content/dishes", "/accounts", "/home", "/live", "/preferences", "/search?q=x"} {
		if got := v.want(403, "GET", path, ""); got.text("error.name") != "SecondFactorNeeded" {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	v.want(403, "POST", "/content/dishes", `{"data":{"name":"Soup"}}`)
	v.want(403, "PUT", "/session/password", `{"current":"`+secret+`","password":"another secret"}`)
	a := v.arm()
	v.want(200, "GET", "/schema", "")
	if v.want(200, "GET", "/session", "").text("data.needsSecondFactor") != "false" {
		t.Error("it is still needed")
	}
	v.want(204, "POST", "/session/second-factor/off", fmt.Sprintf(`{"password":%q,"code":%q}`, secret, a.code()))
	v.want(403, "GET", "/schema", "")
}

// A factor that cannot be read lets nobody in, and is not the way around it.
func TestABrokenFactor(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	me := v.want(200, "GET", "/session", "").text("data.account.id")
	a := v.arm()
	check(t, o.db.Update(func(tx *store.Tx) error { return tx.PutRecord("admin.factors", me, []byte("{")) }))
	them := o.halfway()
	them.say(400, a.code())
	them.say(400, a.recovery[0])
	check(t, o.db.View(func(tx *store.Tx) error {
		found, err := people.Check(tx)
		if err == nil && (len(found) != 1 || !strings.Contains(found[0].Message, "--second-factor")) {
			t.Errorf("check finds %v", found)
		}
		return err
	}))
}

// A command that takes a second factor away is in the audit log as a command.
func TestSecondFactorTakenAwayByCommand(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	_, a := v.addAccount("ann", "editor")
	a.arm()
	by := &audit.Source{By: store.ActorOf(store.ByCommand, "admin reset"), Way: audit.ByCommand}
	_, err := o.people.Do(audit.With(t.Context(), by), "admin reset all", json.RawMessage(`"ann@example.org"`))
	check(t, err)
	found := map[string]string{}
	for _, e := range o.lines() {
		found[e.Action] = e.By.Kind + " " + string(e.Way)
	}
	for _, action := range []string{"account.factor-clear", "account.reset-link"} {
		if found[action] != "command command" {
			t.Errorf("%s is noted as done by %q", action, found[action])
		}
	}
}

// A role requires a second factor of its accounts: a built-in one by site.json, others by
// what they say.
func TestSecondFactorByRole(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"admin": { "secondFactor": ["editor"] }, "auth": {`)
	v := o.owner()
	role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{"*":{"actions":["read"]}}},"secondFactor":true}`).text("data.id")
	for name, role := range map[string]string{"bob": "editor", "cy": role} {
		_, them := v.addAccount(name, role)
		if a := them.want(403, "GET", "/preferences", ""); a.text("error.name") != "SecondFactorNeeded" {
			t.Errorf("%s: %s", name, a.body)
		}
		if a := them.want(200, "GET", "/session/second-factor", ""); a.text("data.required") != "true" {
			t.Errorf("%s: %s", name, a.body)
		}
		them.arm()
		them.want(200, "GET", "/preferences", "")
	}
	id, dan := v.addAccount("dan", "reader")
	dan.want(200, "GET", "/preferences", "")
	v.want(200, "PUT", "/accounts/"+id, `{"roles":["reader","`+role+`"]}`) // one of several roles is enough
	if a := dan.want(403, "GET", "/preferences", ""); a.text("error.name") != "SecondFactorNeeded" {
		t.Errorf("with another role: %s", a.body)
	}
	v.want(200, "PUT", "/accounts/"+id, `{"role":"reader"}`)
	dan.want(200, "GET", "/preferences", "")
	if list := v.want(200, "GET", "/roles", ""); strings.Count(list.body, `"secondFactor":true`) != 2 {
		t.Errorf("the roles: %s", list.body)
	}
	v.want(200, "PUT", "/roles/"+role, `{"name":"R","rights":{},"secondFactor":false}`)
	_, eve := v.addAccount("eve", role)
	eve.want(200, "GET", "/preferences", "")
}
