package app

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"reflect"
	"testing"
	"unsafe"

	"quire/store"
	"quire/test/ledger"
	outside "quire/test/program"
)

func TestMain(m *testing.M) { outside.Main(m) }

// seam returns a pointer to an unexported field of a part of the app. Tests set it to
// something that fails.
func seam[T any](t *testing.T, owner any, field string) *T {
	t.Helper()
	f := reflect.ValueOf(owner).Elem().FieldByName(field)
	if !f.IsValid() || f.Type() != reflect.TypeFor[T]() {
		t.Fatalf("%T has no %s that is a %v", owner, field, reflect.TypeFor[T]())
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}

// openHere opens a peer's site in this process.
func openHere(t *testing.T, p *ledger.Peer) *App {
	t.Helper()
	return startApp(t, p.Site, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))
}

// makeHasty leaves it to the system when commits reach the disk. That makes the test
// faster, and no power fails in it.
func makeHasty(t *testing.T, a *App) {
	t.Helper()
	seam[store.Options](t, a.db, "options").Hasty = true
	check(t, a.db.Reopen())
}

// serveHere serves a site, and does the background work of quire serve.
func serveHere(t *testing.T, p *ledger.Peer, a *App) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	kept := make(chan struct{})
	go func() { a.maintain(ctx, false); close(kept) }()
	server := httptest.NewServer(a.server.Handler())
	p.URL = server.URL
	t.Cleanup(func() { server.Close(); stop(); <-kept })
}
