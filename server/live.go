package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"quire/auth"
	"quire/content/event"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/server/edge"
	"quire/server/live"
	"quire/store"
)

// liveRoute is open: the caller's permission to find each type decides.
func liveRoute() Route {
	return Route{Method: http.MethodGet, Path: "/api/_events", Open: true, takes: listenKeys, handler: streamEvents}
}

// Header values that all responses share and nobody writes to.
var (
	eventStream = []string{"text/event-stream; charset=utf-8"}
	unbuffered  = []string{"no"} // turns off buffering in proxies
)

// streamEvents answers GET /api/_events with changes as they happen.
func streamEvents(x *request) error { return x.stream(x.listening, nil) }

// stream responds with a stream of the requested events. The stream can have a presence.
func (x *request) stream(ask func() (*live.Subscription, *event.Position, error), present *live.Present) error {
	if x.within {
		return invalid("A stream cannot be part of another request")
	}
	who := x.listener()
	judged := x.site.live.Rights()
	identity, err := who() // again: the time from which the identity holds is known only now
	if err != nil {
		return err
	}
	x.setCaller(identity)
	q, since, err := ask()
	if err != nil {
		return err
	}
	at := x.site.live.Now() // before the client gets the header, after which it misses nothing
	if since != nil {
		if err := x.site.live.CanSince(*since); err != nil {
			return err
		}
		at = *since
	}
	limits := &x.site.schema.Settings.Limits
	leave, err := x.server.load.TakeStream(x.client(), limits.Streams, limits.StreamsPerAddress)
	if err != nil {
		return err
	}
	h := x.Header()
	x.dropTag()
	h["Content-Type"], h["X-Accel-Buffering"] = eventStream, unbuffered
	out, err := x.beginStream(leave)
	if out == nil {
		return err
	}
	listener := live.Listener{Identify: who, Identity: x.identity, Present: present}
	out.Serve(x.http.Context(), x.site.live.Add(q, listener, judged, at, out))
	return nil
}

// beginStream begins a response without end, whose header has been set. leave is called when
// it has ended. A HEAD request gets the header alone, and no stream.
func (x *request) beginStream(leave func()) (*edge.Stream, error) {
	x.streamed = max(time.Since(x.watch.begun), 1)
	if x.http.Method == http.MethodHead {
		leave()
		x.WriteHeader(http.StatusOK)
		return nil, nil
	}
	out, err := x.share.Stream(x, leave)
	if err != nil {
		return nil, context.Canceled // the client has disconnected
	}
	return out, nil
}

// listener returns a function that identifies the listener, now and during the stream.
func (x *request) listener() Authenticator {
	if x.who != nil {
		return x.who
	}
	bearer, ok := x.credential()
	if !ok {
		bearer = ""
	}
	e, bearer := x.site, strings.Clone(bearer)
	return func() (auth.Identity, error) { return e.identify(bearer) }
}

// setStreamRetry sets when a client that got no stream may try again.
func (x *request) setStreamRetry(err error) {
	if errors.Is(err, edge.ErrStreams) || errors.Is(err, edge.ErrAddressStreams) {
		x.Header().Set("Retry-After", "10")
	}
}

// listenKeys are the parameters of GET /api/_events.
var listenKeys = []string{"types", "documentId", "locale", "status", "since", "include", "fields", "populate"}

// listening reads what the client wants to receive, and from which position.
func (x *request) listening() (*live.Subscription, *event.Position, error) {
	n, err := x.query()
	if err != nil {
		return nil, nil, err
	}
	since, err := x.since(n.Get("since"))
	if err != nil {
		return nil, nil, err
	}
	r := &listenReader{site: x.site, caller: x.caller, n: n, q: &live.Subscription{Text: withoutSince(x.http.URL.RawQuery)}}
	for _, read := range []func() error{r.status, r.types, r.documents, r.locales, r.entries} {
		if err := read(); err != nil {
			return nil, nil, err
		}
	}
	return r.q, since, nil
}

// withoutSince returns a query string without the position: what is requested.
func withoutSince(raw string) string {
	parts := slices.DeleteFunc(strings.Split(raw, "&"), func(part string) bool { return strings.HasPrefix(part, "since=") })
	return strings.Join(parts, "&")
}

// since reads the position to continue from: that of the interruption, or else the one in
// the request.
func (x *request) since(n *params.Node) (*event.Position, error) {
	text, key := x.http.Header.Get("Last-Event-ID"), "Last-Event-ID"
	switch {
	case text != "":
	case n == nil || n.IsNull() || n.IsText() && n.Text == "":
		return nil, nil
	default:
		text, key = n.Text, "since"
	}
	p, err := event.ParsePosition(text)
	if err != nil || p.Revision == 0 && p.Index > 0 || key == "since" && !n.IsText() {
		return nil, refuseListen(key, key+" must be the id of an event, such as 1234 or 1234.1")
	}
	return &p, nil
}

func refuseListen(key, message string) error {
	return &params.ParamError{Param: key, Key: key, Message: message}
}

// entry returns the query for the entry of an event.
func (l *entryQueries) entry(host query.Host, s *index.Snapshot, e *event.Event, dst []byte) ([]byte, bool, error) {
	kept := l.of[entryKind{e.Type, e.Status}]
	if kept == nil {
		return dst, false, nil
	}
	q := *kept
	q.Guard(host, l.heavy)
	return q.AppendBareEntry(context.Background(), s, store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status}, dst)
}

// entryQueries are the queries for entries, compiled with the rights of a caller.
type entryQueries struct {
	heavy int
	of    map[entryKind]*query.Query
}

// entryKind is a type and one of its statuses.
type entryKind struct {
	uid    string
	status store.Status
}

// mayHear reports whether the caller may receive events of entries of a type and status.
func (e *siteVersion) mayHear(c *auth.Caller, t *schema.Type, status store.Status) bool {
	some := event.Event{Type: t.UID, Status: status}
	if t.Localized {
		some.Locale = e.schema.Settings.DefaultLocale
	}
	return query.SeesKind(e.schema, c, &some)
}
