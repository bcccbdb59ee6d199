package server

import (
	"quire/content/event"
	"quire/query"
	"quire/store"
)

// logReader reads the log of changes from a position, and records each entry once.
type logReader struct {
	*syncing
	list   []query.Changed
	before []event.Position // of each of them, what was shown before its first change
	known  map[entryName]int

	upTo  event.Position // what has been read
	shown event.Position // of that, the last change that the caller may see
	n     int            // changes that were read
	more  bool           // there are others after that
}

// entryName names an entry of the copy, which has one status.
type entryName struct{ uid, documentID, locale string }

// read reads up to a page of changes, and no more of the log than a request may read. If
// nothing has changed, it reads nothing.
func (r *logReader) read(tx *store.Tx) error {
	err := r.kept(tx, r.upTo)
	if err == nil && r.changedSince(r.upTo) {
		err = event.Read(tx, r.upTo, r.addCommit)
	}
	if err != nil || r.more {
		return err
	}
	current, err := r.current(tx)
	if at := (event.Position{Revision: current}); r.upTo.Before(at) {
		r.upTo = at
	}
	return err
}

// addCommit adds the changes of a commit, and returns whether to continue. A page ends
// after a commit that adds something to it, so its end does not depend on hidden changes.
func (r *logReader) addCommit(c event.Commit) bool {
	if c.Revision > r.now {
		return false
	}
	for i := range c.Events {
		if r.more = !r.add(&c.Events[i]); r.more {
			if len(r.list) > 0 {
				r.upTo = r.shown
			}
			return false
		}
		r.upTo = c.Events[i].Position
	}
	return true
}

// add adds the change of an event, and returns false if the page is full.
func (r *logReader) add(e *event.Event) bool {
	if r.n++; r.n > mostReadOfLog {
		return false
	}
	if !r.sync.Concerns(r.s, e) || !query.SeesEvent(r.site.schema, r.caller, e) {
		return true
	}
	name := entryName{e.Type, e.DocumentID, e.Locale}
	at, known := r.known[name]
	switch {
	case known:
		r.list[at].Revision, r.shown = e.Position.Revision, e.Position
		return true
	case len(r.list) == r.most:
		return false
	}
	r.known[name] = len(r.list)
	r.list = append(r.list, query.Changed{Type: e.Type, DocumentID: e.DocumentID, Locale: e.Locale, Revision: e.Position.Revision})
	r.before, r.shown = append(r.before, r.shown), e.Position
	return true
}

// explainSync is for clients that cannot continue from their position.
