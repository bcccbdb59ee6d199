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

// Rewrite is a change of content that does not come from a writer: an import, a
// migration. All that it changes gets one new version.
type Rewrite struct {
	Site    *schema.Site
	Version uint64 // the next of VersionsSequence, which the caller stores
	Action  store.Action
	Actor   store.Actor
	At      int64 // milliseconds since 1970
}

// NewRewrite returns a Rewrite of now by a command.
func NewRewrite(site *schema.Site, version uint64, action store.Action, command string) *Rewrite {
	return &Rewrite{site, version, action, store.ActorOf(store.ByCommand, command), time.Now().UnixMilli()}
}

// Stamp returns the change with what it makes stamped.
func (r *Rewrite) Stamp(c store.Change) store.Change {
	if c.After == nil {
		return c
	}
	e := *c.After
	made := cmp.Or(e.Stamp.CreatedBy, r.Actor) // by whom, where it comes from another locale
	if c.Before != nil {
		made = c.Before.Stamp.CreatedBy
	}
	e.Stamp = store.Stamp{Version: r.Version, Action: r.Action, CreatedBy: made, UpdatedBy: r.Actor}
	c.After = &e
	return c
}

// Apply keeps what a stamped change replaces, and carries it out. An entry that is
// changed again by the same Rewrite was never a version of its own.
func (r *Rewrite) Apply(tx *store.Tx, c store.Change) error {
	if err := r.keep(tx, c); err != nil {
		return err
	}
	return tx.Apply(c)
}

func (r *Rewrite) keep(tx *store.Tx, c store.Change) error {
	t := r.Site.Type(c.Type)
	switch {
	case c.Before == nil || t != nil && t.BuiltIn:
		return nil
	case c.Before.Stamp.Version == r.Version && c.After != nil:
		return Rebase(tx, c)
	}
	return Keep(tx, c, End{Version: r.Version, At: r.At, Action: r.Action, By: r.Actor}, r.Site.Settings.History)
}

// Rebase has the history of an entry go on from After, where an entry changes and its
// version does not. It is called before the change is applied. Errors are the store's.
func Rebase(tx *store.Tx, c store.Change) error {
	k := c.Before.Key()
	last, err := lastBefore(tx, c.Type, k, store.After(localePrefix(k)))
	if err != nil || last.Key == nil {
		return err
	}
	before, err := tx.StoredFields(c.Type, k)
	if err != nil {
		return err
	}
	after, err := tx.EncodedFields(c.After.Fields)
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	w := wayBack{uid: c.Type, fields: before}
	r := w.step(last)
	if r == nil || r.whole || w.broken != nil {
		return nil // it does not depend on the entry, or is lost already
	}
	r.base, r.body, r.compressed = sumOf(after), delta(nil, after, w.fields), false
	return tx.PutHistory(c.Type, last.Key, r.encode(c.Type, last.Key))
}
