package content

import (
	"errors"
	"strings"
	"testing"
)

// Matching with a pattern takes time for each byte of a text and each step of the
// pattern. What would take too long is refused before it is begun.
func TestPatternsHaveAReach(t *testing.T) {
	f := newFixture(t, loadSite(t, mapSite(`"plain": {"type": "text", "regex": "^[a-z ]+$"}, "words": {"type": "text", "regex": "^(\\w+\\s?){1,200}$"}`)))
	long := strings.Repeat("word ", 100_000)
	f.create("one", `{"plain": "`+long+`", "words": "`+long[:1000]+`"}`)
	f.create("one", `{"words": "`+long+`"}`, asDraft)
	_, err := f.tryCreate("one", `{"words": "`+long+`"}`)
	var refused *ValidationError
	if !errors.As(err, &refused) || len(refused.Issues) != 1 || !strings.Contains(refused.Issues[0].Message, "too long to be matched") {
		t.Errorf("%v", err)
	}
	if _, err := f.tryCreate("one", `{"words": "`+long[:1005]+`"}`); err == nil {
		t.Error("201 words are taken for 200")
	}
}
