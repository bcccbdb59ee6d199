package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"quire/admin/model"
	"quire/schema"
)

// What a language model gets of a value is its texts, in a list. What it answers is put in the
// place of each of them, so that it cannot change anything else of the value.

// Limits of what is sent at once.
const (
	mostTexts      = 500
	mostCharacters = 20_000
)

// textPlace is a text somewhere in a value of an attribute.
type textPlace struct {
	text      string
	attribute *schema.Attribute
	put       func(string) // replaces the text in the value
}

// textGatherer finds the texts that an account may read and set, of entries decoded from JSON.
type textGatherer struct{ places []textPlace }

// attribute gathers the texts in the value of an attribute. put replaces the value.
func (g *textGatherer) attribute(a *schema.Attribute, sight *schema.Sight, value any, put func(any)) {
	if a.CustomField != "" || !sight.Sees(a) || !sight.Sets(a) {
		return
	}
	switch a.Kind {
	case schema.String, schema.Text, schema.RichText:
		g.text(a, value, put)
	case schema.Blocks:
		g.blocks(a, value)
	case schema.Component, schema.DynamicZone:
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, item := range list {
			g.component(a, sight.Within(a), item)
		}
	}
}

// isAddress matches texts that are nothing but the address of a page.
var isAddress = regexp.MustCompile(`^\s*([a-z]+:|/|#)\S*\s*$`)

func (g *textGatherer) text(a *schema.Attribute, value any, put func(any)) {
	if text, _ := value.(string); strings.TrimSpace(text) != "" && !isAddress.MatchString(text) {
		g.places = append(g.places, textPlace{text, a, func(text string) { put(text) }})
	}
}

// component gathers the texts of one component.
func (g *textGatherer) component(a *schema.Attribute, sight *schema.Sight, value any) {
	members, _ := value.(map[string]any)
	t := a.ComponentType
	if a.Kind == schema.DynamicZone {
		i := slices.IndexFunc(a.Zone, func(t *schema.Type) bool { return t.UID == members["__component"] })
		if i < 0 {
			return
		}
		t = a.Zone[i]
	}
	for _, inner := range t.Attributes {
		g.attribute(inner, sight, members[inner.Name], func(value any) { members[inner.Name] = value })
	}
}

// blocks gathers the texts of rich text, except those of code.
func (g *textGatherer) blocks(a *schema.Attribute, value any) {
	nodes, _ := value.([]any)
	for _, node := range nodes {
		members, _ := node.(map[string]any)
		switch members["type"] {
		case "code":
		case "text":
			g.text(a, members["text"], func(value any) { members["text"] = value })
		default:
			g.blocks(a, members["children"])
		}
	}
}

// encode returns the texts as a JSON array. It refuses too many, and too long ones.
func (g *textGatherer) encode() (string, error) {
	texts, length := make([]string, len(g.places)), 0
	for i, p := range g.places {
		texts[i] = strings.TrimSpace(p.text)
		length += utf8.RuneCountInString(p.text)
	}
	if len(texts) > mostTexts || length > mostCharacters {
		return "", invalid(fmt.Sprintf("This has %d texts with %d characters; at most %d with %d are sent to the language model at once", len(texts), length, mostTexts, mostCharacters))
	}
	return encodePlain(texts)
}

// encodePlain encodes JSON without escapes for HTML, which would only confuse a model.
func encodePlain(value any) (string, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSpace(out.String()), err
}

// replace puts the texts of an answer into the places. If they do not fit, it changes nothing, and
// the error is a *model.Error.
func (g *textGatherer) replace(answer string) error {
	texts, err := readTexts(answer, len(g.places))
	for i := 0; i < len(texts) && err == nil; i++ {
		texts[i], err = g.places[i].fit(texts[i])
	}
	if err != nil {
		return err
	}
	for i, p := range g.places {
		p.put(texts[i])
	}
	return nil
}

// readTexts reads n texts from an answer: a JSON array, with or without words around it. One text
// may be without an array.
func readTexts(answer string, n int) (texts []string, err error) {
	answer = strings.TrimSpace(answer)
	start, end := strings.IndexByte(answer, '['), strings.LastIndexByte(answer, ']')
	if start >= 0 && start < end && json.Unmarshal([]byte(answer[start:end+1]), &texts) == nil {
		if len(texts) != n {
			return nil, &model.Error{Message: fmt.Sprintf("The language model answers with %d texts instead of %d", len(texts), n)}
		}
		return texts, nil
	}
	if n == 1 && answer != "" && !strings.ContainsAny(answer[:1], "[{`") {
		return []string{answer}, nil
	}
	return nil, &model.Error{Message: "The language model does not answer with the texts that it was asked for"}
}

// fit returns a text for the place: with the spaces at both ends that the former one has, and on
// one line if that is. The error is a *model.Error if the attribute does not allow it.
func (p *textPlace) fit(text string) (string, error) {
	text = strings.TrimSpace(strings.Map(printable, text))
	if text == "" {
		return "", &model.Error{Message: "The language model answers with an empty text"}
	}
	former := strings.TrimSpace(p.text)
	if p.attribute.Kind == schema.String && !strings.Contains(former, "\n") {
		text = strings.Join(strings.Fields(text), " ")
	}
	start := strings.Index(p.text, former)
	text = p.text[:start] + text + p.text[start+len(former):]
	length := schema.TextLength(text)
	if most := p.attribute.MaxLength; most != nil && length > *most {
		return "", &model.Error{Message: fmt.Sprintf("The language model answers with %d characters for %s, which has at most %d", length, p.attribute.Name, *most)}
	}
	return text, nil
}

// printable drops control characters, which nobody would see.
func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// limit returns the maximum length of each text if they are all of one attribute; 0 for none.
func (g *textGatherer) limit() int {
	a := g.places[0].attribute
	other := func(p textPlace) bool { return p.attribute != a }
	if a.MaxLength == nil || slices.ContainsFunc(g.places, other) {
		return 0
	}
	return *a.MaxLength
}
