package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quire/server"
	"quire/store"
)

// socket is where a running server takes commands.
func (p place) socket() string { return filepath.Join(p.dataFolder(), "quire.sock") }

// listenControl makes the socket. Without one the site is served all the same.
func (a *app) listenControl() net.Listener {
	l, err := server.ListenControl(a.socket())
	if err != nil {
		a.log.Warn("while this server runs, quire token, user and role cannot reach it", "error", err)
		return nil
	}
	return l
}

// serveControl takes commands until ctx is done.
func (a *app) serveControl(ctx context.Context, l net.Listener) {
	if err := a.server.ServeControl(ctx, l); err != nil {
		a.log.Error("commands cannot reach this server any more", "error", err)
	}
}

// operate carries out a command on the site: the running server does it, or
// this process where there is none. Which it was is told on standard error.
func operate[R any](c *cobra.Command, p place, command string, args any) (result R, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return result, err
	}
	answer, who, err := p.carryOut(c.Context(), command, raw)
	if err != nil {
		return result, err
	}
	fmt.Fprintf(c.ErrOrStderr(), "quire: done by %s\n", who)
	return result, json.Unmarshal(answer, &result)
}

// Who carries commands out.
const (
	byServer  = "the running server"
	byProcess = "this command, as no server is running"
)

// A server that is about to start or to end has the data file without taking
// commands. That is waited for.
const (
	patience = 10 * time.Second
	pause    = 50 * time.Millisecond
)

func (p place) carryOut(ctx context.Context, command string, args json.RawMessage) (answer json.RawMessage, who string, err error) {
	return p.carryOutOr(ctx, command, args, func() (json.RawMessage, error) { return p.carryOutHere(ctx, command, args) })
}

// carryOutOr is carryOut with another way to do it in this process.
func (p place) carryOutOr(ctx context.Context, command string, args json.RawMessage, here func() (json.RawMessage, error)) (answer json.RawMessage, who string, err error) {
	for end := time.Now().Add(patience); ; {
		answer, err = server.Ask(ctx, p.socket(), command, args)
		var none *server.NoServerError
		if !errors.As(err, &none) {
			return answer, byServer, err
		}
		answer, err = here()
		var locked *store.LockedError
		if !errors.As(err, &locked) || time.Now().After(end) {
			return answer, byProcess, err
		}
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-time.After(pause):
		}
	}
}

// carryOutHere opens the data file for one command.
func (p place) carryOutHere(ctx context.Context, command string, args json.RawMessage) (answer json.RawMessage, err error) {
	a, err := openApp(p, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if !strings.HasPrefix(command, "token ") { // tokens are no content, which can take long to read
		if err := a.start(); err != nil {
			return nil, err
		}
	}
	result, err := a.accounts().Do(ctx, command, args)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}
