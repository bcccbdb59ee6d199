package users_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/auth/users"
	"quire/content"
	"quire/store"
)

// closedPost is a Mailer that fails as long as it is closed.
type closedPost struct {
	mailbox
	closed bool
	tries  int
}

func (p *closedPost) Send(ctx context.Context, m users.Message) error {
	if p.tries++; p.closed {
		return errors.New("the post is closed")
	}
	return p.mailbox.Send(ctx, m)
}

// waiting lists the mail that the data file holds.
func (h *fixture) waiting() (parcels []store.Parcel) {
	h.Helper()
	h.check(h.db.View(func(tx *store.Tx) (err error) {
		parcels, err = tx.Parcels("mail")
		return err
	}))
	return parcels
}

// round delivers what is due.
func (h *fixture) round() time.Duration { return h.service.DeliverDue(h.Context()) }

// What was asked for before a server ended is sent by the next one, and no copy of
// the data file holds a code.
func TestMailOutlivesARestart(t *testing.T) {
	file, site, clock := filepath.Join(t.TempDir(), "quire.db"), loadSite(t, fullSite), start()
	h := reopenFixture(t, file, site, clock, options{Mailer: newMailbox()})
	h.stop()
	ana := h.join("ana").DocumentID
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	if n := len(h.waiting()); n != 2 || len(h.mail) != 0 {
		t.Errorf("%d mails wait, %d are sent", n, len(h.mail))
	}
	h.check(h.writer.Close())
	h.Auth.Close(t.Context())
	h.service.Close()
	h.check(h.db.Close())

	h = reopenFixture(t, file, site, clock, options{Mailer: newMailbox()})
	codes := []string{h.code(), h.code()} // in no particular order
	h.settle()
	if len(h.waiting()) != 0 || len(h.mail) != 0 {
		t.Errorf("%d mails wait, %d more are sent", len(h.waiting()), len(h.mail))
	}
	stored, err := os.ReadFile(file)
	h.check(err)
	for _, code := range codes {
		if !strings.HasPrefix(code, ana) || bytes.Contains(stored, []byte(code[len(ana):])) {
			t.Errorf("the data file holds %s", code)
		}
	}
	if h.Confirm(t.Context(), codes[0], false) != nil && h.Confirm(t.Context(), codes[1], false) != nil {
		t.Error("neither code confirms")
	}
	if h.newPassword(codes[0], "secret-2") != "" && h.newPassword(codes[1], "secret-2") != "" {
		t.Error("neither code resets")
	}
}

// A mail server that is away is tried again after pauses that grow, and the mail
// that arrives at last has a code that works.
func TestMailIsTriedAgain(t *testing.T) {
	post := &closedPost{mailbox: newMailbox(), closed: true}
	h := reopenFixture(t, filepath.Join(t.TempDir(), "quire.db"), loadSite(t, `{"auth": {"rateLimit": {"enabled": false}}}`), start(), options{Mailer: post})
	h.stop()
	h.join("ana")
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	var pauses []string
	for range 4 {
		wait := h.round()
		pauses = append(pauses, wait.String())
		h.clock.advance(wait - time.Second)
		h.round()
		h.clock.advance(time.Second)
	}
	if got := strings.Join(pauses, " "); got != "10s 30s 1m30s 4m30s" || post.tries != 4 {
		t.Errorf("%d tries, with pauses of %s", post.tries, got)
	}
	post.closed = false
	h.round()
	if n := len(h.waiting()); n != 0 {
		t.Errorf("%d mails wait once all are sent", n)
	}
	if got := h.newPassword(codeForm.FindString((<-post.mailbox).Text), "secret-2"); got != "" {
		t.Errorf("with the code that arrived: %s", got)
	}
	if got := h.log.String(); !strings.Contains(got, "the post is closed") || strings.Contains(got, "ana@") {
		t.Errorf("the log: %s", got)
	}
}

// Mail is dropped once its code would be of no use.
func TestMailThatIsTooLate(t *testing.T) {
	for what, change := range map[string]func(h *fixture, ana string){
		"expired": func(h *fixture, _ string) { h.clock.advance(time.Hour) },
		"blocked": func(h *fixture, ana string) {
			h.check(h.UpdateUser(h.Context(), ana, form(h, map[string]any{"blocked": true}), everything{}))
		},
		"another address": func(h *fixture, ana string) {
			h.check(h.UpdateUser(h.Context(), ana, with(h, "email", "x@example.org"), everything{}))
		},
		"deleted": func(h *fixture, ana string) { h.check(h.DeleteUser(h.Context(), ana)) },
		"a link of the operator": func(h *fixture, _ string) {
			_, err := h.Do(h.Context(), "user reset-link", []byte(`{"user": "ana"}`))
			h.check(err)
		},
	} {
		h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
		h.stop()
		ana := h.join("ana").DocumentID
		h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
		change(h, ana)
		h.round()
		if len(h.waiting()) != 0 || len(h.mail) != 0 {
			t.Errorf("%s: %d mails wait, %d are sent", what, len(h.waiting()), len(h.mail))
		}
	}
}

// Neither one address nor many of them fill the data file with mail, and who
// registers is stored with the mail or not at all.
func TestMailIsBounded(t *testing.T) {
	h := openFixture(t, fullSite)
	h.stop()
	ask := func(email string) error { return h.ForgotPassword(t.Context(), with(t, "email", email)) }
	for range 3 {
		h.check(ask("ana@example.org"))
	}
	h.check(ask(strings.Repeat("x", 100_000) + "@example.org"))
	if n := len(h.waiting()); n != 1 {
		t.Errorf("%d mails to one address", n)
	}
	h.check(h.db.Update(func(tx *store.Tx) error {
		for i := range 998 {
			if err := tx.PutParcel(&store.Parcel{Kind: "mail", Key: fmt.Sprint(i)}); err != nil {
				return err
			}
		}
		return nil
	}))
	h.check(ask("bob@example.org"))
	if err := ask("cyd@example.org"); !errors.As(err, new(*users.OutboxFullError)) {
		t.Errorf("one mail too many: %v", err)
	}
	h.check(ask("ana@example.org"))
	_, err := h.Register(t.Context(), with(t, "username", "cyd", "email", "cyd@example.org", "password", "secret-1"), everything{})
	if !errors.As(err, new(*users.OutboxFullError)) || h.Find("1") != "" {
		t.Errorf("who cannot be sent a mail registers: %v", err)
	}
}

// A reload in between sends the mail as the site says by then.
func TestMailOutlivesAReload(t *testing.T) {
	h := openFixture(t, fullSite)
	h.stop()
	h.join("ana")
	h.round()
	<-h.mail
	h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org")))
	h.check(h.writer.Close())
	if h.round(); len(h.mail) != 0 || len(h.waiting()) != 1 {
		t.Errorf("while the site is reloaded: %d mails are sent, %d wait", len(h.mail), len(h.waiting()))
	}
	site := loadSite(t, strings.Replace(fullSite, "For {username}", "Dear {username}", 1))
	h.check(h.reload(site))
	w := content.NewWriter(h.db, h.index, site, content.WriterOptions{Now: h.clock.Now})
	defer w.Close()
	h.service.Accounts(site, h.index, w)
	h.round()
	if m := <-h.mail; m.Subject != "Dear ana" {
		t.Errorf("the mail is %+v", m)
	}
}

// Who asks again while a mail is under way gets another one.
func TestMailAskedForMeanwhile(t *testing.T) {
	post := &asking{mailbox: newMailbox()}
	h := reopenFixture(t, filepath.Join(t.TempDir(), "quire.db"), loadSite(t, `{"auth": {"rateLimit": {"enabled": false}}}`), start(), options{Mailer: post})
	h.stop()
	h.join("ana")
	ask := func() { h.check(h.ForgotPassword(t.Context(), with(t, "email", "ana@example.org"))) }
	post.meanwhile = ask
	ask()
	h.round()
	h.round()
	if len(post.mailbox) != 2 || len(h.waiting()) != 0 {
		t.Errorf("%d mails are sent, %d wait", len(post.mailbox), len(h.waiting()))
	}
}

// asking is a Mailer during whose first delivery something happens.
type asking struct {
	mailbox
	meanwhile func()
}

func (a *asking) Send(ctx context.Context, m users.Message) error {
	if a.meanwhile != nil {
		a.meanwhile()
		a.meanwhile = nil
	}
	return a.mailbox.Send(ctx, m)
}
