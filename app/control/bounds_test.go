package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
)

// What is only looked at is not in the log, a command that fails is a warning, and
// one that was stopped is neither.
func TestLevelOfACommand(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	failure := errors.New("no")
	s := &Server{Polled: []string{"ready", "data status", "data progress"}}
	for _, test := range []struct {
		ctx  context.Context
		name string
		err  error
		want slog.Level
	}{
		{t.Context(), "data import", nil, slog.LevelInfo},
		{t.Context(), "data import", failure, slog.LevelWarn},
		{stopped, "data import", failure, slog.LevelInfo},
		{t.Context(), "data progress", nil, slog.LevelDebug},
		{t.Context(), "data progress", failure, slog.LevelWarn},
		{stopped, "data progress", failure, slog.LevelDebug},
		{stopped, "ready", failure, slog.LevelDebug},
		{t.Context(), "data status", nil, slog.LevelDebug},
	} {
		if got := s.level(test.ctx, test.name, test.err); got != test.want {
			t.Errorf("%s, %v: %v, want %v", test.name, test.err, got, test.want)
		}
	}
}

// endless has a connection for whoever accepts one.
type endless struct{ net.Listener }

func (endless) Accept() (net.Conn, error) {
	c, _ := net.Pipe()
	return c, nil
}

func (endless) Close() error { return nil }

// No more connections than the bound are open at once; each that is closed lets another
// one in.
func TestConnectionsAreBounded(t *testing.T) {
	l := newLimited(endless{}, 2)
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Accept(); err != nil {
		t.Fatal(err)
	}
	first.Close()
	first.Close() // counts once
	if _, err := l.Accept(); err != nil {
		t.Errorf("after one was closed: %v", err)
	}
	l.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("one more than the bound: %v", err)
	}
}

// A command that is longer than the bound is refused, and does not run.
func TestCommandThatIsTooLong(t *testing.T) {
	s := &Server{Log: slog.New(slog.DiscardHandler), Run: func(context.Context, string, json.RawMessage) (any, error) {
		t.Error("it runs")
		return nil, nil
	}}
	w := httptest.NewRecorder()
	s.answer(w, httptest.NewRequest("POST", "/?command=x", io.LimitReader(zeros{}, maxBytes+1)))
	if !strings.Contains(w.Body.String(), "too large") {
		t.Errorf("it is answered %s", w.Body)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
