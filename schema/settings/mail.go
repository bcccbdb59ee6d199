package settings

import (
	"fmt"
	netmail "net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"quire/schema/source"
)

// Mail is what site.json says under "mail".
type Mail struct {
	// SMTP is the mail server: "smtp://host:587" or "smtps://host:465", with a user
	// name where one is needed and never with a password. Empty unless site.json
	// sets it; the environment may, too.
	SMTP string
	From string // sender, "Guide <noreply@example.org>"

	Reset        MailTemplate
	Confirmation MailTemplate
}

// MailTemplate is a mail that may hold the variables of MailVariables, each written
// in braces: "{link}".
type MailTemplate struct {
	Subject string
	Text    string
}

// MailVariables are the variables that a template can hold.
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
func (m *Mail) read(o source.Object) {
	o.Only("smtp", "from", "reset", "confirmation")
	if v, ok := o.Get("smtp"); ok {
		m.SMTP, _ = v.Text()
		checkSMTP(v, m.SMTP)
	}
	if v, ok := o.Get("from"); ok {
		m.From, _ = v.Text()
		if _, err := netmail.ParseAddress(m.From); err != nil && m.From != "" {
			v.Refuse(fmt.Sprintf("%q is not a mail address", m.From), `write one such as "Guide <noreply@example.org>"`)
		}
	}
	m.Reset.read(o.Object("reset"))
	m.Confirmation.read(o.Object("confirmation"))
}

// checkSMTP reports what is not the address of a mail server, and a password in it:
// site.json is a file that is shared.
func checkSMTP(v source.Value, text string) {
	if v.Raw[0] != '"' {
		return // reported already
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		v.Refuse("is not the address of a mail server", `write "smtp://mail.example.org:587" or "smtps://mail.example.org:465"`)
		return
	}
	if _, ok := u.User.Password(); ok {
		v.Refuse("holds a password, which does not belong into a file that is shared", "put the whole address into the environment as SMTP_URL and remove it here")
	}
}

var templateVariable = regexp.MustCompile(`\{([^{}\n]*)\}`)

func (t *MailTemplate) read(o source.Object) {
	o.Only("subject", "text")
	t.Subject = readTemplateText(o, "subject", t.Subject)
	t.Text = readTemplateText(o, "text", t.Text)
	if strings.ContainsAny(t.Subject, "\r\n") {
		o.RefuseAt("subject", "has more than one line", "write it in one line")
	}
}

// readTemplateText reads the text at the key, or returns otherwise when there is
// none. Braces around anything but a variable are likely a misspelt variable, and
// so a problem.
func readTemplateText(o source.Object, key, otherwise string) string {
	v, ok := o.Get(key)
	if !ok {
		return otherwise
	}
	text, _ := v.Text()
	for _, found := range templateVariable.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(MailVariables, found[1]) {
			v.Refuse(fmt.Sprintf("%s is not a variable of mails", found[0]), "the variables are {"+strings.Join(MailVariables, "}, {")+"}")
		}
	}
	return text
}
