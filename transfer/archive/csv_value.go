package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"quire/schema"
)

// The cells of a table: an empty one is null, and "" in quotes is the empty text. Texts,
// dates and times are written unchanged, numbers and booleans as in JSON; TRUE and FALSE
// are booleans. A list of components, a dynamic zone and a JSON attribute are JSON. Links
// are documentIds with | between them or, if one has more members, a JSON list.

// listSeparator separates the links of one cell.
const listSeparator = "|"

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// value returns the value of a cell as JSON.
func (c *csvImport) value(at *column, one cell) (json.RawMessage, error) {
	a := at.attribute()
	switch {
	case a.Relation != nil:
		return c.links(at, one.text)
	case one.text == "" && a.IsList():
		return json.RawMessage("[]"), nil
	case one.text == "" && !(one.quoted && a.IsText()):
		return json.RawMessage("null"), nil
	}
	switch a.Kind {
	case schema.Integer, schema.Float, schema.Decimal:
		if !number.MatchString(one.text) {
			return nil, fmt.Errorf("%s is not a number; write it as in 12 or -1.5", brief(one.text))
		}
		return json.RawMessage(one.text), nil
	case schema.Boolean:
		if truth := strings.ToLower(one.text); truth == "true" || truth == "false" {
			return json.RawMessage(truth), nil
		}
		return nil, fmt.Errorf("%s is neither true nor false", brief(one.text))
	case schema.JSON, schema.Blocks, schema.Component, schema.DynamicZone:
		if !json.Valid([]byte(one.text)) {
			return nil, fmt.Errorf("%s is not JSON", brief(one.text))
		}
		return json.RawMessage(one.text), nil
	}
	return json.Marshal(one.text)
}

// links returns the list of the links in a cell.
func (c *csvImport) links(at *column, text string) (json.RawMessage, error) {
	if strings.HasPrefix(text, "[") && at.unique == nil {
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("%s is not a JSON list", brief(text))
		}
		return json.RawMessage(text), nil
	}
	ids := []string{}
	for _, part := range strings.Split(text, listSeparator) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if at.unique != nil {
			var err error
			if part, err = c.found(at, part); err != nil {
				return nil, err
			}
		}
		ids = append(ids, part)
	}
	return json.Marshal(ids)
}

// found returns the documentId of the one document that a text identifies.
func (c *csvImport) found(at *column, text string) (string, error) {
	if c.find == nil {
		return "", errors.New("archive: a column names links by a unique attribute, and nothing finds them")
	}
	ids, err := c.find(at.attribute().Relation.Target, at.unique, text)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", fmt.Errorf("no %s has the %s %s", at.attribute().Relation.Target.UID, at.unique.Name, brief(text))
	case len(ids) > 1:
		return "", fmt.Errorf("several documents have the %s %s", at.unique.Name, brief(text))
	}
	return ids[0], nil
}

// brief shortens a text for an error.
func brief(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return fmt.Sprintf("%q…", string(runes[:40]))
	}
	return fmt.Sprintf("%q", text)
}

// formulas are the characters at which a spreadsheet begins a formula, and those that end the
// text before it; also in the width that Chinese and Japanese keyboards type.
const formulas = "=+-@\t\r\n＝＋－＠"

// marked reports whether toSpreadsheet puts an apostrophe before a text.
func marked(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return text != "" && strings.ContainsRune(formulas+"'", first)
}

// toSpreadsheet puts an apostrophe before a text that looks like a formula.
func toSpreadsheet(text string) string {
	if marked(text) {
		return "'" + text
	}
	return text
}

// fromSpreadsheet removes the apostrophe of toSpreadsheet.
func fromSpreadsheet(text string) string {
	if rest, ok := strings.CutPrefix(text, "'"); ok && marked(rest) {
		return rest
	}
	return text
}
