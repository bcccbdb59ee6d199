package query

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"quire/index"
	"quire/schema"
)

// Append runs the search and appends the whole response: the entries of the page with what
// was found in them, and in meta the paging, the facets and a better spelling. missed is set if
// the search is for words that no entry has.
func (s *Search) Append(ctx context.Context, snapshot *index.Snapshot, dst []byte) (_ []byte, missed bool, err error) {
	x := newRun(ctx, snapshot, s.query)
	defer x.close()
	m := s.query.selectRows(x)
	f := s.find(x, m)
	defer f.close()
	m.release(x)
	result := &matched{tb: f.tb, rows: f.all, n: f.n}
	x.plan.Matched, x.plan.Select = f.n, x.lap()
	rows := f.rows(s.query.paging.start, s.query.paging.size)
	x.plan.Returned, x.plan.Order = len(rows), x.lap()
	dst = append(dst, `{"data":[`...)
	for i := range rows {
		if x.err != nil {
			return dst, false, x.err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = f.appendFound(dst, &rows[i])
	}
	dst = append(dst, `],"meta":{"pagination":`...)
	dst = s.query.paging.append(dst, f.n, "")
	dst = f.appendFacets(dst, result)
	dst = append(f.appendMeta(dst), "}}"...)
	x.plan.Encode = x.lap()
	return dst, f.n == 0 && s.hasWords(), x.err
}

// Within restricts the search to one attribute of the entries. It reports whether there is
// something to find: words in the text, and an attribute that is searched.
func (s *Search) Within(a *schema.Attribute) bool {
	s.fields = slices.DeleteFunc(slices.Clone(s.fields), func(f searchedField) bool { return len(f.path.Attributes) > 1 || f.path.Last() != a })
	return len(s.fields) > 0 && s.hasWords()
}

// hasWords reports whether entries must have a word.
func (s *Search) hasWords() bool {
	return slices.ContainsFunc(s.units, func(u searchUnit) bool { return !u.excluded })
}

// Each calls fn for each entry of the page, best first. Entries without some of the words are
// left out.
func (s *Search) Each(ctx context.Context, snapshot *index.Snapshot, fn func(Entry)) error {
	x := newRun(ctx, snapshot, s.query)
	defer x.close()
	m := s.query.selectRows(x)
	f := s.find(x, m)
	defer f.close()
	m.release(x)
	if f.partial {
		return x.err
	}
	for _, one := range f.rows(s.query.paging.start, s.query.paging.size) {
		fn(Entry{s.query, x, entryRecord(f.tb, one.row)})
	}
	return x.err
}

// Cost is Query.Cost for the search.
func (s *Search) Cost(snapshot *index.Snapshot, enough int) int {
	return s.query.estimated(snapshot, enough, func(e *estimator) float64 {
		w := e.selected(s.query)
		shown := min(float64(s.query.paging.size), w.left)
		ranked := min(w.left, mostRanked) * float64(len(s.units)) / manyParts
		return w.examined + ranked + w.left*float64(len(s.facets))/manyParts + shown*e.entry(s.query.t, s.query.selection)
	})
}

// rows returns the rows of a page. Without words to find they are in the order of site.json.
func (f *searching) rows(start, size int) []placedRow {
	if start >= f.n || size <= 0 || f.err != nil {
		return nil
	}
	if f.ownOrder || !f.hasWords() {
		order := f.order
		if f.ownOrder {
			order = f.query.order
		}
		var rows []placedRow
		for _, r := range f.page(&matched{tb: f.tb, rows: f.all, n: f.n}, order, stretch{skip: start, limit: size}) {
			rows = append(rows, placedRow{row: r})
		}
		return rows
	}
	rows := f.ranked(start + size)
	start = min(start, len(rows))
	return rows[start:min(start+size, len(rows))]
}

// appendFound appends an entry with what was found in it.
func (f *searching) appendFound(dst []byte, one *placedRow) []byte {
	rec := entryRecord(f.tb, one.row)
	dst = f.query.appendWhole(f.run, rec, dst)
	if f.err != nil {
		return dst
	}
	dst = append(dst[:len(dst)-1], `,"_highlight":{`...)
	start := len(dst)
	dst = append(dropComma(highlighter{f}.append(dst, one.row, rec), start), '}')
	if f.explain {
		dst = one.appendExplanation(dst)
	}
	return append(dst, '}')
}

// appendExplanation appends why an entry is where it is.
func (p *placing) appendExplanation(dst []byte) []byte {
	dst = append(dst, `,"_rank":{`...)
	dst = appendNumber(dst, "words", p.words)
	dst = appendNumber(append(dst, ','), "typos", p.edits)
	dst = appendNumber(append(dst, ','), "distance", p.distance)
	dst = appendNumber(append(dst, ','), "weight", p.weight)
	dst = appendNumber(append(dst, ','), "exact", p.exact)
	dst = append(dst, `,"score":`...)
	return append(strconv.AppendFloat(dst, p.score, 'f', 4, 64), '}')
}

// appendMeta appends how the text was read, and a better spelling.
func (f *searching) appendMeta(dst []byte) []byte {
	dst = append(dst, `,"search":{"partial":`...)
	dst = strconv.AppendBool(dst, f.partial)
	if better := f.didYouMean(); better != "" {
		dst = append(dst, `,"didYouMean":`...)
		dst = index.AppendString(dst, better)
	}
	if f.explain {
		dst = append(dst, `,"words":[`...)
		for i := range f.units {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = f.appendUnit(dst, i)
		}
		dst = append(dst, `],"order":[`...)
		for i, key := range f.ordering {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = index.AppendString(dst, key)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func (f *searching) appendUnit(dst []byte, i int) []byte {
	u := &f.units[i]
	dst = append(dst, `{"words":[`...)
	for at, word := range u.words {
		if at > 0 {
			dst = append(dst, ',')
		}
		dst = index.AppendString(dst, word)
	}
	dst = append(dst, ']')
	dst = append(dst, `,"excluded":`...)
	dst = strconv.AppendBool(dst, u.excluded)
	dst = append(dst, `,"phrase":`...)
	dst = strconv.AppendBool(dst, u.quoted)
	dst = append(dst, `,"beginning":`...)
	dst = strconv.AppendBool(dst, u.prefix)
	dst = append(dst, `,"ignored":`...)
	dst = strconv.AppendBool(dst, u.stops)
	dst = appendNumber(append(dst, ','), "entries", f.found[i].count)
	return append(dst, '}')
}

// mostFacetValues is the maximum number of values of a facet.
const mostFacetValues = 100

// appendFacets appends how many of the rows have each value, the most frequent first.
func (f *searching) appendFacets(dst []byte, result *matched) []byte {
	if len(f.facets) == 0 {
		return dst
	}
	dst = append(dst, `,"facets":{`...)
	start := len(dst)
	for _, one := range f.facets {
		if f.err != nil {
			return dst
		}
		dst = append(appendKey(f.run, dst, one.name), '[')
		dst = append(one.group.appendCounts(f.run, result, dst), ']')
	}
	return append(dropComma(dst, start), '}')
}

// appendCounts appends the values of the only key of an aggregate with the number of rows
// that have them.
func (a *Aggregate) appendCounts(x *run, m *matched, dst []byte) []byte {
	g := a.group(x, m)
	groups := make([]uint32, g.n)
	for i := range groups {
		groups[i] = uint32(i)
	}
	slices.SortStableFunc(groups, interruptible(x, func(a, b uint32) int { return cmp.Compare(g.counts[b], g.counts[a]) }))
	shown := 0
	for _, group := range groups {
		if x.err != nil || shown == mostFacetValues {
			break
		}
		if g.of[group] == 0 || g.counts[group] == 0 { // null is no value
			continue
		}
		if shown++; shown > 1 {
			dst = append(dst, ',')
		}
		dst = g.appendLabel(x, group, 0, append(x.grow(dst, 0), `{"value":`...))
		dst = append(appendNumber(append(dst, ','), "count", g.counts[group]), '}')
	}
	x.unreserve(g.n * groupBytes)
	return dst
}
