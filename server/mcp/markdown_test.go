package mcp

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// Markdown that assistants write becomes the blocks that they mean.
func TestMarkdownBecomesBlocks(t *testing.T) {
	for text, want := range map[string]string{
		"One *two* **three** ***four*** ~~five~~ <u>six</u> `se*en`.": `[{"type":"paragraph","children":[{"type":"text","text":"One "},{"type":"text","text":"two","italic":true},{"type":"text","text":" "},{"type":"text","text":"three","bold":true},{"type":"text","text":" "},{"type":"text","text":"four","bold":true,"italic":true},{"type":"text","text":" "},{"type":"text","text":"five","strikethrough":true},{"type":"text","text":" "},{"type":"text","text":"six","underline":true},{"type":"text","text":" "},{"type":"text","text":"se*en","code":true},{"type":"text","text":"."}]}]`,
		"# A\n### B\ntext":                 `[{"type":"heading","children":[{"type":"text","text":"A"}],"level":1},{"type":"heading","children":[{"type":"text","text":"B"}],"level":3},{"type":"paragraph","children":[{"type":"text","text":"text"}]}]`,
		"- a\n- b\n  - c\n\n1. d\n2. e":    `[{"type":"list","format":"unordered","children":[{"type":"list-item","children":[{"type":"text","text":"a"}]},{"type":"list-item","children":[{"type":"text","text":"b"}]},{"type":"list","format":"unordered","indentLevel":1,"children":[{"type":"list-item","children":[{"type":"text","text":"c"}]}]}]},{"type":"list","format":"ordered","children":[{"type":"list-item","children":[{"type":"text","text":"d"}]},{"type":"list-item","children":[{"type":"text","text":"e"}]}]}]`,
		"> a\n> b\n\n```go\nx := `y`\n```": `[{"type":"quote","children":[{"type":"text","text":"a\nb"}]},{"type":"code","language":"go","children":[{"type":"text","text":"x := ` + "`y`" + `"}]}]`,
		"[a *b*](https://example.org/x_y)": `[{"type":"paragraph","children":[{"type":"link","url":"https://example.org/x_y","children":[{"type":"text","text":"a "},{"type":"text","text":"b","italic":true}]}]}]`,
		"":                                 `[{"type":"paragraph","children":[{"type":"text","text":""}]}]`,
		"2024. Was a year\nof 2 * 3 * 4 snake_case_names": `[{"type":"paragraph","children":[{"type":"text","text":"2024. Was a year\nof 2 * 3 * 4 snake_case_names"}]}]`,
		`\# not \*a\* heading`:                            `[{"type":"paragraph","children":[{"type":"text","text":"# not *a* heading"}]}]`,
	} {
		var wanted []block
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		got := parseBlocks(text)
		if !reflect.DeepEqual(got, wanted) {
			shown, _ := json.Marshal(got)
			t.Errorf("%q:\n%s, want\n%s", text, shown, want)
		}
	}
}

// chance makes random texts and blocks.
type chance struct{ *rand.Rand }

func (c chance) text(signs string) string {
	words := []string{"a", "Bücher", "x_y", "1.", "12) ", "- ", "# ", "> ", "<br>", "5", "!", "日本", " ", "\n", "(b)", "*", "**", "`", "~~", "[", "](", ")", "\\", "<u>", "</u>", "```", "\n\n", "   ", "_", "&amp;", "|"}
	if signs == "" {
		words = words[:15]
	}
	var s strings.Builder
	for range c.IntN(6) {
		s.WriteString(words[c.IntN(len(words))])
	}
	return s.String()
}

func (c chance) parts() (list []block) {
	for range 1 + c.IntN(3) {
		text := "w" + c.text([]string{"", "", "", "all"}[c.IntN(4)]) + "w"
		one := block{Type: "text", Text: &text}
		if c.IntN(3) == 0 {
			one.Bold, one.Italic, one.Strikethrough, one.Underline = c.IntN(2) == 0, c.IntN(2) == 0, c.IntN(4) == 0, c.IntN(4) == 0
		}
		one.Code = c.IntN(9) == 0
		if c.IntN(6) == 0 {
			one = block{Type: "link", URL: "https://example.org/a", Children: []block{one}}
		}
		list = append(list, one)
	}
	return list
}

func (c chance) blocks(depth int) (list []block) {
	for range 1 + c.IntN(3) {
		one := block{Type: []string{"paragraph", "paragraph", "heading", "quote", "list", "code"}[c.IntN(6)], Children: c.parts()}
		switch one.Type {
		case "heading":
			one.Level = 1 + c.IntN(6)
		case "code":
			text := c.text("all")
			one.Children = []block{{Type: "text", Text: &text}}
		case "list":
			one.Format = []string{"ordered", "unordered"}[c.IntN(2)]
			one.Children = nil
			for range 1 + c.IntN(3) {
				one.Children = append(one.Children, block{Type: "list-item", Children: c.parts()})
				if depth < 3 && c.IntN(4) == 0 {
					one.Children = append(one.Children, block{Type: "list", Format: "unordered", Children: []block{{Type: "list-item", Children: c.parts()}}})
				}
			}
		}
		list = append(list, one)
	}
	return list
}

// Blocks are shown as Markdown only if that brings back the same blocks, and most are.
func TestBlocksComeBackFromMarkdown(t *testing.T) {
	c := chance{rand.New(rand.NewPCG(1, 2))}
	shown := 0
	const tries = 2000
	for range tries {
		list := c.blocks(0)
		stored, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := markdownOf(stored)
		if !ok {
			continue
		}
		shown++
		if again := parseBlocks(text); !reflect.DeepEqual(simple(again), simple(list)) {
			t.Fatalf("%s\nbecomes %q", stored, text)
		}
	}
	if t.Logf("%d of %d are shown as Markdown", shown, tries); shown < tries/2 {
		t.Errorf("only %d of %d are shown as Markdown", shown, tries)
	}
	for _, other := range []string{`[{"type":"image","image":{"url":"/a.png"},"children":[{"type":"text","text":""}]}]`, `[{"type":"paragraph","align":"left","children":[{"type":"text","text":"a"}]}]`, `[]`, `[1]`, `[{"type":"callout","children":[{"type":"text","text":"a"}]}]`} {
		if text, ok := markdownOf([]byte(other)); ok {
			t.Errorf("%s is shown as %q", other, text)
		}
	}
}

// No Markdown, however wrong, loses a letter or a digit of its text, and what it became is shown
// as it became.
func TestMarkdownLosesNothing(t *testing.T) {
	letters := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return r
			}
			return -1
		}, strings.NewReplacer("<u>", "", "</u>", "", "<br>", "").Replace(text))
	}
	c := chance{rand.New(rand.NewPCG(3, 4))}
	for range 8_000 {
		var s strings.Builder
		for range 1 + c.IntN(4) {
			s.WriteString(c.text("all"))
		}
		list := parseBlocks(s.String())
		got := allText(list)
		if want := letters(s.String()); letters(got) != want {
			t.Fatalf("%q becomes %q, without some of %q", s.String(), got, want)
		}
	}
}

// A hostile text takes time in proportion to its length: each sign is looked for once.
func TestHostileMarkdown(t *testing.T) {
	for _, part := range []string{"[", "*", "**a ", "`", "~~a", "- ", "   - a\n", "> ", "[a](", "\\", "<u>a", "```\n", "1. a\n", "*a* ", "[*~<u>`"} {
		if list := parseBlocks(strings.Repeat(part, longestMarkdown/4/len(part))); len(list) == 0 {
			t.Errorf("%q has no blocks", part)
		}
	}
	var lists strings.Builder
	for i := range 2000 {
		lists.WriteString(strings.Repeat(" ", i) + "- a\n")
	}
	if text, ok := markdownOf(mustEncode(t, parseBlocks(lists.String()))); len(text) > lists.Len() && ok {
		t.Error("lists in lists grow")
	}
}

func mustEncode(t *testing.T, list []block) []byte {
	t.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// allText is all text of blocks, with the languages of code and the addresses of links.
func allText(list []block) string {
	var s strings.Builder
	for _, b := range list {
		s.WriteString(b.Language + b.text() + allText(b.Children) + b.URL)
	}
	return s.String()
}
