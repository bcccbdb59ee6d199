package query

import (
	"fmt"
	"slices"
	"strings"

	"quire/index"
	"quire/query/params"
	"quire/schema"
)

// A read with fallbackLocale shows each document once even if it lacks the requested
// locale: the version in the first of its fallback locales stands in. Only the locale is
// decided here; versions.go decides the version of each type's entries, so a draft stands
// in only if the caller may read it.

// compileFallback resolves the fallback locales. If all locales are requested, or the type
// has none, nothing is missing.
func (c *Compiler) compileFallback(t *schema.Type, query *params.Node, requested []string) ([]string, error) {
	n := query.Get("fallbackLocale")
	if !t.Localized || n == nil || n.IsNull() {
		return nil, nil
	}
	texts, err := fallbackTexts(n)
	if err != nil {
		return nil, err
	}
	var fallback []string
	for _, code := range splitNames(strings.Join(texts, ",")) {
		switch {
		case code == "":
		case !c.site.Settings.HasLocale(code):
			return nil, noLocale("fallbackLocale", code)
		case !slices.Contains(requested, code) && !slices.Contains(fallback, code):
			fallback = append(fallback, code)
		}
	}
	if requested == nil || len(fallback) == 0 {
		return nil, nil
	}
	for _, code := range requested {
		if !c.site.Settings.HasLocale(code) {
			return nil, noLocale("locale", code)
		}
	}
	return fallback, nil
}

func fallbackTexts(n *params.Node) ([]string, error) {
	if n.IsText() {
		return []string{n.Text}, nil
	}
	var texts []string
	for _, item := range n.Items {
		if n.IsObject() || !item.IsText() {
			return nil, refuseParam("fallbackLocale", "fallbackLocale", "Invalid fallbackLocale parameter. Expected a locale code or an array of locale codes")
		}
		texts = append(texts, item.Text)
	}
	return texts, nil
}

func noLocale(param, code string) error {
	return refuseParam(param, param, fmt.Sprintf("Invalid %s parameter. The site has no locale %q", param, code))
}

// fallback decides which locale of a document a run shows.
type fallback struct {
	ranks     []int          // by locale: its position among the requested ones followed by the fallbacks; notAsked for others
	order     []index.Locale // by rank
	requested int            // how many are requested
}

const notRequested = -1

func newFallback(s *index.Snapshot, requested, standIn []string) *fallback {
	f := &fallback{}
	for i, code := range slices.Concat(requested, standIn) {
		l, ok := s.Locale(code)
		if !ok {
			continue // no entry is in it
		}
		for len(f.ranks) <= int(l) {
			f.ranks = append(f.ranks, notRequested)
		}
		f.ranks[l] = len(f.order)
		f.order = append(f.order, l)
		if i < len(requested) {
			f.requested++
		}
	}
	return f
}

func (f *fallback) rank(l index.Locale) int {
	if l < 0 || int(l) >= len(f.ranks) {
		return notRequested
	}
	return f.ranks[l]
}

// standsIn reports whether entries in a locale are shown only as a fallback.
func (f *fallback) standsIn(l index.Locale) bool { return f.rank(l) >= f.requested }

// rows adds the rows that a list shows: those in the requested locales, and of each
// fallback locale those whose documents have none of the locales before it.
func (f *fallback) rows(x *run, tb *index.Table, out *index.Bits) {
	translations := x.translations(tb)
	values := x.values(tb, index.NewPath(tb.Type.Attribute("locale")))
	for rank, l := range f.order {
		in := values.Rows(x.s.LocaleCode(l))
		if rank < f.requested {
			in.AddTo(out)
			continue
		}
		missing := x.newBits(tb)
		in.AddTo(missing)
		if tb.IsPart() { // translations that do not exist for the caller do not count
			missing.Filter(func(r index.Row) bool { return tb.Has(r) && f.shows(tb, tb.Entry(r)) && !x.stopped() })
			x.addSet(tb, out, missing)
			continue
		}
		for _, before := range f.order[:rank] {
			if x.worked(bitsBytes(tb) / scannedBytes) {
				break
			}
			translations.Also(l, before).TakeFrom(missing)
		}
		out.Or(missing)
		x.releaseBits(tb, missing)
	}
}

// shows reports whether the run shows this version of a document: if no other one precedes
// it. Versions in locales that are neither requested nor fallbacks do not count.
func (f *fallback) shows(tb *index.Table, e *index.Entry) bool {
	if !f.standsIn(e.Locale) {
		return true
	}
	own, before := f.rank(e.Locale), false
	tb.EachVersion(e.Doc, func(_ index.Row, other *index.Entry) {
		rank := f.rank(other.Locale)
		before = before || rank != notRequested && rank < own
	})
	return !before
}

// target returns the version of a document that an edge of the owner leads to: the one in
// locale first, otherwise the first fallback. If the owner is a fallback itself, the
// requested locales come first.
func (f *fallback) target(tb *index.Table, d index.Doc, owner *index.Entry, first index.Locale) (row index.Row, ok bool) {
	least := len(f.order)
	tb.EachVersion(d, func(r index.Row, e *index.Entry) {
		rank := f.rank(e.Locale)
		switch {
		case f.standsIn(owner.Locale):
		case e.Locale == first:
			rank = 0
		case !f.standsIn(e.Locale):
			return
		}
		if rank != notRequested && rank < least {
			row, ok, least = r, true, rank
		}
	})
	return row, ok
}

// findTarget finds the version of a document that an edge of the owner leads to.
func (x *run) findTarget(tb *index.Table, d index.Doc, owner *index.Entry, locale index.Locale) (index.Row, bool) {
	if x.fallback == nil || !tb.Type.Localized {
		return tb.Find(d, locale)
	}
	return x.fallback.target(tb, d, owner, locale)
}

// leadsHere reports whether the edge of an owner that names the record's document leads to
// the record itself, and not to another locale of it.
func (x *run) leadsHere(rec record, owner *index.Entry, e index.Edge) bool {
	locale := x.targetLocale(rec.t, owner, e)
	if x.fallback == nil || !rec.t.Localized {
		return locale == rec.entry.Locale
	}
	tb := x.table(rec.t)
	r, ok := x.fallback.target(tb, rec.entry.Doc, owner, locale)
	return ok && tb.Entry(r).Locale == rec.entry.Locale
}

// owns reports whether an entry counts among the owners of edges to entries of type t. If
// these have locales, a document owns them in the version that is shown.
func (x *run) owns(tb *index.Table, e *index.Entry, t *schema.Type) bool {
	return x.fallback == nil || !t.Localized || x.fallback.shows(tb, e)
}
