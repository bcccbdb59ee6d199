package server_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readiness requires the reason that /_ready and Ready give; "" for ready.
func (h *accountSite) readiness(want string) {
	h.t.Helper()
	a := h.send("", "GET", "/_ready", "")
	if want == "" && a.status != 204 || want != "" && (a.status != 503 || a.Error.Message != want || a.header.Get("Retry-After") == "") {
		h.t.Errorf("/_ready: %d %s, want %q", a.status, a.body, want)
	}
	if a.header.Get("Cache-Control") != keepNever {
		h.t.Errorf("the answer may be kept: %v", a.header)
	}
	err := h.server.Ready()
	if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
		h.t.Errorf("Ready: %v, want %q", err, want)
	}
	if alive := h.send("", "GET", "/_health", ""); alive.status != 204 {
		h.t.Errorf("/_health: %d", alive.status)
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.readiness("")

	file := h.file
	check(t, os.Rename(file, file+".away"))
	check(t, os.WriteFile(file, []byte("the disk has gone"), 0o600))
	if err := h.db.Reopen(); err == nil {
		t.Fatal("opened nonsense")
	}
	h.readiness("The data file accepts no writes")
	if a := h.send("", "GET", "/_ready", ""); strings.Contains(a.body, filepath.Dir(file)) {
		t.Errorf("strangers are told paths: %s", a.body)
	}
	if got := value(t, scrape(t, h.handler, h.tokens["full"]), "quire_ready"); got != 0 {
		t.Errorf("quire_ready is %v", got)
	}
	check(t, os.Rename(file+".away", file))
	check(t, h.db.Reopen())
	h.readiness("")

	h.server.Prepare()
	h.readiness("The indexes that were in use are being built")
	h.server.Prepared()
	h.readiness("")

	check(t, h.writer.Close())
	h.readiness("The site is being reloaded")
	h.server.Drain()
	h.readiness("The server is stopping")
	if a := h.send("", "GET", "/api/restaurants", ""); a.status != 200 {
		t.Errorf("while it is stopping: %d", a.status)
	}
}

// When Serve has been asked to end, /_ready says so to further requests.
func TestServeSaysThatItEnds(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	check(t, h.server.Serve(ctx, l))
	if a := h.send("", "GET", "/_ready", ""); a.status != http.StatusServiceUnavailable {
		t.Errorf("after the end: %d", a.status)
	}
}

// After a server has stopped, no request waits for password hashing.
func TestNoPasswordsOnceStopped(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	check(t, h.server.Serve(ctx, l))
	if a := h.send("", "POST", "/api/auth/local", `{"identifier": "ana", "password": "secret-1"}`); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.status, a.body)
	}
}
