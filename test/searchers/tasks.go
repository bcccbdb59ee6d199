//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// task is a search for one text that the searcher has in mind.
type task struct {
	locale string
	errors int
	q      string
	want   int // the number of the text
}

// perKind is how many texts of a locale are searched for.
const perKind = 100

// kindOf names the searches of a locale with a number of errors.
func kindOf(locale string, errors int) string { return fmt.Sprintf("%s %d", locale, errors) }

// makeTasks returns the searches: for texts chosen at random, the first words of the title and
// one word of the text, as they are, with one typing error and with two. They are always the
// same.
func makeTasks(texts []text) (all []task) {
	for _, locale := range []string{"en", "de"} {
		r := rand.New(rand.NewPCG(34, 34))
		var own []text
		for _, one := range texts {
			if one.Locale == locale {
				own = append(own, one)
			}
		}
		for n := 0; n < perKind; {
			one := own[r.IntN(len(own))]
			words := searchFor(r, one)
			if words == nil {
				continue
			}
			n++
			for errors := range 3 {
				all = append(all, task{locale, errors, strings.Join(misspell(r, words, errors), " "), one.Number})
			}
		}
	}
	return all
}

// searchFor returns the words of a search for a text; nil if it has too few.
func searchFor(r *rand.Rand, of text) []string {
	title, _, _ := strings.Cut(of.Title, ",")
	words := wordsOf(title)
	if len(words) > 3 {
		words = words[:3]
	}
	var others []string
	for _, word := range wordsOf(of.Text) {
		if utf8.RuneCountInString(word) >= 5 && !strings.Contains(strings.ToLower(title), word) {
			others = append(others, word)
		}
	}
	if len(words) == 0 || len(others) == 0 {
		return nil
	}
	words = append(words, others[r.IntN(len(others))])
	letters := 0
	for _, word := range words {
		if n := utf8.RuneCountInString(word); n >= 4 {
			letters += n
		}
	}
	if letters < 10 {
		return nil
	}
	return words
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}

// misspell makes typing errors in words of four letters and more: in different words, or in
// one of eight letters and more.
func misspell(r *rand.Rand, words []string, errors int) []string {
	made, right := make([]int, len(words)), words
	words = slices.Clone(words)
	for n, tries := 0, 0; n < errors && tries < 1000; tries++ {
		at := r.IntN(len(words))
		letters := utf8.RuneCountInString(words[at])
		if letters < 4 || made[at] == 1 && letters < 9 || made[at] == 2 {
			continue
		}
		wrong := typo(r, []rune(words[at]))
		if wrong == words[at] || wrong == right[at] {
			continue
		}
		words[at] = wrong
		made[at]++
		n++
	}
	return words
}

// typo leaves out a letter, adds one, types another or exchanges two, anywhere in a word.
func typo(r *rand.Rand, word []rune) string {
	at, letter := r.IntN(len(word)), 'a'+rune(r.IntN(26))
	before, after := string(word[:at]), string(word[at+1:])
	switch r.IntN(4) {
	case 0:
		return before + after
	case 1:
		return before + string(letter) + string(word[at:])
	case 2:
		return before + string(letter) + after
	}
	at = min(at, len(word)-2)
	word[at], word[at+1] = word[at+1], word[at]
	return string(word)
}
