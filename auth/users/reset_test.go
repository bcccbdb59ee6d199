package users_test

import (
	"strings"
	"testing"
	"time"
)

const fullSite = `{
	"auth": {
		"confirmation": {"required": true, "url": "https://api.example.org/api/auth/email-confirmation", "redirect": "https://example.org/in"},
		"reset": {"url": "https://example.org/reset?from=mail"},
		"rateLimit": {"enabled": false}
	},
	"mail": {"from": "Guide <noreply@example.org>", "smtp": "smtp://localhost:25", "reset": {"subject": "For {username}", "text": "{link} {email} {username}"}}
}`

// newPassword resets the password with a code, and reports "" or the error.
func (h *fixture) newPassword(code, password string) string {
	h.Helper()
	_, err := h.ResetPassword(h.Context(), with(h, "code", code, "password", password, "passwordConfirmation", password))
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestResetPassword(t *testing.T) {
	h := openFixture(t, `{"auth": {"reset": {"url": "https://example.org/reset?from=mail"}, "rateLimit": {"enabled": false}},
		"mail": {"from": "g@example.org", "reset": {"subject": "For {username}", "text": "{link} {email} {username}"}}}`)
	s := h.join("ana")
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ANA@example.org")))
	m := <-h.mail
	code := codeForm.FindString(m.Text)
	if want := "https://example.org/reset?code=" + code + "&from=mail ana@example.org ana"; m.Text != want || m.Subject != "For ana" || m.To != "ana@example.org" || m.From != "g@example.org" {
		t.Errorf("the mail is %+v", m)
	}
	if stored := h.stored(s.DocumentID).Value("resetPasswordToken").Text; stored == "" || strings.Contains(stored, code) || strings.Contains(stored, code[24:]) {
		t.Errorf("of the code %s this is stored: %s", code, stored)
	}
	if got := h.newPassword(code, "abc"); got != "password must be at least 6 characters" {
		t.Errorf("a short password: %q", got)
	}
	if got := h.newPassword(code, "secret-2"); got != "" {
		t.Errorf("the reset: %s", got)
	}
	if h.signIn("ana", "secret-1") == "" || h.signIn("ana", "secret-2") != "" {
		t.Error("the new password is not the one that counts")
	}
	if got := h.newPassword(code, "secret-3"); got != "Incorrect code provided" {
		t.Errorf("the same code again: %q", got)
	}
}

func TestCodesThatDoNotWork(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	ana, bo := h.join("ana"), h.join("bob")
	ask := func() string {
		h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
		return h.code()
	}
	first, second := ask(), ask()
	late := ask()
	for what, code := range map[string]string{
		"an earlier one":       first,
		"another earlier one":  second,
		"a guess":              ana.DocumentID + strings.Repeat("0", 64),
		"somebody else's":      bo.DocumentID + late[24:],
		"the user's id":        ana.DocumentID,
		"a short one":          "x",
		"what is stored":       h.stored(ana.DocumentID).Value("resetPasswordToken").Text,
		"nothing but a secret": late[24:],
	} {
		if got := h.newPassword(code, "secret-2"); got != "Incorrect code provided" {
			t.Errorf("%s: %q", what, got)
		}
	}
	h.clock.advance(time.Hour)
	if got := h.newPassword(late, "secret-2"); got != "Incorrect code provided" {
		t.Errorf("after an hour: %q", got)
	}
	fresh := ask()
	h.check(h.UpdateUser(t.Context(), ana.DocumentID, with(t, "password", "secret-9"), everything{}))
	if got := h.newPassword(fresh, "secret-2"); got != "Incorrect code provided" {
		t.Errorf("after the password has changed: %q", got)
	}
	fresh = ask()
	h.check(h.UpdateUser(t.Context(), ana.DocumentID, with(t, "email", "ana@example.net"), everything{}))
	if got := h.newPassword(fresh, "secret-2"); got != "Incorrect code provided" {
		t.Errorf("after the address has changed: %q", got)
	}
}

// A code proves that its mail was read, and so nothing of another address.
func TestConfirmationIsOfOneAddress(t *testing.T) {
	h := openFixture(t, fullSite)
	ana := h.join("ana").DocumentID
	old := h.code()
	h.check(h.UpdateUser(t.Context(), ana, with(t, "email", "boss@example.net"), everything{}))
	if err := h.Confirm(t.Context(), old, false); err == nil || err.Error() != "Invalid token" {
		t.Errorf("the code for the former address: %v", err)
	}
	if _, err := h.SendConfirmation(t.Context(), with(t, "email", "boss@example.net")); err != nil {
		t.Fatal(err)
	}
	h.check(h.Confirm(t.Context(), h.code(), false))
	if got := h.signIn("boss@example.net", "secret-1"); got != "" {
		t.Errorf("after the code for the new address: %s", got)
	}
}

func TestResetRefusesForms(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	for _, test := range []struct {
		form map[string]any
		want string
	}{
		{nil, "3 errors occurred"},
		{map[string]any{"code": map[string]string{"$gt": ""}, "password": "secret-2", "passwordConfirmation": "secret-2"}, "code must be a `string` type"},
		{map[string]any{"code": 5, "password": []string{"a"}, "passwordConfirmation": true}, "3 errors occurred"},
		{map[string]any{"code": "x", "password": "secret-2", "passwordConfirmation": "secret-3"}, "Passwords do not match"},
	} {
		if _, err := h.ResetPassword(t.Context(), form(t, test.form)); err == nil || err.Error() != test.want {
			t.Errorf("%v: %v", test.form, err)
		}
	}
}

// Whether there is an account shows in no answer.
func TestForgotPasswordTellsNothing(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	s := h.join("ana")
	h.check(h.UpdateUser(t.Context(), s.DocumentID, form(t, map[string]any{"blocked": true}), everything{}))
	for _, email := range []string{"ana@example.org", "nobody@example.org"} {
		if err := h.ForgotPassword(t.Context(), with(t, "email", email)); err != nil {
			t.Errorf("%s: %v", email, err)
		}
		if got, err := h.SendConfirmation(t.Context(), with(t, "email", email)); err != nil || got != email {
			t.Errorf("%s: %v", email, err)
		}
	}
	h.settle()
	if len(h.mail) != 0 {
		t.Errorf("mail was sent to somebody who is blocked: %+v", <-h.mail)
	}
	if err := h.ForgotPassword(t.Context(), with(t, "email", "x")); err == nil || err.Error() != "email must be a valid email" {
		t.Errorf("no address: %v", err)
	}
}

func TestConfirmation(t *testing.T) {
	h := openFixture(t, fullSite)
	s := h.join("ana")
	if s.JWT != "" || s.RefreshToken != "" {
		t.Error("registering starts a session before the address is confirmed")
	}
	if got := h.signIn("ana", "secret-1"); got != "Your account email is not confirmed" {
		t.Errorf("the sign-in: %q", got)
	}
	if got := h.signIn("ana", "wrong"); got != "Invalid identifier or password" {
		t.Errorf("with a wrong password: %q", got)
	}
	m := <-h.mail
	if !strings.Contains(m.Text, "Hello ana") || !strings.Contains(m.Text, "https://api.example.org/api/auth/email-confirmation?confirmation="+s.DocumentID) {
		t.Errorf("the mail is %+v", m)
	}
	first := codeForm.FindString(m.Text)
	if _, err := h.SendConfirmation(t.Context(), with(t, "email", "ana@example.org")); err != nil {
		t.Fatal(err)
	}
	code := h.code()
	for _, wrong := range []string{first, "x", s.DocumentID, code + "0"} {
		if err := h.Confirm(t.Context(), wrong, false); err == nil || err.Error() != "Invalid token" {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if err := h.Confirm(t.Context(), "", false); err == nil || err.Error() != "confirmation is a required field" {
		t.Errorf("no code: %v", err)
	}
	h.check(h.Confirm(t.Context(), code, true))
	if h.signIn("ana", "secret-1") == "" {
		t.Error("looking has confirmed the address")
	}
	h.check(h.Confirm(t.Context(), code, false))
	if got := h.signIn("ana", "secret-1"); got != "" {
		t.Errorf("after confirming: %s", got)
	}
	if err := h.Confirm(t.Context(), code, false); err == nil {
		t.Error("the code works twice")
	}
	if _, err := h.SendConfirmation(t.Context(), with(t, "email", "ana@example.org")); err != nil {
		t.Error(err)
	}
	h.settle()
	if len(h.mail) != 0 {
		t.Error("a confirmed user is asked to confirm")
	}
}

// A confirmation does not choose passwords, nor does a reset confirm.
func TestCodesHaveOnePurpose(t *testing.T) {
	h := openFixture(t, fullSite)
	h.join("ana")
	confirmation := h.code()
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	reset := h.code()
	if got := h.newPassword(confirmation, "secret-2"); got != "Incorrect code provided" {
		t.Errorf("resetting with a confirmation: %q", got)
	}
	if err := h.Confirm(t.Context(), reset, false); err == nil {
		t.Error("a reset code confirms")
	}
	s, err := h.ResetPassword(t.Context(), with(t, "code", reset, "password", "secret-2", "passwordConfirmation", "secret-2"))
	h.check(err)
	if s.JWT != "" {
		t.Error("a reset lets somebody in whose address is not confirmed")
	}
}

// What people choose for a name is put into a mail as it is.
func TestNamesInMail(t *testing.T) {
	h := openFixture(t, fullSite)
	name := "{code}\r\nBcc: all@example.org <%= 7*7 %> ${process.env}"
	_, err := h.Register(t.Context(), with(t, "username", name, "email", "ana@example.org", "password", "secret-1"), everything{})
	h.check(err)
	confirmation := (<-h.mail).Text
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	m := <-h.mail
	const plain = "{code}  Bcc: all@example.org <%= 7*7 %> ${process.env}"
	if m.Subject != "For "+plain || !strings.HasSuffix(m.Text, " ana@example.org "+plain) || !strings.Contains(confirmation, "Hello "+plain+",") {
		t.Errorf("the mails: %q, %+v", confirmation, m)
	}
}

func TestWithoutMailTheLogSaysSoOnce(t *testing.T) {
	h := reopenFixture(t, t.TempDir()+"/quire.db", loadSite(t, `{}`), start(), options{})
	h.join("ana")
	for range 3 {
		h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	}
	h.settle()
	if got := h.log.String(); strings.Count(got, "no mail is sent") != 1 || !strings.Contains(got, "SMTP_URL") {
		t.Errorf("the log: %s", got)
	}
}
