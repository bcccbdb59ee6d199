package users

import (
	"bytes"
	"net/mail"
	"regexp"
	"strings"
	"testing"

	"quire/auth"
	"quire/content/body"
	"quire/schema"
)

// FuzzMail: whatever somebody has for a name and an address, a mail goes to that
// address alone, and the name adds neither a line to its head nor a variable to
// its text.
func FuzzMail(f *testing.F) {
	f.Add("ana", "ana@example.org")
	f.Add("ana\r\nBcc: all@example.org", `"ana, bo"@example.org`)
	f.Add("{code}{link}", "ana@example.org,bo@example.org")
	f.Add("Ana é \u2028 <x@y>", "<ana>@example.org")
	f.Fuzz(func(t *testing.T, username, email string) {
		v := variables{username, email, "https://example.org/?code=c0de", "c0de"}
		m := Message{From: "Guide <noreply@example.org>", To: email, Subject: v.fill("Hello {username}"), Text: v.fill("{username}\n{link}")}
		if strings.Count(m.Text, "c0de") != strings.Count(oneLine(username), "c0de")+1 || strings.Count(m.Text, "\n") != strings.Count(oneLine(username), "\n")+1 {
			t.Errorf("%q makes the text %q", username, m.Text)
		}
		made, err := newMail(m)
		if !body.IsEmail(email) || err != nil {
			return // nobody has that address, or no mail goes there
		}
		var out bytes.Buffer
		if _, err := made.WriteTo(&out); err != nil {
			return
		}
		read, err := mail.ReadMessage(&out)
		if err != nil {
			t.Fatalf("%q, %q: %v", username, email, err)
		}
		if to, err := read.Header.AddressList("To"); err != nil || len(to) != 1 || to[0].Address != email {
			t.Errorf("for %q it goes to %v, %v", email, to, err)
		}
		for name := range read.Header {
			switch name {
			case "Date", "Message-Id", "Mime-Version", "Subject", "User-Agent", "X-Mailer", "From", "To", "Content-Transfer-Encoding", "Content-Type":
			default:
				t.Errorf("%q, %q: a header %s", username, email, name)
			}
		}
	})
}

// FuzzMailServer: an address of a mail server is understood or refused, and a
// refusal does not repeat the password in it.
func FuzzMailServer(f *testing.F) {
	f.Add("smtp://me:5ecret@mail.example.org:587")
	f.Add("smtps://[::1]:0465/x?y#z")
	f.Add("smtp:5ecret")
	f.Fuzz(func(t *testing.T, address string) {
		s, err := newSMTP(address)
		switch {
		case err != nil && strings.Contains(err.Error(), "5ecret") && !strings.HasPrefix(address, "5ecret"):
			t.Errorf("%q: %v", address, err)
		case err == nil && (s.host == "" || s.port < 0):
			t.Errorf("%q: %+v", address, s)
		}
	})
}

var roleType = regexp.MustCompile(`^([a-z0-9]+(-[a-z0-9]+)*)?$`)

// FuzzNames: what is made of the name of a role or of a permission is plain, and
// the same when it is made again.
func FuzzNames(f *testing.F) {
	f.Add("Éditeur en chef")
	f.Add("api::dish.dish.find")
	f.Add("-- İ K ſ ﬁ \xff")
	f.Fuzz(func(t *testing.T, name string) {
		if made := roleTypeOf(name); !roleType.MatchString(made) || roleTypeOf(made) != made {
			t.Errorf("%q becomes %q and that %q", name, made, roleTypeOf(made))
		}
		if p, ok := auth.ParsePermission(name); ok && (p.String() != name || p.UID == "" || p.Action == schema.Action("")) {
			t.Errorf("%q is read as %q", name, p)
		}
	})
}
