package admin_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"quire/admin"
	"quire/content/audit"
	"quire/content/review"
	"quire/schema/settings"
	"quire/store"
)

// postbox takes samples of mail.
type postbox struct {
	sent   []string // to whom, and what about
	texts  []string // of notices
	broken bool
}

func (p *postbox) Ready(*settings.Mail) bool { return !p.broken }

func (p *postbox) Sample(_ *settings.Mail, t settings.MailTemplate, name, to string) (admin.SampleMail, error) {
	html, err := t.FillHTML(map[string]string{"username": name, "email": to})
	return admin.SampleMail{Subject: t.Subject, Text: strings.NewReplacer("{username}", name, "{email}", to).Replace(t.Text), HTML: html}, err
}

func (p *postbox) SendSample(_ context.Context, _ *settings.Mail, t settings.MailTemplate, _, to string) error {
	if p.broken {
		return errors.New("the mail server says no")
	}
	p.sent = append(p.sent, to+": "+t.Subject)
	return nil
}

func (p *postbox) Put(to, subject, text string, _ bool) (review.InTx, error) {
	return func(*store.Tx) error {
		p.sent = append(p.sent, to+": "+subject)
		p.texts = append(p.texts, text)
		return nil
	}, nil
}

// A sample goes to whoever asks for it, and to nobody else.
func TestSampleMail(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	otto := v.operator()
	_, eve := v.addAccount("eve", "editor")
	for _, r := range []struct{ method, path, body string }{{"GET", "/mail", ""}, {"POST", "/mail/test", `{"template":"reset"}`}} {
		eve.want(403, r.method, r.path, r.body)
		o.client().want(401, r.method, r.path, r.body)
	}
	v.want(403, "POST", "/mail/test", `{"template":"reset"}`, "X-Quire-Admin", "-")
	a := otto.want(200, "GET", "/mail", "")
	if a.text("data.ready") != "true" || a.text("data.to") != "otto@example.org" || !strings.Contains(a.body, "Hello otto") {
		t.Errorf("mail: %s", a.body)
	}
	otto.want(204, "POST", "/mail/test", `{"template":"confirmation"}`)
	for _, body := range []string{`{"template":"none"}`, `{}`, `{"template":"reset","to":"eve@example.org"}`, `[]`} {
		otto.want(400, "POST", "/mail/test", body)
	}
	if len(o.postbox.sent) != 1 || o.postbox.sent[0] != "otto@example.org: Confirm your address" {
		t.Errorf("sent: %q", o.postbox.sent)
	}
	lines := o.lines()
	noted := false
	for _, e := range lines {
		noted = noted || e.Action == "mail.test" && e.Outcome == audit.Done && e.By.Name == "otto@example.org"
	}
	if !noted {
		t.Error("the audit log has no line of it")
	}
	o.postbox.broken = true
	if a := otto.want(400, "POST", "/mail/test", `{"template":"reset"}`); !strings.Contains(a.body, "the mail server says no") {
		t.Errorf("refused: %s", a.body)
	}
}

// The HTML of a mail is a page of its own, which loads and runs nothing, for those who may
// change settings.
func TestHTMLOfMail(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"mail": {"reset": {"html": "<p>Hello {username}</p><script>{username}</script>"}}, "auth": {`)
	v := o.owner()
	otto := v.operator()
	_, eve := v.addAccount("eve", "editor")
	eve.want(403, "GET", "/mail/reset", "")
	o.client().want(401, "GET", "/mail/reset", "")
	a := otto.want(200, "GET", "/mail/reset", "")
	policy := a.header.Get("Content-Security-Policy")
	if !strings.Contains(a.body, "<p>Hello otto</p>") || a.header.Get("Content-Type") != "text/html; charset=utf-8" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page: %v %s", a.header, a.body)
	}
	if !strings.HasPrefix(policy, "sandbox; default-src 'none';") || strings.Contains(policy, "script-src") || strings.Contains(policy, "allow-") {
		t.Errorf("its policy: %s", policy)
	}
	otto.want(404, "GET", "/mail/confirmation", "")
	otto.want(404, "GET", "/mail/none", "")
	if a := otto.want(200, "GET", "/mail", ""); strings.Count(a.body, `"html":true`) != 1 {
		t.Errorf("the list: %s", a.body)
	}
}

// An account sends few samples, also where trying passwords is not limited.
func TestSamplesAreLimited(t *testing.T) {
	t.Parallel()
	o := openAdmin(t) // its site.json switches that limit off
	v := o.owner()
	otto := v.operator()
	for range 5 {
		otto.want(204, "POST", "/mail/test", `{"template":"reset"}`)
	}
	if a := otto.want(429, "POST", "/mail/test", `{"template":"reset"}`); a.header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %v", a.header)
	}
	v.want(204, "POST", "/mail/test", `{"template":"reset"}`)
	if len(o.postbox.sent) != 6 {
		t.Errorf("sent: %q", o.postbox.sent)
	}
}
