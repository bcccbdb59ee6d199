package query

import (
	"cmp"
	"math"
	"slices"

	"quire/index"
)

// mostRanked is the maximum number of rows whose words are read to rank them. Of more, those
// are ranked that have the most words with the fewest errors in the attributes of the
// greatest weight; the others follow, in the order of their ids.
const mostRanked = 4096

// placing is how well an entry fits a search. Entries are ordered by its fields, from the
// first to the last.
type placing struct {
	words    int     // units that are found
	edits    int     // typing errors in them
	distance int     // between units that follow each other in the text of the search
	weight   int     // of the attributes in which they are found
	exact    int     // units that are found as they are, and one more if an attribute is the text of the search
	score    float64 // BM25
}

func (a placing) compare(b placing) int {
	return cmp.Or(b.words-a.words, a.edits-b.edits, a.distance-b.distance, b.weight-a.weight, b.exact-a.exact, cmp.Compare(b.score, a.score))
}

type placedRow struct {
	placing
	row  index.Row
	keys []sortValue // of the order of site.json
}

const placedBytes = 120

// farthest is the distance of units that are not found in one attribute.
const farthest = 8

// Parameters of BM25.
const (
	termSaturation  = 1.2
	lengthInfluence = 0.75
)

// fieldRanker finds the units of the search in the streams of a field.
type fieldRanker struct {
	maybe     [64]uint64 // bits of the numbers that are hits, by their lowest bits: most terms have none
	sequences []sequence
	states    []sequenceState
}

type sequenceState struct {
	words uint64 // which words may have been read, as bits
	at    int    // position of the last one
}

// ranker returns what finds the units in a field.
func (f *searching) ranker(at int) *fieldRanker {
	if f.rankers == nil {
		f.rankers = make([]*fieldRanker, len(f.terms))
	}
	if f.rankers[at] == nil {
		f.rankers[at] = f.newFieldRanker(at)
	}
	return f.rankers[at]
}

func (f *searching) newFieldRanker(at int) *fieldRanker {
	r := &fieldRanker{}
	for i := range f.found {
		if f.found[i].fields == nil || f.units[i].excluded {
			continue
		}
		for _, one := range f.found[i].fields[at].sequences {
			r.sequences = append(r.sequences, one)
			for _, hits := range one.words {
				for _, hit := range hits.list {
					r.maybe[hit.number/64%64] |= 1 << (hit.number % 64)
				}
			}
		}
	}
	r.states = make([]sequenceState, len(r.sequences))
	return r
}

// mayHave reports whether a term may be a hit.
func (r *fieldRanker) mayHave(number uint32) bool {
	return r.maybe[number/64%64]&(1<<(number%64)) != 0
}

// has reports whether a term is a hit.
func (r *fieldRanker) has(number uint32) bool {
	if !r.mayHave(number) {
		return false
	}
	for i := range r.sequences {
		if words, _ := r.sequences[i].fits(number); words != 0 {
			return true
		}
	}
	return false
}

// occurrence is where a unit is found in an entry.
type occurrence struct {
	field, at int
	hit
}

// each calls fn for each time that a unit is found in a stream, and returns the number of
// terms of the stream.
func (r *fieldRanker) each(stream index.TermStream, fn func(unit, at int, h hit)) (terms int) {
	clear(r.states)
	at := 0
	for number, gap, more := stream.Next(); more; number, gap, more = stream.Next() {
		at++
		if gap {
			at += farthest
			continue
		}
		terms++
		if !r.mayHave(number) {
			continue
		}
		for i := range r.sequences {
			s, state := &r.sequences[i], &r.states[i]
			words, h := s.fits(number)
			if words == 0 {
				continue
			}
			if state.at != at-1 {
				state.words = 0
			}
			state.words, state.at = (state.words<<1|1)&words, at
			if state.words&(1<<(len(s.words)-1)) != 0 {
				fn(s.unit, at, h)
			}
		}
	}
	return terms
}

// entryRanker ranks the rows of a search.
type entryRanker struct {
	*searching
	fields      []*fieldRanker
	rarity      []float64      // of each unit
	occurrences [][]occurrence // by unit, of the row being ranked
	most        int            // the greatest weight
}

func (f *searching) newRanker() *entryRanker {
	r := &entryRanker{searching: f, rarity: make([]float64, len(f.units)), occurrences: make([][]occurrence, len(f.units)), most: 1}
	for at := range f.fields {
		r.fields = append(r.fields, f.ranker(at))
		r.most = max(r.most, f.Search.fields[at].weight)
	}
	for i := range f.units {
		n := float64(f.found[i].count)
		r.rarity[i] = math.Log(1 + (float64(f.inBase)-n+0.5)/(n+0.5))
	}
	return r
}

// mostOccurrences limits how often a unit is noted in one entry.
const mostOccurrences = 16

// place returns how well a row fits.
func (r *entryRanker) place(row index.Row) (p placing) {
	for i := range r.occurrences {
		r.occurrences[i] = r.occurrences[i][:0]
	}
	whole := false
	for at, field := range r.fields {
		stream := r.terms[at].Stream(row)
		r.steps += len(stream) / streamStep
		if stream == "" {
			continue
		}
		counts, exact := [mostUnits]int{}, true
		terms := field.each(stream, func(unit, position int, h hit) {
			counts[unit]++
			exact = exact && h.exact
			if len(r.occurrences[unit]) < mostOccurrences {
				r.occurrences[unit] = append(r.occurrences[unit], occurrence{at, position, h})
			}
		})
		length := float64(terms) / r.terms[at].Mean()
		found := 0
		for unit := range r.units {
			if tf := float64(counts[unit]); tf > 0 {
				found += len(r.units[unit].words)
				saturated := tf * (termSaturation + 1) / (tf + termSaturation*(1-lengthInfluence+lengthInfluence*length))
				p.score += r.rarity[unit] * saturated * float64(r.Search.fields[at].weight) / float64(r.most)
			}
		}
		whole = whole || exact && found == terms && r.isWhole(found)
	}
	r.addUp(&p)
	if whole {
		p.exact++
	}
	return p
}

// isWhole reports whether so many words are all words of the search.
func (r *entryRanker) isWhole(words int) bool {
	for i := range r.units {
		if !r.units[i].excluded {
			words -= len(r.units[i].words)
		}
	}
	return words == 0
}

// addUp computes what does not come from one field alone.
func (r *entryRanker) addUp(p *placing) {
	var before []occurrence
	for i := range r.units {
		if r.units[i].excluded {
			continue
		}
		here := r.occurrences[i]
		if len(here) == 0 {
			continue
		}
		best := slices.MinFunc(here, r.compareOccurrences)
		if !r.units[i].stops {
			p.words++
			p.edits += int(best.edits)
			p.weight += r.weight(best)
		}
		if best.exact {
			p.exact++
		}
		if before != nil {
			p.distance += distanceOf(before, here)
		}
		before = here
	}
}

// compareOccurrences orders occurrences of a unit as entries are ordered.
func (r *entryRanker) compareOccurrences(a, b occurrence) int {
	exact := 0
	switch {
	case a.exact && !b.exact:
		exact = -1
	case b.exact && !a.exact:
		exact = 1
	}
	return cmp.Or(int(a.edits)-int(b.edits), r.weight(b)-r.weight(a), exact)
}

// weight returns the weight of the attribute in which a unit is found.
func (r *entryRanker) weight(o occurrence) int { return r.Search.fields[o.field].weight }

// distanceOf returns the least distance between two units: 0 if they follow each other in
// their order.
func distanceOf(before, after []occurrence) int {
	least := farthest
	for _, a := range before {
		for _, b := range after {
			if a.field != b.field {
				continue
			}
			d := b.at - a.at - 1
			if b.at <= a.at {
				d = a.at - b.at
			}
			least = min(least, max(d, 0))
		}
	}
	return least
}

// ranked returns the rows that are found, best first, as many as a page needs.
func (f *searching) ranked(end int) []placedRow {
	best, others := f.preselect()
	if !f.reserve(len(best) * (placedBytes + len(f.order)*keyBytes)) {
		return nil
	}
	r := f.newRanker()
	rows := make([]placedRow, 0, len(best))
	for _, row := range best {
		if f.stopped() {
			return nil
		}
		one := placedRow{placing: r.place(row), row: row}
		for i := range f.order {
			one.keys = append(one.keys, f.sortValue(entryRecord(f.tb, row), &f.order[i], f.order[i].hops))
		}
		rows = append(rows, one)
	}
	slices.SortFunc(rows, interruptible(f.run, func(a, b placedRow) int {
		if n := a.compare(b.placing); n != 0 {
			return n
		}
		return compareSortables(f.order)(sortable{a.row, a.keys}, sortable{b.row, b.keys})
	}))
	for _, row := range others[:max(0, min(end-len(rows), len(others)))] {
		if f.stopped() {
			return nil
		}
		rows = append(rows, placedRow{placing: r.place(row), row: row})
	}
	return rows
}

// roughRow is a row before its words are read.
type roughRow struct {
	fit int // the greater, the better
	row index.Row
}

// preselect returns the rows that are ranked, and the others in their order.
func (f *searching) preselect() (best, others []index.Row) {
	if !f.reserve(f.n * 24) {
		return nil, nil
	}
	all := make([]roughRow, 0, f.n)
	f.all.Each(func(r index.Row) bool {
		all = append(all, roughRow{f.fit(r), r})
		return !f.stopped()
	})
	if len(all) > mostRanked {
		slices.SortFunc(all, interruptible(f.run, func(a, b roughRow) int {
			return cmp.Or(b.fit-a.fit, cmp.Compare(a.row, b.row))
		}))
	}
	rows := make([]index.Row, len(all))
	for i, one := range all {
		rows[i] = one.row
	}
	n := min(len(rows), mostRanked)
	return rows[:n], rows[n:]
}

// fit returns how well a row fits, as far as the sets of rows show it.
func (f *searching) fit(r index.Row) (fit int) {
	if f.n <= mostRanked {
		return 0
	}
	for i := range f.found {
		u := &f.found[i]
		if f.units[i].stops {
			continue
		}
		for edits, rows := range u.rows {
			if rows != nil && rows.Has(r) {
				fit += 1<<16 - edits<<8
			}
		}
		if u.top != nil && u.top.Has(r) {
			fit++
		}
	}
	return fit
}
