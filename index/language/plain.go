package language

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// OfBlocks returns the text of blocks, given as JSON: the texts of one paragraph in one
// line.
func OfBlocks(blocks []byte) string {
	var out strings.Builder
	for i := 0; i < len(blocks); {
		switch blocks[i] {
		case ']':
			if out.Len() > 0 {
				out.WriteByte('\n')
			}
		case '"':
			key, after := jsonString(blocks, i)
			if i = after; string(key) != `"text"` {
				continue
			}
			for i < len(blocks) && strings.IndexByte(" \t\r\n:", blocks[i]) >= 0 {
				i++
			}
			if i < len(blocks) && blocks[i] == '"' && blocks[after] != ',' && blocks[after] != '}' {
				value, end := jsonString(blocks, i)
				i = end
				var text string
				if json.Unmarshal(value, &text) == nil {
					out.WriteString(text)
				}
			}
			continue
		}
		i++
	}
	return strings.TrimRight(out.String(), "\n")
}

// jsonString returns the string that begins at a quote, with its quotes, and where it ends.
func jsonString(blocks []byte, at int) (text []byte, end int) {
	for end = at + 1; end < len(blocks) && blocks[end] != '"'; end++ {
		if blocks[end] == '\\' {
			end++
		}
	}
	end = min(end+1, len(blocks))
	return blocks[at:end], end
}

// OfMarkdown returns the text of Markdown without its signs: a link without its address, a
// tag of HTML not at all. Each other word stays.
func OfMarkdown(text string) string {
	if !strings.ContainsAny(text, "*_`#>[<|~\\") {
		return text
	}
	var out strings.Builder
	lineStart := true
	for at := 0; at < len(text); {
		c, rest := text[at], text[at:]
		skip := 0
		switch {
		case c == '\\' && len(rest) > 1 && rest[1] < utf8.RuneSelf:
			out.WriteByte(rest[1])
			skip = 2
		case c == ']' && strings.HasPrefix(rest, "]("):
			skip = enclosed(rest, ')')
		case c == '<' && len(rest) > 1 && (isWord(rune(rest[1])) || rest[1] == '/' || rest[1] == '!'):
			skip = enclosed(rest, '>')
		case c == '*', c == '`', c == '~', c == '[', c == ']', c == '|':
			skip = 1
		case c == '!' && strings.HasPrefix(rest, "!["):
			skip = 2
		case c == '_' && !betweenWords(text, at):
			skip = 1
		case lineStart && (c == '#' || c == '>'):
			skip = 1
		}
		if skip == 0 {
			out.WriteByte(c)
			skip = 1
		}
		lineStart = c == '\n' || lineStart && (c == '#' || c == '>' || c == ' ')
		at += skip
	}
	return out.String()
}

// longestTag limits how far the end of a tag or of an address is searched.
const longestTag = 2048

// enclosed returns the length of what ends with a character in the same line; 0 if it does
// not.
func enclosed(text string, with byte) int {
	for i := 1; i < len(text) && i < longestTag && text[i] != '\n'; i++ {
		if text[i] == with {
			return i + 1
		}
	}
	return 0
}

// betweenWords reports whether a character has letters or digits on both sides.
func betweenWords(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+1:])
	return at > 0 && isWord(before) && isWord(after)
}
