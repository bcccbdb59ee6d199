package admin_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth/people"
)

// authenticator makes and uses one passkey, as a phone does.
type authenticator struct {
	t       testing.TB
	key     *ecdsa.PrivateKey
	id      []byte
	account []byte
	uses    uint32
	flags   byte   // user present, and verified
	origin  string // of the page, as the browser says it
	host    string // that it believes to be at
	cross   bool   // the page is in a frame of another one
}

func newAuthenticator(t testing.TB) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	return &authenticator{t: t, key: key, id: []byte(rand.Text()), flags: 5, origin: "http://example.com", host: "example.com"}
}

func (a *authenticator) client(kind, challenge string) []byte {
	a.t.Helper()
	raw, err := base64.StdEncoding.DecodeString(challenge)
	check(a.t, err)
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": base64.RawURLEncoding.EncodeToString(raw), "origin": a.origin, "crossOrigin": a.cross})
	check(a.t, err)
	return text
}

func (a *authenticator) data(flags byte, more ...byte) []byte {
	host := sha256.Sum256([]byte(a.host))
	return append(binary.BigEndian.AppendUint32(append(host[:], flags), a.uses), more...)
}

// form is a JSON object; bytes are in base 64.
func (a *authenticator) form(values map[string]any) string {
	text, err := json.Marshal(values)
	check(a.t, err)
	return string(text)
}

// register answers what a client was asked who adds a passkey.
func (a *authenticator) register(begun *answer, name string) string {
	a.t.Helper()
	public, err := x509.MarshalPKIXPublicKey(&a.key.PublicKey)
	check(a.t, err)
	account, err := base64.StdEncoding.DecodeString(begun.text("data.user"))
	check(a.t, err)
	a.account = account
	credential := append(make([]byte, 16), byte(len(a.id)>>8), byte(len(a.id)))
	return a.form(map[string]any{
		"ticket": begun.text("data.ticket"), "name": name, "id": a.id, "publicKey": public,
		"clientData": a.client("webauthn.create", begun.text("data.challenge")), "authenticatorData": a.data(a.flags|64, append(credential, a.id...)...),
	})
}

// answer answers the challenge of a sign-in.
func (a *authenticator) answer(requested *answer) map[string]any {
	a.t.Helper()
	a.uses++
	client, data := a.client("webauthn.get", requested.text("data.challenge")), a.data(a.flags)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	check(a.t, err)
	return map[string]any{"id": a.id, "userHandle": a.account, "clientData": client, "authenticatorData": data, "signature": signature}
}

// addPasskey adds a passkey to the account of a client.
func (v *client) addPasskey() *authenticator {
	v.t.Helper()
	a := newAuthenticator(v.t)
	begun := v.want(200, "POST", "/session/passkeys/begin", `{"password":"`+secret+`"}`)
	v.want(204, "POST", "/session/passkeys", a.register(begun, "Phone"))
	return a
}

// enterBy signs in with a passkey.
func (v *client) enterBy(status int, a *authenticator) *answer {
	v.t.Helper()
	v.clock.pass(time.Millisecond)
	requested := v.want(200, "POST", "/session/passkey/begin", "")
	return v.want(status, "POST", "/session/passkey", a.form(a.answer(requested)))
}

// A passkey signs in by itself, also where there is a second factor, until it is removed.
func TestPasskeys(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.arm()
	v.want(400, "POST", "/session/passkeys/begin", `{"password":"`+secret+`"}`) // and no code
	o = openAdmin(t)
	v = o.owner()
	v.want(400, "POST", "/session/passkeys/begin", `{"password":"wrong"}`)
	a := v.addPasskey()
	v.arm()
	them := o.client()
	if got := them.enterBy(200, a); got.text("data.account.name") != "Ana" || len(them.others) > 0 {
		t.Errorf("signed in: %s, %v", got.body, them.others)
	}
	them.want(200, "GET", "/schema", "")
	list := v.want(200, "GET", "/session/passkeys", "")
	if !strings.Contains(list.body, `"name":"Phone","host":"example.com"`) || strings.Contains(list.body, `"lastUsedAt":null`) {
		t.Errorf("the passkeys: %s", list.body)
	}
	var said struct{ Data []struct{ ID string } }
	check(t, json.Unmarshal([]byte(list.body), &said))
	path := "/session/passkeys/" + said.Data[0].ID
	_, bob := v.addAccount("bob", "owner")
	bob.want(404, "PUT", path, `{"name":"Mine"}`)
	bob.want(404, "DELETE", path, "")
	v.want(400, "PUT", path, `{"name":" "}`)
	v.want(204, "PUT", path, `{"name":"Tablet"}`)
	if !strings.Contains(v.want(200, "GET", "/session/passkeys", "").body, "Tablet") {
		t.Error("it keeps its name")
	}
	v.want(204, "DELETE", path, "")
	o.client().enterBy(400, a)
}

// What is not the answer of this authenticator, here and now, to this browser lets nobody
// in.
func TestPasskeysAreRefused(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	good := v.addPasskey()
	stranger := newAuthenticator(t)
	for what, change := range map[string]func(a *authenticator){
		"another page":       func(a *authenticator) { a.origin = "http://evil.example" },
		"another port":       func(a *authenticator) { a.origin = "http://example.com:8080" },
		"a page in a frame":  func(a *authenticator) { a.cross = true },
		"another host":       func(a *authenticator) { a.host = "evil.example" },
		"nobody is verified": func(a *authenticator) { a.flags = 1 },
		"nobody is there":    func(a *authenticator) { a.flags = 4 },
		"another key":        func(a *authenticator) { a.key = stranger.key },
		"another passkey":    func(a *authenticator) { a.id = stranger.id },
		"no account":         func(a *authenticator) { a.account = []byte("0123456789abcdef") },
		"a strange account":  func(a *authenticator) { a.account = []byte("x") },
		"a copy":             func(a *authenticator) { a.uses = 0 },
	} {
		o.client().enterBy(200, good)
		good.uses++
		o.client().enterBy(200, good)
		changed := *good
		change(&changed)
		them := o.client()
		if got := them.enterBy(400, &changed); got.text("error.message") != "This passkey is not known here" || them.cookie != "" {
			t.Errorf("%s: %s", what, got.body)
		}
		o.clock.pass(o.site.Settings.Admin.RateLimit.Interval)
	}
	them := o.client()
	requested := them.want(200, "POST", "/session/passkey/begin", "")
	o.client().want(401, "POST", "/session/passkey", good.form(good.answer(requested))) // of another browser
	other := o.client()
	other.want(200, "POST", "/session/passkey/begin", "")
	other.want(400, "POST", "/session/passkey", good.form(good.answer(requested))) // to another challenge
	late := o.client()
	requested = late.want(200, "POST", "/session/passkey/begin", "")
	o.clock.pass(people.StepLife)
	late.want(401, "POST", "/session/passkey", good.form(good.answer(requested)))
	o.client().want(403, "POST", "/session/passkey", "{}", "Sec-Fetch-Site", "cross-site")
	o.client().want(404, "POST", "//api/session/passkey", "{}")
	elsewhere := o.client()
	requested = elsewhere.want(200, "POST", "/session/passkey/begin", "", "Host", "example.com")
	forged := good.answer(requested)
	forged["signature"] = []byte("x")
	elsewhere.want(400, "POST", "/session/passkey", good.form(forged))
}

// Of many who send the same answer one is let in, and nobody later.
func TestPasskeyAnswersAreGoodOnce(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	a := o.owner().addPasskey()
	o.clock.pass(time.Second)
	them := o.client()
	requested := them.want(200, "POST", "/session/passkey/begin", "")
	form, cookie := a.form(a.answer(requested)), "quire_admin_passkey="+them.others["quire_admin_passkey"]
	var all sync.WaitGroup
	statuses := make(chan int, 4)
	for range cap(statuses) {
		all.Go(func() { statuses <- o.client().ask("POST", "/session/passkey", form, "Cookie", cookie).status })
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
		t.Errorf("%d are let in", in)
	}
	o.client().want(400, "POST", "/session/passkey", form, "Cookie", cookie)
}

// What is wrong with a new passkey keeps it from being added, and there are so many at most.
func TestNewPasskeys(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	begin := func() *answer { return v.want(200, "POST", "/session/passkeys/begin", `{"password":"`+secret+`"}`) }
	for what, change := range map[string]func(a *authenticator){
		"another page":       func(a *authenticator) { a.origin = "https://example.com" },
		"another host":       func(a *authenticator) { a.host = "evil.example" },
		"nobody is verified": func(a *authenticator) { a.flags = 1 },
	} {
		a := newAuthenticator(t)
		change(a)
		if got := v.want(400, "POST", "/session/passkeys", a.register(begin(), "X")); got.text("error.message") != "This passkey is not known here" {
			t.Errorf("%s: %s", what, got.body)
		}
	}
	a, begun := newAuthenticator(t), begin()
	if got := v.want(400, "POST", "/session/passkeys", a.register(begun, "")); got.text("error.details.key") != "name" {
		t.Errorf("without a name: %s", got.body)
	}
	if got := v.want(400, "POST", "/session/passkeys", `{"name":"Phone","id":"AAAA","publicKey":"?"}`); got.text("error.details.key") != "publicKey" {
		t.Errorf("with a key that is no base 64: %s", got.body)
	}
	_, bob := v.addAccount("bob", "reader")
	bob.want(401, "POST", "/session/passkeys", a.register(begun, "Phone")) // with the ticket of ana
	v.want(204, "POST", "/session/passkeys", a.register(begun, "Phone"))
	v.want(400, "POST", "/session/passkeys", a.register(begun, "Phone"))
	v.want(401, "POST", "/session/passkeys", newAuthenticator(t).register(begun, "Phone")) // by the same ticket
	early, late := begin(), begin()
	v.want(204, "POST", "/session/passkeys", newAuthenticator(t).register(late, "Phone"))
	v.want(401, "POST", "/session/passkeys", newAuthenticator(t).register(early, "Phone"))
	for range people.MostPasskeys - 2 {
		v.addPasskey()
	}
	v.want(400, "POST", "/session/passkeys/begin", `{"password":"`+secret+`"}`)
	v.want(400, "POST", "/session/passkeys", fmt.Sprintf(`{"ticket":%q,"name":"X","id":"%s"}`, begun.text("data.ticket"), strings.Repeat("AAAA", 1000)))
}

// Where site.json says where people reach the site, passkeys belong there, whatever a
// request names.
func TestPasskeysBelongToTheAddressOfTheSite(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"rest": {`, `"url": "HTTPS://CMS.example.org:443/site/", "rest": {`)
	v := o.owner()
	begin := func() *answer { return v.want(200, "POST", "/session/passkeys/begin", `{"password":"`+secret+`"}`) }
	if host := begin().text("data.host"); host != "cms.example.org" {
		t.Errorf("the host is %q", host)
	}
	a := newAuthenticator(t)
	v.want(400, "POST", "/session/passkeys", a.register(begin(), "Phone")) // of the host of the request
	a.host = "cms.example.org"
	for _, origin := range []string{"https://cms.example.org:8443", "http://cms.example.org", "https://example.com"} {
		a.origin = origin
		v.want(400, "POST", "/session/passkeys", a.register(begin(), "Phone"))
	}
	a.origin = "https://cms.example.org"
	v.want(204, "POST", "/session/passkeys", a.register(begin(), "Phone"))
	v.clock.pass(time.Minute)
	o.client().enterBy(200, a)
}

// An owner who resets the second factor of somebody removes the passkeys as well.
func TestPasskeysOfOthers(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id, bob := v.addAccount("bob", "editor")
	a := bob.addPasskey()
	o.client().enterBy(200, a)
	v.want(204, "DELETE", "/accounts/"+id+"/second-factor", "")
	o.client().enterBy(400, a)
	a = bob.addPasskey()
	v.want(204, "DELETE", "/accounts/"+id, "")
	o.client().enterBy(400, a)
}
