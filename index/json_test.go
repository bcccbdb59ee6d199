package index

import (
	"encoding/json"
	"strings"
	"testing"
)

// Any reader of JSON gets back the text that was written, wherever in it a
// character stands that has to be escaped.
func TestAppendStringIsReadBackByOthers(t *testing.T) {
	characters := []string{`"`, `\`, "é", "\u2028", "\x7f", "𝄞"}
	for c := range byte(' ') {
		characters = append(characters, string(rune(c)))
	}
	for _, c := range characters {
		for before := range 18 {
			for _, after := range []int{0, 1, 7, 8, 9} {
				text := strings.Repeat("a", before) + c + strings.Repeat("!", after)
				written := AppendString(nil, text)
				var read string
				if err := json.Unmarshal(written, &read); err != nil || read != text {
					t.Fatalf("%q is written as %s, and read as %q (%v)", text, written, read, err)
				}
				if got := string(unquote(written)); got != text {
					t.Fatalf("%q is written as %s, and unquoted as %q", text, written, got)
				}
			}
		}
	}
}
