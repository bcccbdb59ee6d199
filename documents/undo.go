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

// Everybody is By of a Period with the changes of all authors.
const Everybody = "*"

// Period says which changes are meant: those of an author in a time.
type Period struct {
	By    string // such as "token:deploy", or Everybody
	Since time.Time
	Until time.Time // the first moment after it; zero for now

	Type, DocumentID string // of one document alone, unless empty
}

// Undo finds out how to take back what was changed in a period, with the log of changes and the
// history, as far as the caller may see the changes and know the author. Documents that others have
// changed afterwards, or anybody after the period, stay. It does nothing: Effects shows, and
// TakeBack does, the steps. The error is a *Problem if that is too much.
func (c *Call) Undo(ctx context.Context, p Period) (*Undo, error) {
	var u *undoing
	err := c.inPeriod(ctx, p, func(tx *store.Tx, read *undoing) error {
		u = read
		return u.plan(tx)
	})
	if err == nil && len(u.steps) > mostUndone {
		err = invalid(fmt.Sprintf("That would be more than %d changes; choose a later moment", mostUndone))
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(u.steps, func(a, b orderedStep) int { return cmp.Compare(a.order, b.order) })
	undo := &Undo{Left: u.left, Since: u.since}
	for _, s := range u.steps {
		undo.Steps = append(undo.Steps, s.Step)
	}
	return undo, nil
}

// inPeriod reads what was changed in a period, and calls fn within the limits of a heavy query.
func (c *Call) inPeriod(ctx context.Context, p Period, fn func(*store.Tx, *undoing) error) error {
	c.Budget.Start()
	if err := c.Budget.Enter(ctx); err != nil {
		return err
	}
	defer c.Budget.End()
	c.Latest()
	c.Snapshot() // before the log is read, so that a change in between is a conflict
	u := &undoing{call: c, period: p, documents: map[documentName]*undone{}}
	return c.DB.View(func(tx *store.Tx) error {
		if err := u.read(tx); err != nil {
			return err
		}
		return fn(tx, u)
	})
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

// undone is a document that the author has changed in the period.
type undone struct {
	documentName
	entries map[store.Key]*history.FirstChange // by the author
	others  bool                               // whether others have changed it after the author
	newer   bool                               // whether the last event that was read is by others

	// The last change of the author or authors, what they did, the last first, and who they are.
	at      time.Time
	actions []store.Action
	by      []store.Actor
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
	period    Period
	documents map[documentName]*undone
	names     []documentName // the last changed first
	since     time.Time
	steps     []orderedStep
	left      []Left
}

// read reads the log back to the beginning of the period.
func (u *undoing) read(tx *store.Tx) (err error) {
	events := 0
	since := u.period.Since.Truncate(time.Millisecond) // commits have no finer time
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
	if p := u.period; p.Type != "" && name != (documentName{p.Type, p.DocumentID}) {
		return
	}
	d := u.documents[name]
	if d == nil {
		d = &undone{documentName: name, entries: map[store.Key]*history.FirstChange{}}
		u.documents[name] = d
		u.names = append(u.names, name)
	}
	if !u.meant(e, at) {
		d.newer = true
		return
	}
	d.note(e, at, u.call.eventAuthor(e))
	d.others = d.others || d.newer
	k := store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status}
	if d.entries[k] == nil {
		d.entries[k] = &history.FirstChange{}
	}
	*d.entries[k] = history.FirstChange{Write: e.Version, Action: e.Action, At: at, Count: d.entries[k].Count + 1}
}

// meant reports whether an event is one of the period, and the caller may see it and know its author.
func (u *undoing) meant(e *event.Event, at time.Time) bool {
	p := &u.period
	if !p.Until.IsZero() && !at.Before(p.Until.Truncate(time.Millisecond)) || !query.SeesEventAt(u.call.Snapshot(), u.call.Caller, e) {
		return false
	}
	by := store.Actor(p.By)
	return p.By == Everybody || e.By == by && u.call.eventAuthor(e) == by
}

// plan finds the steps for each document.
func (u *undoing) plan(tx *store.Tx) error {
	for _, name := range u.names {
		d := u.documents[name]
		t := u.call.Site.Type(d.uid)
		switch {
		case len(d.entries) == 0 || t == nil || t.IsComponent():
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

// states returns what an entry was before the author's first change of it, and what it is. ok is
// false if the former is not known.
func (u *undoing) states(k store.Key, list []history.Version, d *undone) (states entryStates, ok bool) {
	for i := range list {
		if list[i].Current() {
			states.is = &list[i]
		}
	}
	if d.entries[k] == nil {
		states.was = states.is
		return states, true
	}
	states.was, ok = d.entries[k].Before(list, u.call.Site.Settings.History)
	return states, ok
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
