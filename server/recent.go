package server

import (
	"net/http"
	"time"

	"quire/auth"
	"quire/event"
	"quire/query"
	"quire/store"
)

// RecentChange is a change of an entry, as a caller sees it.
type RecentChange struct {
	Type, DocumentID, Locale string // the locale is empty if the type has none
	At                       time.Time
	Removed                  bool // whether the entry was deleted

	// Kind and ID are the author: "admin" and the id of an account. They are empty if the
	// caller may not know them.
	Kind, ID string
}

// mostRecent is the maximum number of events that are read for recent changes.
const mostRecent = 10_000

// EachRecent calls fn for the latest changes that the caller may see, newest first, as long
// as fn returns true. It reads at most 10,000 events. r is a request that a mount serves.
// Errors are for Fail.
func (s *Server) EachRecent(r *http.Request, c *auth.Caller, fn func(RecentChange) (more bool)) error {
	x := exchangeOf(r)
	x.Start()
	if err := x.share.TakeSlots(r.Context(), x.edition.slots, 1); err != nil {
		return err
	}
	defer x.share.ReturnSlots()
	looked, site := 0, x.edition.site
	return x.edition.db.View(func(tx *store.Tx) error {
		return event.ReadBack(tx, func(commit event.Commit) bool {
			for i := len(commit.Events) - 1; i >= 0; i-- {
				if looked++; looked > mostRecent {
					return false
				}
				e := &commit.Events[i]
				if !query.SeesEvent(site, c, e) {
					continue
				}
				change := RecentChange{Type: e.Type, DocumentID: e.DocumentID, Locale: e.Locale, At: commit.At, Removed: e.Action == store.ActionDelete}
				if query.SeesActor(site, c, e) {
					change.Kind = e.By.Kind()
				}
				if change.Kind != "" && x.edition.documents.Names(c, e.By) {
					change.ID = e.By.ID()
				}
				if !fn(change) {
					return false
				}
			}
			return x.OnTime() == nil
		})
	})
}
