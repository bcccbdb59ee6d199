package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"quire/index/language"
	"quire/schema/settings"
)

// searchUnit is what a text searches for: one word, or words that follow each other.
type searchUnit struct {
	words      []string // folded
	start, end int      // where it is in the text
	quoted     bool     // an entry must have it
	excluded   bool     // an entry must not have it
	prefix     bool     // the last word may go on
	grams      bool     // the words are grams
	stops      bool     // it says so little that an entry need not have it
	instead    [][]string
}

// isWord reports whether the unit is one word, whose forms and misspellings are found too.
func (u *searchUnit) isWord() bool { return len(u.words) == 1 && !u.quoted && !u.grams }

// vocabulary has the words of site.json, and those that are set besides: synonyms, words that
// are not divided, and words that say little.
type vocabulary struct {
	more     *settings.SearchWords // that are set besides; nil for none
	together language.Together
	synonyms [][]string
	stops    map[*language.Language]map[string]bool
	groups   map[*language.Language]map[string][]int // the synonyms of a text, by the stems of its words
	parts    map[*language.Language][][][]string     // by group: the words of each member
}

func newVocabulary(s *settings.Settings, more *settings.SearchWords) *vocabulary {
	v := &vocabulary{more: more, together: s.Search.AllTogether(more), synonyms: s.Search.Synonyms, stops: map[*language.Language]map[string]bool{}, groups: map[*language.Language]map[string][]int{}, parts: map[*language.Language][][][]string{}}
	if more != nil {
		v.synonyms = slices.Concat(v.synonyms, more.Synonyms)
	}
	for _, locale := range s.Locales {
		of := language.Of(locale.Code)
		if v.stops[of] == nil {
			v.stops[of] = map[string]bool{}
		}
		for _, word := range s.Search.StopWords[locale.Code] {
			v.stops[of][language.Fold(word)] = true
		}
		if v.groups[of] == nil {
			v.readSynonyms(of)
		}
	}
	return v
}

// vocabulary returns the words of searches as they are now.
func (c *Compiler) vocabulary() *vocabulary {
	v := c.words.Load()
	if c.moreWords == nil {
		return v
	}
	if more := c.moreWords(); more != v.more {
		v = newVocabulary(&c.site.Settings, more)
		c.words.Store(v)
	}
	return v
}

func (v *vocabulary) readSynonyms(of *language.Language) {
	v.groups[of] = map[string][]int{}
	for i, group := range v.synonyms {
		var members [][]string
		for _, member := range group {
			words := tokensIn(member, of, v.together)
			members = append(members, words)
			key := stemsOf(words, of)
			v.groups[of][key] = append(v.groups[of][key], i)
		}
		v.parts[of] = append(v.parts[of], members)
	}
}

func tokensIn(text string, of *language.Language, together language.Together) (words []string) {
	of.Tokens(text, together, func(t language.Token) bool {
		words = append(words, string(t.Folded))
		return true
	})
	return words
}

// stemsOf returns the stems of words, with spaces between them.
func stemsOf(words []string, of *language.Language) string {
	stems := make([]string, len(words))
	for i, word := range words {
		stems[i] = of.Stem(word)
	}
	return strings.Join(stems, " ")
}

// units reads the text of a search: words, phrases in quotes, and a minus before what entries
// must not have.
func (v *vocabulary) units(text string, of *language.Language) (units []searchUnit, err error) {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			at += size
			continue
		}
		start := at
		excluded := r == '-'
		if excluded {
			at++
		}
		quoted := strings.HasPrefix(text[at:], `"`)
		if quoted {
			at++
		}
		end, next := partEnd(text, at, quoted)
		part := searchUnit{quoted: quoted, excluded: excluded, start: start, prefix: !excluded && end == len(text)}
		units = append(units, v.unitsOf(text[at:end], at, part, of)...)
		at = next
	}
	tokens := 0
	for i := range units {
		tokens += len(units[i].words)
	}
	if len(units) > mostUnits || tokens > mostTokens {
		return nil, refuseParam("q", "q", fmt.Sprintf("q has more than %d words and phrases, or more than %d words with those of phrases", mostUnits, mostTokens))
	}
	if !slices.ContainsFunc(units, func(u searchUnit) bool { return !u.stops && !u.excluded }) {
		for i := range units {
			units[i].stops = false
		}
	}
	v.addSynonyms(units, of)
	return units, nil
}

// partEnd returns where a part of a text ends that begins at a place, and where the next one
// begins.
func partEnd(text string, at int, quoted bool) (end, next int) {
	if quoted {
		if n := strings.IndexByte(text[at:], '"'); n >= 0 {
			return at + n, at + n + 1
		}
		return len(text), len(text)
	}
	if n := strings.IndexFunc(text[at:], func(r rune) bool { return unicode.IsSpace(r) || r == '"' }); n >= 0 {
		return at + n, at + n
	}
	return len(text), len(text)
}

// unitsOf returns the units of a part of a text without spaces, or in quotes: one for each
// word or run of grams, or one for all that must follow each other.
func (v *vocabulary) unitsOf(text string, offset int, part searchUnit, of *language.Language) (units []searchUnit) {
	whole := part.quoted || part.excluded
	prefix := part.prefix
	part.prefix = false
	var last language.Token
	of.Tokens(text, v.together, func(t language.Token) bool {
		word := string(t.Folded)
		joined := len(units) > 0 && (whole || t.Gram && last.Gram && t.Start < last.End)
		if joined && t.Gram && last.Gram && t.Start < last.End && utf8.RuneCount(t.Folded) == 1 {
			units[len(units)-1].end = offset + t.End // the token before has the character
			last = t
			return true
		}
		if !joined {
			one := part
			if !whole {
				one.start = offset + t.Start
			}
			one.grams, one.stops = t.Gram, !whole && !t.Gram && (of.Stops(word) || v.stops[of][word])
			units = append(units, one)
		}
		one := &units[len(units)-1]
		one.words = append(one.words, word)
		one.end = offset + t.End
		last = t
		return true
	})
	for i := range units {
		one := &units[i]
		atEnd := prefix && i == len(units)-1 && last.End == len(text)
		one.prefix = atEnd && !last.Gram || one.grams && utf8.RuneCountInString(one.words[0]) == 1
	}
	return units
}

// mostOfSynonym is the maximum number of words of a synonym that are found in a text.
const mostOfSynonym = 4

// addSynonyms adds what may be found instead of words.
func (v *vocabulary) addSynonyms(units []searchUnit, of *language.Language) {
	if len(v.groups[of]) == 0 {
		return
	}
	for first := range units {
		var words []string
		for last := first; last < len(units) && last < first+mostOfSynonym && units[last].isWord() && !units[last].excluded; last++ {
			words = append(words, units[last].words[0])
			key := stemsOf(words, of)
			for _, group := range v.groups[of][key] {
				for _, member := range v.parts[of][group] {
					if stemsOf(member, of) == key || len(member) == 0 {
						continue
					}
					for i := first; i <= last; i++ {
						units[i].instead = append(units[i].instead, member)
					}
				}
			}
		}
	}
	for i := range units {
		if n := len(units[i].instead); n > mostInstead {
			units[i].instead = units[i].instead[:mostInstead]
		}
	}
}

// mostInstead is the maximum number of synonyms of a word.
const mostInstead = 32
