package index

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Keys of long texts are short, differ if the texts do, and order them as whole keys do,
// unless they are tied. The texts are of scripts that expand under collation, of marks
// without a base letter, and of letters that differ only far behind.
func TestKeysOfLongTexts(t *testing.T) {
	alphabets := []string{"ab", "aáÁA ", "한글漢字", "ﷺ½", "\u0301\u0327\u200b", "เแโไกขค", "ЖжщЩ-., ", "ｱｶﾞ🍋"}
	rng := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for _, alphabet := range alphabets {
		letters := []rune(alphabet)
		var start strings.Builder
		for range 4000 {
			start.WriteRune(letters[rng.IntN(len(letters))])
		}
		for _, n := range []int{40, 100, 900, 5000} {
			text := []rune(strings.Repeat(start.String(), 20))[:n]
			texts = append(texts, string(text), string(text)+"a", string(text)+"b")
			text[rng.IntN(n)] = letters[rng.IntN(len(letters))]
			texts = append(texts, string(text))
		}
	}
	keys := make([]string, len(texts))
	for i, text := range texts {
		keys[i] = TextKey(text)
	}
	collator := collate.New(language.English)
	tied := 0
	for i, a := range texts {
		key := keys[i]
		if len(key) > longestKey+32 {
			t.Fatalf("the key of %.20q has %d bytes", a, len(key))
		}
		for j, b := range texts {
			other := keys[j]
			if (a == b) != (key == other) {
				t.Fatalf("%.20q (%d bytes) and %.20q (%d bytes): the keys are equal: %v", a, len(a), b, len(b), key == other)
			}
			want := collator.CompareString(a, b)
			if want == 0 {
				want = strings.Compare(a, b)
			}
			got := strings.Compare(key, other)
			if Tied(key, other) {
				tied++
				got = CompareTexts([]byte(a), []byte(b))
			}
			if got != want {
				t.Fatalf("%.20q (%d bytes) and %.20q (%d bytes) compare as %d, want %d", a, len(a), b, len(b), got, want)
			}
		}
	}
	if tied == 0 {
		t.Error("no keys were tied")
	}
}

// The key of a long text is made of its beginning: it takes no memory in proportion.
func TestKeysOfLongTextsTakeLittle(t *testing.T) {
	text := string(bytes.Repeat([]byte("ﷺ and others "), 1<<16))
	if n := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			TextKey(text)
		}
	}).AllocedBytesPerOp(); n > 1<<18 {
		t.Errorf("the key of %d bytes takes %d", len(text), n)
	}
}
