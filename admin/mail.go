package admin

import (
	"context"
	"net/http"

	"quire/admin/account"
	"quire/audit"
	"quire/schema/settings"
	"quire/server"
)

// Mail is what the admin does about the mail that users of the site get.
type Mail interface {
	// Ready reports whether mail can be sent, as far as settings say.
	Ready(m *settings.Mail) bool
	// Sample is what a template comes to for somebody: a subject and a text.
	Sample(m *settings.Mail, t settings.MailTemplate, name, to string) (subject, text string)
	// SendSample sends it at once. Errors say what is wrong, for those who may change
	// settings.
	SendSample(ctx context.Context, m *settings.Mail, t settings.MailTemplate, name, to string) error
}

func mailRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/mail", Right: account.Settings, handler: showMail},
		{Method: http.MethodPost, Path: "/mail/test", Right: account.Settings, handler: sendSample},
	}
}

// mailSample is a template with what it comes to.
type mailSample struct {
	Name    string `json:"name"` // reset or confirmation
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

type mailOf struct {
	Ready     bool         `json:"ready"` // a mail server and a sender are set
	From      string       `json:"from"`
	To        string       `json:"to"` // whom a sample is sent to: the account's own address
	Templates []mailSample `json:"templates"`
}

// templates are those of the site by their names in site.json.
func templates(m *settings.Mail) map[string]settings.MailTemplate {
	return map[string]settings.MailTemplate{"reset": m.Reset, "confirmation": m.Confirmation}
}

func showMail(x *exchange) error {
	m, a := &x.admin.Server.Site(x.request).Settings.Mail, x.session.Account
	out := mailOf{Ready: x.admin.Mail.Ready(m), From: m.From, To: a.Email, Templates: []mailSample{}}
	for _, name := range []string{"reset", "confirmation"} {
		subject, text := x.admin.Mail.Sample(m, templates(m)[name], a.Name, a.Email)
		out.Templates = append(out.Templates, mailSample{name, subject, text})
	}
	return x.data(out)
}

type sampleForm struct {
	Template string `json:"template"` // reset or confirmation
}

// sendSample sends a sample to the account's own address, and to no other.
func sendSample(x *exchange) error {
	var f sampleForm
	if err := x.readForm(&f); err != nil {
		return err
	}
	m, a := &x.admin.Server.Site(x.request).Settings.Mail, x.session.Account
	t, known := templates(m)[f.Template]
	if !known {
		return server.KeyProblem("template", "template is reset or confirmation")
	}
	if err := x.admin.Auth.Throttle().TryAccount("sample of a mail", a.ID); err != nil {
		return err
	}
	if err := x.admin.Mail.SendSample(x.request.Context(), m, t, a.Name, a.Email); err != nil {
		return server.Problem(http.StatusBadRequest, "ApplicationError", err.Error(), nil)
	}
	e := audit.Event{Action: "mail.test", Target: audit.Target{Type: "mail", Name: f.Template}}
	if err := x.admin.Audit.Note(audit.Of(x.request.Context()), e); err != nil {
		return err
	}
	return x.empty()
}
