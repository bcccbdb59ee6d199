package server

import (
	"net/http"
	"time"

	"quire/content/event"
	"quire/server/live"
)

// Presence is who uses a stream of a mount, and which document they have open. All who have
// a document open see each other.
type Presence struct {
	Stream          string // a name of the stream that nobody can guess
	Account, Name   string // id and name of the account
	Device          string
	UID, DocumentID string // both empty for no document; the caller must be able to read it
	Locale          string // empty if the type has none
}

// ServeChanges responds to a request of a mount with a stream of all changes that who may
// see, like those of GET /api/_events, each named "change". It begins with an event
// "stream" that has its name. If a document is open, events "presence" say who has it open.
func (s *Server) ServeChanges(r *http.Request, who Authenticator, p Presence) {
	x := requestOf(r)
	x.who = who
	present := live.Present{
		Stream: p.Stream, Account: p.Account, Name: p.Name, Device: p.Device, UID: p.UID, DocumentID: p.DocumentID, Locale: p.Locale,
		Since: time.Now().UTC().Truncate(time.Second),
	}
	if err := x.stream(x.allChanges, &present); err != nil {
		x.fail(err)
	}
}

// snapshotHeader is, in a response to a mount, the revision that it shows. A stream of
// changes since then misses nothing.
const snapshotHeader = "Quire-Snapshot"

// allChanges requests everything that the caller may see, from where the client was
// interrupted, or else from the revision in the request.
func (x *request) allChanges() (*live.Subscription, *event.Position, error) {
	n, err := x.query()
	if err != nil {
		return nil, nil, err
	}
	since, err := x.since(n.Get("since"))
	return &live.Subscription{Text: "all, named", Name: "change"}, since, err
}

// SetEditing sets in which attributes the account of a stream is typing, by their paths. It
// reports whether the stream exists.
func (s *Server) SetEditing(r *http.Request, stream, account string, paths []string) bool {
	return requestOf(r).site.live.SetEditing(stream, account, paths)
}
