package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strconv"
	"strings"

	"quire/content/body"
	"quire/schema"
)

// Blocks are shown and written as Markdown. Markdown says less than blocks can: what it could not
// bring back, such as a picture, is shown as JSON, so that writing back what was read loses
// nothing.

// block is one block of a text, or a part of one.
type block struct {
	Type          string  `json:"type"`
	Text          *string `json:"text,omitempty"`
	Bold          bool    `json:"bold,omitempty"`
	Italic        bool    `json:"italic,omitempty"`
	Underline     bool    `json:"underline,omitempty"`
	Strikethrough bool    `json:"strikethrough,omitempty"`
	Code          bool    `json:"code,omitempty"`
	URL           string  `json:"url,omitempty"`
	Level         int     `json:"level,omitempty"`
	Format        string  `json:"format,omitempty"`
	IndentLevel   int     `json:"indentLevel,omitempty"`
	Language      string  `json:"language,omitempty"`
	Children      []block `json:"children,omitempty"`
}

// deepestBlock limits lists in lists, and longestMarkdown the bytes of a text that becomes blocks.
const (
	deepestBlock    = 20
	longestMarkdown = 1 << 20
)

// markdownOf returns blocks as Markdown, if that brings back the same blocks.
func markdownOf(blocks body.JSON) (text string, ok bool) {
	var list []block
	d := json.NewDecoder(bytes.NewReader(blocks))
	d.DisallowUnknownFields()
	if d.Decode(&list) != nil || len(list) == 0 {
		return "", false
	}
	if _, err := d.Token(); err != io.EOF {
		return "", false
	}
	var parts []string
	for i := range list {
		parts = append(parts, list[i].markdown())
	}
	text = strings.Join(parts, "\n\n")
	return text, reflect.DeepEqual(simple(parseBlocks(text)), simple(list))
}

// markdown writes one block. What it cannot write well does not come back as it was.
func (b *block) markdown() string {
	inner := inline(b.Children)
	switch b.Type {
	case "heading":
		return strings.Repeat("#", max(1, min(b.Level, 6))) + " " + inner
	case "quote":
		return "> " + strings.ReplaceAll(inner, "\n", "\n> ")
	case "code":
		fence := "```"
		text := plainText(b.Children)
		for strings.Contains(text, fence) {
			fence += "`"
		}
		return fence + b.Language + "\n" + text + "\n" + fence
	case "list":
		return strings.TrimSuffix(b.list("", 0), "\n")
	}
	if inner == "" {
		return emptyLine
	}
	lines := strings.Split(inner, "\n")
	for i, line := range lines {
		lines[i] = escapeStart(line)
	}
	return strings.Join(lines, "\n")
}

// emptyLine is a paragraph without text.
const emptyLine = "<br>"

// list writes the items of a list and of those in it.
func (b *block) list(indent string, depth int) string {
	var s strings.Builder
	number := 0
	for i := range b.Children {
		item, mark := &b.Children[i], "- "
		if item.Type == "list" {
			if depth < deepestBlock {
				s.WriteString(item.list(indent+"   ", depth+1))
			}
			continue
		}
		if number++; b.Format == "ordered" {
			mark = strconv.Itoa(number) + ". "
		}
		s.WriteString(indent + mark + strings.ReplaceAll(inline(item.Children), "\n", "\n"+indent+"   ") + "\n")
	}
	return s.String()
}

// escapeStart escapes what begins a block of another kind.
func escapeStart(line string) string {
	if line == emptyLine || lineForm.MatchString(line) {
		digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
		return line[:digits] + `\` + line[digits:]
	}
	return line
}

var escapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "~", `\~`, "[", `\[`, "]", `\]`, "<", `\<`)

// inline writes the parts of a block.
func inline(parts []block) string {
	var s strings.Builder
	for _, p := range simple(parts) {
		if p.Type == "link" {
			s.WriteString("[" + inline(p.Children) + "](<" + p.URL + ">)")
			continue
		}
		text := p.text()
		switch {
		case text == "":
			continue
		case p.Code:
			text = "`" + text + "`"
		default:
			text = escapes.Replace(text)
		}
		for _, m := range []struct {
			on          bool
			open, close string
		}{{p.Bold && p.Italic, "***", "***"}, {p.Bold && !p.Italic, "**", "**"}, {p.Italic && !p.Bold, "*", "*"}, {p.Strikethrough, "~~", "~~"}, {p.Underline, "<u>", "</u>"}} {
			if m.on {
				text = m.open + text + m.close
			}
		}
		s.WriteString(text)
	}
	return s.String()
}

func (b *block) text() string {
	if b.Text == nil {
		return ""
	}
	return *b.Text
}

// plainText is the text of parts without marks.
func plainText(parts []block) string {
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p.text() + plainText(p.Children))
	}
	return s.String()
}

func (b *block) isText() bool { return b.Type == "text" }

// sameMarks reports whether two parts look the same.
func (b *block) sameMarks(o *block) bool {
	return b.isText() && o.isText() && b.Bold == o.Bold && b.Italic == o.Italic && b.Underline == o.Underline && b.Strikethrough == o.Strikethrough && b.Code == o.Code
}

// simple returns blocks without differences that nobody sees: parts without text, parts that look
// as the one before, and the level of a list in a list, which its place says.
func simple(list []block) []block {
	var out []block
	for _, b := range list {
		b.Children, b.IndentLevel = simple(b.Children), 0
		last := len(out) - 1
		switch {
		case b.isText() && b.text() == "":
		case last >= 0 && out[last].sameMarks(&b):
			joined := out[last].text() + b.text()
			out[last].Text = &joined
		default:
			out = append(out, b)
		}
	}
	return out
}

// shownBlocks is the value of a member of an object for agents: of blocks, the Markdown.
func shownBlocks(t *schema.Type, key string, v body.JSON) body.JSON {
	if t == nil {
		return v
	}
	if a := t.Attribute(key); a != nil && a.Kind == schema.Blocks && len(v) > 0 && v.IsList() {
		if text, ok := markdownOf(v); ok {
			return quoted(text)
		}
	}
	return v
}

// fromMarkdown returns the data of a write in which Markdown for blocks has become blocks.
func fromMarkdown(t *schema.Type, site *schema.Site, data body.JSON) body.JSON {
	switch {
	case t == nil || len(data) == 0:
		return data
	case data.IsList():
		return withElements(data, func(element body.JSON) body.JSON { return fromMarkdown(t, site, element) })
	case !data.IsObject():
		return data
	}
	t = typeIn(site, t, data)
	return withMembers(data, func(m body.Member) body.JSON {
		a := t.Attribute(m.Key)
		text, isText := m.Value.Text()
		switch {
		case a == nil:
		case a.Kind == schema.Blocks && isText && len(m.Value) <= longestMarkdown:
			if blocks, err := json.Marshal(parseBlocks(text)); err == nil {
				return blocks
			}
		case a.ComponentType != nil:
			return fromMarkdown(a.ComponentType, site, m.Value)
		case a.Kind == schema.DynamicZone:
			return fromMarkdown(t, site, m.Value)
		}
		return m.Value
	})
}
