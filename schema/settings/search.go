package settings

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"quire/schema/source"
)

// Search has the settings of site.json under "search": how /_search finds words.
type Search struct {
	// Types are the content types that a search over all types covers, by uid, with their
	// settings; nil for all.
	Types map[string]SearchedType

	// Synonyms are groups of words that are searched as if they were one.
	Synonyms [][]string

	// Together are words that are not divided although they have other characters than
	// letters and digits, such as C++.
	Together []string

	// StopWords are further words that say little, by the code of a locale.
	StopWords map[string][]string

	// CountMissed is whether searches of visitors that find nothing are counted.
	CountMissed bool
}

// SearchWords are words that searches use besides those of site.json.
type SearchWords struct {
	Synonyms [][]string
	Together []string

	Version string // identifies them
}

// AllTogether returns the words that are not divided: those of site.json, and more.
func (s *Search) AllTogether(more *SearchWords) []string {
	if more == nil {
		return s.Together
	}
	return slices.Concat(s.Together, more.Together)
}

// SearchedType is how the entries of one type are searched.
type SearchedType struct {
	Attributes []WeightedPath // nil for all texts
	Order      []string       // of entries that fit equally well, as in sort
}

// WeightedPath is an attribute that is searched. A word in an attribute of a greater weight
// counts more.
type WeightedPath struct {
	Path   string
	Weight int
}

// Limits of the settings. All are more than a site needs, and keep a search fast.
const (
	mostWeight       = 100
	mostSearchedKeys = 100   // attributes of a type
	mostSearchOrder  = 8     // keys of an order
	mostSynonyms     = 5_000 // groups
	mostTogether     = 500
	mostStopWords    = 1_000
	longestTerm      = 60 // characters

	MostOfSynonyms = 20 // words of a group
)

// IsTerm reports whether a text can be one of the words of a search.
func IsTerm(text string) bool {
	n := utf8.RuneCountInString(text)
	return strings.TrimSpace(text) == text && n > 0 && n <= longestTerm
}

// readSearch reads "search": {"types": {"api::dish.dish": {"attributes": {"name": 10},
// "order": ["sales:desc"]}}, "synonyms": [["pizza", "flatbread"]], "together": ["C++"],
// "stopWords": {"en": ["recipe"]}, "countMissed": true}.
func (s *Settings) readSearch(config source.Object, known Types) {
	o := config.Object("search")
	o.Only("types", "synonyms", "together", "stopWords", "countMissed")
	s.Search.CountMissed = o.Flag("countMissed", false)
	if _, given := o.Get("types"); given {
		s.Search.Types = map[string]SearchedType{}
		for _, m := range o.Object("types").Members {
			if known.Exists(m) {
				s.Search.Types[m.Key] = readSearchedType(m)
			}
		}
	}
	s.Search.Together = readTerms(o, "together", mostTogether)
	s.readSynonyms(o)
	for _, m := range o.Object("stopWords").Members {
		if !slices.ContainsFunc(s.Locales, func(l Locale) bool { return l.Code == m.Key }) {
			m.Refuse(fmt.Sprintf("%.100q is not a locale of the site", m.Key), "name one of i18n.locales")
			continue
		}
		if s.Search.StopWords == nil {
			s.Search.StopWords = map[string][]string{}
		}
		s.Search.StopWords[m.Key] = readTerms(o.Object("stopWords"), m.Key, mostStopWords)
	}
}

func readSearchedType(m source.Member) (t SearchedType) {
	o, _ := m.Object()
	o.Only("attributes", "order")
	attributes := o.Object("attributes")
	for _, a := range attributes.Members {
		if weight := attributes.Whole(a.Key, 1, 1); weight > mostWeight {
			a.Refuse(fmt.Sprintf("is more than %d", mostWeight), "lower it")
		} else {
			t.Attributes = append(t.Attributes, WeightedPath{a.Key, weight})
		}
	}
	if len(t.Attributes) > mostSearchedKeys {
		o.RefuseAt("attributes", fmt.Sprintf("has more than %d attributes", mostSearchedKeys), "name those in which people search")
	}
	for _, w := range o.Words("order") {
		path, direction, _ := strings.Cut(w.Text, ":")
		if path == "" || direction != "" && direction != "asc" && direction != "desc" {
			w.Refuse(fmt.Sprintf("%.100q is not an order", w.Text), `write an attribute and asc or desc, such as "publishedAt:desc"`)
		}
		t.Order = append(t.Order, w.Text)
	}
	if len(t.Order) > mostSearchOrder {
		o.RefuseAt("order", fmt.Sprintf("has more than %d keys", mostSearchOrder), "remove the last")
	}
	return t
}

func (s *Settings) readSynonyms(o source.Object) {
	for _, group := range itemsAt(o, "synonyms", "groups", mostSynonyms, "remove some") {
		words := termsOf(group, MostOfSynonyms)
		if len(words) < 2 {
			group.Refuse("is not a group of words", `write words that mean the same, such as ["sofa", "couch"]`)
			continue
		}
		s.Search.Synonyms = append(s.Search.Synonyms, words)
	}
}

func readTerms(o source.Object, key string, most int) []string {
	v, ok := o.Get(key)
	if !ok {
		return nil
	}
	return termsOf(v, most)
}

// termsOf reads a list of at most so many words.
func termsOf(v source.Value, most int) (terms []string) {
	words := v.Words()
	if len(words) > most {
		v.Refuse(fmt.Sprintf("has %d words, more than %d", len(words), most), "remove some")
		return nil
	}
	for _, w := range words {
		if !IsTerm(w.Text) {
			w.Refuse(fmt.Sprintf("%.100q is not a word", w.Text), fmt.Sprintf("write up to %d characters, without spaces around them", longestTerm))
			continue
		}
		terms = append(terms, w.Text)
	}
	return terms
}
