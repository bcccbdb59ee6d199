package language

import (
	_ "embed"
	"slices"
	"strings"

	snowball "github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// Language is how the words of some locales are read.
type Language struct {
	// Number distinguishes languages. It is the same in all runs of one program, and no more
	// than 127.
	Number byte

	// Compounds reports whether the language writes several words as one.
	Compounds bool

	stem    func(*snowball.Env) bool // nil for none
	elision bool                     // an apostrophe ends a word, as in l'eau
	stop    map[string]struct{}
}

// plain is the language of locales of which nothing is known.
var plain = &Language{}

// known are the languages with a stemmer, by their code.
var known = func() map[string]*Language {
	all := []struct {
		code               string
		compounds, elision bool
		stem               func(*snowball.Env) bool
	}{
		{"da", true, false, danish.Stem}, {"de", true, false, german.Stem}, {"en", false, false, english.Stem},
		{"es", false, false, spanish.Stem}, {"fi", true, false, finnish.Stem}, {"fr", false, true, french.Stem},
		{"hu", false, false, hungarian.Stem}, {"it", false, true, italian.Stem}, {"nl", true, false, dutch.Stem},
		{"no", true, false, norwegian.Stem}, {"pt", false, false, portuguese.Stem}, {"ro", false, false, romanian.Stem},
		{"ru", false, false, russian.Stem}, {"sv", true, false, swedish.Stem}, {"tr", false, false, turkish.Stem},
	}
	stops := stopWords()
	languages := map[string]*Language{}
	for i, l := range all {
		languages[l.code] = &Language{Number: byte(i + 1), Compounds: l.compounds, stem: l.stem, elision: l.elision, stop: stops[l.code]}
	}
	languages["nb"], languages["nn"] = languages["no"], languages["no"]
	return languages
}()

//go:embed stopwords.txt
var stopText string

// stopWords reads the file of words that say little: a line for each language, with its code
// first. They are the lists of the Snowball project.
func stopWords() map[string]map[string]struct{} {
	all := map[string]map[string]struct{}{}
	for line := range strings.Lines(stopText) {
		words := strings.Fields(line)
		stops := make(map[string]struct{}, len(words))
		for _, word := range words[1:] {
			stops[Fold(word)] = struct{}{}
		}
		all[words[0]] = stops
	}
	return all
}

// Of returns the language of a locale: "de" and "de-AT" are German.
func Of(locale string) *Language {
	code, _, _ := strings.Cut(locale, "-")
	if l := known[strings.ToLower(code)]; l != nil {
		return l
	}
	return plain
}

// Numbered returns the language with a number.
func Numbered(number byte) *Language {
	if int(number) < len(numbered) {
		return numbered[number]
	}
	return plain
}

var numbered = func() []*Language {
	all := make([]*Language, len(known))
	all[0] = plain
	for _, l := range known {
		all[l.Number] = l
	}
	return slices.DeleteFunc(all, func(l *Language) bool { return l == nil })
}()

// Stem returns the part of a folded word that its forms have in common: "recip" for recipe
// and recipes.
func (l *Language) Stem(word string) (stem string) {
	if l.stem == nil {
		return word
	}
	env := snowball.NewEnv(word)
	l.stem(env)
	if env.Current() == "" {
		return word
	}
	return env.Current()
}

// Stops reports whether a folded word says so little that a search may ignore it.
func (l *Language) Stops(word string) bool {
	_, stops := l.stop[word]
	return stops
}
