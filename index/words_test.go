package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"quire/schema"
	"quire/store"
)

// grownWords is an index of words that come in rounds, as commits add them: a row for
// each word.
func grownWords(words []string, round int) *Words {
	own := &edition{}
	w := &Words{words: newNumbering(own)}
	w.join()
	for at := 0; at < len(words); at += round {
		for i := at; i < min(at+round, len(words)); i++ {
			w.add(words[i], Row(i), Row(len(words)), own)
		}
		own = &edition{}
		w = w.clone(own).(*Words)
	}
	return w
}

// manyWords are different words, some of them long, some not ASCII.
func manyWords(rng *rand.Rand, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%s%d%s", []string{"", "ab", "straße", "日本", "éa"}[rng.IntN(5)], i*7919%n, []string{"", "@example.org", "x", "ß"}[rng.IntN(4)])
		if i%997 == 0 {
			words[i] += strings.Repeat("long", 2000)
		}
	}
	return words
}

// Whatever the needle, and whether words are joined or not, those are found that hold it.
func TestWordsAreFoundByTheirParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := manyWords(rng, 30_000)
	whole := grownWords(words, len(words))
	rounds := grownWords(words, 1999)
	if len(whole.joined) != 1 || len(rounds.joined) < 2 || len(rounds.joined) > 8 {
		t.Fatalf("%d and %d runs of words are joined", len(whole.joined), len(rounds.joined))
	}
	needles := []string{"a", "1", "12", "org", "@example.org", "ße", "aße", "日", "本1", "longlong", "nothing", "29999", "é"}
	for range 50 {
		word := words[rng.IntN(len(words))]
		from := rng.IntN(len(word))
		needles = append(needles, strings.ToValidUTF8(word[from:from+1+rng.IntN(min(9, len(word)-from))], ""))
	}
	tests := map[TextPart]func(word, needle string) bool{
		Anywhere: strings.Contains, AtStart: strings.HasPrefix, AtEnd: strings.HasSuffix, Whole: func(a, b string) bool { return a == b },
	}
	for _, needle := range slices.DeleteFunc(needles, func(s string) bool { return s == "" }) {
		for part, holds := range tests {
			want := NewBits(Row(len(words)))
			for i, word := range words {
				if holds(word, needle) {
					want.Add(Row(i))
				}
			}
			for name, w := range map[string]*Words{"at once": whole, "in rounds": rounds} {
				got := NewBits(Row(len(words)))
				w.Candidates(needle, part, got, func(int) bool { return false })
				if !slices.Equal(got.words, want.words) {
					t.Errorf("%q, part %d, words that came %s: %d rows in place of %d", needle, part, name, got.Count(), want.Count())
				}
			}
		}
	}
}

// A search reports how much it is about to read, and stops reading when it is asked to
// end. A text that no word has is not searched in all of them.
func TestSearchOfWordsIsBounded(t *testing.T) {
	words := manyWords(rand.New(rand.NewPCG(3, 4)), 20_000)
	w := grownWords(words, len(words))
	bytes := func(needle string) (read int) {
		w.Candidates(needle, Anywhere, NewBits(Row(len(words))), func(n int) bool { read += n; return false })
		return read
	}
	all := bytes("1")
	if rare := bytes("zebra"); rare > all/10 {
		t.Errorf("%d of %d bytes are searched for what no word has", rare, all)
	}
	out := NewBits(Row(len(words)))
	w.Candidates("1", Anywhere, out, func(int) bool { return true })
	if out.Count() != 0 {
		t.Errorf("%d rows are found after the end", out.Count())
	}
}

func BenchmarkCandidates(b *testing.B) {
	words := manyWords(rand.New(rand.NewPCG(5, 6)), 200_000)
	w := grownWords(words, len(words))
	for _, needle := range []string{"1", "harbor", "@example.org", "199999"} {
		b.Run(needle, func(b *testing.B) {
			for b.Loop() {
				out := NewBits(Row(len(words)))
				w.Candidates(needle, Anywhere, out, func(int) bool { return false })
				out.Release()
			}
		})
	}
}

// BenchmarkBuildWords builds the indexes of words that _q needs, on the file of -site, if there
// is one.
func BenchmarkBuildWords(b *testing.B) {
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(b, err)
	var x *Index
	check(b, benchSite(b).View(func(tx *store.Tx) (err error) { x, err = Build(site, tx); return }))
	s := x.Snapshot()
	t := site.Type("api::restaurant.restaurant")
	tb := s.Table(t, store.Published)
	for b.Loop() {
		for _, a := range t.Attributes {
			if a.Searchable() && a.IsText() {
				s.buildWords(tb, NewPath(a), &indexBuild{})
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(tb.Len()*b.N), "ns/entry")
}
