package settings

import (
	"fmt"
	"html/template"
	netmail "net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"quire/schema/source"
)

// Mail has the settings of site.json under "mail".
type Mail struct {
	// SMTP is the mail server: "smtp://host:587" or "smtps://host:465", with a user name if
	// one is needed and never with a password. Empty unless site.json sets it; the
	// environment can set it too.
	SMTP string
	From string // sender, "Guide <noreply@example.org>"

	Reset        MailTemplate
	Confirmation MailTemplate
}

// MailTemplate is a mail that may contain the variables of MailVariables, each written in
// braces: "{link}".
type MailTemplate struct {
	Subject string
	Text    string

	html *template.Template // the HTML form of the mail; nil for none
}

// MailVariables are the variables that a template can contain.
var MailVariables = []string{"username", "email", "link", "code"}

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

// checkSMTP reports what is not the address of a mail server, and a password in it, because
// site.json is a shared file.
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
		v.Refuse("has a password, which must not be in a shared file", "put the whole address into the environment as SMTP_URL and remove it here")
	}
}

var templateVariable = regexp.MustCompile(`\{([^{}\n]*)\}`)

func (t *MailTemplate) read(o source.Object) {
	o.Only("subject", "text", "html")
	t.Subject = readTemplateText(o, "subject", t.Subject)
	t.Text = readTemplateText(o, "text", t.Text)
	t.readHTML(o)
	if strings.ContainsAny(t.Subject, "\r\n") {
		o.RefuseAt("subject", "has more than one line", "write it in one line")
	}
}

// readTemplateText reads the text at the key, or returns otherwise if there is none. Braces
// around anything but a variable are a problem: it is probably a misspelt variable.
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

// longestHTML limits the HTML of a mail, in bytes. Mail programs cut off longer ones.
const longestHTML = 100 << 10

// What marks a variable in HTML while it is parsed: characters that no text needs.
const htmlOpen, htmlClose = "\uE000", "\uE001"

// htmlVariable is a word in braces; braces around other text, as in style sheets, are not
// variables.
var htmlVariable = regexp.MustCompile(`\{([A-Za-z]+)\}`)

// readHTML reads "html". It must be possible to insert values at all places of its
// variables.
func (t *MailTemplate) readHTML(o source.Object) {
	const fix = "close all tags and quotes, and have variables stand in texts and in whole attributes"
	v, ok := o.Get("html")
	if !ok {
		return
	}
	text, ok := v.Text()
	switch {
	case !ok || text == "":
		return
	case len(text) > longestHTML:
		v.Refuse(fmt.Sprintf("is longer than %d KiB", longestHTML>>10), "shorten it; link pictures instead of embedding them")
		return
	case strings.ContainsAny(text, htmlOpen+htmlClose):
		v.Refuse("has the character U+E000 or U+E001, which are kept for variables", "remove it")
		return
	}
	for _, found := range htmlVariable.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(MailVariables, found[1]) {
			v.Refuse(fmt.Sprintf("%s is not a variable of mails", found[0]), "the variables are {"+strings.Join(MailVariables, "}, {")+"}")
			return
		}
	}
	made, err := template.New("").Delims(htmlOpen, htmlClose).Parse(htmlVariable.ReplaceAllString(text, htmlOpen+".$1"+htmlClose))
	if err != nil {
		v.Refuse("is not a template: "+err.Error(), fix)
		return
	}
	if t.html = made; t.tryHTML() != nil {
		v.Refuse("is not HTML into which variables can be put: "+strings.TrimPrefix(t.tryHTML().Error(), "html/template:"), fix)
		t.html = nil
	}
}

// tryHTML finds out whether the HTML can be filled in.
func (t *MailTemplate) tryHTML() error {
	_, err := t.FillHTML(map[string]string{})
	return err
}

// FillHTML returns the HTML of a mail with the values of its variables, "" if it has none.
// Values are escaped for their place: no name can become a tag, an attribute, a style or a
// script.
func (t *MailTemplate) FillHTML(values map[string]string) (string, error) {
	if t.html == nil {
		return "", nil
	}
	all := map[string]string{}
	for _, name := range MailVariables {
		all[name] = values[name]
	}
	var b strings.Builder
	err := t.html.Execute(&b, all)
	return b.String(), err
}
