package describe

import (
	"regexp/syntax"
	"strings"

	"quire/schema"
)

// exampleText is the nth example of a text: the first that satisfies the rules of the
// attribute, of a few readable ones and a few made from its pattern.
func exampleText(a *schema.Attribute, n int) (any, bool) {
	word := wordOf(a)
	some := []string{numberedText(word, n)}
	if a.Kind == schema.Email {
		some = []string{numberedText(word, n) + "@example.org", numberedText("a", n) + "@b.io"}
	}
	some = append(some, padText(some[0], a), cutText(some[0], a), strings.ToUpper(word[:1])+some[0][1:])
	if a.Pattern != nil {
		for _, s := range patternExamples(a, n) {
			some = append(some, s, s+word, word+s, padText(s, a), padText(s+word, a))
		}
	}
	for _, s := range some {
		if acceptsText(a, s) {
			return s, true
		}
	}
	return nil, false
}

// wordOf is the beginning of texts of the attribute: its name, in letters that are
// valid in an address and in a path.
func wordOf(a *schema.Attribute) string {
	return strings.TrimRight(strings.ReplaceAll(strings.ToLower(a.Name), "_", "-"), "-")
}

// What the server takes at most, whatever the attribute says.
const (
	mostShort    = 255 // characters of texts that are no long ones
	mostPassword = 72  // bytes
)

// acceptsText reports whether the server accepts the text, as far as the schema says.
func acceptsText(a *schema.Attribute, s string) bool {
	n := schema.TextLength(s)
	switch {
	case s == "",
		a.MinLength != nil && n < *a.MinLength,
		a.MaxLength != nil && n > *a.MaxLength,
		a.Kind == schema.Password && len(s) > mostPassword,
		a.Kind != schema.Text && a.Kind != schema.RichText && n > mostShort,
		a.Kind == schema.Email && (strings.Count(s, "@") != 1 || strings.ContainsAny(s, " \"(),:;<>[]\\")),
		a.Kind == schema.UID && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~") != "":
		return false
	}
	return a.Pattern == nil || len(s) <= a.PatternMaxBytes && a.Pattern.MatchString(s)
}

// longExample is how long an example is made at most.
const longExample = 1000

// padText lengthens a text to the minimum of the attribute; in an address, at the
// beginning.
func padText(s string, a *schema.Attribute) string {
	if a.MinLength == nil || *a.MinLength > longExample {
		return s
	}
	return strings.Repeat("a", max(0, *a.MinLength-len(s))) + s
}

// cutText shortens a text to the maximum of the attribute and keeps its end, which
// makes it unique.
func cutText(s string, a *schema.Attribute) string {
	if a.MaxLength == nil || *a.MaxLength > len(s) || *a.MaxLength < 0 {
		return s
	}
	return s[len(s)-*a.MaxLength:]
}

// patternExamples are the nth examples of texts made from the pattern of an attribute,
// with more and more repeats of what may repeat.
func patternExamples(a *schema.Attribute, n int) (some []string) {
	tree, err := syntax.Parse(a.Pattern.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	for repeats := 0; repeats <= 64; repeats++ {
		s := sample{nth: n, repeats: repeats}
		s.add(tree)
		some = append(some, s.text.String())
	}
	return some
}

// sample writes a text that a pattern matches, unless the pattern looks around.
type sample struct {
	text    strings.Builder
	nth     int // which characters of classes are taken
	repeats int // how often what may be repeated is
	steps   int // taken so far: parts may be repeated in parts that are
}

func (s *sample) add(re *syntax.Regexp) {
	if s.steps++; s.steps > longExample {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		s.text.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		s.text.WriteRune(s.pick(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		s.text.WriteRune('a' + rune(s.nth%26))
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		for range s.times(re) {
			s.add(re.Sub[0])
		}
	case syntax.OpAlternate:
		s.add(re.Sub[s.nth%len(re.Sub)])
	case syntax.OpConcat, syntax.OpCapture:
		for _, part := range re.Sub {
			s.add(part)
		}
	}
}

func (s *sample) times(re *syntax.Regexp) int {
	least, most := 0, -1 // no bound
	switch re.Op {
	case syntax.OpPlus:
		least = 1
	case syntax.OpQuest:
		most = 1
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
	}
	n := max(least, s.repeats)
	if most >= 0 {
		n = min(n, most)
	}
	return n
}

// pick takes a character of a class, one that can be read if there is one.
func (s *sample) pick(ranges []rune) rune {
	var readable []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := max(ranges[i], '!'); r <= min(ranges[i+1], '~'); r++ {
			readable = append(readable, r)
		}
	}
	switch {
	case len(readable) > 0:
		return readable[s.nth%len(readable)]
	case len(ranges) > 0:
		return ranges[0]
	}
	return 'a'
}
