package history

import (
	"bytes"
	"cmp"
	"time"

	"quire/schema"
	"quire/store"
)

// VersionsSequence names the sequence of the numbers of writes.
const VersionsSequence = "versions"

// Rewrite is a change of content that does not come from a writer: an import, a migration.
// All its changes get one new version.
type Rewrite struct {
	Site    *schema.Site
	Version uint64 // the next of VersionsSequence, which the caller stores
	Action  store.Action
	Actor   store.Actor
	At      int64 // milliseconds since 1970
}

// NewRewrite returns a Rewrite by a command, with the current time.
func NewRewrite(site *schema.Site, version uint64, action store.Action, command string) *Rewrite {
	return &Rewrite{site, version, action, store.ActorOf(store.ByCommand, command), time.Now().UnixMilli()}
}

// Stamp returns the change with the stamps of the new entry.
func (r *Rewrite) Stamp(c store.Change) store.Change {
	if c.After == nil {
		return c
	}
	e := *c.After
	made := cmp.Or(e.Stamp.CreatedBy, r.Actor) // the author, if it comes from another locale
	if c.Before != nil {
		made = c.Before.Stamp.CreatedBy
	}
	e.Stamp = store.Stamp{Version: r.Version, Action: r.Action, CreatedBy: made, UpdatedBy: r.Actor}
	c.After = &e
	return c
}

// Apply applies a stamped change, and stores what it replaces. An entry that the same
// Rewrite changes again was never a version of its own.
func (r *Rewrite) Apply(tx *store.Tx, c store.Change) error {
	if err := tx.Apply(c); err != nil {
		return err
	}
	return r.keep(tx, c)
}

func (r *Rewrite) keep(tx *store.Tx, c store.Change) error {
	t := r.Site.Type(c.Type)
	switch {
	case c.Before == nil || t != nil && t.BuiltIn:
		return nil
	case c.Before.Stamp.Version == r.Version && c.After != nil:
		return Rebase(tx, c)
	case c.Before.Stamp.Version == r.Version:
		return removeAgain(tx, c)
	}
	end := End{Version: r.Version, At: r.At, Action: r.Action, By: r.Actor}
	return keep(tx, c, end, r.Site.Settings.History, false) // an entry that looks the same may change again
}

// Rebase makes the history of an entry continue from After, if an entry changes and its
// version does not. It is called directly after the change has been applied. Errors are the
// store's.
func Rebase(tx *store.Tx, c store.Change) error {
	last, err := chainOf(tx, c.Type, c.Before.Key(), c.Before.Stamp.Version, whole).replaced()
	if err != nil || last.IsZero() {
		return err
	}
	before, after := tx.Applied()
	if bytes.Equal(before, after) {
		return nil
	}
	w := wayBack{fields: before}
	r := w.step(last)
	if r == nil || w.broken != nil {
		return nil // it is lost already
	}
	r.base, r.body = sumOf(after), delta(nil, after, w.fields)
	return r.put(tx)
}

// removeAgain makes the history of an entry end with its state before the Rewrite that has
// removed it.
func removeAgain(tx *store.Tx, c store.Change) error {
	last, err := chainOf(tx, c.Type, c.Before.Key(), c.Before.Stamp.Version, whole).replaced()
	if err != nil || last.IsZero() {
		return err
	}
	if err := tx.DeleteHistory(last.in, last.key); err != nil {
		return err
	}
	before, _ := tx.Applied()
	w := wayBack{fields: before}
	r := w.step(last)
	if r == nil || w.broken != nil {
		return nil // it is lost already
	}
	r.End.Removed, r.base, r.body, r.moved = true, 0, w.fields, false
	return r.put(tx)
}
