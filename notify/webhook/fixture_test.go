package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/notify/webhook"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// fixture is a site whose changes are sent to receivers.
type fixture struct {
	testing.TB
	file     string
	db       *store.DB
	site     *schema.Site
	index    *index.Index
	writer   *content.Writer
	webhooks *webhook.Webhooks
	service  *webhook.Service
	clock    *clock
	stop     func() // ends the Service

	mu       sync.Mutex
	outcomes map[webhook.Outcome]int
}

// allowed is a site.json by which the receivers of tests can be reached.
const allowed = `{"events": {"allowPrivate": ["127.0.0.0/8"]}}`

func loadSite(t testing.TB, siteJSON string) *schema.Site {
	t.Helper()
	s, err := schema.Load(fstest.MapFS{
		"src/api/article/content-types/article/schema.json": {Data: []byte(`{"info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"},
			"options": {"draftAndPublish": true}, "attributes": {"title": {"type": "string", "required": true}, "secret": {"type": "string", "private": true},
			"tags": {"type": "relation", "relation": "manyToMany", "target": "api::tag.tag"},
			"author": {"type": "relation", "relation": "manyToOne", "target": "plugin::users-permissions.user"}}}`)},
		"src/api/tag/content-types/tag/schema.json": {Data: []byte(`{"info": {"singularName": "tag", "pluralName": "tags", "displayName": "Tag"},
			"attributes": {"name": {"type": "string", "unique": true}, "number": {"type": "integer"}, "text": {"type": "text"}, "note": {"type": "string", "private": true}}}`)},
		"site.json": {Data: []byte(siteJSON)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openFixture(t testing.TB, siteJSON string) *fixture {
	t.Helper()
	o := &fixture{TB: t, file: filepath.Join(t.TempDir(), "quire.db"), clock: &clock{now: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)}, outcomes: map[webhook.Outcome]int{}}
	o.open(siteJSON)
	t.Cleanup(func() { o.close() })
	return o
}

// open opens the data file and sends.
func (o *fixture) open(siteJSON string) {
	o.Helper()
	var err error
	o.db, err = store.Open(o.file, store.Options{Hasty: true})
	o.check(err)
	o.service = webhook.NewService(o.db, o.options())
	o.serve(siteJSON)
	o.send()
}

func (o *fixture) options() webhook.Options {
	return webhook.Options{Now: o.clock.Now, Files: signer{}, Log: slog.New(slog.DiscardHandler), Observe: func(outcome webhook.Outcome) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.outcomes[outcome]++
	}}
}

// signer signs addresses in a form that tests see.
type signer struct{}

func (signer) AppendAccess(dst []byte, url string) []byte { return append(dst, "?access="+url...) }
func (signer) Period() int64                              { return 1 }

func (o *fixture) counted(outcome webhook.Outcome) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.outcomes[outcome]
}

// serve goes on with another version of the site.
func (o *fixture) serve(siteJSON string) {
	o.Helper()
	if o.writer != nil {
		o.writer.Close()
	}
	o.site = loadSite(o, siteJSON)
	o.check(o.db.View(func(tx *store.Tx) (err error) {
		o.index, err = index.Build(o.site, tx)
		return err
	}))
	o.writer = content.NewWriter(o.db, o.index, o.site, content.WriterOptions{Now: o.clock.Now})
	o.webhooks = webhook.New(o.db, o.site, o.index, o.writer, o.options())
	o.service.Serve(o.webhooks)
}

// send sends until stop is called.
func (o *fixture) send() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); o.service.Run(ctx) }()
	o.stop = func() { cancel(); <-ended }
}

func (o *fixture) close() {
	o.stop()
	o.writer.Close()
	o.db.Close()
	o.writer = nil
}

func (o *fixture) check(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// hook makes a webhook that is sent to a receiver.
func (o *fixture) hook(r *receiver, change func(*settings.Webhook)) *webhook.Hook {
	o.Helper()
	w := settings.Webhook{Name: fmt.Sprint("hook of ", r.server.URL), URL: r.server.URL, Enabled: true}
	if change != nil {
		change(&w)
	}
	h, err := o.webhooks.Create(o.Context(), w)
	o.check(err)
	r.know(h.Secret)
	return h
}

// write makes or changes a document.
func (o *fixture) write(uid, documentID, status, values string) content.Result {
	o.Helper()
	t := o.site.Type(uid)
	in, err := body.Decode(o.site, t, []byte(values), nil)
	o.check(err)
	r := content.Request{Type: t, DocumentID: documentID, Input: in}
	if status == "draft" {
		r.Status = store.Draft
	}
	write := o.writer.Update
	if documentID == "" {
		write = o.writer.Create
	}
	done, err := write(o.Context(), r)
	o.check(err)
	return done
}

func (o *fixture) delete(uid, documentID string) {
	o.Helper()
	o.check(o.writer.Delete(o.Context(), content.Request{Type: o.site.Type(uid), DocumentID: documentID, Locale: content.AllLocales}))
}

// deliveries is what has not arrived at a hook.
func (o *fixture) deliveries(h *webhook.Hook) []webhook.Delivery {
	o.Helper()
	all, err := o.webhooks.Deliveries(h)
	o.check(err)
	return all
}

// until waits until something holds that a commit brings about.
func (o *fixture) until(what string, holds func() bool) {
	o.Helper()
	commits := make(chan struct{}, 1)
	defer o.db.Subscribe(func(store.Commit) {
		select {
		case commits <- struct{}{}:
		default:
		}
	})()
	for late := time.After(2 * time.Minute); !holds(); {
		select {
		case <-commits:
		case <-late:
			o.Fatalf("still not: %s", what)
		}
	}
}

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

// pass lets time pass, and has what is due by then be tried.
func (o *fixture) pass(d time.Duration) {
	o.clock.mu.Lock()
	o.clock.now = o.clock.now.Add(d)
	o.clock.mu.Unlock()
	o.service.WakeAll()
}

// delivered is what a receiver was sent.
type delivered struct {
	ID, Event  string // headers
	Payload    payload
	Body       string
	Header     http.Header
	Signatures []string
}

type payload struct {
	Event     string         `json:"event"`
	CreatedAt string         `json:"createdAt"`
	Model     string         `json:"model"`
	UID       string         `json:"uid"`
	Entry     map[string]any `json:"entry"`
	TooLarge  bool           `json:"tooLarge"`
}

func (d *delivered) documentID() string { return fmt.Sprint(d.Payload.Entry["documentId"]) }

// receiver is a server that webhooks are sent to.
type receiver struct {
	testing.TB
	server *httptest.Server
	come   chan *delivered // what it has taken

	mu      sync.Mutex
	secrets []string
	answer  func(d *delivered) int // the status, 204 without it; 0 for none
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{TB: t, come: make(chan *delivered, 10_000)}
	r.server = httptest.NewServer(http.HandlerFunc(r.handle))
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) know(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = secrets
}

// answers sets how the receiver answers from now on.
func (r *receiver) answers(answer func(*delivered) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) handle(w http.ResponseWriter, q *http.Request) {
	text, err := io.ReadAll(q.Body)
	if err != nil {
		return // the sender was ended
	}
	d := &delivered{ID: q.Header.Get("webhook-id"), Event: q.Header.Get("X-Strapi-Event"), Body: string(text), Header: q.Header}
	if err := json.Unmarshal(text, &d.Payload); err != nil || d.Payload.Event != d.Event {
		r.Errorf("a body is %q: %v", text, err)
	}
	d.Signatures = strings.Fields(q.Header.Get("webhook-signature"))
	r.mu.Lock()
	secrets, answer := r.secrets, r.answer
	r.mu.Unlock()
	if secrets != nil && len(d.Signatures) != len(secrets) {
		r.Errorf("%d signatures under %d secrets", len(d.Signatures), len(secrets))
	}
	for i := range min(len(secrets), len(d.Signatures)) {
		if want := sign(secrets[i], q.Header.Get("webhook-timestamp"), d); d.Signatures[i] != want {
			r.Errorf("signed %s instead of %s", d.Signatures[i], want)
		}
	}
	status := http.StatusNoContent
	if answer != nil {
		status = answer(d)
	}
	if status/100 == 2 {
		r.come <- d
	}
	w.WriteHeader(status)
}

// sign is the signature of a delivery by the convention.
func sign(secret, timestamp string, d *delivered) string {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", d.ID, timestamp, d.Body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// next waits for the next delivery that is taken.
func (r *receiver) next() *delivered {
	r.Helper()
	select {
	case d := <-r.come:
		return d
	case <-time.After(3 * time.Minute):
		r.Fatal("nothing more has come")
		return nil
	}
}
