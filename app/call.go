package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"quire/app/control"
	"quire/store"
)

// Who runs a command: the words in which the command line reports it.
const (
	ByServer  = "the running server"
	ByProcess = "this command, as no server is running"
)

// A server that is about to start or to end has the data file open without taking
// commands. Callers wait for that, up to patience, and try again after each pause.
const (
	patience = 10 * time.Second
	pause    = 50 * time.Millisecond
)

// Call runs a command on users, roles, tokens or webhooks, which packages account and
// webhook define: the
// running server does it or, where there is none, this process, which opens the data
// file for it. It returns the command's result as JSON and who ran it.
func (l Location) Call(ctx context.Context, command string, args json.RawMessage) (answer json.RawMessage, who string, err error) {
	return l.callOr(ctx, command, args, func() (json.RawMessage, error) { return l.callHere(ctx, command, args) })
}

// callOr has the running server run a command or, where there is none, calls here.
func (l Location) callOr(ctx context.Context, command string, args json.RawMessage, here func() (json.RawMessage, error)) (answer json.RawMessage, who string, err error) {
	for end := time.Now().Add(patience); ; {
		answer, err = control.Call(ctx, l.socket(), command, args)
		var none *control.NoServerError
		if !errors.As(err, &none) {
			return answer, ByServer, err
		}
		answer, err = here()
		if !errors.Is(err, store.ErrInUse) || time.Now().After(end) {
			return answer, ByProcess, err
		}
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Ready returns nil if a server runs and is ready; otherwise its error says why not.
func (l Location) Ready(ctx context.Context) error {
	_, err := control.Call(ctx, l.socket(), readyCommand, nil)
	return err
}

// callHere opens the site for one command.
func (l Location) callHere(ctx context.Context, command string, args json.RawMessage) (answer json.RawMessage, err error) {
	a, err := Open(l, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if !strings.HasPrefix(command, "token ") && !strings.HasPrefix(command, AdminCommands) { // these are no content, which can take long to read
		if err := a.Start(); err != nil {
			return nil, err
		}
	}
	result, err := a.do(byCommand(ctx, command), command, args)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// callAs is callOr for a command whose arguments and result are values.
func callAs[R any](ctx context.Context, l Location, command string, args any, here func() (R, error)) (result R, who string, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return result, "", err
	}
	answer, who, err := l.callOr(ctx, command, raw, func() (json.RawMessage, error) {
		result, err := here()
		if err != nil {
			return nil, err
		}
		return json.Marshal(result)
	})
	if err != nil {
		return result, who, err
	}
	return result, who, json.Unmarshal(answer, &result)
}
