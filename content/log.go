package content

import (
	"quire/content/event"
	"quire/schema"
	"quire/store"
)

// The log contains the changes of a transaction, once for all of its writes. It is
// written in the same transaction.

// log records what the log contains about a change that is about to be stamped.
func (op *operation) log(c *store.Change) {
	if c.Before == c.After || op.same[c.After] {
		return // no entry before and after, a change that only stands for a removed entry, or no visible one
	}
	e := c.After
	if e == nil {
		e = c.Before
	}
	op.events = append(op.events, event.Event{
		Type: c.Type, DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status, ID: e.ID,
		Action: op.logged(c), By: op.author, Version: op.version, Drafts: c.After != nil && op.showsDraft(c),
	})
}

// logged returns the action in the log for a change.
func (op *operation) logged(c *store.Change) store.Action {
	t := op.site.Type(c.Type)
	switch {
	case c.After == nil && op.staysDraft(t, c.Before):
		return store.ActionUnpublish
	case c.After == nil:
		return store.ActionDelete
	case op.actionOn(c) == store.ActionPublish:
		return store.ActionPublish
	case c.Before == nil:
		return store.ActionCreate
	}
	return store.ActionUpdate
}

// staysDraft reports whether a published version is removed and its draft stays.
func (op *operation) staysDraft(t *schema.Type, gone *store.Entry) bool {
	k := gone.Key()
	k.Status = store.Draft
	return gone.Status == store.Published && t.DraftAndPublish && op.exists(t, k)
}

// log logs the changes of the accepted writes of a transaction.
func (w *Writer) log(tx *store.Tx, accepted []*write) error {
	var events []event.Event
	for _, one := range accepted {
		events = append(events, one.events...)
	}
	return w.append(tx, w.time(tx), events)
}
