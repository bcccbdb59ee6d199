package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/auth"
	"quire/server"
)

// takeCommands serves a site's socket at a path until the test ends.
func (h *house) takeCommands(path string) {
	h.t.Helper()
	l, err := server.ListenControl(path)
	check(h.t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.server.ServeControl(ctx, l) }()
	h.t.Cleanup(func() {
		stop()
		check(h.t, <-ended)
	})
}

func ask(t *testing.T, path, command string, args any) (string, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	check(t, err)
	answer, err := server.Ask(t.Context(), path, command, raw)
	return string(answer), err
}

func TestCommandsOverTheSocket(t *testing.T) {
	h, path := openSample(t), filepath.Join(t.TempDir(), "quire.sock")
	h.takeCommands(path)
	token, err := ask(t, path, "token create", auth.TokenSpec{Name: "late", Kind: auth.FullAccess})
	check(t, err)
	h.tokens["late"] = strings.Trim(token, `"`)
	if a := h.send("late", "GET", "/api/users", ""); a.status != 200 {
		t.Errorf("with the token: %d", a.status)
	}
	if _, err := ask(t, path, "token revoke", "late"); err != nil || h.send("late", "GET", "/api/users", "").status != 401 {
		t.Errorf("revoked: %v", err)
	}
	if _, err := ask(t, path, "user block", auth.UserRef{User: "nobody"}); err == nil || err.Error() != `there is no user "nobody"` {
		t.Errorf("a command that fails: %v", err)
	}
	if _, err := ask(t, path, "format disk", nil); err == nil || !strings.Contains(err.Error(), "format disk") {
		t.Errorf("an unknown command: %v", err)
	}
	if logged := h.log.String(); !strings.Contains(logged, `command="token create" done=true`) || strings.Contains(logged, h.tokens["late"]) {
		t.Errorf("the log: %s", logged)
	}
}

func TestOnlyTheOwnerCanOpenTheSocket(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "quire.sock")
	l, err := server.ListenControl(path)
	check(t, err)
	info, err := os.Lstat(path)
	check(t, err)
	if got := info.Mode(); got != os.ModeSocket|0o600 {
		t.Errorf("the socket is %v", got)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("beside the socket there is %v", entries)
	}
	check(t, l.Close())
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket stays behind: %v", err)
	}
}

// stale leaves a socket behind as a server does that was killed.
func stale(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	check(t, err)
	l.SetUnlinkOnClose(false)
	check(t, l.Close())
}

func TestSocketThatWasLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.sock")
	var none *server.NoServerError
	if _, err := ask(t, path, "token list", nil); !errors.As(err, &none) {
		t.Errorf("without a socket: %v", err)
	}
	stale(t, path)
	if _, err := ask(t, path, "token list", nil); !errors.As(err, &none) || none.Path != path {
		t.Errorf("with one that nobody listens at: %v", err)
	}
	openSample(t).takeCommands(path)
	if got, err := ask(t, path, "token list", nil); err != nil || !strings.Contains(got, `"full"`) {
		t.Errorf("once it has been replaced: %s, %v", got, err)
	}
}

// Nothing but a socket is ever replaced.
func TestSomethingElseInTheWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.sock")
	check(t, os.WriteFile(path, []byte("precious"), 0o600))
	if _, err := server.ListenControl(path); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Errorf("a file: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "precious" {
		t.Errorf("the file: %q, %v", text, err)
	}
	check(t, os.Remove(path))
	check(t, os.Symlink("elsewhere", path))
	if _, err := server.ListenControl(path); err == nil {
		t.Error("a link is replaced")
	}
	if _, err := server.ListenControl(filepath.Join(path, "no", "folder")); err == nil {
		t.Error("there is no such folder")
	}
}

func TestSocketInADeepFolder(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("this system has no other way to a socket than its path")
	}
	folder := filepath.Join(t.TempDir(), strings.Repeat("deep/", 40))
	check(t, os.MkdirAll(folder, 0o700))
	path := filepath.Join(folder, "quire.sock")
	openSample(t).takeCommands(path)
	if got, err := ask(t, path, "role show", "public"); err != nil || !strings.Contains(got, `"inSite":true`) {
		t.Errorf("%s, %v", got, err)
	}
}
