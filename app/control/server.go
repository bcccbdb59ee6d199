package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"time"
)

// Bounds on what a command takes and returns, and on how many come at once.
const (
	maxBytes       = 64 << 20
	maxConnections = 64
)

// Bounds on how long a connection may wait for a command. The command itself takes as
// long as it takes.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	stopTimeout   = 30 * time.Second // for commands under way, when the server ends
)

// outcome is what travels back: a result or the text of an error.
type outcome struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// Server answers the commands that come in at a socket.
type Server struct {
	// Run carries out one command. It is called by several goroutines at once. Its
	// context ends when the caller goes away or the server ends. A panic becomes an
	// error.
	Run func(ctx context.Context, command string, args json.RawMessage) (any, error)

	// Polled are the names of commands that are asked for again and again, and change
	// nothing: the log has them at level Debug.
	Polled []string

	Log *slog.Logger // one line a command
}

// Serve answers commands until ctx is done; then it waits for those under way, for a
// bounded time. When it returns, the listener is closed.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           http.HandlerFunc(s.answer),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(newLimited(l, maxConnections)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		err := shutDown(h)
		<-ended // it may have come to serving only now
		return err
	}
}

func shutDown(h *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	err := h.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(errors.New("some commands did not finish in time and were cut off"), h.Close())
	}
	return err
}

// answer runs one command: its name is in the query, its argument the body.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	begin, name := time.Now(), r.URL.Query().Get("command")
	var out outcome
	result, err := s.run(r, name)
	if err == nil {
		out.Result, err = json.Marshal(result)
	}
	if err != nil {
		out.Error = err.Error()
	}
	s.Log.LogAttrs(r.Context(), s.level(r.Context(), name, err), "command", slog.String("command", name), slog.Bool("done", err == nil), slog.Duration("took", time.Since(begin)))
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // whoever asked may have gone
}

// run calls Run, and turns a panic into an error without its cause, which the log has.
func (s *Server) run(r *http.Request, name string) (result any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.Log.Error("internal error", "command", name, "error", fmt.Sprintf("panic: %v", fault), "stack", string(debug.Stack()))
			err = errors.New("internal error; the log of the server says more")
		}
	}()
	args, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBytes))
	if err != nil {
		return nil, err
	}
	return s.Run(r.Context(), name, args)
}

// level is the level at which the log has the end of a command. One whose caller has
// gone, as when it was stopped, is no failure.
func (s *Server) level(ctx context.Context, name string, err error) slog.Level {
	switch {
	case err != nil && ctx.Err() == nil:
		return slog.LevelWarn
	case slices.Contains(s.Polled, name):
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
