package query

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"quire/index"
	"quire/index/language"
)

// mostEdits is the maximum number of typing errors in a word.
const mostEdits = 2

// A word may have one typing error from this many letters on, and two.
const (
	oneEditLetters  = 4
	twoEditsLetters = 8
)

// Limits of the terms that one word of a search stands for, in each attribute.
const (
	mostContinued = 2_000 // that begin or end with it
	mostNear      = 50    // that it may be a misspelling of
)

// sequence is a word of a search, or words that follow each other: the unit itself, or a
// synonym of it. Each word stands for several terms.
type sequence struct {
	unit  int
	words []hitSet
}

// searching is the state of running a search on the entries of one table.
type searching struct {
	*run
	*Search
	tb      *index.Table
	base    *index.Bits // rows that the query selects
	inBase  int
	terms   []*index.Terms // by field
	found   []foundUnit    // by unit
	rankers []*fieldRanker // by field, see ranker
	all     *index.Bits    // rows that are found
	n       int
	partial bool // some words are missing in all of them

	lastEdits int // the most typing errors in the last word
}

// foundUnit is where a unit is found.
type foundUnit struct {
	fields []fieldUnit                // by field
	rows   [mostEdits + 1]*index.Bits // by the number of typing errors; nil for none
	top    *index.Bits                // rows that have it in an attribute of the greatest weight
	count  int                        // rows with the unit
}

type fieldUnit struct{ sequences []sequence }

// find finds the rows of the search among those that the query selects.
func (s *Search) find(x *run, m *matched) *searching { return s.findSpelled(x, m, mostEdits) }

// findSpelled is find with at most so many typing errors in the last word.
func (s *Search) findSpelled(x *run, m *matched, edits int) *searching {
	f := &searching{run: x, Search: s, tb: m.tb, base: x.newBits(m.tb), found: make([]foundUnit, len(s.units)), lastEdits: edits}
	if m.rows != nil {
		f.base.Or(m.rows)
	} else {
		m.tb.Live().AddTo(f.base)
	}
	if len(s.units) > 0 {
		f.readTerms()
	}
	f.exclude()
	f.inBase = f.base.Count()
	for i := range s.units {
		if !s.units[i].excluded && x.err == nil {
			f.findUnit(i)
		}
	}
	f.combine()
	x.note("%d of %d rows have the words", f.n, f.inBase)
	return f
}

// readTerms gets the terms of all fields.
func (f *searching) readTerms() {
	for i := range f.fields {
		terms, err := f.s.ReadTerms(f.run, f.tb, f.fields[i].path, f.vocabulary.together)
		f.fail(err)
		f.terms = append(f.terms, terms)
	}
}

// exclude removes the rows with a unit that must not be there.
func (f *searching) exclude() {
	for i := range f.units {
		if !f.units[i].excluded || f.err != nil {
			continue
		}
		f.findUnit(i)
		for _, rows := range f.found[i].rows {
			if rows != nil {
				f.base.AndNot(rows)
			}
		}
		f.found[i].release(f)
	}
}

// findUnit finds the terms and the rows of a unit. A word that nothing else fits may have a
// typing error in its first letter.
func (f *searching) findUnit(i int) {
	u := &f.units[i]
	f.found[i].fields = make([]fieldUnit, len(f.fields))
	for at := range f.fields {
		f.findIn(i, at, true)
	}
	f.gather(i)
	if f.found[i].count > 0 || !u.isWord() || u.excluded || f.err != nil || f.mostEdits(i) == 0 {
		return
	}
	for at := range f.fields {
		f.findIn(i, at, false)
	}
	f.gather(i)
}

// findIn finds the terms of a unit in one field.
func (f *searching) findIn(i, at int, sameFirst bool) {
	u, t := &f.units[i], f.terms[at]
	in := &f.found[i].fields[at]
	in.sequences = in.sequences[:0]
	add := func(words []string, prefix, exact bool) {
		one := sequence{i, make([]hitSet, len(words))}
		for at, word := range words {
			hits := &one.words[at]
			for _, of := range f.languages {
				f.addForms(hits, t, of, word, exact, u.quoted || u.grams || len(words) > 1)
				if prefix && at == len(words)-1 {
					f.addContinued(hits, t, of, word)
				}
			}
		}
		in.sequences = append(in.sequences, one)
	}
	add(u.words, u.prefix, true)
	if u.isWord() && !u.excluded {
		for _, of := range f.languages {
			f.addCompounds(&in.sequences[0].words[0], t, of, u.words[0])
			f.addNear(&in.sequences[0].words[0], t, of, i, sameFirst)
		}
	}
	for _, words := range u.instead {
		add(words, false, false)
	}
}

// addForms adds the term of a word and, unless it must be the word itself, its other forms.
func (f *searching) addForms(hits *hitSet, t *index.Terms, of *language.Language, word string, exact, itself bool) {
	if !itself {
		t.EachForm(of, word, func(number uint32) { f.addHit(hits, number, hit{}) })
	}
	if number, ok := t.Find(of, word); ok {
		f.addHit(hits, number, hit{exact: exact})
	}
}

// hitBytes is the memory of a hit in a set.
const hitBytes = 24

func (f *searching) addHit(hits *hitSet, number uint32, h hit) {
	at := hits.find(number)
	switch {
	case at < 0:
		if f.reserve(hitBytes) {
			hits.add(number, h)
		}
	case h.edits < hits.list[at].edits || h.edits == hits.list[at].edits && !hits.list[at].exact:
		hits.list[at].hit = h
	}
}

// addContinued adds the terms that a word is the beginning of.
func (f *searching) addContinued(hits *hitSet, t *index.Terms, of *language.Language, word string) {
	n := 0
	t.EachPrefix(of, word, func(number uint32, _ uint8) bool {
		n++
		f.addHit(hits, number, hit{})
		return n < mostContinued && !f.worked(1)
	})
}

// leastCompound is the minimum length of a word that is searched in compounds, in letters.
const leastCompound = 4

// addCompounds adds the compounds that a word begins or ends.
func (f *searching) addCompounds(hits *hitSet, t *index.Terms, of *language.Language, word string) {
	if !of.Compounds || utf8.RuneCountInString(word) < leastCompound {
		return
	}
	f.addContinued(hits, t, of, word)
	n := 0
	t.EachCompound(of, word, func(number uint32) bool {
		n++
		f.addHit(hits, number, hit{})
		return n < mostContinued && !f.worked(1)
	})
}

// editsOf returns how many typing errors a word may have. Numbers have none: a near one is
// another number.
func editsOf(word string) int {
	first, _ := utf8.DecodeRuneInString(word)
	n := utf8.RuneCountInString(word)
	switch {
	case n < oneEditLetters || unicode.IsNumber(first):
		return 0
	case n < twoEditsLetters:
		return 1
	}
	return mostEdits
}

// mostEdits returns how many typing errors the word of a unit may have in the search.
func (f *searching) mostEdits(i int) int {
	most := editsOf(f.units[i].words[0])
	if i == len(f.units)-1 {
		most = min(most, f.lastEdits)
	}
	return most
}

// nearTerm is a term that a word may be a misspelling of.
type nearTerm struct {
	index.Term
	edits, rows int
}

// addNear adds the terms that a word may be a misspelling of, if rows of the base have them:
// those with the fewest errors and then with the most rows.
func (f *searching) addNear(hits *hitSet, t *index.Terms, of *language.Language, i int, sameFirst bool) {
	u := &f.units[i]
	word := u.words[0]
	most := f.mostEdits(i)
	if most == 0 {
		return
	}
	if !sameFirst && f.worked(t.Len()) { // counted before, so that a heavy search waits before it
		return
	}
	var near []nearTerm
	reserved := 0
	over := func(terms int) bool {
		if !sameFirst {
			terms = 0
		}
		return f.worked(terms)
	}
	t.EachNear(of, word, most, sameFirst, u.prefix, over, func(number uint32, edits int) {
		if hits.find(number) >= 0 || !f.reserve(2*nearBytes) {
			return
		}
		reserved++
		if one := t.Term(number); one.Rows.Intersects(f.base) {
			near = append(near, nearTerm{Term: one, edits: edits})
		}
	})
	if len(near) > mostNear {
		for i := range near {
			near[i].rows = near[i].Rows.CountIn(f.base)
		}
		slices.SortFunc(near, func(a, b nearTerm) int {
			return cmp.Or(a.edits-b.edits, b.rows-a.rows, cmp.Compare(a.Text, b.Text))
		})
		near = near[:mostNear]
	}
	for _, one := range near {
		f.addHit(hits, one.Number, hit{edits: uint8(one.edits)})
	}
	f.unreserve(2 * reserved * nearBytes)
}

const nearBytes = 64

// gather finds the rows of a unit by its terms.
func (f *searching) gather(i int) {
	found := &f.found[i]
	found.release(f)
	top := 0
	for at := range f.fields {
		top = max(top, f.fields[at].weight)
	}
	for at := range f.fields {
		for j := range found.fields[at].sequences {
			one := &found.fields[at].sequences[j]
			if len(one.words) == 1 {
				f.gatherWord(found, &one.words[0], at, f.fields[at].weight == top)
			} else {
				f.gatherPhrase(found, one, at, f.fields[at].weight == top)
			}
		}
	}
	for edits, rows := range found.rows {
		if rows == nil {
			continue
		}
		rows.And(f.base)
		for _, better := range found.rows[:edits] {
			if better != nil {
				rows.AndNot(better)
			}
		}
		found.count += rows.Count()
	}
}

func (f *searching) gatherWord(found *foundUnit, hits *hitSet, at int, top bool) {
	for _, one := range hits.list {
		rows := f.terms[at].Rows(one.number)
		rows.AddTo(f.rowsOf(&found.rows[one.edits]))
		if top {
			rows.AddTo(f.rowsOf(&found.top))
		}
		f.worked(1 + rows.Len()/sharedRows)
	}
}

// gatherPhrase finds the rows with words that follow each other: of those that have all of
// them, it reads the terms.
func (f *searching) gatherPhrase(found *foundUnit, one *sequence, at int, top bool) {
	candidates := f.newBits(f.tb)
	candidates.Or(f.base)
	for i := range one.words {
		rows := f.newBits(f.tb)
		for _, hit := range one.words[i].list {
			f.terms[at].Rows(hit.number).AddTo(rows)
		}
		candidates.And(rows)
		f.releaseBits(f.tb, rows)
	}
	candidates.Filter(func(r index.Row) bool { return !f.stopped() && f.follows(one, f.terms[at].Stream(r)) })
	f.rowsOf(&found.rows[0]).Or(candidates)
	if top {
		f.rowsOf(&found.top).Or(candidates)
	}
	f.releaseBits(f.tb, candidates)
}

// follows reports whether the words of a sequence follow each other in a stream.
func (f *searching) follows(one *sequence, stream index.TermStream) bool {
	f.steps += len(stream) / streamStep
	state := uint64(0)
	for number, gap, more := stream.Next(); more; number, gap, more = stream.Next() {
		words := uint64(0)
		if !gap {
			words, _ = one.fits(number)
		}
		if state = (state<<1 | 1) & words; state&(1<<(len(one.words)-1)) != 0 {
			return true
		}
	}
	return false
}

// fits returns which words of a sequence a term is, as bits, and how it fits the first of them.
func (one *sequence) fits(number uint32) (words uint64, first hit) {
	for i := range one.words {
		if at := one.words[i].find(number); at >= 0 {
			if words == 0 {
				first = one.words[i].list[at].hit
			}
			words |= 1 << i
		}
	}
	return words, first
}

// streamStep is the number of bytes of a stream that are read in one step.
const streamStep = 64

// rowsOf returns a set, which is made when it is first needed.
func (f *searching) rowsOf(rows **index.Bits) *index.Bits {
	if *rows == nil {
		*rows = f.newBits(f.tb)
	}
	return *rows
}

func (u *foundUnit) release(f *searching) {
	for i := range u.rows {
		if u.rows[i] != nil {
			f.releaseBits(f.tb, u.rows[i])
			u.rows[i] = nil
		}
	}
	if u.top != nil {
		f.releaseBits(f.tb, u.top)
		u.top = nil
	}
	u.count = 0
}

// combine finds the rows with all units. If there are none, it finds those with some, but
// with each phrase in quotes.
func (f *searching) combine() {
	f.all = f.newBits(f.tb)
	f.all.Or(f.base)
	counted := 0
	for i := range f.units {
		if f.units[i].excluded || f.units[i].stops {
			continue
		}
		counted++
		f.keepUnit(f.all, i)
	}
	if f.n = f.all.Count(); f.n > 0 || counted < 2 || f.err != nil {
		return
	}
	f.partial = true
	for i := range f.units {
		if u := &f.units[i]; !u.excluded && !u.stops && !u.quoted {
			for _, rows := range f.found[i].rows {
				if rows != nil {
					f.all.Or(rows)
				}
			}
		}
	}
	for i := range f.units {
		if u := &f.units[i]; !u.excluded && u.quoted {
			f.keepUnit(f.all, i)
		}
	}
	f.n = f.all.Count()
}

// keepUnit removes the rows without a unit.
func (f *searching) keepUnit(out *index.Bits, i int) {
	rows := f.newBits(f.tb)
	for _, one := range f.found[i].rows {
		if one != nil {
			rows.Or(one)
		}
	}
	out.And(rows)
	f.releaseBits(f.tb, rows)
}

// close releases the sets of the search.
func (f *searching) close() {
	for i := range f.found {
		f.found[i].release(f)
	}
	f.releaseBits(f.tb, f.all)
	f.releaseBits(f.tb, f.base)
}
