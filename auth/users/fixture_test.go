package users_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"quire/auth"
	"quire/auth/password"
	_ "quire/auth/password/passwordtest"
	"quire/auth/users"
	"quire/content"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// fixture is a site with users: its data file, its content, and what it logs and
// mails.
type fixture struct {
	testing.TB
	*auth.Auth
	*users.Accounts
	service *users.Service
	site    *schema.Site
	db      *store.DB
	index   *index.Index
	clock   *clock
	mail    mailbox
	log     *safeBuffer

	writer *content.Writer
	stop   func() // ends the delivery of mail
}

// everything may do everything.
type everything struct{ schema.Unlimited }

func (everything) Allows(*schema.Type, schema.Action) bool { return true }

// mailbox is a Mailer that keeps what it is given.
type mailbox chan users.Message

func newMailbox() mailbox { return make(mailbox, 100) }

func (m mailbox) Send(_ context.Context, message users.Message) error {
	m <- message
	return nil
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

const userExtension = `{"attributes": {
	"username": {"type": "string", "minLength": 3, "unique": true, "required": true},
	"nickname": {"type": "string"},
	"note": {"type": "string", "private": true}
}}`

// loadSite loads a site whose site.json is given. Its users have a nickname and a
// private note.
func loadSite(t testing.TB, siteJSON string) *schema.Site {
	t.Helper()
	files := fstest.MapFS{
		"src/api/dish/content-types/dish/schema.json": {Data: []byte(`{"info": {"singularName": "dish", "pluralName": "dishes", "displayName": "Dish"},
			"options": {"draftAndPublish": true}, "attributes": {"name": {"type": "string"},
			"cook": {"type": "relation", "relation": "manyToOne", "target": "plugin::users-permissions.user"}}}`)},
		"src/extensions/users-permissions/content-types/user/schema.json": {Data: []byte(userExtension)},
		"site.json": {Data: []byte(siteJSON)},
	}
	s, err := schema.Load(files)
	check(t, err)
	return s
}

func openFixture(t testing.TB, siteJSON string) *fixture {
	t.Helper()
	return reopenFixture(t, filepath.Join(t.TempDir(), "quire.db"), loadSite(t, siteJSON), start(), options{Mailer: newMailbox()})
}

// options says how a site differs from others.
type options struct {
	journal   store.Journal // nil for none
	JWTSecret string
	SMTP      string
	Mailer    users.Mailer
}

// reopenFixture opens a data file that may hold something already.
func reopenFixture(t testing.TB, file string, site *schema.Site, c *clock, o options) *fixture {
	t.Helper()
	h := &fixture{TB: t, site: site, db: openNode(t, file, o.journal), clock: c, log: &safeBuffer{}}
	h.mail, _ = o.Mailer.(mailbox)
	log, passwords := slog.New(slog.NewTextHandler(h.log, nil)), password.NewHasher()
	var err error
	h.Auth, err = auth.Open(h.db, site, auth.Options{Now: c.Now, Log: log, JWTSecret: o.JWTSecret})
	h.check(err)
	h.service, err = users.Open(h.db, h.Auth, site, users.Options{Now: c.Now, Log: log, Passwords: passwords, SMTP: o.SMTP, Mailer: o.Mailer})
	h.check(err)
	h.check(h.db.View(func(tx *store.Tx) (err error) {
		h.index, err = index.Build(site, tx)
		return err
	}))
	w := content.NewWriter(h.db, h.index, site, content.WriterOptions{HashPassword: passwords.Hash, Now: c.Now})
	h.writer = w
	h.Accounts = h.service.Accounts(site, h.index, w)
	h.check(h.EnsureRoles(t.Context()))
	h.deliver()
	t.Cleanup(func() {
		h.settle()
		w.Close()
	})
	return h
}

// authenticate returns whom a bearer credential stands for.
func (h *fixture) authenticate(bearer string) (auth.Identity, error) {
	return h.Auth.Authenticate(bearer, h.Accounts)
}

// reload moves on to another version of the site.
func (h *fixture) reload(site *schema.Site) error {
	return errors.Join(h.Auth.Reload(site), h.service.Reload(site))
}

// in is the fixture in a subtest.
func (h *fixture) in(t testing.TB) *fixture {
	here := *h
	here.TB = t
	return &here
}

func (h *fixture) check(err error) {
	h.Helper()
	check(h, err)
}

// deliver sends mail until stop is called.
func (h *fixture) deliver() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.service.Deliver(ctx)
	}()
	h.stop = func() { cancel(); <-ended }
}

// settle sends the mail that is due, ends what goes on in the background and
// waits for it.
func (h *fixture) settle() {
	h.stop()
	h.service.DeliverDue(context.Background())
	h.Auth.Close(context.Background())
	h.service.Close()
}

// form is a body of names and values.
func form(t testing.TB, members map[string]any) *users.Form {
	t.Helper()
	body, err := json.Marshal(members)
	check(t, err)
	f, err := users.ReadForm(body)
	check(t, err)
	return f
}

// with is a form of texts, given as name, value, name, value.
func with(t testing.TB, pairs ...string) *users.Form {
	t.Helper()
	members := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = pairs[i+1]
	}
	return form(t, members)
}

// join registers a user with the password "secret-1".
func (h *fixture) join(name string) *users.Session {
	h.Helper()
	s, err := h.Register(h.Context(), with(h, "username", name, "email", name+"@example.org", "password", "secret-1"), everything{})
	h.check(err)
	return s
}

// who is the username of the user whom a JWT stands for, empty when it is refused.
func (h *fixture) who(jwt string) string {
	h.Helper()
	identity, err := h.authenticate(jwt)
	if err != nil {
		if !isUnauthorized(err) {
			h.Errorf("refused with %v", err)
		}
		return ""
	}
	return h.stored(identity.User.DocumentID).Value("username").Text
}

// signIn reports how signing in ends: "" or the error.
func (h *fixture) signIn(identifier, password string) string {
	h.Helper()
	_, err := h.SignIn(h.Context(), with(h, "identifier", identifier, "password", password))
	if err != nil {
		return err.Error()
	}
	return ""
}

// stored is what the data file holds of a user.
func (h *fixture) stored(documentID string) *store.Entry {
	h.Helper()
	var e *store.Entry
	h.check(h.db.View(func(tx *store.Tx) (err error) {
		e, err = tx.Entry(schema.UserUID, store.Key{DocumentID: documentID, Status: store.Published})
		return err
	}))
	return e
}

var codeForm = regexp.MustCompile(`\w{80,}`)

// code waits for the next mail and returns the code in it.
func (h *fixture) code() string {
	h.Helper()
	text := (<-h.mail).Text
	code := codeForm.FindString(text)
	if code == "" {
		h.Fatalf("no code in %q", text)
	}
	return code
}

func readForm(body string) (*users.Form, error) { return users.ReadForm([]byte(body)) }

// clock is a time that tests move, and that other goroutines read meanwhile.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func start() *clock { return &clock{now: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)} }

func openDB(t testing.TB, path string) *store.DB {
	t.Helper()
	return openNode(t, path, nil)
}

// openNode opens a data file that is a replica, where a journal is given.
func openNode(t testing.TB, path string, journal store.Journal) *store.DB {
	t.Helper()
	db, err := store.Open(path, store.Options{Journal: journal, Hasty: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func isUnauthorized(err error) bool {
	var e *auth.UnauthorizedError
	return errors.As(err, &e)
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
