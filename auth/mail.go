package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"unicode"

	"quire/schema"
)

// Message is one mail, of plain text.
type Message struct {
	From, To, Subject, Text string
}

// Mailer delivers mail.
type Mailer interface {
	Send(ctx context.Context, m Message) error
}

// variables are what a template can name, and nothing else.
type variables struct{ username, email, link, code string }

// fill puts the variables into a template. They are put in once, as they are: a
// username of "{code}" stays one.
func (v variables) fill(template string) string {
	return strings.NewReplacer(
		"{username}", plain(v.username), "{email}", plain(v.email), "{link}", v.link, "{code}", v.code,
	).Replace(template)
}

// plain keeps what somebody has chosen for a name in its line.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// post sends the mail of a site.
type post struct {
	log    *slog.Logger
	smtp   string // overrides the address of site.json
	mailer Mailer // overrides both
	said   sync.Once
}

var errNoMail = errors.New("mail is not set up")

// send fills a template and delivers it. Where mail is not set up, the log says
// so once, and nothing is sent.
func (p *post) send(ctx context.Context, site *schema.Mail, to string, t schema.MailTemplate, v variables) error {
	mailer, err := p.choose(site)
	if errors.Is(err, errNoMail) {
		p.said.Do(func() {
			p.log.Warn("no mail is sent: set SMTP_URL, or mail.smtp in site.json, and mail.from in site.json; until then `quire user reset-link` prints links")
		})
		return nil
	}
	if err != nil {
		return err
	}
	m := Message{From: site.From, To: to, Subject: v.fill(t.Subject), Text: v.fill(t.Text)}
	if err := mailer.Send(ctx, m); err != nil {
		return fmt.Errorf("sending mail: %w", err)
	}
	return nil
}

func (p *post) choose(site *schema.Mail) (Mailer, error) {
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
