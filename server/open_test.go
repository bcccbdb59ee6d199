package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quire/auth"
	"quire/auth/password"
	"quire/auth/people"
	"quire/auth/users"
	"quire/content"
	"quire/index"
	"quire/media"
	"quire/media/bucket"
	"quire/schema"
	"quire/server"
	"quire/server/mcp"
	"quire/server/metrics"
	"quire/store"
	"quire/transfer/archive"
)

// openSite serves testdata/site on an empty data file. The tokens have the names that
// the suites use.
func openSite(t testing.TB) (http.Handler, map[string]string) {
	t.Helper()
	return openSiteIn(t, t.TempDir())
}

// openSiteIn is openSite with its data in a given folder.
func openSiteIn(t testing.TB, folder string) (http.Handler, map[string]string) {
	t.Helper()
	return openTokens(t, folder, sampleSite(t))
}

// openTokens is openSiteIn for a given site.
func openTokens(t testing.TB, folder string, site *schema.Site) (http.Handler, map[string]string) {
	t.Helper()
	s, keys, _ := open(t, folder, site, slog.New(slog.DiscardHandler))
	return s.Handler(), map[string]string{
		"full":     createToken(t, keys, "full", auth.FullAccess),
		"readonly": createToken(t, keys, "readonly", auth.ReadOnly),
	}
}

func sampleSite(t testing.TB) *schema.Site {
	t.Helper()
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(t, err)
	return site
}

// open serves a site with the data in a folder, until it is closed or the test ends.
func open(t testing.TB, folder string, site *schema.Site, log *slog.Logger) (s *server.Server, keys *auth.Auth, stop func()) {
	t.Helper()
	return openNode(t, folder, site, log, nil)
}

// openNode opens one node of a site whose nodes share a journal; a nil journal means a
// single server.
func openNode(t testing.TB, folder string, site *schema.Site, log *slog.Logger, journal store.Journal) (s *server.Server, keys *auth.Auth, stop func()) {
	t.Helper()
	return openAmong(t, folder, site, log, journal, nil)
}

// openAmong is openNode for a node that forwards to others.
func openAmong(t testing.TB, folder string, site *schema.Site, log *slog.Logger, journal store.Journal, nodes server.Nodes) (s *server.Server, keys *auth.Auth, stop func()) {
	t.Helper()
	db, err := store.Open(filepath.Join(folder, "quire.db"), store.Options{Journal: journal})
	check(t, err)
	return openOn(t, folder, db, buildIndex(t, db, site), site, log, nodes)
}

func buildIndex(t testing.TB, db *store.DB, site *schema.Site) (x *index.Index) {
	t.Helper()
	check(t, db.View(func(tx *store.Tx) (err error) {
		x, err = index.Build(site, tx)
		return err
	}))
	return x
}

// openOn serves content from a data file and from memory; it closes the file.
func openOn(t testing.TB, folder string, db *store.DB, x *index.Index, site *schema.Site, log *slog.Logger, nodes server.Nodes) (s *server.Server, keys *auth.Auth, stop func()) {
	t.Helper()
	keys, err := auth.Open(db, site, auth.Options{Log: log})
	check(t, err)
	passwords := password.NewHasher()
	accounts, err := users.Open(db, keys, site, users.Options{Log: log, Passwords: passwords})
	check(t, err)
	files, err := media.Open(filepath.Join(folder, "uploads"))
	check(t, err)
	if at := site.Settings.Upload.Storage; at.InUse {
		b, err := bucket.New(at)
		check(t, err)
		files.SetPlaces(media.Storages{Use: b, Other: files.Disk()})
	}
	counts := metrics.New("test")
	writer := content.NewWriter(db, x, site, content.WriterOptions{HashPassword: passwords.Hash, Now: newClock(), Observe: func(b content.Batch) { counts.CountCommit(b.Writes, b.Commit, b.Err) }, Reads: counts.Reads})
	stop = sync.OnceFunc(func() {
		check(t, keys.Close(context.Background()))
		accounts.Close()
		check(t, writer.Close())
		check(t, files.Close())
		check(t, db.Close())
	})
	t.Cleanup(stop)
	check(t, accounts.Accounts(site, x, writer).EnsureRoles(t.Context()))
	s, err = server.New(server.Deps{Site: site, DB: db, Index: x, Writer: writer, Files: files, Auth: keys, Accounts: accounts, Log: log, Metrics: counts, Build: "test", Nodes: nodes, Assistants: func(token string, _ netip.Addr) (*mcp.Agent, error) {
		identity, err := keys.Authenticate(token, nil)
		return &mcp.Agent{Identity: identity, Limits: people.Limits{Publish: people.Yes, Delete: people.Yes}}, err
	}})
	check(t, err)
	return s, keys, stop
}

// newClock returns a clock that advances by a millisecond with each call, the smallest
// step that a response shows. The recorded suites require that no two writes have the
// same time.
func newClock() func() time.Time {
	var ticks atomic.Int64
	start := time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)
	return func() time.Time { return start.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
}

func createToken(t testing.TB, keys *auth.Auth, name string, kind auth.TokenKind) string {
	t.Helper()
	token, err := keys.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: kind})
	check(t, err)
	return token
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// importGuide imports the archive of suite 14 into a data folder.
func importGuide(t *testing.T, folder string) {
	t.Helper()
	db, err := store.Open(filepath.Join(folder, "quire.db"), store.Options{Hasty: true})
	check(t, err)
	files, err := media.Open(filepath.Join(folder, "uploads"))
	check(t, err)
	to := archive.Target{Site: sampleSite(t), DB: db, Files: files}
	_, err = archive.ImportArchive(t.Context(), to, "../testdata/export/guide.tar.gz", "", archive.Options{})
	check(t, errors.Join(err, db.Close()))
}
