package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"quire/index"
	"quire/index/language"
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
	var all []Suggestion
	if last := &s.units[n-1]; last.prefix {
		all = s.suggestBegun(x, m)
	} else {
		all = s.suggestFound(x, m, 0, last.words[0])
	}
	if len(all) == 0 && x.err == nil {
		all = s.suggestFound(x, m, mostEdits, "")
	}
	return all, x.err
}

// suggestFound returns what the search finds for the last word with at most so many typing
// errors, if it begins with a text.
func (s *Search) suggestFound(x *run, m *matched, edits int, begin string) []Suggestion {
	f := s.findSpelled(x, m, edits)
	defer f.close()
	x.plan.Matched, x.plan.Select = f.n, x.lap()
	if f.partial {
		return nil
	}
	return f.suggestions(s.text[:s.units[len(s.units)-1].start], f.hitTerms(begin))
}

// suggestBegun returns the suggestions that begin with the last word, of rows that have all
// other words.
func (s *Search) suggestBegun(x *run, m *matched) (all []Suggestion) {
	others, last := *s, &s.units[len(s.units)-1]
	others.units = s.units[:len(s.units)-1]
	f := others.find(x, m)
	defer f.close()
	x.plan.Matched, x.plan.Select = f.n, x.lap()
	if f.partial || f.n == 0 || x.err != nil {
		return nil
	}
	if f.terms == nil {
		f.readTerms()
	}
	word := last.words[0]
	sizes, terms := f.begunSizes(word)
	var found []continuation
	if terms > f.n*f.tokensOfRow() {
		found = f.begunInRows(word)
	} else {
		found = f.begunInTerms(word, &sizes)
	}
	return f.suggestions(s.text[:last.start], found)
}

// continuation is a term that the last word can become.
type continuation struct {
	index.Term
	field, edits, rows int
}

const continuationBytes = 128

// bestContinuations sorts continuations, the best first, and returns at most n of them.
func bestContinuations(all []continuation, n int) []continuation {
	slices.SortFunc(all, func(a, b continuation) int {
		return cmp.Or(a.edits-b.edits, b.rows-a.rows, cmp.Compare(a.Text, b.Text))
	})
	return all[:min(len(all), n)]
}

// tokensOfRow returns how many terms a row has, about.
func (f *searching) tokensOfRow() (n int) {
	for _, t := range f.terms {
		n += 1 + int(t.Mean())
	}
	return n
}

// begunStep is the number of terms of which only the size is read in one step.
const begunStep = 64

// eachBegun calls fn for the terms of all fields that begin with a word.
func (f *searching) eachBegun(word string, fn func(field int, number uint32, size uint8)) {
	for at, t := range f.terms {
		for _, of := range f.languages {
			n := 0
			t.EachPrefix(of, word, func(number uint32, size uint8) bool {
				fn(at, number, size)
				n++
				return n%begunStep != 0 && f.err == nil || !f.stopped()
			})
		}
	}
}

// begunSizes returns how many terms begin with a word, and how many of each size.
func (f *searching) begunSizes(word string) (sizes [33]int, all int) {
	f.eachBegun(word, func(_ int, _ uint32, size uint8) { sizes[size]++; all++ })
	return sizes, all
}

// begunInRows returns the terms that begin with a word and that rows with the other words
// have. It reads the terms of these rows.
func (f *searching) begunInRows(word string) []continuation {
	type counted struct {
		continuation
		last index.Row // the last row that was counted
	}
	known := map[string]*counted{}
	f.all.Each(func(r index.Row) bool {
		for at, t := range f.terms {
			stream := t.Stream(r)
			f.steps += len(stream) / streamStep
			for number, gap, more := stream.Next(); more; number, gap, more = stream.Next() {
				if gap || !slices.ContainsFunc(f.languages, func(of *language.Language) bool { return t.Begins(number, of, word) }) {
					continue
				}
				term := t.Term(number)
				one := known[term.Text]
				switch {
				case one == nil && f.reserve(2*continuationBytes):
					known[term.Text] = &counted{continuation{Term: term, field: at, rows: 1}, r}
				case one != nil && one.last != r:
					one.rows, one.last = one.rows+1, r
				}
			}
		}
		return !f.stopped()
	})
	all := make([]continuation, 0, len(known))
	for _, one := range known {
		all = append(all, one.continuation)
	}
	f.unreserve(2 * len(known) * continuationBytes)
	return bestContinuations(all, mostSuggestions)
}

// begunInTerms is begunInRows by the rows of the terms, beginning with those that have the most.
// It ends where the others have fewer than those that are suggested: unless there are documents
// that the caller does not see, whose number must not show in the time.
func (f *searching) begunInTerms(word string, sizes *[33]int) []continuation {
	known := map[string]continuation{}
	for most := len(sizes) - 1; most > 0; {
		least := most
		for n := 0; least > 0 && (n < 2*mostSuggestions || f.tb.IsPart()); least-- {
			n += sizes[least]
		}
		f.eachBegun(word, func(at int, number uint32, size uint8) {
			if int(size) <= least || int(size) > most || f.worked(1) {
				return
			}
			one := continuation{Term: f.terms[at].Term(number), field: at}
			former, ok := known[one.Text]
			if one.rows = one.Rows.CountIn(f.all); one.rows > former.rows && (ok || f.reserve(continuationBytes)) {
				known[one.Text] = one
			}
		})
		all := bestContinuations(slices.Collect(maps.Values(known)), 2*mostSuggestions)
		if most = least; most == 0 || f.err != nil || len(all) == 2*mostSuggestions && all[len(all)-1].rows >= 1<<most {
			f.unreserve(len(known) * continuationBytes)
			return f.counted(all, func(int, uint32) bool { return true })
		}
	}
	return nil
}

// hitTerms returns the terms that the last word stands for, that begin with a text, and that
// rows with all words have, each once.
func (f *searching) hitTerms(begin string) []continuation {
	known := map[string]continuation{}
	last := f.found[len(f.units)-1]
	for at, field := range last.fields {
		for _, h := range field.sequences[0].words[0].list {
			if f.stopped() {
				break
			}
			one := continuation{f.terms[at].Term(h.number), at, int(h.edits), 0}
			if !strings.HasPrefix(one.Text, begin) {
				continue
			}
			if one.rows = one.Rows.CountIn(f.all); one.rows > known[one.Text].rows {
				known[one.Text] = one
			}
		}
	}
	return f.counted(bestContinuations(slices.Collect(maps.Values(known)), 2*mostSuggestions), func(at int, number uint32) bool {
		return last.fields[at].sequences[0].words[0].find(number) >= 0
	})
}

// counted counts the rows that have each text in some field, where the term is one that is
// meant, and returns the best.
func (f *searching) counted(all []continuation, meant func(field int, number uint32) bool) []continuation {
	for i := range all {
		rows := f.newBits(f.tb)
		for at, t := range f.terms {
			for _, of := range f.languages {
				if number, ok := t.Find(of, all[i].Text); ok && meant(at, number) {
					t.Rows(number).AddTo(rows)
				}
			}
		}
		rows.And(f.all)
		all[i].rows = rows.Count()
		f.releaseBits(f.tb, rows)
	}
	return bestContinuations(all, mostSuggestions)
}

// suggestions returns the text before the last word with each continuation.
func (f *searching) suggestions(begin string, found []continuation) (all []Suggestion) {
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
