package index

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Folding is unicode.ToLower, character by character, wherever a character stands
// among the eight bytes that are looked at together.
func TestFoldEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := "AZ@[`{z"[:r%8] + string(r) + "Az09"
		if got, want := Fold(text), strings.Map(unicode.ToLower, text); got != want {
			t.Fatalf("%q (%U) folds to %q, not %q", text, r, got, want)
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add("HÔTEL DE L'ÉTOILE, İSTANBUL \xff KELVIN K")
	f.Add("ASCII ONLY, and long enough for several words of eight")
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := Fold(text), strings.Map(unicode.ToLower, text); got != want {
			t.Errorf("%q folds to %q, not %q", text, got, want)
		}
	})
}
