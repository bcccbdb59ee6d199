package users

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"unicode"

	"quire/schema/settings"
)

// Message is one mail, with plain text and, if it is not empty, HTML of the same content.
type Message struct {
	From, To, Subject, Text, HTML string
}

// Mailer delivers mail.
type Mailer interface {
	Send(ctx context.Context, m Message) error
}

// variables are the values that a template can use.
type variables struct{ username, email, link, code string }

// fill replaces the variables in a template, but not in their values: a username of
// "{code}" stays unchanged.
func (v variables) fill(template string) string {
	return strings.NewReplacer(
		"{username}", oneLine(v.username), "{email}", oneLine(v.email), "{link}", v.link, "{code}", v.code,
	).Replace(template)
}

// write makes a mail from a template.
func (v variables) write(from, to string, t settings.MailTemplate) (Message, error) {
	m := Message{From: from, To: to, Subject: v.fill(t.Subject), Text: v.fill(t.Text)}
	html, err := t.FillHTML(map[string]string{"username": oneLine(v.username), "email": oneLine(v.email), "link": v.link, "code": v.code})
	if err != nil {
		return m, fmt.Errorf("the HTML of a mail: %w", err)
	}
	m.HTML = html
	return m, nil
}

// longestShown is the maximum number of bytes of a name in a mail, which may use the name
// many times.
const longestShown = 1000

// oneLine replaces control characters, so that a text from somebody else cannot begin
// another line, and cuts off a text that is too long for one.
func oneLine(s string) string {
	if len(s) > longestShown {
		s = strings.ToValidUTF8(s[:longestShown], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// mailSender sends mail.
type mailSender struct {
	log    *slog.Logger
	smtp   string // overrides the address of site.json
	mailer Mailer // overrides both
	warned sync.Once
}

var errNoMail = errors.New("mail is not set up")

// send fills a template and sends it. If mail is not set up, it logs that once and sends
// nothing.
func (p *mailSender) send(ctx context.Context, site *settings.Mail, to string, t settings.MailTemplate, v variables) error {
	mailer, err := p.chosenMailer(site)
	if errors.Is(err, errNoMail) {
		p.warned.Do(func() {
			p.log.Warn("no mail is sent: set SMTP_URL, or mail.smtp in site.json, and mail.from in site.json; until then `quire user reset-link` prints links")
		})
		return nil
	}
	if err != nil {
		return err
	}
	m, err := v.write(site.From, to, t)
	if err != nil {
		return err
	}
	if err := mailer.Send(ctx, m); err != nil {
		return fmt.Errorf("sending mail: %w", err)
	}
	return nil
}

func (p *mailSender) chosenMailer(site *settings.Mail) (Mailer, error) {
	if p.mailer != nil {
		return p.mailer, nil
	}
	address := p.smtp
	if address == "" {
		address = site.SMTP
	}
	if address == "" || site.From == "" {
		return nil, errNoMail
	}
	return newSMTP(address)
}

// ErrNoMail reports that no mail server and no sender is set.
var ErrNoMail = errors.New("no mail is sent: set SMTP_URL, or mail.smtp in site.json, and mail.from in site.json")

// SampleMail makes a mail from a template for a name and an address, with a link that leads
// nowhere.
func SampleMail(from string, t settings.MailTemplate, name, to string) (Message, error) {
	v := variables{username: name, email: to, link: "https://example.org/sample-link", code: "sample-code"}
	return v.write(from, to, t)
}

// SendsMail reports whether the settings allow sending mail.
func (s *Service) SendsMail(site *settings.Mail) bool {
	_, err := s.post.chosenMailer(site)
	return err == nil
}

// SendSample sends a SampleMail at once. Errors are ErrNoMail, an *UnsentError if the mail
// server did not accept it, and errors of the mail or of the server's address.
func (s *Service) SendSample(ctx context.Context, site *settings.Mail, m Message) error {
	mailer, err := s.post.chosenMailer(site)
	if errors.Is(err, errNoMail) {
		return ErrNoMail
	}
	if err != nil {
		return err
	}
	return mailer.Send(ctx, m)
}
