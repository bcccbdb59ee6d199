package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"quire/app/control"
	"quire/store"
)

// Who ran a command, in the words that the command line prints.
const (
	ByServer  = "the running server"
	ByProcess = "this command, as no server is running"
)

// A server that is starting or stopping has the data file open and accepts no commands.
// Callers retry after each pause, for the time of patience.
const (
	patience = 10 * time.Second
	pause    = 50 * time.Millisecond
)

// Call runs a command on users, roles, tokens or webhooks; packages account and webhook
// define these commands. If no server runs, this process opens the data file and runs the
// command. Call returns the result as JSON, and who ran the command. Only a command that
// makes an account, a token or a secret creates a missing data file, because that may be done
// before the first start; the error of others is a *NoDataError.
func (l Location) Call(ctx context.Context, command string, args json.RawMessage) (answer json.RawMessage, who string, err error) {
	return l.callOr(ctx, command, args, func() (json.RawMessage, error) { return l.callHere(ctx, command, args) })
}

// callOr runs a command in the running server, or calls here if no server runs.
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

// Ready returns nil if a server runs and is ready. Otherwise the error says why not.
func (l Location) Ready(ctx context.Context) error {
	_, err := control.Call(ctx, l.socket(), readyCommand, nil)
	if errors.As(err, new(*control.NoServerError)) && l.Data == "" {
		if err := l.requireFolder(); err != nil {
			return err
		}
	}
	return err
}

// callHere opens the site for one command.
func (l Location) callHere(ctx context.Context, command string, args json.RawMessage) (answer json.RawMessage, err error) {
	a, err := Open(l, Options{Log: slog.New(slog.DiscardHandler), Existing: !slices.Contains(creating, command)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if !slices.Contains(unread, areaOf(command)) {
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

// callData is callAs for a command that needs a data file, which it does not create: without a
// server, this process opens it and runs the same command.
func callData[R any](ctx context.Context, l Location, command string, args any) (result R, who string, err error) {
	return callAs(ctx, l, command, args, func() (result R, err error) {
		if err := l.requireData(); err != nil {
			return result, err
		}
		raw, err := json.Marshal(args)
		if err != nil {
			return result, err
		}
		answer, err := l.callHere(ctx, command, raw)
		if err != nil {
			return result, err
		}
		return result, json.Unmarshal(answer, &result)
	})
}

// callAs is callOr with a typed argument and result.
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
