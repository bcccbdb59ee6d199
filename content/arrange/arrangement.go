package arrange

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"quire/schema"
)

// Arrangement says how the form and the list of a type are shown. The zero Arrangement
// changes nothing.
type Arrangement struct {
	Title      string             `json:"title,omitempty"`      // the attribute by which entries are known
	Columns    []string           `json:"columns,omitempty"`    // of the list; empty for the usual ones
	Tabs       []Tab              `json:"tabs,omitempty"`       // of the form; empty for the usual order
	Hidden     []string           `json:"hidden,omitempty"`     // attributes that are not in the form
	Attributes map[string]Wording `json:"attributes,omitempty"` // by name
}

// Tab is a part of a form that is shown alone. A form with one tab shows no tabs.
type Tab struct {
	Label  string       `json:"label,omitempty"`
	Groups []FieldGroup `json:"groups"`
}

// FieldGroup is fields below one heading, or below none.
type FieldGroup struct {
	Label  string `json:"label,omitempty"`
	Fields []Cell `json:"fields"`
}

// Cell is the place of a field. Its size is in twelfths of a row.
type Cell struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// Wording is what the form says of an attribute, and when it shows it.
type Wording struct {
	Label       string          `json:"label,omitempty"`
	Hint        string          `json:"hint,omitempty"`
	Placeholder string          `json:"placeholder,omitempty"`
	Visible     json.RawMessage `json:"visible,omitempty"` // a condition, see schema.ReadCondition
}

// Limits of an arrangement.
const (
	MostBytes   = 256 << 10 // of a stored arrangement
	mostTabs    = 20
	mostGroups  = 100 // in all tabs
	mostColumns = 50
	mostLine    = 255  // bytes of a label or placeholder
	mostHint    = 1000 // bytes
	wholeRow    = 12
)

// MisfitError reports what is wrong with a part of an arrangement or of a view.
type MisfitError struct{ Key, Message string }

func (e *MisfitError) Error() string { return e.Key + ": " + e.Message }

func wrong(key, form string, values ...any) error {
	return &MisfitError{key, fmt.Sprintf(form, values...)}
}

// Check reports the first part of the arrangement that does not fit a type. Its error is a
// *MisfitError.
func (r *Arrangement) Check(t *schema.Type) error {
	if r.Title != "" && !MayBeTitle(t.Attribute(r.Title)) {
		return wrong("title", "%.100q is no attribute with a short text", r.Title)
	}
	if err := r.checkColumns(t); err != nil {
		return err
	}
	placed := map[string]bool{}
	if err := r.checkTabs(t, placed); err != nil {
		return err
	}
	for i, name := range r.Hidden {
		if err := place(t, name, placed); err != nil {
			return wrong(fmt.Sprintf("hidden[%d]", i), "%s", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Attributes)) {
		if err := r.Attributes[name].check(t, name); err != nil {
			return err
		}
	}
	return nil
}

// MayBeTitle reports whether entries can be known by an attribute.
func MayBeTitle(a *schema.Attribute) bool {
	if a == nil || a.System != schema.NotSystem {
		return false
	}
	switch a.Kind {
	case schema.String, schema.Text, schema.Email, schema.UID, schema.Enumeration:
		return true
	}
	return false
}

func (r *Arrangement) checkColumns(t *schema.Type) error {
	if len(r.Columns) > mostColumns {
		return wrong("columns", "a list has at most %d columns", mostColumns)
	}
	for i, name := range r.Columns {
		if !mayBeColumn(t, name) || slices.Contains(r.Columns[:i], name) {
			return wrong(fmt.Sprintf("columns[%d]", i), "%.100q is no column of this list, or twice in it", name)
		}
	}
	return nil
}

// mayBeColumn reports whether a list has that column. Two columns are no attributes: what
// states an entry has, and which locales.
func mayBeColumn(t *schema.Type, name string) bool {
	a := t.Attribute(name)
	return name == "status" || name == "locales" || a != nil && a.Kind != schema.Password
}

func (r *Arrangement) checkTabs(t *schema.Type, placed map[string]bool) error {
	groups := 0
	switch {
	case len(r.Tabs) > mostTabs:
		return wrong("tabs", "a form has at most %d tabs", mostTabs)
	case len(r.Tabs) > 1 && t.IsComponent():
		return wrong("tabs", "the form of a component has no tabs")
	}
	for i, tab := range r.Tabs {
		at := fmt.Sprintf("tabs[%d]", i)
		if groups += len(tab.Groups); groups > mostGroups {
			return wrong(at+".groups", "a form has at most %d groups", mostGroups)
		}
		if err := checkLine(at+".label", tab.Label); err != nil {
			return err
		}
		for j, g := range tab.Groups {
			if err := g.check(t, fmt.Sprintf("%s.groups[%d]", at, j), placed); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *FieldGroup) check(t *schema.Type, at string, placed map[string]bool) error {
	for i, f := range g.Fields {
		here := fmt.Sprintf("%s.fields[%d]", at, i)
		if err := place(t, f.Name, placed); err != nil {
			return wrong(here+".name", "%s", err)
		}
		if f.Size < 1 || f.Size > wholeRow {
			return wrong(here+".size", "the width of a field is from 1 to %d", wholeRow)
		}
	}
	return checkLine(at+".label", g.Label)
}

// place gives an attribute its one place.
func place(t *schema.Type, name string, placed map[string]bool) error {
	switch {
	case !hasField(t, name):
		return fmt.Errorf("there is no attribute %.100q", name)
	case placed[name]:
		return fmt.Errorf("the attribute %s has a place already", name)
	}
	placed[name] = true
	return nil
}

// hasField reports whether the form of a type has a field for a name.
func hasField(t *schema.Type, name string) bool {
	a := t.Attribute(name)
	return a != nil && a.System == schema.NotSystem
}

func (w Wording) check(t *schema.Type, name string) error {
	at := "attributes." + name
	if !hasField(t, name) {
		return wrong(at, "there is no attribute %.100q", name)
	}
	if err := checkLine(at+".label", w.Label); err != nil {
		return err
	}
	if err := checkLine(at+".placeholder", w.Placeholder); err != nil {
		return err
	}
	if len(w.Hint) > mostHint || !utf8.ValidString(w.Hint) {
		return wrong(at+".hint", "a hint has at most %d bytes", mostHint)
	}
	c, err := w.Condition()
	if err != nil {
		return wrong(at+".visible", "%s", err)
	}
	if c == nil {
		return nil
	}
	for _, other := range c.Reads() {
		if !hasField(t, other) || other == name {
			return wrong(at+".visible", "the condition needs another attribute than %.100q", other)
		}
	}
	return nil
}

// Condition returns the condition for showing the attribute; nil for none.
func (w Wording) Condition() (*schema.Condition, error) {
	if len(w.Visible) == 0 || string(w.Visible) == "null" {
		return nil, nil
	}
	return schema.ReadCondition(w.Visible)
}

// checkLine requires one line of text.
func checkLine(key, text string) error {
	if len(text) > mostLine || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return wrong(key, "it has one line of at most %d bytes", mostLine)
	}
	return nil
}
