package server

import (
	"net/http"
	"time"

	"quire/auth"
	"quire/event"
	"quire/query"
	"quire/store"
)

// RecentChange is what happened to an entry, as a caller sees it.
type RecentChange struct {
	Type, DocumentID, Locale string // the locale is empty where the type has none
	At                       time.Time
	Removed                  bool // the entry was deleted

	// Kind and ID are who did it: "admin" and the id of an account. Either is empty where
	// the caller may not know it.
	Kind, ID string
}

// mostRecent is how many events are looked at for what has changed of late.
const mostRecent = 10_000

// EachRecent calls fn for the last changes that the caller may see, the newest first, as
// long as it returns true. It looks at 10,000 events at most. r is a request that a mount
// answers. Errors are for Fail.
func (s *Server) EachRecent(r *http.Request, c *auth.Caller, fn func(RecentChange) (more bool)) error {
	x := exchangeOf(r)
	x.startClock()
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
				if change.Kind != "" && x.edition.names(c, e.By) {
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
