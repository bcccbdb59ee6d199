package server_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quire/auth"
	"quire/content"
	"quire/index"
	"quire/media"
	"quire/schema"
	"quire/server"
	"quire/store"
)

// openSite serves testdata/site on an empty data file. The tokens are by the
// names that the suites call them.
func openSite(t testing.TB) (http.Handler, map[string]string) {
	t.Helper()
	return openSiteIn(t, t.TempDir())
}

// openSiteIn is openSite with its data in a folder that the test knows.
func openSiteIn(t testing.TB, folder string) (http.Handler, map[string]string) {
	t.Helper()
	s, keys, _ := open(t, folder, sampleSite(t), slog.New(slog.DiscardHandler))
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

// open serves a site with the data in a folder, up to when it is closed or the
// test ends.
func open(t testing.TB, folder string, site *schema.Site, log *slog.Logger) (s *server.Server, keys *auth.Auth, stop func()) {
	t.Helper()
	db, err := store.Open(filepath.Join(folder, "quire.db"), store.Options{})
	check(t, err)
	keys, err = auth.Open(db, site, auth.Options{Log: log})
	check(t, err)
	var x *index.Index
	check(t, db.View(func(tx *store.Tx) (err error) {
		x, err = index.Build(site, tx)
		return err
	}))
	counts := server.NewMetrics("test")
	writer := content.NewWriter(db, x, site, content.WriterOptions{HashPassword: auth.NewPasswords().Hash, Now: newClock(), Observe: counts.Batch, Reads: counts.Reads})
	stop = sync.OnceFunc(func() {
		check(t, keys.Close(context.Background()))
		check(t, writer.Close())
		check(t, db.Close())
	})
	t.Cleanup(stop)
	check(t, keys.Accounts(site, x, writer).EnsureRoles(t.Context()))
	files, err := media.Open(filepath.Join(folder, "uploads"))
	check(t, err)
	s, err = server.New(server.Deps{Site: site, DB: db, Index: x, Writer: writer, Files: files, Auth: keys, Log: log, Metrics: counts, Build: "test"})
	check(t, err)
	return s, keys, stop
}

// newClock returns a clock that moves on by a millisecond, the smallest step that
// an answer shows, each time it is read. The recorded suites count on no two
// writes being of one time.
func newClock() func() time.Time {
	var ticks atomic.Int64
	start := time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)
	return func() time.Time { return start.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
}

func createToken(t testing.TB, keys *auth.Auth, name string, kind auth.TokenKind) string {
	t.Helper()
	token, err := keys.CreateToken(auth.TokenSpec{Name: name, Kind: kind})
	check(t, err)
	return token
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
