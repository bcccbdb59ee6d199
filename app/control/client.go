package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// NoServerError reports that no server listens at a socket.
type NoServerError struct{ Path string }

func (e *NoServerError) Error() string { return "no server listens at " + e.Path }

// Call runs a command in the server at a socket, and returns its result. If no server
// listens, the error is a *NoServerError. If the command fails, the error has the text of
// the server.
func Call(ctx context.Context, socket, command string, args json.RawMessage) (json.RawMessage, error) {
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dial(ctx, socket)
	}}}
	defer client.CloseIdleConnections()
	r, err := newRequest(ctx, command, args)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(r)
	if err != nil {
		if none, ok := errors.AsType[*NoServerError](err); ok {
			return nil, none
		}
		return nil, fmt.Errorf("the running server does not respond: %w", err)
	}
	defer answer.Body.Close()
	var out outcome
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxBytes)).Decode(&out); err != nil {
		return nil, fmt.Errorf("the response of the running server cannot be read: %w", err)
	}
	if out.Error != "" {
		return nil, errors.New(out.Error)
	}
	return out.Result, nil
}

func newRequest(ctx context.Context, command string, args json.RawMessage) (*http.Request, error) {
	address := url.URL{Scheme: "http", Host: "quire", Path: "/", RawQuery: url.Values{"command": {command}}.Encode()}
	return http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(args))
}
