package admin_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quire/auth/people"
)

// The cookie is for TLS alone where the client uses it.
func TestSecureCookie(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"auth": { "trustedProxies": ["10.0.0.0/8"],`)
	o.owner()
	for _, test := range []struct {
		from, proto string
		want        bool
	}{{"10.0.0.1:1", "https", true}, {"10.0.0.1:1", "http", false}, {"192.0.2.1:1", "https", false}} {
		v := o.client()
		v.from = test.from
		a := v.want(200, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`, "X-Forwarded-Proto", test.proto, "X-Forwarded-For", "192.0.2.7")
		if got := strings.Contains(a.header.Get("Set-Cookie"), "Secure"); got != test.want {
			t.Errorf("%s from %s: %s", test.proto, test.from, a.header.Get("Set-Cookie"))
		}
	}
	secure := httptest.NewTLSServer(o.handler)
	defer secure.Close()
	r, err := http.NewRequestWithContext(t.Context(), "POST", secure.URL+"/admin/api/v1/session", strings.NewReader(`{"email":"ana@example.org","password":"`+secret+`"}`))
	check(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Quire-Admin", "1")
	response, err := secure.Client().Do(r)
	check(t, err)
	response.Body.Close()
	if got := response.Header.Get("Set-Cookie"); response.StatusCode != 200 || !strings.Contains(got, "; Secure") {
		t.Errorf("over TLS: %d %s", response.StatusCode, got)
	}
}

// Over TLS the session is in a cookie that only a response over TLS can have set. One that was
// planted without TLS opens nothing.
func TestCookiesOfTLSHaveTheirPrefix(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"auth": { "trustedProxies": ["10.0.0.0/8"],`)
	o.owner()
	v := o.client()
	v.from = "10.0.0.1:1"
	tls := []string{"X-Forwarded-Proto", "https", "X-Forwarded-For", "192.0.2.7"}
	v.want(200, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`, tls...)
	token := v.others["__Secure-quire_admin"]
	if token == "" || v.cookie != "" {
		t.Fatalf("cookies: %v", v.others)
	}
	v.want(200, "GET", "/session", "", tls...)
	v.want(401, "GET", "/session", "")
	delete(v.others, "__Secure-quire_admin")
	v.cookie = token
	v.want(401, "GET", "/session", "", tls...)
	v.want(200, "GET", "/session", "")
}

// A site without an admin has none: neither pages nor API.
func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"admin": { "enabled": false }, "auth": {`)
	for _, path := range []string{"/session", "/setup", "//admin", "//admin/", "//"} {
		o.client().want(404, "GET", path, "")
	}
	o.client().want(404, "POST", "/setup", `{"token":"`+o.setup+`",`+ana[1:])
}

// From other networks the admin is not there, whatever a client says about itself.
func TestNetworks(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"admin": { "networks": ["192.0.2.0/24", "fd00::/8"] }, "auth": { "trustedProxies": ["10.0.0.0/8"],`)
	v := o.owner()
	for from, want := range map[string]int{
		"192.0.2.200:1": 200, "[fd00::1]:1": 200, "[::ffff:192.0.2.9]:1": 200, "198.51.100.1:1": 404, "[2001:db8::1]:1": 404, "nonsense": 404,
	} {
		v.from = from
		v.want(want, "GET", "/session", "", "X-Forwarded-For", "192.0.2.1")
	}
	v.from = "10.0.0.1:1"
	v.want(200, "GET", "/session", "", "X-Forwarded-For", "192.0.2.1")
	v.want(404, "GET", "/session", "", "X-Forwarded-For", "198.51.100.1")
}

// listen opens the stream of events, and returns its lines.
func (v *client) listen(url string) *bufio.Reader {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), "GET", url+"/admin/api/v1/content/_events", nil)
	check(v.t, err)
	r.Header.Set("Cookie", "quire_admin="+v.cookie)
	response, err := http.DefaultClient.Do(r)
	check(v.t, err)
	v.t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != 200 || response.Header.Get("Access-Control-Allow-Origin") != "" {
		v.t.Fatalf("the stream: %d %v", response.StatusCode, response.Header)
	}
	lines := bufio.NewReader(response.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != ": hello\n" {
		v.t.Fatalf("the stream begins with %q, %v", line, err)
	}
	return lines
}

// A stream ends when its session does, or the role or the account behind it.
func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	real := httptest.NewServer(o.handler)
	defer real.Close()
	v := o.owner()
	role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{"*":{"actions":["read"]}}}}`).text("data.id")
	for what, end := range map[string]func(id string, them *client){
		"signing out":      func(_ string, them *client) { them.want(204, "DELETE", "/session", "") },
		"removing":         func(id string, _ *client) { v.want(204, "DELETE", "/accounts/"+id, "") },
		"another role":     func(id string, _ *client) { v.want(200, "PUT", "/accounts/"+id, `{"role":"editor"}`) },
		"another password": func(id string, _ *client) { v.want(200, "PUT", "/accounts/"+id, `{"password":"`+secret+`"}`) },
		"a role that changes": func(string, *client) {
			v.want(200, "PUT", "/roles/"+role, `{"name":"R","rights":{"files":["read"]}}`)
		},
	} {
		id, them := v.addAccount(strings.ReplaceAll(what, " ", "."), role)
		lines := them.listen(real.URL)
		end(id, them)
		if _, err := io.Copy(io.Discard, lines); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	lines := v.listen(real.URL)
	o.clock.pass(people.Idle)
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Errorf("time: %v", err)
	}
}

// A preview link that an account has made is good as long as the account may make it.
func TestPreviewLinks(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id := v.want(201, "POST", "/content/restaurants?status=draft", `{"data":{"name":"Blue Door"}}`).text("data.documentId")
	for what, end := range map[string]func(account string){
		"another role": func(account string) { v.want(200, "PUT", "/accounts/"+account, `{"role":"reader"}`) },
		"removing":     func(account string) { v.want(204, "DELETE", "/accounts/"+account, "") },
		"another password": func(account string) {
			v.want(200, "PUT", "/accounts/"+account, `{"password":"another `+secret+`"}`)
		},
	} {
		account, them := v.addAccount(strings.ReplaceAll(what, " ", "."), "editor")
		token := them.want(200, "POST", "/content/restaurants/"+id+"/actions/preview-link", `{}`).text("data.token")
		path := "//api/restaurants/" + id + "?status=draft&previewToken=" + token
		show := func() *answer { return (&client{testAdmin: o, from: "192.0.2.1:1"}).ask("GET", path, "") }
		if a := show(); a.status != 200 || !strings.Contains(a.body, "Blue Door") {
			t.Fatalf("the link: %d %s", a.status, a.body)
		}
		end(account)
		if a := show(); a.status != 401 {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
}

// Whoever has a preview link sees what the content API shows, and nothing that the role of
// its maker hides: private attributes are for the admin alone.
func TestPreviewLinksShowNothingPrivate(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	body := `{"data":{"name":"Blue Door","secret_note":"whispered","tagline":"plain","opening_hours":[{"day":"mon","note":"murmured"}]}}`
	id := v.want(201, "POST", "/content/restaurants?status=draft", body).text("data.documentId")
	role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{"*":{"actions":["read","update"]},"api::restaurant.restaurant":{"actions":["read","update"],"hidden":["tagline"]}}}}`).text("data.id")
	_, limited := v.addAccount("bob", role)
	for name, them := range map[string]*client{"owner": v, "limited": limited} {
		own := them.want(200, "GET", "/content/restaurants/"+id+"?status=draft&populate=*", "")
		if !strings.Contains(own.body, "whispered") || !strings.Contains(own.body, "murmured") {
			t.Errorf("%s does not see what is private: %s", name, own.body)
		}
		token := them.want(200, "POST", "/content/restaurants/"+id+"/actions/preview-link", `{}`).text("data.token")
		shown := o.client().want(200, "GET", "//api/restaurants/"+id+"?status=draft&populate=*&previewToken="+token, "")
		if strings.Contains(shown.body, "whispered") || strings.Contains(shown.body, "murmured") || !strings.Contains(shown.body, "Blue Door") {
			t.Errorf("the link of %s shows %s", name, shown.body)
		}
		if got := strings.Contains(shown.body, "plain"); got != (name == "owner") {
			t.Errorf("the link of %s shows what its role hides: %t", name, got)
		}
	}
}

// Requests that come at the same moment find one session, used or ended.
func TestSessionsAtOnce(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	o.clock.pass(10 * time.Minute) // so that its use is stored
	done := make(chan int)
	for range 8 {
		go func() {
			other := *v
			done <- other.ask("GET", "/session", "").status
		}()
	}
	for range 8 {
		if status := <-done; status != 200 {
			t.Errorf("one gets %d", status)
		}
	}
}
