package users_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"quire/auth"
	"quire/auth/users"
)

// mailServer speaks SMTP on a real connection. It sends the given lines in each
// conversation.
type mailServer struct {
	address       string
	conversations chan []string // what the client said, once it has gone
}

func startMailServer(t *testing.T, extensions ...string) *mailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { l.Close() })
	s := &mailServer{l.Addr().String(), make(chan []string, 10)}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.conversations <- converse(conn, extensions)
		}
	}()
	return s
}

// converse takes part in one conversation and returns what the client said.
func converse(conn net.Conn, extensions []string) (said []string) {
	defer conn.Close()
	answer := func(text string) { fmt.Fprintf(conn, "%s\r\n", text) }
	answer("220 mail.example.org ESMTP")
	data := false
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		line := lines.Text()
		said = append(said, line)
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); {
		case data && line == ".":
			data = false
			answer("250 queued")
		case data:
		case verb == "STARTTLS":
			answer("502 no")
		case verb == "EHLO":
			for _, e := range extensions {
				answer("250-" + e)
			}
			answer("250 8BITMIME")
		case verb == "DATA":
			data = true
			answer("354 go on")
		case verb == "QUIT":
			answer("221 bye")
			return said
		default:
			answer("250 ok")
		}
	}
	return said
}

const mailing = `{"auth": {"reset": {"url": "https://example.org/reset"}}, "mail": {"from": "Guide für alle <noreply@example.org>"}}`

func TestMailOverSMTP(t *testing.T) {
	s := startMailServer(t)
	h := reopenFixture(t, t.TempDir()+"/quire.db", loadSite(t, mailing), start(), options{SMTP: "smtp://" + s.address})
	h.join("ana")
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	said := <-s.conversations
	all := strings.Join(said, "\n")
	for _, want := range []string{
		"MAIL FROM:<noreply@example.org>", "RCPT TO:<ana@example.org>", "To: <ana@example.org>", "Subject: Choose a new password",
		"Content-Type: text/plain; charset=UTF-8", "Date: ", "Message-ID: ", "Hello ana,",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	plain := strings.ReplaceAll(strings.ReplaceAll(all, "=\n", ""), "=3D", "=")
	if got := h.newPassword(codeForm.FindString(plain), "secret-2"); got != "" {
		t.Errorf("with the code of the mail: %s in\n%s", got, plain)
	}
}

// A password is not sent to a server that does not secure the connection.
func TestMailKeepsItsPassword(t *testing.T) {
	s := startMailServer(t, "AUTH PLAIN LOGIN")
	h := reopenFixture(t, t.TempDir()+"/quire.db", loadSite(t, mailing), start(), options{SMTP: "smtp://me:topsecret@" + s.address})
	h.join("ana")
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	for _, line := range <-s.conversations {
		if strings.HasPrefix(line, "AUTH") || strings.HasPrefix(line, "MAIL") {
			t.Errorf("the client goes on: %s", line)
		}
	}
	h.settle()
	if got := h.log.String(); !strings.Contains(got, "sending mail") || strings.Contains(got, "topsecret") {
		t.Errorf("the log: %s", got)
	}
}

func TestMailThatCannotBeSent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	address := l.Addr().String()
	l.Close()
	h := reopenFixture(t, t.TempDir()+"/quire.db", loadSite(t, mailing), start(), options{SMTP: "smtp://" + address})
	s := h.join("ana")
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	h.settle()
	code := h.stored(s.DocumentID).Value("resetPasswordToken").Text
	if got := h.log.String(); !strings.Contains(got, "sending mail") || code == "" || strings.Contains(got, code) {
		t.Errorf("the log: %s", got)
	}
}

func TestAddressesOfMailServers(t *testing.T) {
	db, site := openDB(t, t.TempDir()+"/quire.db"), loadSite(t, `{}`)
	a, err := auth.Open(db, site, auth.Options{})
	check(t, err)
	t.Cleanup(func() { a.Close(context.Background()) })
	for _, address := range []string{"smtp://mail.example.org", "smtps://me:word@mail.example.org", "smtp://me:word@mail.example.org:2525"} {
		s, err := users.Open(db, a, site, users.Options{SMTP: address})
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		s.Close()
	}
	for _, address := range []string{"mail.example.org", "http://me:hidden@mail.example.org", "smtp://", "smtp://me:hidden@mail.example.org:x", "://hidden"} {
		_, err := users.Open(db, a, site, users.Options{SMTP: address})
		if err == nil || !strings.Contains(err.Error(), "SMTP_URL") || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A sample of a template goes out at once, filled in, and without a mail server it is said
// what is missing.
func TestSampleOverSMTP(t *testing.T) {
	s := startMailServer(t)
	site := loadSite(t, mailing)
	h := reopenFixture(t, t.TempDir()+"/quire.db", site, start(), options{SMTP: "smtp://" + s.address})
	m, err := users.SampleMail(site.Settings.Mail.From, site.Settings.Mail.Reset, "Ana {code}", "ana@example.org")
	h.check(err)
	if !h.service.SendsMail(&site.Settings.Mail) || strings.Contains(m.Text, "{link}") || !strings.Contains(m.Text, "Hello Ana {code},") {
		t.Errorf("the sample: %+v", m)
	}
	h.check(h.service.SendSample(t.Context(), &site.Settings.Mail, m))
	if all := strings.Join(<-s.conversations, "\n"); !strings.Contains(all, "RCPT TO:<ana@example.org>") || !strings.Contains(all, "Subject: Choose a new password") {
		t.Errorf("sent:\n%s", all)
	}
	none := reopenFixture(t, t.TempDir()+"/quire.db", site, start(), options{})
	if err := none.service.SendSample(t.Context(), &site.Settings.Mail, m); !errors.Is(err, users.ErrNoMail) || none.service.SendsMail(&site.Settings.Mail) {
		t.Errorf("without a mail server: %v", err)
	}
}

// A template with HTML makes a mail of two forms, of which programs show the one they can.
func TestMailOfTwoForms(t *testing.T) {
	s := startMailServer(t)
	site := loadSite(t, strings.Replace(mailing, `"mail": {`, `"mail": {"reset": {"html": "<p>Hello {username}</p><a href='{link}'>Choose</a>"}, `, 1))
	h := reopenFixture(t, t.TempDir()+"/quire.db", site, start(), options{SMTP: "smtp://" + s.address})
	m, err := users.SampleMail(site.Settings.Mail.From, site.Settings.Mail.Reset, "<b>Ana</b>"+strings.Repeat("a", 5000), "ana@example.org")
	h.check(err)
	if len(m.Text) > 3000 || len(m.HTML) > 3000 {
		t.Errorf("a long name makes %d and %d bytes", len(m.Text), len(m.HTML))
	}
	h.check(h.service.SendSample(t.Context(), &site.Settings.Mail, m))
	all := strings.ReplaceAll(strings.Join(<-s.conversations, "\n"), "=\n", "")
	for _, want := range []string{"Content-Type: multipart/alternative", "Content-Type: text/plain", "Content-Type: text/html", "Hello <b>Ana</b>", "<p>Hello &lt;b&gt;Ana&lt;/b&gt;"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	if strings.Index(all, "text/plain") > strings.Index(all, "text/html") {
		t.Error("the form that programs prefer must come last")
	}
}
