package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"quire/index/language"
	"quire/store"
)

// termsOf makes an index of texts, one for each row, through random changes.
func termsOf(rng *rand.Rand, texts []string, of *language.Language) *Terms {
	t := newTerms(Path{}, nil)
	own := &edition{}
	change := func(r Row, text string) {
		stream, n := "", 0
		old := numbersOf(t.streams.at(r))
		of.Tokens(text, nil, func(token language.Token) bool {
			stream += string(rune(t.numberOf(string(of.Number)+string(token.Folded), own) + 1)) // below 128
			n++
			return true
		})
		new := numbersOf(stream)
		for _, number := range new {
			if !slices.Contains(old, number) {
				t.addRow(number, r, Row(len(texts)), own)
			}
		}
		for _, number := range old {
			if !slices.Contains(new, number) {
				t.removeRow(number, r, own)
			}
		}
		t.setStream(r, stream, own)
	}
	for range 3 * len(texts) {
		change(Row(rng.IntN(len(texts))), texts[rng.IntN(len(texts))])
		if rng.IntN(10) == 0 {
			own = &edition{}
			t = t.clone(own).(*Terms)
		}
	}
	for r, text := range texts {
		change(Row(r), text)
	}
	return t
}

// naiveEdits is the number of edits between two words, computed as it is defined.
func naiveEdits(a, b []rune, known map[string]int) int {
	switch key := string(a) + "\x00" + string(b); {
	case len(a) == 0 || len(b) == 0:
		return len(a) + len(b)
	case a[0] == b[0]:
		return naiveEdits(a[1:], b[1:], known)
	default:
		if n, ok := known[key]; ok {
			return n
		}
		n := 1 + min(naiveEdits(a[1:], b, known), naiveEdits(a, b[1:], known), naiveEdits(a[1:], b[1:], known))
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			n = min(n, 1+naiveEdits(a[2:], b[2:], known))
		}
		known[key] = n
		return n
	}
}

// Whatever was written before, each search of terms finds what a scan of all words finds.
func TestTermsAreFoundAsByAScan(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	of := language.Of("de")
	letters := []string{"a", "b", "ü", "en", "kuchen", "apfel", "s", "ж", "qv"}
	for range 8 {
		texts := make([]string, 20)
		words := map[string]bool{}
		for i := range texts {
			for range rng.IntN(4) {
				word := ""
				for range 1 + rng.IntN(5) {
					word += letters[rng.IntN(len(letters))]
				}
				texts[i] += word + " "
				words[language.Fold(word)] = true
			}
		}
		terms := termsOf(rng, texts, of)
		for range 20 {
			word := language.Fold(letters[rng.IntN(len(letters))] + letters[rng.IntN(len(letters))])
			if all := slices.Sorted(maps.Keys(words)); len(all) > 0 && rng.IntN(2) == 0 {
				word = all[rng.IntN(len(all))]
			}
			want := map[string]map[string]bool{"prefix": {}, "form": {}, "compound": {}, "near": {}, "near beginning": {}}
			for one := range words {
				stem, other := of.Stem(word), of.Stem(one)
				want["prefix"][one] = strings.HasPrefix(one, word)
				want["form"][one] = stem == other
				want["compound"][one] = strings.HasSuffix(other, stem) && len(other) >= len(stem)+leastPart
				n := naiveEdits([]rune(word), []rune(one), map[string]int{})
				begins := n
				for end := range []rune(one) {
					begins = min(begins, naiveEdits([]rune(word), []rune(one)[:end], map[string]int{}))
				}
				want["near beginning"][fmt.Sprint(one, begins)] = begins > 0 && begins <= 2 && []rune(word)[0] == []rune(one)[0]
				want["near"][fmt.Sprint(one, n)] = n > 0 && n <= 2 && []rune(word)[0] == []rune(one)[0]
			}
			got := map[string]map[string]bool{"prefix": {}, "form": {}, "compound": {}, "near": {}, "near beginning": {}}
			add := func(kind string) func(number uint32) bool {
				return func(number uint32) bool { got[kind][terms.Term(number).Text] = true; return true }
			}
			terms.EachPrefix(of, word, func(number uint32, size uint8) bool {
				if n := terms.Rows(number).Len(); n == 0 || n>>size > 0 || n>>(size-1) == 0 {
					t.Errorf("%d rows have the size %d", n, size)
				}
				return add("prefix")(number)
			})
			terms.EachForm(of, word, func(number uint32) { add("form")(number) })
			terms.EachCompound(of, word, add("compound"))
			terms.EachNear(of, word, 2, true, false, func(int) bool { return false }, func(number uint32, edits int) {
				got["near"][fmt.Sprint(terms.Term(number).Text, edits)] = true
			})
			terms.EachNear(of, word, 2, true, true, func(int) bool { return false }, func(number uint32, edits int) {
				got["near beginning"][fmt.Sprint(terms.Term(number).Text, edits)] = true
			})
			for kind, set := range want {
				maps.DeleteFunc(set, func(_ string, found bool) bool { return !found })
				if !maps.Equal(set, got[kind]) {
					t.Fatalf("%s of %q among %q\nfinds %q\nnot   %q", kind, word, slices.Sorted(maps.Keys(words)), slices.Sorted(maps.Keys(got[kind])), slices.Sorted(maps.Keys(set)))
				}
			}
		}
	}
}

// A search of near words reports how many it reads, and stops when it has read enough.
func TestSearchOfNearTermsIsBounded(t *testing.T) {
	terms := newTerms(Path{}, nil)
	for i := range 100_000 {
		terms.numberOf(fmt.Sprintf("\x00k%06d", i), nil)
	}
	read := 0
	terms.EachNear(language.Of(""), "k012345", 1, true, false, func(n int) bool { read += n; return false }, func(uint32, int) {})
	if read == 0 || read > 20_000 {
		t.Errorf("%d of 100,000 words are read", read)
	}
	read = 0
	terms.EachNear(language.Of(""), "k012345", 2, true, false, func(n int) bool { read += n; return true }, func(uint32, int) {})
	if read != nearStep {
		t.Errorf("after the end %d words are read", read)
	}
}

// Terms that no text has any more are forgotten, and their numbers used again.
func TestTermsAreForgotten(t *testing.T) {
	c := newChurned(t)
	c.create(t, 0)
	s := c.index.Snapshot()
	restaurants := s.Site().Type("api::restaurant.restaurant")
	path := NewPath(restaurants.Attribute("name"))
	s.Terms(s.Table(restaurants, store.Draft), path)
	for round := range 20 {
		s = c.rename(t, round)
	}
	terms := s.Terms(s.Table(restaurants, store.Draft), path)
	if terms.Len() != churnBatch+1 || terms.terms.n > 2*churnBatch+2 {
		t.Errorf("%d terms are in texts, and %d have a number", terms.Len(), terms.terms.n)
	}
	if d := diff(s, s); d != "" {
		t.Error(d)
	}
}
