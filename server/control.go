package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"quire/store"
)

// The server has the data file to itself. Commands that change what is in it
// reach the server through a socket in the data folder, which only the owner of
// the folder can open.

// The commands that only look.
const (
	readyCommand  = "ready"
	statusCommand = "data status"
)

// Bounds on what a command takes and returns, and on how many come at once.
const (
	controlBytes       = 64 << 20
	controlConnections = 64
)

// outcome is what a command came to.
type outcome struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// ServeControl carries out the commands that come in at the listener until ctx
// is done.
func (s *Server) ServeControl(ctx context.Context, l net.Listener) error {
	h := s.newHTTP(s.control)
	h.ReadTimeout, h.WriteTimeout = 0, 0 // a command takes as long as it takes
	return serveUntil(ctx, h, func() error { return h.Serve(newCrowd(l, controlConnections, nil, &load{})) }, stopAtOnce)
}

// control carries out one command: its name is in the query, its argument the body.
func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	begin, name := time.Now(), r.URL.Query().Get("command")
	var out outcome
	result, err := s.command(r, name)
	if err == nil {
		out.Result, err = json.Marshal(result)
	}
	level := slog.LevelInfo
	switch {
	case err != nil:
		out.Error, level = err.Error(), slog.LevelWarn
	case name == readyCommand || name == statusCommand:
		level = slog.LevelDebug // asked again and again by whoever watches
	}
	s.log.LogAttrs(r.Context(), level, "command", slog.String("command", name), slog.Bool("done", err == nil), slog.Duration("took", time.Since(begin)))
	w.Header()["Content-Type"] = jsonType
	_ = json.NewEncoder(w).Encode(out) // whoever asked may have gone
}

func (s *Server) command(r *http.Request, name string) (result any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = s.report(s.ids.next(), fmt.Errorf("panic: %v", fault), nil)
		}
	}()
	args, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, controlBytes))
	if err != nil {
		return nil, err
	}
	e := s.current.Load()
	if name == readyCommand {
		return nil, s.Ready()
	}
	if strings.HasPrefix(name, "data ") && e.operate != nil {
		return e.operate(r.Context(), name, args)
	}
	result, err = e.accounts.Do(r.Context(), name, args)
	if store.Suspends(err) {
		e.suspended()
	}
	return result, err
}

// NoServerError says that nobody listens at a socket.
type NoServerError struct{ Path string }

func (e *NoServerError) Error() string { return "no server listens at " + e.Path }

// Ask has the server at a socket carry out a command, and returns its result.
// When there is no server the error is a *NoServerError.
func Ask(ctx context.Context, socket, command string, args json.RawMessage) (json.RawMessage, error) {
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialControl(ctx, socket)
	}}}
	defer client.CloseIdleConnections()
	r, err := newCommand(ctx, command, args)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(r)
	if err != nil {
		var none *NoServerError
		if errors.As(err, &none) {
			return nil, none
		}
		return nil, fmt.Errorf("the running server does not answer: %w", err)
	}
	defer answer.Body.Close()
	var out outcome
	if err := json.NewDecoder(io.LimitReader(answer.Body, controlBytes)).Decode(&out); err != nil {
		return nil, fmt.Errorf("the running server gives no answer that can be read: %w", err)
	}
	if out.Error != "" {
		return nil, errors.New(out.Error)
	}
	return out.Result, nil
}
