package query

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"quire/query/params"
	"quire/schema"
)

// ranking is what _rank means beside a _q: 1 for the entries whose title is the text,
// 2 and 3 where it stands in the title, as words or in one, 4 and 5 where it stands
// elsewhere. Nil where there is no _q.
func (m *model) ranking(t *schema.Type, n *params.Node) func(row) int {
	if !n.IsText() || n.Text == "" {
		return nil
	}
	needle, title := plainText(n.Text), m.titleOf(t)
	numeric := number(n, 0) == number(n, 0)
	return func(r row) int {
		best := 5
		for _, a := range append(slices.Clone(t.Attributes), t.Attribute("id")) {
			v := m.value(r, a)
			if v == nil || !m.searches(a) && a.Name != "id" || !a.IsText() && !numeric {
				continue
			}
			text := plainText(textOf(v))
			whole := len(wordsIn(needle)) > 0 && strings.Contains(" "+strings.Join(wordsIn(text), " ")+" ", " "+strings.Join(wordsIn(needle), " ")+" ")
			switch {
			case a == title && whole && slices.Equal(wordsIn(text), wordsIn(needle)):
				best = min(best, 1)
			case a == title && whole:
				best = min(best, 2)
			case a == title && strings.Contains(text, needle):
				best = min(best, 3)
			case a != title && whole:
				best = min(best, 4)
			}
		}
		return best
	}
}

func (m *model) searches(a *schema.Attribute) bool { return a.Searchable() && m.may(a) }

func (m *model) titleOf(t *schema.Type) *schema.Attribute {
	for _, name := range strings.Fields("title name label headline heading subject") {
		if a := t.Attribute(name); a != nil && a.IsText() && m.searches(a) {
			return a
		}
	}
	for _, a := range t.Attributes {
		if a.Kind == schema.String && m.searches(a) {
			return a
		}
	}
	return nil
}

// plainText is a text without accents, in lower case.
func plainText(text string) string {
	accent := func(r rune) bool { return 0x300 <= r && r < 0x370 }
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.Predicate(accent)), norm.NFC), text)
	if err != nil {
		panic(err)
	}
	return strings.ToLower(plain)
}

var wordIn = regexp.MustCompile(`[\p{L}\p{N}\p{M}]+`)

func wordsIn(text string) []string { return wordIn.FindAllString(text, -1) }
