package admin

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"quire/auth/people"
	"quire/content/audit"
	"quire/content/review"
	"quire/schema/settings"
	"quire/server"
)

// Mail is what the admin can do with the mail to users of the site.
type Mail interface {
	// Ready reports whether the settings allow sending mail.
	Ready(m *settings.Mail) bool
	// Sample returns the mail that a template makes for a name and an address.
	Sample(m *settings.Mail, t settings.MailTemplate, name, to string) (SampleMail, error)
	// SendSample sends it at once. Errors say what is wrong, for people who may change
	// settings.
	SendSample(ctx context.Context, m *settings.Mail, t settings.MailTemplate, name, to string) error
	// Put returns the part of a transaction that puts a mail into the outbox. If that is full,
	// the mail is dropped or, if it must be sent, the transaction gets ErrOutboxFull.
	Put(to, subject, text string, must bool) (review.InTx, error)
}

// ErrOutboxFull refuses a mail, because too much of it waits already.
var ErrOutboxFull = errors.New("too much mail waits to be sent")

// SampleMail is a sample of a mail, in both of its forms.
type SampleMail struct {
	Subject, Text string
	HTML          string // empty if there is only the text
}

func mailRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/mail/:template", Right: people.Settings, handler: showHTML, summary: "The HTML of a template of mail, filled in", media: "text/html"},
		{Method: http.MethodGet, Path: "/mail", Right: people.Settings, handler: showMail, summary: "The templates of mail, filled in", out: mailOf{}},
		{Method: http.MethodPost, Path: "/mail/test", Right: people.Settings, handler: taking(sendSample), summary: "Send a sample to the account's own address", in: sampleForm{}},
	}
}

// mailSample is a template with a sample of its mail.
type mailSample struct {
	Name    string `json:"name"` // reset or confirmation
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    bool   `json:"html"` // it also has HTML, which GET /mail/:template shows
}

type mailOf struct {
	Ready     bool         `json:"ready"` // a mail server and a sender are set
	From      string       `json:"from"`
	To        string       `json:"to"` // the recipient of a sample: the account's own address
	Templates []mailSample `json:"templates"`
}

// templates returns the templates of the site by their names in site.json.
func templates(m *settings.Mail) map[string]settings.MailTemplate {
	return map[string]settings.MailTemplate{"reset": m.Reset, "confirmation": m.Confirmation}
}

func showMail(x *request) error {
	m, a := &x.admin.Server.Site(x.http).Settings.Mail, x.session.Account
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

// mailPolicy prevents the HTML of a mail from loading, running or sending anything, and
// from being shown outside the admin.
const mailPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"

// showHTML answers with the HTML of a mail as a page.
func showHTML(x *request) error {
	m, a := &x.admin.Server.Site(x.http).Settings.Mail, x.session.Account
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

// How many samples an account may send in a time.
const (
	mostSamples    = 5
	sampleInterval = 5 * time.Minute
)

type sampleForm struct {
	Template string `json:"template"` // reset or confirmation
}

// sendSample sends a sample only to the account's own address.
func sendSample(x *request, f *sampleForm) error {
	m, a := &x.admin.Server.Site(x.http).Settings.Mail, x.session.Account
	t, known := templates(m)[f.Template]
	if !known {
		return server.KeyProblem("template", "template is reset or confirmation")
	}
	if err := x.admin.samples.TryAccount("sample of a mail", a.ID); err != nil {
		return err
	}
	if err := x.admin.Mail.SendSample(x.http.Context(), m, t, a.Name, a.Email); err != nil {
		return server.Problem(http.StatusBadRequest, "ApplicationError", err.Error(), nil)
	}
	e := audit.Event{Action: "mail.test", Target: audit.Target{Type: "mail", Name: f.Template}}
	return x.done(x.admin.Audit.Note(audit.Of(x.http.Context()), e))
}
