package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/app/control"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// echo answers a command with its name and argument.
func echo(_ context.Context, command string, args json.RawMessage) (any, error) {
	switch command {
	case "fail":
		return nil, errors.New("it cannot be done")
	case "panic":
		panic("a defect")
	}
	return fmt.Sprintf("%s %s", command, args), nil
}

// serve answers commands at a path until the test ends. Its log may be read after the
// answer of a command.
func serve(t *testing.T, path string) (log *strings.Builder) {
	t.Helper()
	log = new(strings.Builder)
	l, err := control.Listen(path)
	check(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	s := &control.Server{Run: echo, Log: slog.New(slog.NewTextHandler(log, nil))}
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		check(t, <-ended)
	})
	return log
}

func ask(t *testing.T, path, command string, args any) (string, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	check(t, err)
	answer, err := control.Call(t.Context(), path, command, raw)
	return string(answer), err
}

func TestCommandsOverTheSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.sock")
	log := serve(t, path)
	if got, err := ask(t, path, "token create", "secret"); err != nil || got != `"token create \"secret\""` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := ask(t, path, "fail", nil); err == nil || err.Error() != "it cannot be done" {
		t.Errorf("a command that fails: %v", err)
	}
	if _, err := ask(t, path, "panic", nil); err == nil || err.Error() != "internal error; the log of the server says more" {
		t.Errorf("a command that panics: %v", err)
	}
	if logged := log.String(); !strings.Contains(logged, `command="token create" done=true`) || strings.Contains(logged, "secret") || !strings.Contains(logged, "a defect") {
		t.Errorf("the log: %s", logged)
	}
}

// More callers than there are places for get their answer when others have theirs.
func TestManyCommandsAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.sock")
	serve(t, path)
	answers := make(chan error)
	const callers = 200
	for range callers {
		go func() {
			_, err := control.Call(t.Context(), path, "token list", nil)
			answers <- err
		}()
	}
	for range callers {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
}

func TestOnlyTheOwnerCanOpenTheSocket(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "quire.sock")
	l, err := control.Listen(path)
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

// A server that is stopped before it serves leaves no socket.
func TestStoppedAtOnceLeavesNoSocket(t *testing.T) {
	s := &control.Server{Run: echo, Log: slog.New(slog.DiscardHandler)}
	path := filepath.Join(t.TempDir(), "quire.sock")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for range 50 {
		l, err := control.Listen(path)
		check(t, err)
		check(t, s.Serve(stopped, l))
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("the socket stays behind: %v", err)
		}
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
	var none *control.NoServerError
	if _, err := ask(t, path, "token list", nil); !errors.As(err, &none) {
		t.Errorf("without a socket: %v", err)
	}
	stale(t, path)
	if _, err := ask(t, path, "token list", nil); !errors.As(err, &none) || none.Path != path {
		t.Errorf("with one that nobody listens at: %v", err)
	}
	serve(t, path)
	if got, err := ask(t, path, "token list", nil); err != nil || got != `"token list null"` {
		t.Errorf("once it has been replaced: %s, %v", got, err)
	}
}

// Nothing but a socket is ever replaced.
func TestSomethingElseInTheWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.sock")
	check(t, os.WriteFile(path, []byte("precious"), 0o600))
	if _, err := control.Listen(path); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Errorf("a file: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "precious" {
		t.Errorf("the file: %q, %v", text, err)
	}
	check(t, os.Remove(path))
	check(t, os.Symlink("elsewhere", path))
	if _, err := control.Listen(path); err == nil {
		t.Error("a link is replaced")
	}
	if _, err := control.Listen(filepath.Join(path, "no", "folder")); err == nil {
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
	serve(t, path)
	if got, err := ask(t, path, "role show", "public"); err != nil || got != `"role show \"public\""` {
		t.Errorf("%s, %v", got, err)
	}
}
