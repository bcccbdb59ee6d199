package compare

import (
	"iter"

	"quire/store"
)

// document is the versions of a document in one locale.
type document struct {
	locale, id       string
	draft, published *store.Entry // nil for none
	unknown          bool         // it was there, and is not known any more
}

func (d document) isThere() bool { return d.draft != nil || d.published != nil || d.unknown }

// documents iterates over the documents of a type in the order of their keys. An error
// comes last.
func documents(tx *store.Tx, uid string) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		var d document
		stopped := false
		err := tx.Scan(uid, func(e *store.Entry) error {
			if d.id != "" && (d.id != e.DocumentID || d.locale != e.Locale) {
				if stopped = !yield(d, nil); stopped {
					return errStopped
				}
				d = document{}
			}
			d.locale, d.id = e.Locale, e.DocumentID
			if e.Status == store.Draft {
				d.draft = e
			} else {
				d.published = e
			}
			return nil
		})
		switch {
		case stopped:
		case err != nil:
			yield(document{}, err)
		case d.id != "":
			yield(d, nil)
		}
	}
}

// judge reports the differences between two documents: only a if order is negative, only b
// if it is positive, otherwise both.
func (w *typeWalk) judge(a, b document, order int, fn func(Change) error) error {
	c := Change{Type: w.uid, Locale: a.locale, DocumentID: a.id, Change: Changed}
	switch {
	case order < 0:
		c.Change, b = Removed, document{}
	case order > 0:
		c.Change, c.Locale, c.DocumentID, a = Added, b.locale, b.id, document{}
	}
	c.Unknown = a.unknown || b.unknown
	c.Versions = append(w.version(a.draft, b.draft, store.Draft), w.version(a.published, b.published, store.Published)...)
	count := w.count(c.Locale)
	if c.Unknown {
		c.Versions = []Version{}
	}
	switch {
	case len(c.Versions) == 0 && !c.Unknown:
		count.Same++
		return nil
	case order < 0:
		count.Removed++
	case order > 0:
		count.Added++
	default:
		count.Changed++
	}
	return fn(c)
}

// count returns the count of a locale.
func (w *typeWalk) count(locale string) *Count {
	if n := len(w.counts); n == 0 || w.counts[n-1].Locale != locale {
		w.counts = append(w.counts, Count{Type: w.uid, Locale: locale})
	}
	return &w.counts[len(w.counts)-1]
}

// version returns the differences between two versions with the same status; nothing if
// there are none.
func (w *typeWalk) version(a, b *store.Entry, s store.Status) []Version {
	v := Version{Status: s.String(), Change: Changed}
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		v.Change = Added
	case b == nil:
		v.Change = Removed
	default:
		if v.Attributes = w.attributes(a, b); v.Attributes == nil {
			return nil
		}
	}
	return []Version{v}
}
