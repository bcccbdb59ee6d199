package mcp

import (
	"regexp"
	"strconv"
	"strings"
)

// Markdown becomes blocks: paragraphs, headings, lists, quotes and code, with bold, italic,
// underlined, struck and code text, and links. Everything else is text, so nothing is lost.

// lineForm is the form of a line that begins a block, not a paragraph: the signs of a heading, of
// a quote, of an item, or of code.
var lineForm = regexp.MustCompile("^(#{1,6} |>|[-*+] |[0-9]{1,9}[.)] |```)")

// item is an item of a list, as it begins.
type item struct {
	indent, number int // the number is 0 for an item with a sign
	text           string
}

// itemOf returns the item that a line begins; ok is false if it begins none.
func itemOf(line string) (i item, ok bool) {
	rest := strings.TrimLeft(line, " ")
	i.indent = len(line) - len(rest)
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	switch rest = rest[digits:]; {
	case len(rest) < 2 || rest[1] != ' ' || digits > 9:
		return i, false
	case digits == 0:
		ok = strings.IndexByte("-*+", rest[0]) >= 0
	default:
		i.number, _ = strconv.Atoi(line[i.indent : i.indent+digits])
		ok = strings.IndexByte(".)", rest[0]) >= 0 && i.number > 0
	}
	i.text = rest[2:]
	return i, ok
}

// parseBlocks returns the blocks of Markdown.
func parseBlocks(text string) []block {
	p := &blockParser{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for len(p.lines) > 0 {
		p.next()
	}
	if p.list == nil {
		p.list = []block{paragraph("")}
	}
	return p.list
}

type blockParser struct {
	lines []string // what is left
	list  []block
}

func paragraph(text string) block { return block{Type: "paragraph", Children: parseInline(text)} }

// next parses the next block.
func (p *blockParser) next() {
	line := p.lines[0]
	head, rest, _ := strings.Cut(line, " ")
	switch {
	case strings.TrimSpace(line) == "":
		p.lines = p.lines[1:]
	case line == emptyLine:
		p.lines = p.lines[1:]
		p.list = append(p.list, paragraph(""))
	case strings.HasPrefix(line, "```"):
		p.code()
	case strings.HasPrefix(line, "#") && lineForm.MatchString(line):
		p.lines = p.lines[1:]
		p.list = append(p.list, block{Type: "heading", Level: len(head), Children: parseInline(rest)})
	case strings.HasPrefix(line, ">"):
		lines := p.take(func(line string) bool { return strings.HasPrefix(line, ">") })
		for i, line := range lines {
			lines[i] = strings.TrimPrefix(line[1:], " ")
		}
		p.list = append(p.list, block{Type: "quote", Children: parseInline(strings.Join(lines, "\n"))})
	case beginsList(line):
		p.list = append(p.list, p.items(0, 0))
	default:
		lines := []string{line}
		p.lines = p.lines[1:]
		lines = append(lines, p.take(func(line string) bool {
			return strings.TrimSpace(line) != "" && line != emptyLine && !beginsBlock(line)
		})...)
		p.list = append(p.list, paragraph(strings.Join(lines, "\n")))
	}
}

// take takes lines as long as they are of a kind.
func (p *blockParser) take(is func(string) bool) (lines []string) {
	for len(p.lines) > 0 && is(p.lines[0]) {
		lines, p.lines = append(lines, p.lines[0]), p.lines[1:]
	}
	return lines
}

// beginsBlock reports whether a line ends a paragraph before it.
func beginsBlock(line string) bool {
	if line == "" || strings.IndexByte("#>`", line[0]) < 0 {
		return beginsList(line)
	}
	return lineForm.MatchString(line)
}

// beginsList reports whether a line is the first item of a list: the number of another one would
// be lost.
func beginsList(line string) bool {
	i, ok := itemOf(line)
	return ok && i.indent == 0 && i.number <= 1
}

// code parses a block between fences; without the second one, it has all that follows.
func (p *blockParser) code() {
	language := strings.TrimLeft(p.lines[0], "`")
	fence := p.lines[0][:len(p.lines[0])-len(language)]
	p.lines = p.lines[1:]
	text := strings.Join(p.take(func(line string) bool { return line != fence }), "\n")
	p.lines = p.lines[min(len(p.lines), 1):]
	p.list = append(p.list, block{Type: "code", Language: language, Children: []block{textPart(text, block{})}})
}

// items parses the items of a list that are indented so far, and the lists in it.
func (p *blockParser) items(indent, depth int) block {
	list, count := block{Type: "list", Format: "unordered", IndentLevel: depth}, 0
	for len(p.lines) > 0 {
		i, ok := itemOf(p.lines[0])
		if !ok || i.indent < indent {
			return list
		}
		switch first := count == 0; {
		case i.indent > indent && (depth == deepestBlock || i.number > 1):
			return list
		case i.indent > indent:
			list.Children = append(list.Children, p.items(i.indent, depth+1))
			continue
		case first && i.number > 0:
			list.Format = "ordered"
		case !first && ((i.number > 0) != (list.Format == "ordered") || i.number > 1 && i.number != count+1):
			return list
		}
		count++
		p.lines = p.lines[1:]
		lines := append([]string{i.text}, p.take(func(line string) bool {
			_, another := itemOf(line)
			return !another && strings.HasPrefix(line, strings.Repeat(" ", indent+2)) && strings.TrimSpace(line) != ""
		})...)
		for n := 1; n < len(lines); n++ {
			lines[n] = strings.TrimPrefix(lines[n][indent+2:], " ")
		}
		list.Children = append(list.Children, block{Type: "list-item", Children: parseInline(strings.Join(lines, "\n"))})
	}
	return list
}

func textPart(text string, marks block) block {
	marks.Type, marks.Text = "text", &text
	return marks
}

// signs are the signs of marks, and what they set. The longer ones come first.
var signs = []struct {
	open, close string
	set         func(*block)
}{
	{"***", "***", func(b *block) { b.Bold, b.Italic = true, true }},
	{"**", "**", func(b *block) { b.Bold = true }},
	{"*", "*", func(b *block) { b.Italic = true }},
	{"~~", "~~", func(b *block) { b.Strikethrough = true }},
	{"<u>", "</u>", func(b *block) { b.Underline = true }},
	{"`", "`", func(b *block) { b.Code = true }},
}

// parseInline returns the parts of a block.
func parseInline(text string) []block {
	if out := appendParts(nil, text, block{}, false); out != nil {
		return out
	}
	return []block{textPart("", block{})}
}

// appendParts appends the parts of a text with some marks. In a link there is no other one.
func appendParts(out []block, text string, marks block, inLink bool) []block {
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			out = append(out, textPart(plain.String(), marks))
			plain.Reset()
		}
	}
	for text != "" {
		at := strings.IndexAny(text, "\\[*~<`")
		if at < 0 {
			at = len(text)
		}
		plain.WriteString(text[:at])
		if text = text[at:]; text == "" {
			break
		}
		parts, n := partsAt(text, marks, inLink)
		switch {
		case n > 0:
			flush()
			out = append(out, parts...)
		case text[0] == '\\' && len(text) > 1 && strings.IndexByte(escaped, text[1]) >= 0:
			plain.WriteByte(text[1])
			n = 2
		default:
			plain.WriteByte(text[0])
			n = 1
		}
		text = text[n:]
	}
	flush()
	return out
}

// escaped are the signs that a backslash before them makes text.
const escaped = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// partsAt parses the link or the marked text at the beginning of a text. n is its length; 0 if
// there is none. What is between two signs does not have the sign in it and no space beside it.
func partsAt(text string, marks block, inLink bool) (parts []block, n int) {
	if text[0] == '[' && !inLink {
		return linkAt(text, marks)
	}
	for _, s := range signs {
		if !strings.HasPrefix(text, s.open) {
			continue
		}
		isCode, from := s.open == "`", len(s.open)
		end := endOf(text, from, s.open[:1], !isCode)
		if end <= from || !strings.HasPrefix(text[end:], s.close) {
			continue
		}
		inner, marked := text[from:end], marks
		s.set(&marked)
		switch {
		case isCode:
			parts = []block{textPart(inner, marked)}
		case inner != strings.TrimSpace(inner):
			continue
		default:
			parts = appendParts(nil, inner, marked, inLink)
		}
		return parts, end + len(s.close)
	}
	return nil, 0
}

// linkAt parses the link at the beginning of a text, [text](address), as partsAt.
func linkAt(text string, marks block) (parts []block, n int) {
	end := endOf(text, 1, "[]", true)
	if end < 2 || !strings.HasPrefix(text[end:], "](") {
		return nil, 0
	}
	rest := text[end+2 : min(len(text), end+longestLink)]
	address, _, found := strings.Cut(rest, ")")
	url := strings.TrimSuffix(strings.TrimPrefix(address, "<"), ">")
	if !found || url == "" || strings.ContainsAny(url, " \n<>(") {
		return nil, 0
	}
	return []block{{Type: "link", URL: url, Children: appendParts(nil, text[1:end], marks, true)}}, end + 2 + len(address) + 1
}

// longestLink is the maximum length of the address of a link, in bytes.
const longestLink = 2000

// endOf returns where the next of some signs is in a text; negative for nowhere.
func endOf(text string, from int, signs string, escapes bool) int {
	for i := from; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case strings.IndexByte(signs, text[i]) >= 0:
			return i
		}
	}
	return -1
}
