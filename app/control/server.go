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

	"golang.org/x/net/netutil"
)

// Limits on the size of commands and results, and on the number of concurrent commands.
const (
	maxBytes       = 64 << 20
	maxConnections = 64
)

// Limits on the time that a connection may take to send a command. The command itself has
// no limit.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	stopTimeout   = 30 * time.Second // for commands in progress when the server stops
)

// outcome is a response: a result or the text of an error.
type outcome struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// Server runs the commands that arrive at the socket.
type Server struct {
	// Run executes one command. Several goroutines call it at the same time. Its context
	// ends when the caller disconnects or the server stops. A panic becomes an error.
	Run func(ctx context.Context, command string, args json.RawMessage) (any, error)

	// Polled are the names of commands that clients repeat often, and that change nothing.
	// They are logged at level Debug.
	Polled []string

	Log *slog.Logger // one line for each command
}

// Serve runs commands until ctx is done, and then waits for commands in progress, for a
// limited time. The listener is closed when it returns.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           http.HandlerFunc(s.answer),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(netutil.LimitListener(l, maxConnections)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		err := shutDown(h)
		<-ended // h.Serve may start as late as this
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

// answer runs one command. The query has its name, and the body its argument.
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
	_ = json.NewEncoder(w).Encode(out) // the caller may have disconnected
}

// run calls Run. It turns a panic into an error without the cause, which is in the log.
func (s *Server) run(r *http.Request, name string) (result any, err error) {
	debug.SetPanicOnFault(true) // some content is in a mapped file, and its disk may fail
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

// level returns the log level for the end of a command. It is not a failure if the caller
// has disconnected.
func (s *Server) level(ctx context.Context, name string, err error) slog.Level {
	switch {
	case err != nil && ctx.Err() == nil:
		return slog.LevelWarn
	case slices.Contains(s.Polled, name):
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
