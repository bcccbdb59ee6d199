package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"quire/auth"
	"quire/content/audit"
	"quire/server/edge"
)

// PushPath is the path for the changes of another site.
const PushPath = "/api/_push"

// PushOptions say what is done with another site that a client sends.
type PushOptions struct {
	From          string // what the client calls that site, for the audit log
	SkipConflicts bool   // leave out documents that both sites have changed
	Do            bool   // otherwise nothing is done
}

// Receiver makes the changes of another site, which it reads from body within receive. It
// returns what was done, or would be, as JSON. If the client has to send more, or to change
// something, the error is one of [Problem].
type Receiver func(ctx context.Context, o PushOptions, receive func(read func(body io.Reader) error) error) (json.RawMessage, error)

const (
	mostPushes   = 1   // that are received at the same time
	mostPushFrom = 200 // bytes
)

func pushRoute() Route {
	return Route{Method: http.MethodPost, Path: PushPath, Permission: auth.WritePush, reads: true, takes: []string{"from", "do", "skipConflicts"}, handler: leading(receivePush)}
}

// receivePush answers POST /api/_push: the body is another site, whose changes are made in this
// one.
func receivePush(x *request) error {
	query := x.http.URL.Query()
	o := PushOptions{From: query.Get("from")}
	if len(o.From) > mostPushFrom {
		return invalid(`"from" is too long`)
	}
	for key, to := range map[string]*bool{"do": &o.Do, "skipConflicts": &o.SkipConflicts} {
		switch query.Get(key) {
		case "true":
			*to = true
		case "", "false":
		default:
			return invalid(`"` + key + `" must be true or false`)
		}
	}
	leave, ok := x.server.followers.enter(&x.server.followers.pushes, mostPushes)
	if !ok {
		x.Header().Set("Retry-After", imageRetry)
		return &problem{http.StatusTooManyRequests, "RateLimitError", "Another push is being received; try again later", none{}}
	}
	defer leave()
	receive := func(read func(io.Reader) error) error {
		return x.share.Receive(true, func(b *edge.Body) error {
			b.Stream()
			return read(b)
		})
	}
	by := &audit.Source{By: x.identity.Actor(), From: x.client(), Way: audit.ByAPI}
	text, err := x.server.leading.Receive(audit.With(x.http.Context(), by), o, receive)
	if err != nil {
		return err
	}
	x.Header()["Content-Type"] = jsonType
	x.WriteHeader(http.StatusOK)
	_, _ = x.share.Patient(x).Write(text) // the work may have taken longer than a response has
	return nil
}

// sendSite answers GET /api/_follow/site with what another site needs to read the data file.
func sendSite(x *request) error {
	files, err := x.server.leading.Site()
	if err != nil {
		return err
	}
	text, err := json.Marshal(files)
	if err == nil {
		x.json(http.StatusOK, text)
	}
	return err
}
