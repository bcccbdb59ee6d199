package admin_test

import (
	"strings"
	"testing"
)

// Where the site sends mail, a link for choosing a password is sent, and shown to nobody.
func TestInvitationByMail(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"url": "https://cms.example.org", "auth": {`)
	v := o.owner()
	if s := v.want(200, "GET", "/session", ""); s.text("data.mails") != "true" {
		t.Errorf("the session: %s", s.body)
	}
	id := v.want(201, "POST", "/accounts", `{"name":"Bob","email":"bob@example.org","role":"editor"}`).text("data.id")
	invite := func() (token string) {
		a := v.want(200, "POST", "/accounts/"+id+"/invitation", "")
		if a.text("data.mailed") != "true" || a.text("data.path") != "null" || strings.Contains(a.body, "setup#") {
			t.Errorf("invited: %s", a.body)
		}
		text := o.postbox.texts[len(o.postbox.texts)-1]
		_, token, _ = strings.Cut(text, "https://cms.example.org/admin/setup#")
		token, _, _ = strings.Cut(token, "\n")
		return token
	}
	former, token := invite(), invite()
	if to := o.postbox.sent[len(o.postbox.sent)-1]; !strings.HasPrefix(to, "bob@example.org: ana invites you to ") && !strings.HasPrefix(to, "bob@example.org: Ana invites you to ") {
		t.Errorf("sent %q", to)
	}
	bob := o.client()
	bob.want(400, "POST", "/setup", `{"token":"`+former+`","password":"another secret"}`)
	bob.want(200, "POST", "/setup", `{"token":"`+token+`","password":"another secret"}`)
	bob.want(400, "POST", "/setup", `{"token":"`+token+`","password":"another secret"}`)
	token = invite()
	v.want(200, "PUT", "/accounts/"+id, `{"email":"robert@example.org"}`)
	o.client().want(400, "POST", "/setup", `{"token":"`+token+`","password":"another secret"}`)
	bob.want(403, "POST", "/accounts/"+id+"/invitation", "")
	v.want(404, "POST", "/accounts/none/invitation", "")
	sent := len(o.postbox.sent)
	for range 60 {
		v.ask("POST", "/accounts/"+id+"/invitation", "")
	}
	v.want(429, "POST", "/accounts/"+id+"/invitation", "")
	if more := len(o.postbox.sent) - sent; more >= 60 {
		t.Errorf("%d more mails", more)
	}
}

// Where it sends none, whoever invites gets the link.
func TestInvitationWithoutMail(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id := v.want(201, "POST", "/accounts", `{"name":"Bob","email":"bob@example.org","roles":["reader","author"]}`)
	if id.text("data.role.id") != "reader" || !strings.Contains(id.body, `"roles":[{"id":"reader","name":"Reader"},{"id":"author","name":"Author"}]`) {
		t.Errorf("made: %s", id.body)
	}
	a := v.want(200, "POST", "/accounts/"+id.text("data.id")+"/invitation", "")
	_, token, _ := strings.Cut(a.text("data.path"), "/admin/setup#")
	if a.text("data.mailed") != "false" || len(o.postbox.sent) != 0 {
		t.Errorf("invited: %s, sent %q", a.body, o.postbox.sent)
	}
	o.client().want(200, "POST", "/setup", `{"token":"`+token+`","password":"another secret"}`)
}
