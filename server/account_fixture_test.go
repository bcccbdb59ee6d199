package server_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth"
	"quire/auth/password"
	_ "quire/auth/password/passwordtest"
	"quire/auth/users"
	"quire/content"
	"quire/content/search"
	"quire/index"
	"quire/media"
	"quire/notify/hook"
	"quire/schema"
	"quire/schema/settings"
	"quire/server"
	"quire/server/mcp"
	"quire/store"
	"quire/test/replay"
)

// accountSite is a served site. Tests see its responses, its log and its mail.
type accountSite struct {
	lexicon *search.Lexicon
	*client
	handler  http.Handler
	site     *schema.Site
	auth     *auth.Auth
	accounts *users.Service
	file     string // path of the data file
	db       *store.DB
	writer   *content.Writer
	server   *server.Server
	mail     chan users.Message
	log      *safeLog
	people   map[string]*auth.Caller // accounts of the admin on whose behalf send asks, by name
	agents   map[string]*mcp.Agent   // assistants, by token; for other tokens their caller is one without limits
}

// options says how a site differs from others.
type options struct {
	GraphQL, MCP    bool
	Tools           string // mcp.tools; empty for its default
	JWTSecret, SMTP string
	Now             func() time.Time // for package auth; nil for time.Now
	ProviderSecret  string           // of all providers; empty if unknown
	NewestBackup    func() (*server.StoredBackup, error)
	Leading         *server.Leading
	Nodes           server.Nodes
	Settings        func(*settings.Settings) // changes those of the site; nil for none
	Missed          func(text string)
}

// Send keeps a mail for the test.
func (h *accountSite) Send(_ context.Context, m users.Message) error {
	h.mail <- m
	return nil
}

// safeLog is a buffer for several goroutines.
type safeLog struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (l *safeLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(p)
}

func (l *safeLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.String()
}

// openAccountSite serves a site on an empty data file. Unlike newClient, it sends requests
// directly to the handler, without a connection.
func openAccountSite(t *testing.T, folder fs.FS, o options) *accountSite {
	t.Helper()
	site, err := schema.Load(folder)
	check(t, err)
	site.Settings.GraphQL.Enabled, site.Settings.MCP.Enabled = o.GraphQL, o.MCP
	limits := &site.Settings.MCP.Limits
	limits.Calls, limits.Documents, limits.Bytes = 1<<30, 1<<30, 1<<30 // tests of these set their own
	site.Settings.MCP.Tools = cmp.Or(o.Tools, site.Settings.MCP.Tools)
	if o.Settings != nil {
		o.Settings(&site.Settings)
	}
	h := &accountSite{site: site, mail: make(chan users.Message, 100), log: &safeLog{}, file: filepath.Join(t.TempDir(), "quire.db")}
	db, err := store.Open(h.file, store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	log, passwords := slog.New(slog.NewTextHandler(h.log, nil)), password.NewHasher()
	h.auth, err = auth.Open(db, site, auth.Options{Log: log, JWTSecret: o.JWTSecret, Now: o.Now})
	check(t, err)
	mail := users.Options{Log: log, Passwords: passwords, SMTP: o.SMTP}
	if o.SMTP == "" {
		mail.Mailer = h
	}
	h.accounts, err = users.Open(db, h.auth, site, mail)
	check(t, err)
	var x *index.Index
	check(t, db.View(func(tx *store.Tx) (err error) {
		x, err = index.Build(site, tx)
		return err
	}))
	w := content.NewWriter(db, x, site, content.WriterOptions{HashPassword: passwords.Hash, Now: newClock(), Asker: askerOf(site)})
	t.Cleanup(func() { check(t, w.Close()) })
	ctx, cancel := context.WithCancel(context.Background())
	var delivering sync.WaitGroup
	t.Cleanup(func() { cancel(); delivering.Wait() })
	t.Cleanup(func() { check(t, h.auth.Close(context.Background())) })
	t.Cleanup(h.accounts.Close)
	check(t, h.accounts.Accounts(site, x, w).EnsureRoles(t.Context()))
	files, err := media.Open(filepath.Join(t.TempDir(), "uploads"))
	check(t, err)
	h.db, h.writer = db, w
	h.lexicon, err = search.Open(db)
	check(t, err)
	t.Cleanup(h.lexicon.Close)
	secret := func(string) (string, error) {
		if o.ProviderSecret == "" {
			return "", errors.New("there is none")
		}
		return o.ProviderSecret, nil
	}
	h.server, err = server.New(server.Deps{
		Words: h.lexicon.Current, Missed: o.Missed, ProviderSecret: secret, Site: site, DB: db, Index: x, Writer: w, Files: files, Auth: h.auth, Accounts: h.accounts, Log: log, Now: o.Now, NewestBackup: o.NewestBackup, Leading: o.Leading, Nodes: o.Nodes, Assistants: h.assistant})
	check(t, err)
	delivering.Go(func() { h.accounts.Deliver(ctx) })
	h.handler = h.server.Handler()
	h.client = &client{t: t, tokens: map[string]string{"full": createToken(t, h.auth, "full", auth.FullAccess)}}
	return h
}

// askerOf returns the hooks of a site.
func askerOf(site *schema.Site) content.Asker {
	if h := hook.New(site, hook.Options{Secrets: []string{"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}}); h != nil {
		return h
	}
	return nil
}

// send is client.send without a connection. The address of the caller is 192.0.2.1,
// unless a header pair "From" sets it.
func (h *accountSite) send(as, method, path, body string, headers ...string) *answer {
	h.t.Helper()
	r := httptest.NewRequest(method, h.below(as)+strings.ReplaceAll(path, " ", "%20"), strings.NewReader(body))
	if as != "" && h.people[as] == nil {
		r.Header.Set("Authorization", "Bearer "+h.tokens[as])
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		switch headers[i] {
		case "From":
			r.RemoteAddr = headers[i+1]
		case "X-Forwarded-For":
			r.Header.Add(headers[i], headers[i+1])
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	a := &answer{status: w.Code, header: w.Header(), body: w.Body.String()}
	if a.status >= 400 && method != http.MethodHead {
		a.checkEnvelope(h.t, method+" "+path)
	}
	return a
}

// text returns the value at a path of the response, as text.
func (a *answer) text(t *testing.T, path string) string {
	t.Helper()
	var body any
	if err := replay.Decode([]byte(a.body), &body); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	value := replay.At(body, path)
	if value == nil {
		t.Fatalf("the answer has no %s: %d %s", path, a.status, a.body)
	}
	return fmt.Sprint(value)
}

var codeForm = regexp.MustCompile(`\w{80,}`)
