package body

import (
	"errors"
	"fmt"
	"strings"

	"quire/store"
)

// Text and blocks convert to each other: a paragraph of one plain text for each line. There
// and back, the text is the same, with \n as line ends.

// mostParagraphs limits the lines of a text that is converted: each takes many times as
// many bytes.
const mostParagraphs = 10_000

// blocksOf makes a paragraph of each line of a text; an empty text is none.
func blocksOf(text string) (store.Value, error) {
	if text == "" {
		return store.Value{}, nil
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if len(lines) > mostParagraphs {
		return store.Value{}, fmt.Errorf("it has more than %d lines", mostParagraphs)
	}
	b := []byte("[")
	for i, line := range lines {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"paragraph","children":[{"type":"text","text":`...)
		b = append(append(b, quote(line)...), "}]}"...)
	}
	return store.Value{Kind: store.JSON, Text: string(append(b, ']'))}, nil
}

// textOf returns the text of blocks, with a line for each block and each item of a list.
// lost names what is not text, empty if they are plain paragraphs.
func textOf(raw JSON) (text, lost string, err error) {
	var found Issues
	if decodeBlocks(Value{json: raw}, Path{}, &found); len(found) > 0 {
		return "", "", errors.New("lists and objects that are no blocks are no text")
	}
	c := blockText{}
	for _, block := range raw.Elements() {
		c.block(block)
	}
	if c.formatted {
		lost = "its formatting"
	}
	return strings.Join(c.lines, "\n"), lost, nil
}

// blockText collects the text of blocks.
type blockText struct {
	lines     []string
	formatted bool
}

func (c *blockText) block(raw JSON) {
	fields := nodeFields(raw.Members())
	kind, _ := fields.text("type")
	c.formatted = c.formatted || kind != "paragraph" || len(fields) > 2
	children, _ := fields.get("children")
	if kind == "list" {
		for _, item := range children.Elements() {
			c.block(item)
		}
		return
	}
	var line strings.Builder
	c.inline(&line, children)
	c.lines = append(c.lines, line.String())
}

// inline appends the texts of nodes, and those in links.
func (c *blockText) inline(line *strings.Builder, nodes JSON) {
	for i, node := range nodes.Elements() {
		c.formatted = c.formatted || i > 0
		fields := nodeFields(node.Members())
		c.formatted = c.formatted || len(fields) > 2
		if inside, ok := fields.get("children"); ok {
			c.formatted = true
			c.inline(line, inside)
			continue
		}
		text, _ := fields.text("text")
		c.formatted = c.formatted || strings.Contains(text, "\n")
		line.WriteString(text)
	}
}
