package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"quire/auth"
	"quire/server"
)

// QueryRequest is a read of the content API by a command.
type QueryRequest struct {
	Target  string `json:"target"` // path and query below /api: "restaurants?filters[name]=Soup"
	As      string `json:"as"`     // the caller to read as, see auth.ActAs
	Explain bool   `json:"explain,omitempty"`
}

// QueryResponse is the response to a read.
type QueryResponse struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
	Plan   string          `json:"plan,omitempty"` // in one line
}

// Query answers a read in the running server or, if no server runs, in this process. It
// returns an error if there is no data file, and does not create one.
func (l Location) Query(ctx context.Context, in QueryRequest) (out QueryResponse, who string, err error) {
	if _, err := l.Load(); err != nil {
		return out, "", err
	}
	return callData[QueryResponse](ctx, l, queryCommand, in)
}

// query answers the read of a command.
func (a *App) query(ctx context.Context, in QueryRequest) (any, error) {
	path, query, err := targetOf(in.Target)
	if err != nil {
		return nil, err
	}
	if _, err := a.auth.ActAs(in.As); err != nil {
		return nil, err
	}
	who := func() (auth.Identity, error) { return a.auth.ActAs(in.As) }
	r, err := a.server.Read(ctx, server.LocalGet{Path: path, Query: query, Explain: in.Explain, Who: who})
	if err != nil {
		return nil, err
	}
	return QueryResponse{r.Status, r.Body, r.Plan}, nil
}

// targetOf splits a target into a path below /api and a query.
func targetOf(target string) (path, query string, err error) {
	path, query, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(target, "/"), "api/"), "?")
	if strings.Contains(path, "://") || path == "" {
		return "", "", fmt.Errorf("%q is no path of the content API; write it as in restaurants?sort=name", target)
	}
	if path, err = url.PathUnescape(path); err != nil {
		return "", "", err
	}
	return path, query, nil
}
