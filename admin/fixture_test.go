package admin_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"quire/admin"
	"quire/auth"
	"quire/auth/openid/openidtest"
	"quire/auth/password"
	_ "quire/auth/password/passwordtest"
	"quire/auth/people"
	"quire/auth/people/desk"
	users "quire/auth/users"
	"quire/content"
	"quire/content/arrange"
	"quire/content/audit"
	"quire/content/review"
	"quire/content/search"
	"quire/index"
	"quire/media"
	"quire/schema"
	"quire/server"
	"quire/store"
)

// testAdmin is a site with its admin.
type testAdmin struct {
	t       testing.TB
	site    *schema.Site
	db      *store.DB
	auth    *auth.Auth
	people  *people.Directory
	server  *server.Server
	handler http.Handler
	types   modeller
	clock   *clock

	operation aidedSite
	transfers movedSite
	lexicon   *search.Lexicon
	missed    *search.Missed
	postbox   postbox
	log       *safeLog
	setup     string // token of the link for the first account
}

// clock is moved by tests.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// safeLog is a log for several goroutines.
type safeLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// openAdmin serves the test site on an empty data file. The replacements are of texts in
// its site.json.
func openAdmin(t testing.TB, replacements ...string) *testAdmin {
	t.Helper()
	o := &testAdmin{t: t, clock: &clock{now: time.Date(2026, time.May, 4, 9, 0, 0, 0, time.UTC)}, log: &safeLog{}}
	var err error
	o.site, err = schema.Load(edited(t, replacements))
	check(t, err)
	o.db, err = store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { check(t, o.db.Close()) })
	log, passwords := slog.New(slog.NewTextHandler(o.log, nil)), password.NewHasher()
	o.auth, err = auth.Open(o.db, o.site, auth.Options{Log: log, Now: o.clock.Now})
	check(t, err)
	t.Cleanup(func() { check(t, o.auth.Close(context.Background())) })
	o.people, err = people.Open(o.db, o.auth, o.site, people.Options{Log: log, Now: o.clock.Now, Passwords: passwords})
	check(t, err)
	t.Cleanup(o.people.Close)
	o.serve(log, passwords)
	o.setup, err = o.people.SetupToken()
	check(t, err)
	return o
}

// serve makes the server and mounts the admin.
func (o *testAdmin) serve(log *slog.Logger, passwords *password.Hasher) {
	t := o.t
	members, err := users.Open(o.db, o.auth, o.site, users.Options{Log: log, Passwords: passwords})
	check(t, err)
	t.Cleanup(members.Close)
	var x *index.Index
	check(t, o.db.View(func(tx *store.Tx) (err error) {
		x, err = index.Build(o.site, tx)
		return err
	}))
	w := content.NewWriter(o.db, x, o.site, content.WriterOptions{HashPassword: passwords.Hash})
	t.Cleanup(func() { check(t, w.Close()) })
	check(t, members.Accounts(o.site, x, w).EnsureRoles(t.Context()))
	files, err := media.Open(filepath.Join(t.TempDir(), "uploads"))
	check(t, err)
	o.lexicon, err = search.Open(o.db)
	check(t, err)
	t.Cleanup(o.lexicon.Close)
	o.missed = search.NewMissed(o.db, o.clock.Now)
	o.server, err = server.New(server.Deps{
		Words: o.lexicon.Current, Missed: o.missed.Add,
		Site: o.site, DB: o.db, Index: x, Writer: w, Files: files, Auth: o.auth, Accounts: members, Log: log,
		Decides: people.Decides, AdminName: func(by store.Actor) string { return o.people.Title(by) },
	})
	check(t, err)
	admin.New(admin.Deps{Operation: &o.operation, Transfers: &o.transfers, Mail: &o.postbox, Server: o.server, People: o.people, Auth: o.auth, Desk: desk.New(o.db, o.clock.Now), Audit: audit.NewLog(o.db), Arrange: arrange.NewStore(o.db), Reviews: review.NewBoard(o.db, o.clock.Now), Lexicon: o.lexicon, Missed: o.missed, Types: &o.types, Secret: openidtest.Secret, Key: modelKey}).Mount()
	o.handler = o.server.Handler()
}

// edited is the test site with another site.json.
func edited(t testing.TB, replacements []string) fs.FS {
	t.Helper()
	folder := os.DirFS("../testdata/site")
	if len(replacements) == 0 {
		return folder
	}
	all := fstest.MapFS{}
	check(t, fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(folder, path)
		if path == "site.json" {
			text = []byte(strings.NewReplacer(replacements...).Replace(string(text)))
		}
		all[path] = &fstest.MapFile{Data: text, Mode: 0o600}
		return err
	}))
	return all
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// text is the value at a path of the answer, such as "data.account.role.id", as JSON
// without quotes.
func (a *answer) text(path string) string {
	var value any
	if json.Unmarshal([]byte(a.body), &value) != nil {
		return "no JSON: " + a.body
	}
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	out, _ := json.Marshal(value)
	return strings.Trim(string(out), `"`)
}

// message is the status and the name and message of an error.
func (a *answer) fault() string { return a.text("error.name") + ": " + a.text("error.message") }

// client is a browser: it keeps the cookie of the admin.
type client struct {
	*testAdmin
	cookie string            // of the session
	others map[string]string // its other cookies, by name
	from   string            // its address
}

func (o *testAdmin) client() *client {
	return &client{testAdmin: o, others: map[string]string{}, from: "192.0.2.1:4711"}
}

// ask sends a request as a page of the admin does. The path is below /admin/api/v1, or a
// whole one where it begins with "//". headers are pairs; one with the value "-" is left
// out.
func (v *client) ask(method, path, body string, headers ...string) *answer {
	v.t.Helper()
	path, whole := strings.CutPrefix(path, "//")
	if path = "/" + strings.TrimPrefix(path, "/"); !whole {
		path = admin.APIPath + path
	}
	r := httptest.NewRequestWithContext(v.t.Context(), method, strings.ReplaceAll(path, " ", "%20"), strings.NewReader(body))
	r.RemoteAddr = v.from
	r.Header.Set("X-Quire-Admin", "1")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if v.cookie != "" {
		r.Header.Set("Cookie", "quire_admin="+v.cookie)
	}
	for name, value := range v.others {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "-" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		switch {
		case c.Name == "quire_admin":
			v.cookie = c.Value
		case c.Value == "":
			delete(v.others, c.Name)
		default:
			v.others[c.Name] = c.Value
		}
	}
	if strings.HasPrefix(path, admin.Path) && w.Header().Get("Access-Control-Allow-Origin") != "" {
		v.t.Errorf("%s %s allows other origins", method, path)
	}
	if described, err := theDescription(); err != nil {
		v.t.Error(err)
	} else if !whole && w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed {
		if err := described.keep(method, strings.TrimPrefix(path, admin.APIPath), w.Code, w.Body.String()); err != nil {
			v.t.Error(err)
		}
	}
	return &answer{w.Code, w.Header(), w.Body.String()}
}

// want sends a request whose answer must have that status.
func (v *client) want(status int, method, path, body string, headers ...string) *answer {
	v.t.Helper()
	a := v.ask(method, path, body, headers...)
	if a.status != status {
		v.t.Fatalf("%s %s %s: %d, want %d: %s", method, path, body, a.status, status, a.body)
	}
	return a
}

const (
	secret = "correct horse battery"
	ana    = `{"name":"Ana","email":"ana@example.org","password":"` + secret + `"}`
)

// owner makes the first account.
func (o *testAdmin) owner() *client {
	o.t.Helper()
	v := o.client()
	v.want(200, "POST", "/setup", `{"token":"`+o.setup+`",`+ana[1:])
	return v
}
