package app

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"quire/content/event"
	"quire/store"
)

// OwnChanges are the changes that only a former leader has, because nobody followed it when
// it made them.
type OwnChanges struct {
	After   uint64      `json:"after,string"` // the last revision that the leader has, too
	Last    uint64      `json:"last,string"`  // revision of this data file
	Changes []OwnChange `json:"changes"`      // oldest first
	Unknown bool        `json:"unknown"`      // the log of changes does not reach back that far, so there may be more
}

// OwnChange is one change of content.
type OwnChange struct {
	At         time.Time `json:"at"`
	Revision   uint64    `json:"revision,string"`
	Action     string    `json:"action"`
	Type       string    `json:"type"`
	DocumentID string    `json:"documentId"`
	Locale     string    `json:"locale,omitempty"`
}

// mostNamed is how many changes are in the text of an error.
const mostNamed = 10

// String describes the changes in a few words.
func (o OwnChanges) String() string {
	if o.Last <= o.After {
		return "it has nothing that the leader does not have"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "only here are the commits %d to %d", o.After+1, o.Last)
	if o.Unknown {
		b.WriteString(", of which the log of changes no longer has all")
	}
	for i, c := range o.Changes {
		if i == mostNamed {
			fmt.Fprintf(&b, ", and %d more (`quire promote --lost` lists all)", len(o.Changes)-i)
			break
		}
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		fmt.Fprintf(&b, "%s%s %s %s", separator, c.Action, c.Type, c.DocumentID)
	}
	return b.String()
}

// OwnChanges returns what only this data folder of a former leader has. No server may be
// using it.
func (l Location) OwnChanges() (o OwnChanges, err error) {
	if err := l.requireData(); err != nil {
		return o, err
	}
	r, err := l.role()
	switch {
	case err != nil:
		return o, err
	case r.Fenced == nil:
		return o, errors.New(l.DataFolder() + " is not that of a former leader: no other server has said that it is the leader")
	}
	return l.ownChanges(r)
}

func (l Location) ownChanges(r role) (o OwnChanges, err error) {
	if r.Since == nil {
		return o, errors.New("it is unknown what the leader has")
	}
	db, err := store.Open(l.DataFile(), store.Options{ReadOnly: true, Timeout: l.Wait})
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	o.After, o.Changes = r.Since.Revision, []OwnChange{}
	return o, db.View(func(tx *store.Tx) error {
		o.Last = tx.Revision()
		after := event.Position{Revision: o.After}
		floor, err := event.Floor(tx)
		if err != nil {
			return err
		}
		if after.Before(floor) {
			after, o.Unknown = floor, true
		}
		return event.Read(tx, after, func(c event.Commit) bool {
			for _, e := range c.Events {
				o.Changes = append(o.Changes, OwnChange{c.At.UTC(), c.Revision, string(e.Action), e.Type, e.DocumentID, e.Locale})
			}
			return true
		})
	})
}
