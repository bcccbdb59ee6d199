package server

import (
	"net/http"
	"time"

	"quire/event"
	"quire/server/live"
)

// Presence is who is behind a stream that a mount answers with, and which document is open
// there: all who have it open hear of each other.
type Presence struct {
	Stream          string // a name for the stream that nobody can guess
	Account, Name   string // id and name of the account
	Device          string
	UID, DocumentID string // both empty for no document; the caller must be able to read it
	Locale          string // empty where the type has none
}

// ServeChanges answers a request that a mount answers with a stream of all changes that
// who may see, as those of GET /api/_events, each called "change". It begins with an event
// "stream" that names it; where a document is open, events "presence" say by whom.
func (s *Server) ServeChanges(r *http.Request, who Authenticator, p Presence) {
	x := exchangeOf(r)
	x.who = who
	present := live.Present{
		Stream: p.Stream, Account: p.Account, Name: p.Name, Device: p.Device, UID: p.UID, DocumentID: p.DocumentID, Locale: p.Locale,
		Since: time.Now().UTC().Truncate(time.Second),
	}
	if err := x.stream(x.allChanges, &present); err != nil {
		x.fail(err)
	}
}

// allChanges asks for all that the caller may see, from where the client was interrupted.
func (x *exchange) allChanges() (*live.Question, *event.Position, error) {
	since, err := x.since(nil)
	return &live.Question{Text: "all, named", Name: "change"}, since, err
}

// SetEditing says in which attributes the account is typing behind one of its streams, by
// their paths. It reports whether there is that stream.
func (s *Server) SetEditing(r *http.Request, stream, account string, paths []string) bool {
	return exchangeOf(r).edition.live.SetEditing(stream, account, paths)
}
