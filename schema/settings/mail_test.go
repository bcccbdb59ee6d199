package settings_test

import (
	"strings"
	"testing"
)

// What people are called stays text in the HTML of a mail, wherever it stands.
func TestHTMLOfMailEscapesValues(t *testing.T) {
	const evil = `<img src=x onerror=alert(1)>" onload="x {link}`
	m := readSettings(t, `{"mail": {"reset": {"html": "<style>p{color:red} a { color: {username} }</style><p title='{username}'>{username}</p><a href=\"{link}\">{code}</a><a href={username}>x</a>"}}}`).Mail
	html, err := m.Reset.FillHTML(map[string]string{"username": evil, "link": "https://example.org/reset?a=1&code=c0de", "code": "c0de"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"p{color:red}", `<a href="https://example.org/reset?a=1&amp;code=c0de">c0de</a>`, "&lt;img src=x onerror=alert(1)&gt;"} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is missing in %s", want, html)
		}
	}
	if strings.Contains(html, "<img") || strings.Count(html, `"`) != 2 || strings.Count(html, "c0de") != 2 {
		t.Errorf("a name changes the page: %s", html)
	}
	if html, err := m.Confirmation.FillHTML(map[string]string{"username": "Ana"}); html != "" || err != nil {
		t.Errorf("without a template: %q, %v", html, err)
	}
	script := readSettings(t, `{"mail": {"reset": {"html": "<a href='{username}'>x</a>"}}}`).Mail
	if html, _ := script.Reset.FillHTML(map[string]string{"username": "javascript:alert(1)"}); strings.Contains(html, "javascript:") {
		t.Errorf("a name becomes a script: %s", html)
	}
}

func TestHTMLOfMailProblems(t *testing.T) {
	for text, want := range map[string]string{
		`"<p>{usernam}</p>"`:                    "{usernam} is not a variable of mails",
		`"<a href=\"{link}>x</a>"`:              "is not HTML into which variables can be put",
		`"<p title='{username}"`:                "is not HTML into which variables can be put",
		`"\uE000"`:                              "has the character U+E000",
		`4`:                                     "must be a text",
		`"` + strings.Repeat("x", 102401) + `"`: "is longer than 100 KiB",
	} {
		_, err := tryToRead(`{"mail": {"confirmation": {"html": ` + text + `}}}`)
		if err == nil || !strings.Contains(err.Error(), "site.json") || !strings.Contains(err.Error(), "mail.confirmation.html") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}
