package language

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func wordsOf(locale, text string, together ...string) []string {
	words := []string{}
	Of(locale).Tokens(text, together, func(t Token) bool {
		words = append(words, string(t.Folded))
		return true
	})
	return words
}

func TestWordsOfEachLanguage(t *testing.T) {
	for _, test := range []struct{ locale, text, words string }{
		{"en", "Crème Brûlée, don't wait!", "creme brulee dont wait"},
		{"en", "cre\u0300me co\u00adoperate 3.5 %", "creme cooperate 3 5"},
		{"en", "ﬁsh ＡＢＣ１ Straße Ærø Łódź", "fish abc1 strasse aero lodz"},
		{"fr", "L’eau de l'île", "l eau de l ile"},
		{"de-AT", "Äpfel & Öl", "apfel ol"},
		{"ru", "Новый Ёж нови\u0306", "новый еж новй"},
		{"el", "Σίσυφος", "σισυφοσ"},
		{"ja", "東京タワー", "東京 京タ タワ ワー ー"},
		{"zh", "北京 hotel三", "北京 京 hotel 三"},
		{"ko", "서울 한국어", "서울 울 한국 국어 어"},
		{"th", "กินข้าว", "กิน นข้ ข้า าว ว"},
		{"en", "https://example.org/a_b", "https example org a b"},
		{"en", strings.Repeat("x", 65) + " y", "y"},
		{"en", "\xff\xfe a\xffb", "a b"},
	} {
		if got := strings.Join(wordsOf(test.locale, test.text), " "); got != test.words {
			t.Errorf("%s: %q has the words %q, want %q", test.locale, test.text, got, test.words)
		}
	}
}

func TestWordsThatStayTogether(t *testing.T) {
	got := wordsOf("en", "C++ and c, AC/DC, .NET; xAC/DC C++11", "C++", "AC/DC", ".net")
	want := []string{"c++", "and", "c", "ac/dc", ".net", "xac", "dc", "c", "11"}
	if !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
}

func TestFormsOfAWordHaveOneStem(t *testing.T) {
	for locale, forms := range map[string]string{
		"en": "recipe recipes", "de": "kuchen kuchens", "fr": "gateau gateaux", "es": "receta recetas", "it": "ricetta ricette",
		"sv": "kakor kaka", "no": "kake kaker", "nb-NO": "kake kaker", "da": "kage kager", "nl": "taart taarten", "pt": "receita receitas",
		"ru": "новый нового", "fi": "talo talossa", "hu": "haz hazban", "tr": "kitap kitaplar", "ro": "masina masinilor",
	} {
		words := strings.Fields(forms)
		l := Of(locale)
		if a, b := l.Stem(words[0]), l.Stem(words[1]); a != b {
			t.Errorf("%s: %s has the stem %s, and %s has %s", locale, words[0], a, words[1], b)
		}
	}
	if got := Of("xx").Stem("recipes"); got != "recipes" {
		t.Errorf("a language without a stemmer makes %q of recipes", got)
	}
}

func TestWordsThatSayLittle(t *testing.T) {
	for _, test := range []struct {
		locale, word string
		stops        bool
	}{{"en", "the", true}, {"en", "soup", false}, {"de", "für", true}, {"de", "the", false}, {"xx", "the", false}} {
		if got := Of(test.locale).Stops(Fold(test.word)); got != test.stops {
			t.Errorf("%s: %q says little: %v", test.locale, test.word, got)
		}
	}
}

func TestTextOfBlocksAndMarkdown(t *testing.T) {
	blocks := `[{"type":"paragraph","children":[{"text":"A bo","type":"text"},{"type":"text","bold":true,"text":"ld \"x\" "},{"type":"link","url":"https://hidden.example","children":[{"type":"text","text":"link"}]}]},{"type":"heading","children":[{"type" : "text", "text" : "Next"}]}]`
	if got := strings.Fields(OfBlocks([]byte(blocks))); strings.Join(got, " ") != `A bold "x" link Next` {
		t.Errorf("the text of blocks is %q", got)
	}
	markdown := "# A *bold* [link](https://hidden.example) snake_case _it_\n> ![Alt](x.png) <b class=\"y\">tag</b> 1 < 2 \\*"
	if got := strings.Join(strings.Fields(OfMarkdown(markdown)), " "); got != "A bold link snake_case it Alt tag 1 < 2 *" {
		t.Errorf("the text of Markdown is %q", got)
	}
}

// FuzzTokens checks that tokens are parts of their text, in order, and that a folded word has
// the same words again, so that what a text has can be searched.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{"Crème brûlée", "東京タワー x", "l'eau d’été", "กินข้าว", "и\u0306 И\u0306", "C++ AC/DC", "a\u00ad", "ǅ İstanbul ß", "[{\"text\":\"a\"}]", "\xf0\x9f"} {
		f.Add("fr", text)
		f.Add("de", text)
	}
	f.Fuzz(func(t *testing.T, locale, text string) {
		l := Of(locale)
		before := 0
		var words []string
		l.Tokens(text, Together{"C++"}, func(token Token) bool {
			if token.Start < before || token.End <= token.Start || token.End > len(text) {
				t.Fatalf("%q: a token from %d to %d after one from %d", text, token.Start, token.End, before)
			}
			if !utf8.Valid(token.Folded) || len(token.Folded) == 0 || len(token.Folded) > 2*LongestWord {
				t.Fatalf("%q has the token %q", text, token.Folded)
			}
			before = token.Start
			if !token.Gram {
				words = append(words, string(token.Folded))
			}
			_ = l.Stem(string(token.Folded))
			return true
		})
		var again []string
		l.Tokens(strings.Join(words, " "), Together{"C++"}, func(token Token) bool {
			again = append(again, string(token.Folded))
			return true
		})
		if !slices.Equal(words, again) {
			t.Fatalf("%q has the words %q, and these have %q", text, words, again)
		}
		OfMarkdown(text)
		OfBlocks([]byte(text))
	})
}
