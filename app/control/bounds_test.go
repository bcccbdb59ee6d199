package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
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

// endless has a connection for whoever accepts one, up to one more than may be open at once.
type endless struct {
	net.Listener
	t       *testing.T
	clients chan net.Conn // the other ends
	n       int
	open    atomic.Int32
}

func (l *endless) Accept() (net.Conn, error) {
	if n := l.open.Load(); n >= maxConnections {
		l.t.Errorf("%d connections are open, and one more is accepted", n)
	}
	if l.n++; l.n > maxConnections+1 {
		return nil, io.EOF
	}
	client, end := net.Pipe()
	l.open.Add(1)
	l.clients <- client
	return &counted{Conn: end, open: &l.open}, nil
}

func (l *endless) Close() error { return nil }

// counted is the server's end of a connection.
type counted struct {
	net.Conn
	open *atomic.Int32
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// No more connections than the bound are open at once; each that is closed lets another one
// in.
func TestConnectionsAreBounded(t *testing.T) {
	l := &endless{t: t, clients: make(chan net.Conn, maxConnections+1)}
	s := &Server{Log: slog.New(slog.DiscardHandler), Run: func(context.Context, string, json.RawMessage) (any, error) { return 1, nil }}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), l) }()
	var clients []net.Conn
	for range maxConnections {
		clients = append(clients, <-l.clients)
	}
	for _, client := range clients[:2] {
		if err := httptest.NewRequest("POST", "/?command=x", strings.NewReader("{}")).Write(client); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%+v, %v", response, err)
		}
		client.Close() // another one takes its place
	}
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	for _, client := range append(clients, <-l.clients) {
		client.Close()
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
