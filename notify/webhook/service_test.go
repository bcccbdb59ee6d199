package webhook_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/content"
	"quire/content/event"
	"quire/notify/webhook"
	"quire/query"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

const (
	articles = "api::article.article"
	tags     = "api::tag.tag"
)

// The life of a document arrives in Strapi's form: names, headers, and the entry as each
// change left it, without what is private.
func TestLife(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	o.hook(r, func(w *settings.Webhook) { w.Headers = map[string]string{"X-Own": "one"} })
	tag := o.write(tags, "", "", `{"name": "sea", "number": 1, "note": "hidden"}`)
	d := r.next()
	if d.Event != "entry.create" || d.Payload.Model != "tag" || d.Payload.UID != tags || d.Payload.Entry["name"] != "sea" {
		t.Errorf("a new tag: %s", d.Body)
	}
	if d.Payload.CreatedAt != "2024-05-01T12:00:00.000Z" || d.Header.Get("X-Own") != "one" || d.Header.Get("webhook-timestamp") != "1714564800" {
		t.Errorf("its headers: %v, its time: %s", d.Header, d.Payload.CreatedAt)
	}
	article := o.write(articles, "", "draft", `{"title": "one", "secret": "hidden", "tags": ["`+tag.DocumentID+`"]}`)
	steps := []struct {
		do    func()
		event string
		title string
	}{
		{func() {}, "entry.create", "one"},
		{func() { o.write(articles, article.DocumentID, "draft", `{"title": "two"}`) }, "entry.update", "two"},
		{func() { o.step(o.writer.Publish, article.DocumentID) }, "entry.publish", "two"},
		{func() { o.step(o.unpublish, article.DocumentID) }, "entry.unpublish", "two"},
		{func() { o.delete(articles, article.DocumentID) }, "entry.delete", "two"},
	}
	for _, step := range steps {
		step.do()
		d := r.next()
		if d.Event != step.event || d.Payload.Entry["title"] != step.title || d.documentID() != article.DocumentID || d.Payload.UID != articles {
			t.Errorf("%s: %s %s", step.event, d.Event, d.Body)
		}
		if strings.Contains(d.Body, "hidden") || strings.Contains(d.Body, "secret") || strings.Contains(d.Body, "note") {
			t.Errorf("%s shows what is private: %s", step.event, d.Body)
		}
		if step.event != "entry.unpublish" && step.event != "entry.delete" && !strings.Contains(d.Body, `"name":"sea"`) {
			t.Errorf("%s does not show the tag: %s", step.event, d.Body)
		}
	}
}

func (o *fixture) unpublish(ctx context.Context, s content.Step) ([]content.Result, error) {
	return o.writer.Unpublish(ctx, s, false)
}

// step publishes or unpublishes an article.
func (o *fixture) step(do func(context.Context, content.Step) ([]content.Result, error), documentID string) {
	o.Helper()
	_, err := do(o.Context(), content.Step{Type: o.site.Type(articles), DocumentID: documentID})
	o.check(err)
}

// Who sends may stop and begin again, as a node does whose duties another one had: it sends
// what was committed meanwhile, once, and does not say before that something is late.
func TestSendingBeginsAgain(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	o.hook(r, nil)
	for round := range 3 {
		name := fmt.Sprint("while it sends ", round)
		o.write(tags, "", "", fmt.Sprintf(`{"name": %q}`, name))
		if d := r.next(); d.Payload.Entry["name"] != name {
			t.Errorf("instead of %q: %s", name, d.Body)
		}
		o.stop()
		name = fmt.Sprint("while nobody sends ", round)
		o.write(tags, "", "", fmt.Sprintf(`{"name": %q}`, name))
		if lag := o.service.Lag(); lag != 0 {
			t.Errorf("who does not send is %v late", lag)
		}
		o.send()
		if d := r.next(); d.Payload.Entry["name"] != name {
			t.Errorf("instead of %q: %s", name, d.Body)
		}
	}
}

// A hook hears of what it names, and of users only where it names them; nobody hears of
// roles. An author is shown to whom users are.
func TestWhatIsWanted(t *testing.T) {
	o := openFixture(t, allowed)
	all, published, users, german := newReceiver(t), newReceiver(t), newReceiver(t), newReceiver(t)
	o.hook(all, nil)
	o.hook(published, func(w *settings.Webhook) { w.Events = []string{"entry.publish"} })
	o.hook(users, func(w *settings.Webhook) { w.Types = []string{schema.UserUID, articles} })
	o.hook(german, func(w *settings.Webhook) { w.Locales = []string{"de"} })
	user := o.write(schema.UserUID, "", "", `{"username": "ana", "email": "ana@example.org"}`)
	o.write(schema.RoleUID, "", "", `{"name": "Chef", "type": "chef"}`)
	o.write(articles, "", "", `{"title": "one", "author": "`+user.DocumentID+`"}`)
	o.write(tags, "", "", `{"name": "end"}`)
	for r, want := range map[*receiver]string{
		all:       "create api::article.article, publish api::article.article, create api::tag.tag",
		published: "publish api::article.article",
		users:     "create plugin::users-permissions.user, create api::article.article, publish api::article.article",
		german:    "create api::article.article, publish api::article.article, create api::tag.tag", // types without locales
	} {
		var got []string
		for range strings.Count(want, ",") + 1 {
			d := r.next()
			got = append(got, strings.TrimPrefix(d.Event, "entry.")+" "+d.Payload.UID)
			if shows := strings.Contains(d.Body, "ana"); d.Payload.UID == articles && shows != (r == users) {
				t.Errorf("the author: %s", d.Body)
			}
		}
		slices.Sort(got)
		wanted := strings.Split(want, ", ")
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("got %v, want %v", got, wanted)
		}
	}
	for _, r := range []*receiver{all, published, users, german} {
		if n := len(r.come); n > 0 {
			t.Errorf("%d more: %s", n, (<-r.come).Body)
		}
	}
}

// numbers is what a receiver has taken of each document, in order, without what came twice
// in a row.
func numbers(all []*delivered) map[string][]int {
	got := map[string][]int{}
	for _, d := range all {
		n := int(d.Payload.Entry["number"].(float64))
		list := got[d.documentID()]
		if len(list) == 0 || list[len(list)-1] != n {
			got[d.documentID()] = append(list, n)
		}
	}
	return got
}

// Whatever a receiver refuses at random, over restarts of the sender, everything arrives,
// and the changes of each document in order.
func TestOrderUnderFailures(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	random := rand.New(rand.NewPCG(1, 2))
	r.answers(func(*delivered) int {
		if rand.IntN(3) == 0 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	o.hook(r, nil)
	want := map[string][]int{}
	var documents []string
	for range 10 {
		id := o.write(tags, "", "", `{"number": 0}`).DocumentID
		documents, want[id] = append(documents, id), []int{0}
	}
	for i := range 290 {
		id := documents[random.IntN(len(documents))]
		o.write(tags, id, "", fmt.Sprintf(`{"number": %d}`, i+1))
		want[id] = append(want[id], i+1)
		if i%60 == 59 {
			o.close()
			o.open(allowed)
		}
	}
	var taken []*delivered
	complete := func() bool {
		got := numbers(taken)
		return maps.EqualFunc(got, want, func(g, w []int) bool { return len(g) >= len(w) && g[len(g)-1] == w[len(w)-1] })
	}
	for late := time.After(5 * time.Minute); !complete(); {
		select {
		case d := <-r.come:
			taken = append(taken, d)
		case <-time.After(time.Millisecond):
			o.pass(time.Second) // little enough that nothing is given up, however slow the machine
		case <-late:
			t.Fatalf("after %d deliveries, got %v of %v", len(taken), numbers(taken), want)
		}
	}
	for id, list := range numbers(taken) {
		if why := ordered(list, want[id]); why != "" {
			t.Errorf("%s: %s: got %v, want %v", id, why, list, want[id])
		}
	}
}

// ordered says how what arrived differs from what was sent, where it may have been sent
// again from an earlier one on.
func ordered(got, want []int) string {
	next := 0
	for _, n := range got {
		at := slices.Index(want, n)
		switch {
		case at < 0:
			return fmt.Sprintf("%d was never sent", n)
		case at > next:
			return fmt.Sprintf("%d came before %d", n, want[next])
		}
		next = max(next, at+1)
	}
	if next != len(want) {
		return fmt.Sprintf("%d has not come", want[next])
	}
	return ""
}

// What does not arrive is tried after pauses that grow, for three days, and is set aside
// then, while later changes of the document wait behind it. It is sent again on demand,
// and dropped after 30 days.
func TestSetAside(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	r.answers(func(d *delivered) int {
		if d.Payload.Entry["number"] == 1.0 {
			return http.StatusInternalServerError
		}
		return http.StatusNoContent
	})
	h := o.hook(r, nil)
	id := o.write(tags, "", "", `{"number": 1}`).DocumentID
	o.write(tags, id, "", `{"number": 2}`)
	other := o.write(tags, "", "", `{"number": 3}`).DocumentID
	if d := r.next(); d.documentID() != other {
		t.Errorf("another document waits: %s", d.Body)
	}
	o.until("two wait", func() bool { return len(o.deliveries(h)) == 2 })
	first := o.deliveries(h)[0]
	if first.State != webhook.Waiting || first.Tries != 1 || first.Error != "the receiver answered 500" || first.NextAt.Sub(o.clock.Now()) != 10*time.Second {
		t.Errorf("the first: %+v", first)
	}
	if second := o.deliveries(h)[1]; second.Tries != 0 || second.State != webhook.Waiting {
		t.Errorf("the second: %+v", second)
	}
	o.pass(10 * time.Second)
	o.until("a second attempt has failed", func() bool { return o.deliveries(h)[0].Tries == 2 })
	o.pass(72 * time.Hour)
	if d := r.next(); d.documentID() != id || d.Payload.Entry["number"] != 2.0 {
		t.Errorf("then came %s", d.Body)
	}
	o.until("one is left", func() bool { return len(o.deliveries(h)) == 1 })
	aside := o.deliveries(h)[0]
	if aside.ID != first.ID || aside.State != webhook.SetAside || aside.SetAsideAt.IsZero() || o.counted(webhook.GivenUp) != 1 {
		t.Errorf("set aside: %+v", aside)
	}
	r.answers(nil)
	if n, err := o.webhooks.Resend(t.Context(), h, aside.ID); n != 1 || err != nil {
		t.Errorf("%d are sent again: %v", n, err)
	}
	if d := r.next(); d.ID != aside.ID || d.Payload.Entry["number"] != 1.0 {
		t.Errorf("sent again: %s %s", d.ID, d.Body)
	}
	if _, err := o.webhooks.Resend(t.Context(), h, "msg_none"); err == nil {
		t.Error("a delivery that there is not is sent again")
	}
}

// What was set aside is dropped after 30 days, and what waits for a hook that is gone at
// once.
func TestDropped(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	r.answers(func(*delivered) int { return http.StatusGone })
	h := o.hook(r, nil)
	o.write(tags, "", "", `{"number": 1}`)
	o.until("one waits", func() bool { return len(o.deliveries(h)) == 1 })
	o.pass(72 * time.Hour)
	o.until("it is set aside", func() bool { return o.deliveries(h)[0].State == webhook.SetAside })
	o.pass(30 * 24 * time.Hour)
	o.until("it is dropped", func() bool { return len(o.deliveries(h)) == 0 })
	o.write(tags, "", "", `{"number": 2}`)
	o.until("one waits", func() bool { return len(o.deliveries(h)) == 1 })
	o.check(o.webhooks.Remove(t.Context(), h))
	o.until("it is removed", func() bool { return len(o.deliveries(h)) == 0 })
}

// A receiver that does not answer holds up no other, and no write.
func TestSlowReceiver(t *testing.T) {
	o, slow, quick := openFixture(t, allowed), newReceiver(t), newReceiver(t)
	release := make(chan struct{})
	slow.answers(func(*delivered) int { <-release; return http.StatusOK })
	defer close(release)
	o.hook(slow, nil)
	o.hook(quick, nil)
	for i := range 100 {
		o.write(tags, "", "", fmt.Sprintf(`{"number": %d}`, i))
	}
	for range 100 {
		quick.next()
	}
}

// Nothing is sent for a write that was refused or came to nothing, nor for what was
// committed while the hook was disabled or before it was made.
func TestOnlyWhatIsCommitted(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	o.write(tags, "", "", `{"name": "before", "number": 1}`)
	h := o.hook(r, nil)
	o.write(tags, "", "", `{"name": "taken", "number": 2}`)
	in := content.Request{Type: o.site.Type(tags), Beside: func(*store.Tx) error { return fmt.Errorf("refused") }}
	if _, err := o.writer.Create(t.Context(), in); err == nil {
		t.Fatal("the write was not refused")
	}
	if d := r.next(); d.Payload.Entry["number"] != 2.0 {
		t.Errorf("first came %s", d.Body)
	}
	off := h.Webhook
	off.Enabled = false
	h, err := o.webhooks.Change(t.Context(), h, off)
	o.check(err)
	o.write(tags, "", "", `{"name": "meanwhile", "number": 3}`)
	off.Enabled = true
	if _, err := o.webhooks.Change(t.Context(), h, off); err != nil {
		t.Fatal(err)
	}
	o.write(tags, "", "", `{"name": "again", "number": 4}`)
	if d := r.next(); d.Payload.Entry["number"] != 4.0 {
		t.Errorf("then came %s", d.Body)
	}
}

// Where the log was begun anew, as after an import, or the file is older than what is known
// of the hook, it goes on from there.
func TestLogThatBeginsAnew(t *testing.T) {
	for what, change := range map[string]func(tx *store.Tx, hook string) error{
		"a reset": func(tx *store.Tx, _ string) error { return tx.ResetLog() },
		"an older file": func(tx *store.Tx, hook string) error {
			return tx.PutRecord("webhook-positions", hook, []byte("1000000"))
		},
		"a damaged position": func(tx *store.Tx, hook string) error {
			return tx.PutRecord("webhook-positions", hook, []byte("nonsense"))
		},
	} {
		o, r := openFixture(t, allowed), newReceiver(t)
		h := o.hook(r, nil)
		o.write(tags, "", "", `{"number": 1}`)
		r.next()
		o.close()
		db, err := store.Open(o.file, store.Options{})
		o.check(err)
		o.check(db.Update(func(tx *store.Tx) error { return change(tx, h.ID) }))
		o.check(db.Close())
		o.open(allowed)
		o.until("it goes on", func() bool {
			o.write(tags, "", "", `{"number": 2}`)
			return len(r.come) > 0
		})
		if d := r.next(); d.Payload.Entry["number"] != 2.0 {
			t.Errorf("after %s: %s", what, d.Body)
		}
	}
}

// The hooks of site.json come, change and go with it.
func TestSiteJSON(t *testing.T) {
	one, two := newReceiver(t), newReceiver(t)
	site := func(hooks string) string {
		return strings.TrimSuffix(allowed, "}") + `, "webhooks": [` + hooks + `]}`
	}
	at := func(name string, r *receiver, more string) string {
		return fmt.Sprintf(`{"name": %q, "url": %q%s}`, name, r.server.URL, more)
	}
	o := openFixture(t, site(at("a", one, "")))
	h, err := o.webhooks.Hook("a")
	o.check(err)
	secret, err := o.webhooks.Secret(t.Context(), h)
	o.check(err)
	if !h.Managed || !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("the hook: %+v", h)
	}
	one.know(secret)
	o.write(tags, "", "", `{"number": 1}`)
	one.next()
	if _, err := o.webhooks.Change(t.Context(), h, h.Webhook); err == nil {
		t.Error("a hook of site.json is changed")
	}
	if err := o.webhooks.Remove(t.Context(), h); err == nil {
		t.Error("a hook of site.json is removed")
	}
	o.serve(site(at("a", two, ``)))
	two.know(secret)
	o.write(tags, "", "", `{"number": 2}`)
	if d := two.next(); d.Payload.Entry["number"] != 2.0 || len(one.come) > 0 {
		t.Errorf("at another address: %s", d.Body)
	}
	o.serve(site(at("a", two, `, "enabled": false`)))
	o.write(tags, "", "", `{"number": 3}`)
	o.serve(allowed)
	o.write(tags, "", "", `{"number": 4}`)
	o.serve(site(at("b", one, "") + "," + at("a", two, "")))
	b, err := o.webhooks.Hook("b")
	o.check(err)
	one.know(b.Secret)
	o.write(tags, "", "", `{"number": 5}`)
	if d := two.next(); d.Payload.Entry["number"] != 5.0 {
		t.Errorf("once it is back: %s", d.Body)
	}
	if d := one.next(); d.Payload.Entry["number"] != 5.0 {
		t.Errorf("at the other: %s", d.Body)
	}
}

// After a rotation both secrets sign for a day, so that a receiver can change at leisure.
func TestRotation(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	h := o.hook(r, nil)
	rotated, err := o.webhooks.Rotate(t.Context(), h)
	o.check(err)
	if _, err := o.webhooks.Rotate(t.Context(), h); err == nil {
		t.Error("a hook that has changed meanwhile is rotated")
	}
	r.know() // until it is sure that the sender has the new one
	trial, err := o.webhooks.Test(t.Context(), h)
	if err != nil || !trial.Delivered || trial.Status != 204 {
		t.Errorf("a test: %+v, %v", trial, err)
	}
	if d := r.next(); d.Event != "trigger-test" || len(d.Signatures) != 2 || d.Signatures[0] != sign(rotated.Secret, d.Header.Get("webhook-timestamp"), d) ||
		d.Signatures[1] != sign(h.Secret, d.Header.Get("webhook-timestamp"), d) {
		t.Errorf("signed %v", d.Signatures)
	}
	o.pass(24 * time.Hour)
	if _, err := o.webhooks.Test(t.Context(), h); err != nil {
		t.Error(err)
	}
	if d := r.next(); len(d.Signatures) != 1 {
		t.Errorf("after a day: %v", d.Signatures)
	}
}

// An entry that is too large is named by its ids alone.
func TestLargeEntry(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	o.hook(r, nil)
	id := o.write(tags, "", "", `{"text": "`+strings.Repeat("x", 1<<20)+`"}`).DocumentID
	d := r.next()
	if !d.Payload.TooLarge || d.Payload.Entry["text"] != nil || d.documentID() != id || len(d.Body) > 1000 {
		t.Errorf("%d bytes: %.200s", len(d.Body), d.Body)
	}
}

// The number and the names of hooks are bounded.
func TestBounds(t *testing.T) {
	o := openFixture(t, allowed)
	for i := range settings.MaxWebhooks {
		_, err := o.webhooks.Create(t.Context(), settings.Webhook{Name: fmt.Sprint(i), URL: "https://example.org"})
		o.check(err)
	}
	if _, err := o.webhooks.Create(t.Context(), settings.Webhook{Name: "one more", URL: "https://example.org"}); err == nil {
		t.Error("there is no bound")
	}
	h, err := o.webhooks.Hook("7")
	o.check(err)
	taken := h.Webhook
	taken.Name = "8"
	if _, err := o.webhooks.Change(t.Context(), h, taken); err == nil {
		t.Error("two have one name")
	}
}

// A body shows the entry as its change left it, also if the entry changes while the body is
// made: the file was read before that, and the content in memory is read after it.
func TestBodyWhileItsEntryChanges(t *testing.T) {
	o := openFixture(t, allowed)
	tag := o.write(tags, "", "", `{"name": "first"}`)
	before := filepath.Join(t.TempDir(), "quire.db")
	o.check(o.db.View(func(tx *store.Tx) error { return tx.CopyTo(before) }))
	o.write(tags, tag.DocumentID, "", `{"name": "second"}`)
	db, err := store.Open(before, store.Options{})
	o.check(err)
	defer db.Close()
	webhooks := webhook.New(db, o.site, o.index, o.writer, o.options())
	body, err := webhooks.PayloadOf(t.Context(), event.Event{Type: tags, ID: 1, DocumentID: tag.DocumentID, Status: store.Published, Action: store.ActionCreate, Version: tag.Version})
	o.check(err)
	if !strings.Contains(string(body), `"name":"first"`) {
		t.Errorf("the body of the create is %s", body)
	}
}

// A change that arrives late shows the entry as it left it, also if a write of its document
// came next that left the entry alone.
func TestLateBodyOfADraft(t *testing.T) {
	o, r := openFixture(t, allowed), newReceiver(t)
	r.answers(func(*delivered) int { return 503 })
	h := o.hook(r, nil)
	article := o.write(articles, "", "draft", `{"title": "one"}`)
	o.step(o.writer.Publish, article.DocumentID)
	o.step(o.unpublish, article.DocumentID)
	o.write(articles, article.DocumentID, "draft", `{"title": "two"}`)
	o.until("the deliveries wait", func() bool { return len(o.deliveries(h)) == 4 })
	r.answers(nil)
	for _, want := range []string{"entry.create one", "entry.publish one", "entry.unpublish one", "entry.update two"} {
		o.pass(time.Hour)
		if d := r.next(); d.Event+" "+fmt.Sprint(d.Payload.Entry["title"]) != want {
			t.Errorf("instead of %s: %s", want, d.Body)
		}
	}
}

// The body about a file in a private folder has signed addresses, and so has a former state of
// the file.
func TestBodyOfAPrivateFile(t *testing.T) {
	o := openFixture(t, allowed)
	folder := o.write(schema.FolderUID, "", "", `{"name": "f", "private": true}`)
	file := o.write(schema.FileUID, "", "", `{"name": "a", "hash": "a_1", "ext": ".png", "mime": "image/png", "size": 1, "url": "/uploads/a_1.png", "provider": "local",
		"folder": "`+folder.DocumentID+`", "formats": {"small": {"name": "small_a", "url": "/uploads/small_a_1.png"}}}`)
	body, err := o.webhooks.PayloadOf(t.Context(), event.Event{Type: schema.FileUID, ID: 1, DocumentID: file.DocumentID, Status: store.Published, Action: store.ActionCreate, Version: file.Version})
	o.check(err)
	var former *store.Entry
	o.check(o.db.View(func(tx *store.Tx) (err error) {
		former, err = tx.Entry(schema.FileUID, store.Key{DocumentID: file.DocumentID, Status: store.Published})
		return err
	}))
	c := query.NewCompiler(o.site)
	c.SignWith(signer{})
	view := c.Viewer(all{}, o.index.Snapshot()).View(o.site.Type(schema.FileUID), former)
	for _, shown := range []string{string(body), string(view.Append(nil))} {
		for _, want := range []string{`"url":"/uploads/a_1.png?access=/uploads/a_1.png"`, `"url":"/uploads/small_a_1.png?access=/uploads/small_a_1.png"`} {
			if !strings.Contains(shown, want) {
				t.Errorf("%s lacks %s", shown, want)
			}
		}
	}
}

// all may do everything.
type all struct{ schema.Unlimited }

func (all) Allows(*schema.Type, schema.Action) bool { return true }
