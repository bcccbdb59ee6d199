package schema

import (
	"fmt"
	netmail "net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Mail is what site.json says under "mail".
type Mail struct {
	// SMTP is where mail is handed over: "smtp://host:587" or "smtps://host:465",
	// with a user name where one is needed and never with a password. Empty when
	// the site does not say; the environment may.
	SMTP string
	From string // sender, "Guide <noreply@example.org>"

	Reset        MailTemplate
	Confirmation MailTemplate
}

// MailTemplate is a mail with places for the variables of MailVariables, each
// written in braces: "{link}".
type MailTemplate struct {
	Subject string
	Text    string
}

// MailVariables are all that a template can name.
var MailVariables = []string{"username", "email", "link", "code"}

func defaultMail() Mail {
	return Mail{
		Reset: MailTemplate{
			Subject: "Choose a new password",
			Text: "Hello {username},\n\nsomebody, hopefully you, wants to choose a new password for your account. " +
				"This is the way:\n\n{link}\n\nIt works once, within an hour. If it was not you, there is nothing to do.\n",
		},
		Confirmation: MailTemplate{
			Subject: "Confirm your address",
			Text:    "Hello {username},\n\nplease confirm that this is your address:\n\n{link}\n\nIt works within three days.\n",
		},
	}
}

// read reads "mail": {"smtp": ..., "from": ..., "reset": {"subject": ..., "text": ...}}.
func (m *Mail) read(o object) {
	o.only("smtp", "from", "reset", "confirmation")
	if v, ok := o.get("smtp"); ok {
		m.SMTP, _ = v.text()
		checkSMTP(v, m.SMTP)
	}
	if v, ok := o.get("from"); ok {
		m.From, _ = v.text()
		if _, err := netmail.ParseAddress(m.From); err != nil && m.From != "" {
			v.refuse(fmt.Sprintf("%q is not a mail address", m.From), `write one such as "Guide <noreply@example.org>"`)
		}
	}
	m.Reset.read(o.object("reset"))
	m.Confirmation.read(o.object("confirmation"))
}

// checkSMTP reports what is no address of a mail server. site.json is a file to
// be shared, so a password has no place in it.
func checkSMTP(v value, text string) {
	if v.raw[0] != '"' {
		return // reported already
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		v.refuse("is not the address of a mail server", `write "smtp://mail.example.org:587" or "smtps://mail.example.org:465"`)
		return
	}
	if _, ok := u.User.Password(); ok {
		v.refuse("holds a password, which does not belong into a file that is shared", "put the whole address into the environment as SMTP_URL and remove it here")
	}
}

var templateVariable = regexp.MustCompile(`\{([^{}\n]*)\}`)

func (t *MailTemplate) read(o object) {
	o.only("subject", "text")
	t.Subject = o.template("subject", t.Subject)
	t.Text = o.template("text", t.Text)
	if strings.ContainsAny(t.Subject, "\r\n") {
		o.refuseAt("subject", "has more than one line", "write it in one line")
	}
}

// template returns the text of that key, or what holds without it. Braces with
// anything but a variable between them are likely a misspelt one.
func (o object) template(key, otherwise string) string {
	v, ok := o.get(key)
	if !ok {
		return otherwise
	}
	text, _ := v.text()
	for _, found := range templateVariable.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(MailVariables, found[1]) {
			v.refuse(fmt.Sprintf("%s is not a variable of mails", found[0]), "the variables are {"+strings.Join(MailVariables, "}, {")+"}")
		}
	}
	return text
}
