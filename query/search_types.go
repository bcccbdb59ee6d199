package query

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"quire/index"
)

// Searches are searches of the same text in several types, whose result is one list.
type Searches []*Search

// Queries returns the queries that select the entries of each type.
func (all Searches) Queries() (queries []*Query) {
	for _, s := range all {
		queries = append(queries, s.query)
	}
	return queries
}

// Cost is the sum of the costs of the searches.
func (all Searches) Cost(snapshot *index.Snapshot, enough int) (cost int) {
	for _, s := range all {
		cost += s.Cost(snapshot, enough)
	}
	return cost
}

// typedRow is a row of one of several searches.
type typedRow struct {
	placedRow
	of int // in searching
}

// allFound are the searches in several types while they run.
type allFound struct {
	found []*searching
	rows  []typedRow // of the page
	n     int
	part  bool // what is found has only some of the words
}

// Append runs the searches and appends the whole response: the best entries of all types, each
// with its type. missed is set if the search is for words that no entry has.
func (all Searches) Append(ctx context.Context, snapshot *index.Snapshot, dst []byte) (_ []byte, missed bool, err error) {
	a := &allFound{}
	defer a.close()
	for _, s := range all {
		if err := a.find(ctx, snapshot, s); err != nil {
			return dst, false, err
		}
	}
	a.dropPartial()
	page := all[0].query.paging
	if err := a.order(page.start, page.size); err != nil {
		return dst, false, err
	}
	dst = append(dst, `{"data":[`...)
	for i := range a.rows {
		one := &a.rows[i]
		f := a.found[one.of]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = f.appendFound(dst, &one.placedRow)
		if f.err != nil {
			return dst, false, f.err
		}
		dst = index.AppendString(append(dst[:len(dst)-1], `,"__type":`...), f.tb.Type.UID)
		dst = append(dst, '}')
	}
	dst = append(dst, `],"meta":{"pagination":`...)
	dst = page.append(dst, a.n, "")
	dst = append(dst, `,"search":{"partial":`...)
	dst = strconv.AppendBool(dst, a.part)
	better, err := a.didYouMean()
	if better != "" {
		dst = index.AppendString(append(dst, `,"didYouMean":`...), better)
	}
	return append(dst, "}}}"...), a.n == 0 && all[0].hasWords(), err
}

// find runs one search.
func (a *allFound) find(ctx context.Context, snapshot *index.Snapshot, s *Search) error {
	x := newRun(ctx, snapshot, s.query)
	if n := len(a.found); n > 0 {
		x.goOn(a.found[n-1].run)
	}
	m := s.query.selectRows(x)
	f := s.find(x, m)
	m.release(x)
	a.found = append(a.found, f)
	return x.err
}

// goOn counts what x does to what another run has done: together they are one read.
func (x *run) goOn(before *run) {
	x.steps, x.heavyAt, x.pauseAt = before.steps, before.heavyAt, before.pauseAt
}

func (a *allFound) close() {
	for _, f := range a.found {
		f.close()
		f.run.close()
	}
}

// dropPartial leaves out entries without some of the words if others have all of them.
func (a *allFound) dropPartial() {
	whole := slices.ContainsFunc(a.found, func(f *searching) bool { return !f.partial && f.n > 0 })
	for _, f := range a.found {
		if whole && f.partial {
			f.n = 0
		}
		a.n += f.n
		a.part = a.part || f.partial && f.n > 0
	}
}

// order finds the rows of the page.
func (a *allFound) order(start, size int) error {
	var rows []typedRow
	for i, f := range a.found {
		if f.n == 0 {
			continue
		}
		for _, one := range f.first(start + size) {
			rows = append(rows, typedRow{one, i})
		}
		if f.err != nil {
			return f.err
		}
	}
	slices.SortStableFunc(rows, func(a, b typedRow) int { return cmp.Or(a.compare(b.placing), a.of-b.of) })
	start = min(start, len(rows))
	a.rows = rows[start:min(start+size, len(rows))]
	return nil
}

// first returns the first rows, as many as a page needs.
func (f *searching) first(end int) []placedRow {
	rows := f.rows(0, end)
	return rows[:min(end, len(rows))]
}

// didYouMean returns a better spelling if no type has the words as they are.
func (a *allFound) didYouMean() (better string, err error) {
	for _, f := range a.found {
		if f.inBase == 0 || f.partial {
			continue
		}
		one := f.didYouMean()
		if one == "" && f.n > 0 || f.err != nil {
			return "", f.err
		}
		if better == "" {
			better = one
		}
	}
	return better, nil
}

// Suggest returns the suggestions of all types. Those with the same text are one.
func (all Searches) Suggest(ctx context.Context, snapshot *index.Snapshot) (merged []Suggestion, err error) {
	var before *run
	for _, s := range all {
		x := newRun(ctx, snapshot, s.query)
		if before != nil {
			x.goOn(before)
		}
		found, err := s.suggest(x)
		before = &run{steps: x.steps, heavyAt: x.heavyAt, pauseAt: x.pauseAt}
		if x.close(); err != nil {
			return nil, err
		}
		for _, one := range found {
			at := slices.IndexFunc(merged, func(m Suggestion) bool { return m.Text == one.Text })
			if at < 0 {
				merged = append(merged, one)
			} else {
				merged[at].Count += one.Count
			}
		}
	}
	slices.SortStableFunc(merged, func(a, b Suggestion) int { return b.Count - a.Count })
	return merged[:min(len(merged), mostSuggestions)], nil
}
