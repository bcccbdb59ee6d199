package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"quire/notify/webhook"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// What waits for a hook that is changed goes by what it asks for now: it may have been
// changed by somebody who may not see what it asked for before.
func TestWaitingForWhatIsNoLongerAskedFor(t *testing.T) {
	o, former, now := openFixture(t, allowed), newReceiver(t), newReceiver(t)
	former.answers(func(*delivered) int { return http.StatusServiceUnavailable })
	h := o.hook(former, func(w *settings.Webhook) { w.Types = []string{schema.UserUID, tags} })
	o.write(schema.UserUID, "", "", `{"username": "ana", "email": "ana@example.org"}`)
	tag := o.write(tags, "", "", `{"number": 1}`).DocumentID
	o.until("both wait", func() bool { return len(o.deliveries(h)) == 2 })
	narrow := h.Webhook
	narrow.Types, narrow.URL = []string{tags}, now.server.URL
	h, err := o.webhooks.Change(t.Context(), h, narrow)
	o.check(err)
	o.close()
	o.open(allowed)
	o.pass(10 * time.Second)
	o.until("none waits", func() bool { return len(o.deliveries(h)) == 0 })
	if d := now.next(); d.documentID() != tag || len(now.come) > 0 {
		t.Errorf("the receiver of tags got %s, and %d more", d.Body, len(now.come))
	}
}

// block has the receiver wait before it answers for the document with a number; entered says
// that it does.
func (r *receiver) block(number float64) (entered <-chan struct{}, release func()) {
	come, leave := make(chan struct{}, 100), make(chan struct{})
	r.answers(func(d *delivered) int {
		if d.Payload.Entry["number"] == number {
			come <- struct{}{}
			<-leave
		}
		return http.StatusNoContent
	})
	return come, func() { close(leave) }
}

// A reload that takes an address out of allowPrivate holds at once, for what was read from
// the log before, too.
func TestAddressNoLongerAllowed(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	h := o.hook(r, nil)
	entered, release := r.block(1)
	id := o.write(tags, "", "", `{"number": 1}`).DocumentID
	<-entered
	o.write(tags, id, "", `{"number": 2}`)
	o.write(tags, id, "", `{"number": 3}`)
	second, releaseSecond := r.block(2) // by when both are read from the log
	release()
	<-second
	o.serve(`{}`)
	releaseSecond()
	o.until("the third waits", func() bool { return len(o.deliveries(h)) == 1 })
	if d := o.deliveries(h)[0]; !strings.Contains(d.Error, "of this machine") {
		t.Errorf("it waits because of %q", d.Error)
	}
	for len(r.come) > 0 {
		if d := r.next(); d.Payload.Entry["number"] == 3.0 {
			t.Error("the third was sent")
		}
	}
}

// While the data file refuses what has to be stored, the other changes are sent once all
// the same, not over and over.
func TestRefusedByTheDataFile(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	o.hook(r, nil)
	entered, release := r.block(1)
	o.write(tags, "", "", `{"number": 1}`)
	<-entered
	o.write(tags, "", "", `{"number": 2}`)
	o.write(tags, "", "", `{"number": 3}`)
	tried, sent := make(chan struct{}, 100), atomic.Int64{}
	r.answers(func(d *delivered) int {
		if d.Payload.Entry["number"] == 2.0 {
			tried <- struct{}{}
			return http.StatusInternalServerError
		}
		sent.Add(1)
		return http.StatusNoContent
	})
	o.writer.Close() // so that nothing can be stored
	release()
	for range 3 {
		<-tried
	}
	if n := sent.Load(); n != 1 {
		t.Errorf("the third came %d times", n)
	}
}

// Of the log what comes before a damaged commit is sent, and what comes after it.
func TestDamagedCommit(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	o.hook(r, nil)
	entered, release := r.block(1)
	o.write(tags, "", "", `{"number": 1}`)
	<-entered
	o.write(tags, "", "", `{"number": 2}`)
	o.check(o.db.Update(func(tx *store.Tx) error { return tx.PutLog([]byte("?")) }))
	o.write(tags, "", "", `{"number": 3}`)
	release()
	for _, want := range []float64{1, 2, 3} {
		if d := r.next(); d.Payload.Entry["number"] != want {
			t.Errorf("instead of %v came %s", want, d.Body)
		}
	}
}

// What waits behind another change of its document is due with it, so that each such change
// need not have all that waits read again.
func TestDueBehindOthers(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	r.answers(func(*delivered) int { return http.StatusServiceUnavailable })
	h := o.hook(r, nil)
	id := o.write(tags, "", "", `{"number": 1}`).DocumentID
	o.write(tags, id, "", `{"number": 2}`)
	o.until("both wait", func() bool { return len(o.deliveries(h)) == 2 })
	if all := o.deliveries(h); !all[0].NextAt.Equal(all[1].NextAt) || all[1].Tries != 0 {
		t.Errorf("they are due at %v and %v", all[0].NextAt, all[1].NextAt)
	}
	r.answers(nil)
	o.pass(10 * time.Second)
	for _, want := range []float64{1, 2} {
		if d := r.next(); d.Payload.Entry["number"] != want {
			t.Errorf("instead of %v came %s", want, d.Body)
		}
	}
}

// What waits for a hook that is disabled does not count: nobody is waited for.
func TestCountOfDisabled(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	r.answers(func(*delivered) int { return http.StatusServiceUnavailable })
	h := o.hook(r, nil)
	o.write(tags, "", "", `{"number": 1}`)
	o.until("one waits", func() bool { return len(o.deliveries(h)) == 1 })
	for _, enabled := range []bool{false, true} {
		w := h.Webhook
		w.Enabled = enabled
		var err error
		h, err = o.webhooks.Change(t.Context(), h, w)
		o.check(err)
		n, err := o.service.Count()
		if want := map[bool]int{true: 1}[enabled]; err != nil || n.Waiting != want {
			t.Errorf("enabled %v: %d wait, %v", enabled, n.Waiting, err)
		}
	}
}

// A name that two have, one of them in site.json, is nobody's.
func TestTwoOfOneName(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	h := o.hook(r, func(w *settings.Webhook) { w.Name = "deploy" })
	o.serve(fmt.Sprintf(`{"events": {"allowPrivate": ["127.0.0.0/8"]}, "webhooks": [{"name": "deploy", "url": %q}]}`, r.server.URL))
	if _, err := o.webhooks.Hook("deploy"); err == nil || !strings.Contains(err.Error(), h.ID) {
		t.Errorf("by its name: %v", err)
	}
	if found, err := o.webhooks.Hook(h.ID); err != nil || found.Managed {
		t.Errorf("by its id: %+v, %v", found, err)
	}
}

// The ids of deliveries of two sites are different, though their hooks in site.json and
// the numbers of their commits are the same.
func TestIDsOfOtherSites(t *testing.T) {
	r := newReceiver(t)
	ids := map[string]bool{}
	for i := range 2 {
		o := openFixture(t, allowed)
		o.pass(time.Duration(i) * time.Second)
		o.serve(fmt.Sprintf(`{"events": {"allowPrivate": ["127.0.0.0/8"]}, "webhooks": [{"name": "deploy", "url": %q}]}`, r.server.URL))
		o.write(tags, "", "", `{"number": 1}`)
		ids[r.next().ID] = true
	}
	if len(ids) != 2 {
		t.Errorf("two deliveries have the ids %v", ids)
	}
}

// However many webhooks there are, a few payloads are made at a time; the others wait.
func TestPayloadsAreMadeAFewAtATime(t *testing.T) {
	site := loadSite(t, `{}`)
	synctest.Test(t, func(t *testing.T) {
		b := webhook.New(nil, site, nil, nil, webhook.Options{})
		b.TakePlaces()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.MakePayload(ctx, tags) }()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("one more did not wait: %v", err)
		default:
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}
