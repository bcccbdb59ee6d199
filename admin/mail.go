package admin

import (
	"context"
	"io"
	"net/http"
	"time"

	"quire/admin/account"
	"quire/audit"
	"quire/schema/settings"
	"quire/server"
)

// Mail is what the admin does about the mail that users of the site get.
type Mail interface {
	// Ready reports whether mail can be sent, as far as settings say.
	Ready(m *settings.Mail) bool
	// Sample is what a template comes to for somebody.
	Sample(m *settings.Mail, t settings.MailTemplate, name, to string) (SampleMail, error)
	// SendSample sends it at once. Errors say what is wrong, for those who may change
	// settings.
	SendSample(ctx context.Context, m *settings.Mail, t settings.MailTemplate, name, to string) error
}

// SampleMail is a mail as it comes to somebody, in both of its forms.
type SampleMail struct {
	Subject, Text string
	HTML          string // empty where there is only the text
}

func mailRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/mail/:template", Right: account.Settings, handler: showHTML},
		{Method: http.MethodGet, Path: "/mail", Right: account.Settings, handler: showMail},
		{Method: http.MethodPost, Path: "/mail/test", Right: account.Settings, handler: sendSample},
	}
}

// mailSample is a template with what it comes to.
type mailSample struct {
	Name    string `json:"name"` // reset or confirmation
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    bool   `json:"html"` // it has another form, which GET /mail/:template shows
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
		sample, err := x.admin.Mail.Sample(m, templates(m)[name], a.Name, a.Email)
		if err != nil {
			return err
		}
		out.Templates = append(out.Templates, mailSample{name, sample.Subject, sample.Text, sample.HTML != ""})
	}
	return x.data(out)
}

// mailPolicy lets the HTML of a mail load nothing, run nothing and send nothing, and be
// shown within the admin alone.
const mailPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"

// showHTML answers with the HTML of a mail, as a page of its own.
func showHTML(x *exchange) error {
	m, a := &x.admin.Server.Site(x.request).Settings.Mail, x.session.Account
	t, known := templates(m)[x.params.ByName("template")]
	if !known {
		return notFound()
	}
	sample, err := x.admin.Mail.Sample(m, t, a.Name, a.Email)
	if err != nil {
		return err
	}
	if sample.HTML == "" {
		return notFound()
	}
	h := x.writer.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", mailPolicy)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, err = io.WriteString(x.writer, sample.HTML)
	return err
}

// How many samples an account may send in which time.
const (
	mostSamples    = 5
	sampleInterval = 5 * time.Minute
)

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
	if err := x.admin.samples.TryAccount("sample of a mail", a.ID); err != nil {
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
