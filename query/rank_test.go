package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"quire/schema"
	"quire/store"
)

// Where a text stands in a name, and how, says which of two restaurants comes first.
func TestStanding(t *testing.T) {
	for _, test := range []struct {
		wanted, text string
		want         standing
	}{
		{"etoile", "Étoile", isAll},
		{"ÉTOILE", "e\u0301toile", isAll},
		{"da-marco", "Da  Marco!", isAll},
		{"etoile", "l'étoile du nord", inWords},
		{"du nord", "L'étoile du Nord", inWords},
		{"etoile", "Étoiles", inPart},
		{"toil", "étoile", inPart},
		{"nord etoile", "Étoile du Nord", notIn},
		{"a b a", "xa b a b a", inWords},
		{"2", "24", inPart},
		{"2", "1 2 3", inWords},
		{"%", "100% sure", inPart},
		{"%", "%", inPart},
		{" ", "a b", inPart},
		{"東京", "東京 タワー", inWords},
		{"αθηνα", "Αθήνα", isAll},
		{"елка", "Ёлка", isAll},
		{"viet nam", "Việt Nam", isAll},
		{"か", "が", notIn}, // dakuten
		{"が", "か\u3099", isAll},
		{"하", "한", notIn},
		{"कि", "की", notIn}, // vowel signs
		{"क", "कि", inPart},
		{"ज", "ज\u093c", inPart}, // nukta
		{"มา", "ม้า", notIn},     // a tone
		{"كَتَبَ", "كُتُب", notIn},
		{"שָׁם", "שֵׁם", notIn},
		{"ё", "е\u0308", isAll},
		{"straße", "STRASSE", notIn},
		{"ı", "I", notIn},
		{"x", "", notIn},
		{"é", "\xffe\xff", isAll},
	} {
		x := &run{}
		text := []byte(test.text)
		if got := x.standingOf(text, newNeedle(test.wanted)); got != test.want || string(text) != test.text {
			t.Errorf("%q in %q: %d, want %d", test.wanted, test.text, got, test.want)
		}
	}
}

func TestTitleOf(t *testing.T) {
	site := loadSite(t)
	for uid, want := range map[string]string{
		"api::restaurant.restaurant": "name", "api::homepage.homepage": "title", "api::review.review": "", "api::global.global": "site_name", schema.UserUID: "username",
	} {
		got := ""
		if a := titleOf(searched(scope{t: site.Type(uid)}, "x")); a != nil {
			got = a.Name
		}
		if got != want {
			t.Errorf("the title of %s is %q, want %q", uid, got, want)
		}
	}
}

// Pages of a ranked list are parts of the whole, whatever their size.
func TestRankedPagesNeverOverlap(t *testing.T) {
	x := emptyIndex(t, loadSite(t))
	guide(t, x, 500)
	s, c := x.Snapshot(), NewCompiler(x.Snapshot().Site())
	for _, order := range []string{"_rank", "_rank:desc", "_rank,price_tier:desc", "vegan,_rank"} {
		q := restaurants(t, c, "_q=am&sort="+order)
		m := q.selectRows(newRun(t.Context(), s, q))
		whole := newRun(t.Context(), s, q).page(m, q.order, stretch{limit: m.n})
		for start := 0; start < m.n; start += 7 {
			part := newRun(t.Context(), s, q).page(m, q.order, stretch{skip: start, limit: 7})
			if !slices.Equal(part, whole[start:min(start+7, m.n)]) {
				t.Errorf("%s: from %d: %v", order, start, part)
			}
		}
		if m.n < 100 || len(slices.Compact(slices.Sorted(slices.Values(whole)))) != m.n {
			t.Errorf("%s: %d rows of %d", order, len(whole), m.n)
		}
	}
}

// A text of a megabyte in which nearly everything is nearly what is looked for takes
// no longer than reading it some times.
func TestRankingLongTexts(t *testing.T) {
	x := emptyIndex(t, loadSite(t))
	edit := x.Edit()
	for i := range 20 {
		e := &store.Entry{ID: uint64(i + 1), DocumentID: restaurantID(i), Locale: "en", Status: store.Published, CreatedAt: 1, UpdatedAt: 1, PublishedAt: 1,
			Fields: []store.Field{{Name: "name", Value: text("x")}, {Name: "story", Value: text(strings.Repeat("a ", 250_000) + fmt.Sprint(i) + "é")}}}
		check(t, edit.Apply(store.Change{Type: "api::restaurant.restaurant", After: e}))
	}
	s := edit.Publish(store.CommitID{Revision: 1})
	q := restaurants(t, NewCompiler(s.Site()), "sort=_rank&fields=name&_q="+strings.Repeat("a%20", 10_000))
	run := newRun(t.Context(), s, q)
	m := q.selectRows(run)
	before := run.steps
	run.page(m, q.order, stretch{skip: 0, limit: 25})
	if steps := run.steps - before; m.n != 20 || steps < 20*500_000/rankedBytes || steps > 40*500_000/rankedBytes {
		t.Errorf("%d rows took %d steps", m.n, steps)
	}
}

func BenchmarkRank(b *testing.B) {
	x := emptyIndex(b, loadSite(b))
	guide(b, x, 100000)
	s, c := x.Snapshot(), NewCompiler(x.Snapshot().Site())
	for _, text := range []string{"harbor", "harbor iris", "harb", "r99"} {
		for _, order := range []string{"", "&sort=_rank"} {
			q := restaurants(b, c, "fields=name&_q="+strings.ReplaceAll(text, " ", "%20")+order)
			var dst []byte
			b.Run(text+order, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if dst, err = q.AppendList(b.Context(), s, dst[:0]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
