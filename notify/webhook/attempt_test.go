package webhook_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"quire/content/event"
	"quire/notify/webhook"
	"quire/schema/settings"
	"quire/store"
)

// attempts is what was tried of late for a hook.
func (o *fixture) attempts(h *webhook.Hook) []webhook.Attempt {
	o.Helper()
	all, err := o.webhooks.Attempts(h)
	o.check(err)
	return all
}

// Each attempt is listed with how it went and what follows, also after a restart.
func TestAttemptsAreListed(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	r.answers(func(*delivered) int { return http.StatusServiceUnavailable })
	h := o.hook(r, func(w *settings.Webhook) { w.Headers = map[string]string{"Authorization": "Bearer hush"} })
	id := o.write(tags, "", "", `{"number": 1}`).DocumentID
	o.until("the attempt is listed", func() bool { return len(o.attempts(h)) == 1 })
	a := o.attempts(h)[0]
	if a.Delivered || a.Answer != 503 || a.Error != "the receiver answered 503" || a.Try != 1 || a.Event != "entry.create" || a.Type != tags || a.DocumentID != id || !a.NextAt.Equal(a.At.Add(10*time.Second)) || a.Milliseconds < 0 {
		t.Errorf("it failed: %+v", a)
	}
	r.answers(nil)
	o.pass(10 * time.Second)
	again := r.next()
	o.close()
	o.open(allowed)
	list := o.attempts(h)
	if len(list) != 2 || !list[0].Delivered || list[0].Answer != 204 || list[0].Try != 2 || list[0].Error != "" || !list[0].NextAt.IsZero() || list[0].Delivery != again.ID || list[1] != a {
		t.Errorf("it arrived: %+v", list)
	}
	if text := fmt.Sprintf("%+v", list); strings.Contains(text, "hush") || strings.Contains(text, h.Secret) || strings.Contains(text, r.server.URL) {
		t.Errorf("it shows what is secret: %s", text)
	}
}

// The last hundred attempts of a hook are kept, those of a hook that is removed are not.
func TestAttemptsAreBounded(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	h, other := o.hook(r, nil), o.hook(newReceiver(t), nil)
	for i := range 150 {
		o.write(tags, "", "", fmt.Sprintf(`{"number": %d}`, i))
	}
	last := ""
	for range 150 {
		if d := r.next(); d.Payload.Entry["number"] == 149.0 {
			last = d.documentID()
		}
	}
	all := func() bool {
		list := o.attempts(h)
		return len(list) == 100 && len(o.attempts(other)) == 100 && strings.Contains(fmt.Sprint(list), last)
	}
	o.until("the last hundred are listed", all)
	o.check(o.webhooks.Remove(t.Context(), h))
	o.until("none is left of the hook", func() bool { return o.stored(h) == 0 })
	if got := o.stored(other); got != 100 {
		t.Errorf("of the other hook there are %d", got)
	}
}

// stored counts the attempts of a hook that the data file has.
func (o *fixture) stored(h *webhook.Hook) (n int) {
	o.Helper()
	o.check(o.db.View(func(tx *store.Tx) error {
		return tx.Records("webhook-attempts", func(key string, _ []byte) error {
			if strings.HasPrefix(key, h.ID+"/") {
				n++
			}
			return nil
		})
	}))
	return n
}

// What has arrived can be sent again, under the same id; what was never tried cannot.
func TestSendAgainWhatHasArrived(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	h := o.hook(r, nil)
	o.write(tags, "", "", `{"number": 1}`)
	first := r.next()
	o.until("the attempt is listed", func() bool { return len(o.attempts(h)) == 1 })
	if n, err := o.webhooks.Resend(t.Context(), h, first.ID); n != 1 || err != nil {
		t.Errorf("%d are sent again, %v", n, err)
	}
	if d := r.next(); d.ID != first.ID || d.documentID() != first.documentID() {
		t.Errorf("%s came again as %s", first.ID, d.ID)
	}
	o.until("both attempts are listed", func() bool { return len(o.attempts(h)) == 2 })
	if n, err := o.webhooks.Resend(t.Context(), h, "msg_none_1"); n != 0 || !errors.As(err, new(*webhook.NotFoundError)) {
		t.Errorf("a delivery that there is not: %d, %v", n, err)
	}
}

// A test goes only where changes may go, also by a name that leads elsewhere.
func TestTrialsGoToNoOtherAddress(t *testing.T) {
	o, r := openFixture(t, `{}`), newReceiver(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(r.server.URL, "http://"), ":")
	h, err := o.webhooks.Create(t.Context(), settings.Webhook{Name: "name", URL: "http://localhost:" + port + "/", Enabled: true})
	o.check(err)
	trial, err := o.webhooks.Test(t.Context(), h)
	o.check(err)
	if trial.Delivered || trial.Status != 0 || !strings.Contains(trial.Error, "of this machine") || len(r.come) > 0 {
		t.Errorf("the test: %+v", trial)
	}
	if list := o.attempts(h); len(list) > 0 {
		t.Errorf("a test is among the attempts: %+v", list)
	}
}

// BenchmarkKeepAttempts is the write that stores how far a hook has come, alone and with the
// attempts of that second.
func BenchmarkKeepAttempts(b *testing.B) {
	for _, n := range []int{0, 1, 100} {
		b.Run(fmt.Sprintf("attempts=%d", n), func(b *testing.B) {
			o := openFixture(b, allowed)
			o.stop()
			h, err := o.webhooks.Create(b.Context(), settings.Webhook{Name: "a", URL: "https://example.org/", Enabled: true})
			o.check(err)
			for i := 0; b.Loop(); i++ {
				o.check(o.db.Update(func(tx *store.Tx) error {
					return errors.Join(webhook.PutPosition(tx, h.ID, event.Position{Revision: uint64(i)}), webhook.Keep(tx, h.ID, n))
				}))
			}
			o.stop = func() {}
		})
	}
}
