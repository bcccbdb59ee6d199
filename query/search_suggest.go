package query

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"quire/index"
)

// mostSuggestions is the maximum number of suggestions.
const mostSuggestions = 10

// Suggestion is a text that a search can go on with, and how many entries it finds.
type Suggestion struct {
	Text  string
	Count int
}

// Suggest returns what the text of the search can be continued to: its last word, as entries
// have it that also have the other words. The most frequent come first. If no word begins
// with the last one, they are those that it may be a misspelling of.
func (s *Search) Suggest(ctx context.Context, snapshot *index.Snapshot) ([]Suggestion, error) {
	x := newRun(ctx, snapshot, s.query)
	defer x.close()
	return s.suggest(x)
}

func (s *Search) suggest(x *run) ([]Suggestion, error) {
	n := len(s.units)
	if n == 0 || !s.units[n-1].isWord() || s.units[n-1].excluded {
		return nil, nil
	}
	m := s.query.selectRows(x)
	defer m.release(x)
	for _, edits := range []int{0, mostEdits} {
		f := s.findSpelled(x, m, edits)
		x.plan.Matched, x.plan.Select = f.n, x.lap()
		var all []Suggestion
		if !f.partial {
			all = f.suggestions(f.continuations(edits))
		}
		f.close()
		if len(all) > 0 || x.err != nil {
			return all, x.err
		}
	}
	return nil, nil
}

// continuation is a term that the last word can become.
type continuation struct {
	index.Term
	field, edits, rows int
}

// continuations returns the terms of the last word with at most so many errors that rows
// with all words have, each once.
func (f *searching) continuations(edits int) []continuation {
	last := len(f.units) - 1
	word := f.units[last].words[0]
	known := map[string]continuation{}
	for at, field := range f.found[last].fields {
		for number, h := range field.sequences[0].words[0] {
			if int(h.edits) > edits || f.stopped() {
				continue
			}
			one := continuation{f.terms[at].Term(number), at, int(h.edits), 0}
			if edits == 0 && !strings.HasPrefix(one.Text, word) {
				continue
			}
			if one.rows = one.Rows.CountIn(f.all); one.rows > known[one.Text].rows {
				known[one.Text] = one
			}
		}
	}
	all := make([]continuation, 0, len(known))
	for _, one := range known {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b continuation) int {
		return cmp.Or(a.edits-b.edits, b.rows-a.rows, cmp.Compare(a.Text, b.Text))
	})
	all = all[:min(len(all), 2*mostSuggestions)]
	for i := range all {
		all[i].rows = f.countTerm(last, all[i].Text)
	}
	slices.SortStableFunc(all, func(a, b continuation) int { return cmp.Or(a.edits-b.edits, b.rows-a.rows) })
	return all[:min(len(all), mostSuggestions)]
}

// countTerm returns the number of rows with all words that have a term of a unit in some
// attribute.
func (f *searching) countTerm(unit int, text string) int {
	rows := f.newBits(f.tb)
	for at, field := range f.found[unit].fields {
		for _, of := range f.languages {
			if one, ok := f.terms[at].Find(of, text); ok {
				if _, hit := field.sequences[0].words[0][one.Number]; hit {
					one.Rows.AddTo(rows)
				}
			}
		}
	}
	rows.And(f.all)
	n := rows.Count()
	f.releaseBits(f.tb, rows)
	return n
}

// suggestions returns the text of the search with each continuation instead of its last word.
func (f *searching) suggestions(found []continuation) (all []Suggestion) {
	begin := f.Search.text[:f.units[len(f.units)-1].start]
	for _, one := range found {
		if word := f.spelled(one.field, one.Term, f.all); word != "" && f.err == nil {
			all = append(all, Suggestion{begin + word, one.rows})
		}
	}
	return all
}

// AppendSuggestions appends the response with suggestions.
func AppendSuggestions(dst []byte, all []Suggestion) []byte {
	dst = append(dst, `{"data":[`...)
	for i, one := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = index.AppendString(append(dst, `{"text":`...), one.Text)
		dst = append(appendNumber(append(dst, ','), "count", one.Count), '}')
	}
	return append(dst, `],"meta":{}}`...)
}
