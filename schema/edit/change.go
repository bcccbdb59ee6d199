package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// Change is a requested change of content types and components. It leaves what it does not
// name unchanged.
type Change struct {
	Types   []Type   `json:"types"`
	Locales *Locales `json:"locales,omitempty"` // nil to leave them unchanged

	// Keep decides which value is kept if the new name of an attribute has hidden stored
	// values: "old" for the value that moves, or "new" for the hidden one. If Keep is
	// empty, such a change is refused.
	Keep string `json:"keep,omitempty"`
	// Lossy deletes values that cannot be converted. Without it, they refuse the change.
	Lossy bool `json:"lossy,omitempty"`
	// DropSettings removes from site.json what names a removed type or attribute. Without
	// it, such a name refuses the change.
	DropSettings bool `json:"dropSettings,omitempty"`
}

// Type is a requested change of one content type or component. Texts and flags that do not
// change are nil.
type Type struct {
	Was    string `json:"was,omitempty"`    // its current uid; empty for a new one
	Kind   string `json:"kind,omitempty"`   // of a new one: collectionType, singleType or component
	Name   string `json:"name,omitempty"`   // singular name; of a component "group.name". Empty: unchanged
	Remove bool   `json:"remove,omitempty"` // with all its documents

	Plural          *string `json:"pluralName,omitempty"`
	Display         *string `json:"displayName,omitempty"`
	Description     *string `json:"description,omitempty"`
	Icon            *string `json:"icon,omitempty"` // of a component
	DraftAndPublish *bool   `json:"draftAndPublish,omitempty"`
	Localized       *bool   `json:"localized,omitempty"`

	// Attributes are all attributes in their order; nil to leave them unchanged. An
	// attribute that is missing here is removed, with its values.
	Attributes []Attribute `json:"attributes,omitempty"`
}

// Attribute is a requested change of one attribute.
type Attribute struct {
	Name string `json:"name"`
	Was  string `json:"was,omitempty"` // its current name; empty for a new one

	// Set has members of its definition; null removes one. "localized" stands for
	// pluginOptions.i18n.localized. All others are unchanged.
	Set map[string]json.RawMessage `json:"set,omitempty"`
}

// Limits of a change.
const (
	MaxTypes      = 100
	MaxAttributes = 500
	longestName   = 60
	deepestValue  = 16 // lists and objects inside each other: each line of a file is indented once for each
)

// settable are the members of an attribute that a change may set, in the order in which
// they are written.
var settable = []string{
	"type", "relation", "target", "inversedBy", "mappedBy", "morphBy", "component", "repeatable", "components",
	"multiple", "allowedTypes", "enum", "targetField", "required", "unique", "private", "searchable",
	"min", "max", "minLength", "maxLength", "regex", "default", "localized",
}

var (
	typeName      = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	attributeName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// fault returns why a type cannot be changed like this, empty if it can; at is the place in
// its file.
func (t *Type) fault() (at, message, fix string) {
	switch {
	case t.Was == "" && (t.Name == "" || t.Remove):
		return "info.singularName", "is missing", `write a name such as "article" or "blog-post"`
	case t.Was == "" && !slices.Contains([]string{"collectionType", "singleType", "component"}, t.Kind):
		return "kind", fmt.Sprintf("%.40q is not a kind of type", t.Kind), `write "collectionType", "singleType" or "component"`
	case len(t.Attributes) > MaxAttributes:
		return "attributes", fmt.Sprintf("there are more than %d", MaxAttributes), "make two types of it, or put some into components"
	}
	seen, was := map[string]bool{}, map[string]bool{}
	for _, a := range t.Attributes {
		at := "attributes." + a.Name
		switch {
		case a.Was != a.Name && (!attributeName.MatchString(a.Name) || len(a.Name) > longestName):
			return "attributes", fmt.Sprintf("%.80q cannot be the name of an attribute", a.Name), fmt.Sprintf("use up to %d letters, digits and _, a letter first", longestName)
		case seen[a.Name]:
			return at, "occurs twice", "give one of the two another name"
		case a.Was != "" && was[a.Was]:
			return at, fmt.Sprintf("%q would become two attributes", a.Was), "keep one of the two"
		}
		seen[a.Name], was[a.Was] = true, true
		for key, value := range a.Set {
			if !slices.Contains(settable, key) {
				return at, fmt.Sprintf("%.40q cannot be set here", key), "change it in the file"
			} else if depth(value) > deepestValue {
				return at + "." + key, fmt.Sprintf("there are more than %d lists and objects in each other", deepestValue), "change it in the file"
			} else if key == "localized" && !slices.Contains([]string{"true", "false", "null"}, string(value)) {
				return at + ".localized", "must be true or false", "write true or false"
			}
		}
	}
	return "", "", ""
}

// depth returns how many lists and objects of a JSON value are inside each other.
func depth(value json.RawMessage) (deepest int) {
	d := json.NewDecoder(bytes.NewReader(value))
	for at := 0; ; {
		switch token, err := d.Token(); {
		case err != nil:
			return deepest
		case token == json.Delim('[') || token == json.Delim('{'):
			at++
			deepest = max(deepest, at)
		case token == json.Delim(']') || token == json.Delim('}'):
			at--
		}
	}
}
