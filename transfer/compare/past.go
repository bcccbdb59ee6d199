package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"quire/content/event"
	"quire/content/history"
	"quire/schema/settings"
	"quire/store"
)

// Past is what a data file had at a moment, by its own log of changes and history. It knows the
// documents that have changed since; all others are as they are now.
type Past struct {
	limits  settings.History
	changed map[string]map[document]map[store.Key]*change // by type, then document and locale
}

// change is the first change of an entry after a moment.
type change struct {
	history.FirstChange
	unwritten bool // whether links have changed since without a write of the entry
}

// TooEarlyError reports a moment that a data file knows nothing of.
type TooEarlyError struct {
	At    time.Time
	First time.Time // of the first change in the log; zero for none
}

func (e *TooEarlyError) Error() string {
	text := "the log of changes is empty: everything was written before it began, for example by an import"
	if !e.First.IsZero() {
		text = "its log of changes begins at " + e.First.Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("the data file does not know what it had at %s: %s", e.At.UTC().Format(time.RFC3339Nano), text)
}

// ReadPast finds what has changed since a moment, which is that of the last commit that is not
// later. Errors: *TooEarlyError, *event.GoneError for a damaged log, and the store's.
func ReadPast(tx *store.Tx, at time.Time, limits settings.History) (*Past, error) {
	floor, err := event.Floor(tx)
	if err != nil {
		return nil, err
	}
	p := &Past{limits: limits, changed: map[string]map[document]map[store.Key]*change{}}
	var first time.Time
	after := false // all that follows, even if the clock was set back
	err = event.Read(tx, floor, func(c event.Commit) bool {
		if first.IsZero() {
			first = c.At
		}
		if after = after || c.At.After(at); after {
			for i := range c.Events {
				p.add(&c.Events[i], c.At)
			}
		}
		return true
	})
	if err == nil && (first.IsZero() || first.After(at)) {
		err = &TooEarlyError{at, first}
	}
	return p, err
}

// add adds an event, which comes after all that were added.
func (p *Past) add(e *event.Event, at time.Time) {
	if p.changed[e.Type] == nil {
		p.changed[e.Type] = map[document]map[store.Key]*change{}
	}
	d := document{locale: e.Locale, id: e.DocumentID}
	entries := p.changed[e.Type][d]
	if entries == nil {
		entries = map[store.Key]*change{}
		p.changed[e.Type][d] = entries
	}
	k := store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status}
	if entries[k] == nil {
		entries[k] = &change{FirstChange: history.FirstChange{Write: e.Version, Action: e.Action, At: at}}
	}
	entries[k].Count++
	entries[k].unwritten = entries[k].unwritten || e.Drafts
}

// documents iterates over the documents of a type as they were, in the order of their keys.
func (p *Past) documents(ctx context.Context, tx *store.Tx, uid string) iter.Seq2[document, error] {
	list := make([]document, 0, len(p.changed[uid]))
	for d := range p.changed[uid] {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b document) int {
		return cmp.Or(strings.Compare(stored(a.locale), stored(b.locale)), strings.Compare(a.id, b.id))
	})
	changed := func(yield func(document, error) bool) {
		for _, d := range list {
			if !yield(d, nil) {
				return
			}
		}
	}
	return func(yield func(document, error) bool) {
		err := merge(ctx, documents(tx, uid), changed, func(now, was document, order int) error {
			if order < 0 {
				was = now
			} else if err := p.restore(tx, uid, now, order == 0, &was); err != nil {
				return err
			}
			if was.isThere() && !yield(was, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(document{}, err)
		}
	}
}

// restore finds what a document was. now is what it is, if exists says that it is there.
func (p *Past) restore(tx *store.Tx, uid string, now document, exists bool, was *document) error {
	entries := p.changed[uid][*was]
	versions, err := history.Versions(tx, uid, was.id)
	if err != nil {
		return err
	}
	if exists {
		was.draft, was.published = now.draft, now.published
	}
	for k, c := range entries {
		own := slices.DeleteFunc(slices.Clone(versions), func(v history.Version) bool { return v.Key != k })
		v, known := c.Before(own, p.limits)
		var e *store.Entry
		if known && v != nil {
			e, err = history.Read(tx, uid, k, v.Revision(), func() error { return nil })
			if err != nil && !errors.As(err, new(*history.UnreadableError)) {
				return err
			}
			known = e != nil
		}
		was.unknown = was.unknown || !known || c.unwritten && c.Action != store.ActionCreate
		if k.Status == store.Draft {
			was.draft = e
		} else {
			was.published = e
		}
	}
	return nil
}
