package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"quire/content/changeset"
	"quire/content/event"
	"quire/content/history"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// Undo is how the changes of an author since a moment are taken back.
type Undo struct {
	Steps []changeset.Step // to be done together; see Call.Prepare
	Left  []Left           // what stays as it is

	// Since is the moment that was asked for or, if the log of changes begins later, the time of
	// its first commit.
	Since time.Time
}

// Left is a document that cannot be taken back, and why.
type Left struct {
	Type       *schema.Type
	DocumentID string
	Reason     string
}

// Reasons why a document stays as it is.
const (
	LeftChanged = "others have changed it since"
	LeftUnknown = "the history does not have what it was"
	LeftFile    = "files stay in the media library"
)

// Limits of an Undo.
const (
	mostUndone     = changeset.MostSteps
	mostUndoEvents = 100_000 // that are read from the log
)

// Undo finds out how to take back what an author, such as "token:deploy", has changed since a
// moment, with the log of changes and the history, as far as the caller may know the author. Documents that others have changed afterwards stay. It does nothing:
// Effects shows, and TakeBack does, the steps. The error is a *Problem if that is too much.
func (c *Call) Undo(ctx context.Context, by string, since time.Time) (*Undo, error) {
	c.Budget.Start()
	if err := c.Budget.Enter(ctx); err != nil {
		return nil, err
	}
	defer c.Budget.End()
	c.Latest()
	c.Snapshot() // before the log is read, so that a change in between is a conflict
	u := &undoing{call: c, by: store.Actor(by), documents: map[documentName]*undone{}}
	err := c.DB.View(func(tx *store.Tx) error {
		if err := u.read(tx, since); err != nil {
			return err
		}
		return u.plan(tx)
	})
	if err == nil && len(u.steps) > mostUndone {
		err = invalid(fmt.Sprintf("That would be more than %d changes; choose a later moment", mostUndone))
	}
	slices.SortStableFunc(u.steps, func(a, b orderedStep) int { return cmp.Compare(a.order, b.order) })
	undo := &Undo{Left: u.left, Since: u.since}
	for _, s := range u.steps {
		undo.Steps = append(undo.Steps, s.Step)
	}
	return undo, err
}

// TakeBack does the steps of an Undo, all or none. Errors are those of Prepare and Do.
func (c *Call) TakeBack(ctx context.Context, u *Undo) error {
	writes, err := c.Prepare(ctx, u.Steps, nil)
	if err != nil || len(writes) == 0 {
		return err
	}
	return c.doSteps(ctx, writes)
}

type documentName struct{ uid, documentID string }

// undone is a document that the author has changed.
type undone struct {
	documentName
	first   uint64    // the first change by the author
	at      time.Time // of that
	entries map[store.Key]*entryUndone
	others  bool // whether others have changed it after that
	newer   bool // whether the last event that was read is by others
}

// entryUndone is an entry that the author has changed.
type entryUndone struct {
	first   store.Action // of the changes
	changes int
}

// orderedStep is a step and its place: what was created goes first, because it may have a unique
// value of something that returns; what was deleted comes before what may link to it.
type orderedStep struct {
	changeset.Step
	order int
}

const (
	deletes = iota
	returns
	restores
)

type undoing struct {
	call      *Call
	by        store.Actor
	documents map[documentName]*undone
	names     []documentName // the last changed first
	since     time.Time
	steps     []orderedStep
	left      []Left
}

// read reads the log back to a moment.
func (u *undoing) read(tx *store.Tx, since time.Time) (err error) {
	events := 0
	since = since.Truncate(time.Millisecond) // commits have no finer time
	u.since = since
	readErr := event.ReadBack(tx, func(commit event.Commit) bool {
		if commit.At.Before(since) {
			u.since = since
			return false
		}
		u.since = commit.At
		for i := len(commit.Events) - 1; i >= 0; i-- {
			u.add(&commit.Events[i], commit.At)
		}
		if events += len(commit.Events); events > mostUndoEvents {
			err = invalid(fmt.Sprintf("More than %d changes have been made since then; choose a later moment", mostUndoEvents))
		}
		if err == nil {
			err = u.call.Budget.OnTime()
		}
		return err == nil
	})
	return errors.Join(err, readErr)
}

// add adds an event, which comes before all that were added.
func (u *undoing) add(e *event.Event, at time.Time) {
	name := documentName{e.Type, e.DocumentID}
	d := u.documents[name]
	if d == nil {
		d = &undone{documentName: name, entries: map[store.Key]*entryUndone{}}
		u.documents[name] = d
		u.names = append(u.names, name)
	}
	if e.By != u.by || !query.SeesEventAt(u.call.Snapshot(), u.call.Caller, e) || u.call.eventAuthor(e) != u.by {
		d.newer = true
		return
	}
	d.first, d.at, d.others = e.Version, at, d.others || d.newer
	k := store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status}
	if d.entries[k] == nil {
		d.entries[k] = &entryUndone{}
	}
	d.entries[k].first = e.Action
	d.entries[k].changes++
}

// plan finds the steps for each document.
func (u *undoing) plan(tx *store.Tx) error {
	for _, name := range u.names {
		d := u.documents[name]
		t := u.call.Site.Type(d.uid)
		switch {
		case d.first == 0 || t == nil || t.IsComponent():
			continue
		case t.UID == schema.FileUID: // its bytes are no part of the transaction
			u.left = append(u.left, Left{t, d.documentID, LeftFile})
			continue
		case d.others:
			u.left = append(u.left, Left{t, d.documentID, LeftChanged})
			continue
		}
		steps, known, err := u.document(tx, t, d)
		if err != nil {
			return err
		}
		if !known {
			u.left = append(u.left, Left{t, d.documentID, LeftUnknown})
			continue
		}
		u.steps = append(u.steps, steps...)
	}
	return nil
}

// entryStates are the states of an entry, nil for none.
type entryStates struct{ was, is *history.Version }

// document returns the steps that make a document what it was before the author's first change.
// known is false if the history does not have that.
func (u *undoing) document(tx *store.Tx, t *schema.Type, d *undone) (steps []orderedStep, known bool, err error) {
	versions, err := history.Versions(tx, t.UID, d.documentID)
	if err != nil {
		return nil, false, err
	}
	byEntry := map[store.Key][]history.Version{}
	for _, v := range versions {
		byEntry[v.Key] = append(byEntry[v.Key], v)
	}
	for k := range d.entries {
		if _, known := byEntry[k]; !known {
			byEntry[k] = nil // it is not there, and the history does not have it
		}
	}
	locales, exists := map[string]map[store.Status]entryStates{}, false
	for k, list := range byEntry {
		states, ok := u.states(k, list, d)
		if !ok {
			return nil, false, nil
		}
		exists = exists || states.is != nil
		if locales[k.Locale] == nil {
			locales[k.Locale] = map[store.Status]entryStates{}
		}
		locales[k.Locale][k.Status] = states
	}
	l := &localeUndo{tx: tx, t: t, documentID: d.documentID, order: restores, ready: u.call.Budget.OnTime}
	if !exists {
		l.order = returns
	}
	for _, locale := range slices.Sorted(maps.Keys(locales)) {
		if err := l.add(locale, locales[locale][store.Draft], locales[locale][store.Published]); err != nil {
			return nil, false, err
		}
	}
	version := u.call.Version(t, d.documentID)
	for i := range l.steps {
		l.steps[i].Version, l.steps[i].Absent = version, !exists
	}
	return l.steps, true, nil
}

// states returns what an entry was before the author's first change of its document, and what it
// is. ok is false if the former is not known.
func (u *undoing) states(k store.Key, list []history.Version, d *undone) (states entryStates, ok bool) {
	var last *history.Version // that began before
	for i := range list {
		v := &list[i]
		if v.Current() {
			states.is = v
		}
		// The oldest version may have got a later number when another locale was removed.
		if v.Since < d.first || i == 0 && v.Stamp.UpdatedBy != u.by {
			last = v
		}
	}
	changed := d.entries[k]
	switch {
	case last != nil && (last.Current() || last.End.Version >= d.first):
		states.was = last
		return states, true
	case last != nil:
		return states, last.End.Removed
	case changed == nil || changed.first == store.ActionCreate:
		return states, true
	case changed.first != store.ActionPublish:
		return states, false // it was there before
	default: // it was not published, unless what it was has expired
		limits := u.call.Site.Settings.History
		return states, !limits.Off() && changed.changes < limits.Versions && time.Since(d.at) < limits.Age
	}
}

// localeUndo makes one locale of a document what it was.
type localeUndo struct {
	tx         *store.Tx
	t          *schema.Type
	documentID string
	order      int
	ready      func() error
	steps      []orderedStep
}

func (l *localeUndo) add(locale string, draft, published entryStates) error {
	switch {
	case draft.was == nil && published.was == nil:
		if draft.is != nil || published.is != nil {
			l.step(changeset.Step{Action: "delete", Locale: locale}, deletes)
		}
		return nil
	case published.was == nil && published.is != nil:
		l.step(changeset.Step{Action: "unpublish", Locale: locale}, l.order)
	case published.was != nil && !published.was.Current():
		l.restore(locale, published.was)
		if !l.t.DraftAndPublish {
			return nil
		}
		l.step(changeset.Step{Action: "publish", Locale: locale}, l.order)
		same, err := l.same(draft.was, published.was)
		if err != nil || same {
			return err
		}
		l.restore(locale, draft.was)
		return nil
	}
	if draft.was != nil && !draft.was.Current() {
		l.restore(locale, draft.was)
	}
	return nil
}

func (l *localeUndo) restore(locale string, v *history.Version) {
	l.step(changeset.Step{Action: "restore", Locale: locale, Status: v.Key.Status.String(), Revision: v.Revision()}, l.order)
}

func (l *localeUndo) step(s changeset.Step, order int) {
	s.Type, s.DocumentID = l.t.UID, l.documentID
	l.steps = append(l.steps, orderedStep{s, order})
}

// same reports whether a draft was as the published version, or there was none.
func (l *localeUndo) same(draft, published *history.Version) (bool, error) {
	if draft == nil {
		return true, nil
	}
	a, err := history.Read(l.tx, l.t.UID, draft.Key, draft.Revision(), l.ready)
	if err != nil || a == nil {
		return false, err
	}
	b, err := history.Read(l.tx, l.t.UID, published.Key, published.Revision(), l.ready)
	if err != nil || b == nil {
		return false, err
	}
	return a.Fields.EqualButNumbers(b.Fields), nil
}
