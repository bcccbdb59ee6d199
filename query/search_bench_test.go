package query

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

var searchedTexts = flag.String("texts", "", "a file of texts that BenchmarkSearch searches, as test/searchers/corpus.mjs writes them")

// BenchmarkSearch measures searches and suggestions in the texts of a file, from their
// parameters to the response:
//
//	node test/searchers/corpus.mjs > texts.ndjson
//	go test ./query -run '^$' -bench Search -texts $PWD/texts.ndjson
//
// The searches are 200 different ones, and no response is kept. B/text is the memory of the index
// of terms for each text.
func BenchmarkSearch(b *testing.B) {
	if *searchedTexts == "" {
		b.Skip("it needs -texts")
	}
	site, titles, glosses, x, bytes := searchedSite(b)
	s, c := x.Snapshot(), NewCompiler(site)
	r := rand.New(rand.NewPCG(34, 34))
	var written, wrong, begun []string
	for len(written) < 200 {
		at := r.IntN(len(titles))
		words := searchedWords(r, titles[at], glosses[at])
		if words == nil {
			continue
		}
		written = append(written, strings.Join(words, " "))
		last := words[len(words)-1]
		end := 1 + r.IntN(len(last))
		words[len(words)-1] = last[:end]
		begun = append(begun, strings.Join(words, " "))
		words[len(words)-1] = last[:2] + last[3:]
		wrong = append(wrong, strings.Join(words, " "))
	}
	for _, of := range []struct {
		name     string
		searches []string
		suggest  bool
	}{{"written", written, false}, {"with-an-error", wrong, false}, {"suggestions", begun, true}} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			dst := []byte{}
			for n := 0; b.Loop(); n++ {
				dst = searchOnce(b, c, s, of.searches[n%len(of.searches)], of.suggest, dst[:0])
			}
			b.ReportMetric(bytes, "B/text")
		})
	}
}

// searchOnce compiles and runs a search.
func searchOnce(t testing.TB, c *Compiler, s *index.Snapshot, q string, suggest bool, dst []byte) []byte {
	text := "locale=en&q=" + url.QueryEscape(q)
	if !suggest {
		text += "&fields=number,title&pagination[pageSize]=10"
	}
	n, err := params.Parse(text, params.Limits{})
	check(t, err)
	search, err := c.CompileSearch(s.Site().Type("api::text.text"), n, everything{})
	check(t, err)
	if suggest {
		found, err := search.Suggest(context.Background(), s)
		check(t, err)
		return AppendSuggestions(dst, found)
	}
	dst, _, err = search.Append(context.Background(), s, dst)
	check(t, err)
	return dst
}

// searchedSite has the texts of the file. Their terms take so many bytes for each text.
func searchedSite(b *testing.B) (site *schema.Site, titles, glosses []string, x *index.Index, bytes float64) {
	site, err := schema.Load(fstest.MapFS{
		"site.json": {Data: []byte(`{"i18n": {"defaultLocale": "en", "locales": [{"code": "en"}, {"code": "de"}]}}`)},
		"src/api/text/content-types/text/schema.json": {Data: []byte(`{"kind": "collectionType", "info": {"singularName": "text", "pluralName": "texts", "displayName": "Text"},
			"options": {"draftAndPublish": false}, "pluginOptions": {"i18n": {"localized": true}}, "attributes": {"number": {"type": "integer"},
			"title": {"type": "string", "pluginOptions": {"i18n": {"localized": true}}}, "text": {"type": "text", "pluginOptions": {"i18n": {"localized": true}}}}}`)},
	})
	check(b, err)
	x = emptyIndex(b, site)
	lines, err := os.ReadFile(*searchedTexts)
	check(b, err)
	g := &guideMaker{t: b, edit: x.Edit()}
	for line := range strings.Lines(string(lines)) {
		var one struct{ Locale, Title, Text string }
		check(b, json.Unmarshal([]byte(line), &one))
		g.put("text", one.Locale, store.Published, fmt.Sprintf("text%020d", g.id), store.Field{Name: "number", Value: integer(int64(g.id))},
			store.Field{Name: "title", Value: text(one.Title)}, store.Field{Name: "text", Value: text(one.Text)})
		if one.Locale == "en" {
			titles, glosses = append(titles, one.Title), append(glosses, one.Text)
		}
	}
	g.edit.Publish(store.CommitID{Revision: 1})
	lines = nil
	before := live()
	searchOnce(b, NewCompiler(site), x.Snapshot(), "dog", false, nil) // builds the indexes
	return site, titles, glosses, x, float64(live()-before) / float64(g.id)
}

// live returns the bytes of all objects that are still needed.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// searchedWords returns the first words of a title and a word of its text; nil if they are too
// few or too short.
func searchedWords(r *rand.Rand, title, gloss string) []string {
	title, _, _ = strings.Cut(strings.ToLower(title), ",")
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) || r > unicode.MaxASCII }
	words := strings.FieldsFunc(title, notLetter)
	var others []string
	for _, word := range strings.FieldsFunc(strings.ToLower(gloss), notLetter) {
		if len(word) >= 5 && !strings.Contains(title, word) {
			others = append(others, word)
		}
	}
	if len(words) == 0 || len(others) == 0 {
		return nil
	}
	return append(words[:min(len(words), 3)], others[r.IntN(len(others))])
}
