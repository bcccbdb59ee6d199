package admin

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"quire/schema"
)

// attributeOf is an attribute as shown to an account, with the rules for its values.
type attributeOf struct {
	Name         string           `json:"name"`
	Label        string           `json:"label"`
	Type         string           `json:"type"`
	Required     bool             `json:"required,omitempty"`
	Unique       bool             `json:"unique,omitempty"`
	Private      bool             `json:"private,omitempty"`
	Localized    bool             `json:"localized,omitempty"`
	ReadOnly     bool             `json:"readOnly,omitempty"`
	MinLength    *int             `json:"minLength,omitempty"`
	MaxLength    *int             `json:"maxLength,omitempty"`
	Min          any              `json:"min,omitempty"` // a text for a biginteger; the number of items for a list
	Max          any              `json:"max,omitempty"`
	Regex        string           `json:"regex,omitempty"`
	Default      *json.RawMessage `json:"default,omitempty"`
	Enum         []string         `json:"enum,omitempty"`
	TargetField  string           `json:"targetField,omitempty"`
	Multiple     bool             `json:"multiple,omitempty"`
	AllowedTypes []string         `json:"allowedTypes,omitempty"`
	Relation     string           `json:"relation,omitempty"`
	Target       string           `json:"target,omitempty"`
	Inverse      string           `json:"inverse,omitempty"`
	MainField    string           `json:"mainField,omitempty"` // of the target
	Component    string           `json:"component,omitempty"`
	Repeatable   bool             `json:"repeatable,omitempty"`
	Components   []string         `json:"components,omitempty"`
	CustomField  string           `json:"customField,omitempty"`
	Hint         string           `json:"hint,omitempty"`
	Placeholder  string           `json:"placeholder,omitempty"`
	Visible      json.RawMessage  `json:"visible,omitempty"` // the condition of the schema: without it, no rule applies
	Shown        json.RawMessage  `json:"shown,omitempty"`   // the condition for showing it, to make forms shorter

	// Within has the differences of its components at this place: paths that are hidden, or
	// read-only.
	Within *withinOf `json:"within,omitempty"`
}

type withinOf struct {
	Hidden   []string `json:"hidden,omitempty"`
	ReadOnly []string `json:"readOnly,omitempty"`
}

func (v *schemaView) attributes(t *schema.Type, seen []*schema.Attribute, sight *schema.Sight) []attributeOf {
	all := []attributeOf{}
	for _, a := range seen {
		one := attributeOf{
			Name: a.Name, Label: labelOf(a.Name), Type: a.Kind.String(), Required: a.Required, Unique: a.Unique || a.Kind == schema.UID,
			Private: a.Private, Localized: a.Localized, ReadOnly: !sight.Sets(a), MinLength: a.MinLength, MaxLength: a.MaxLength,
			Regex: a.PatternText, Enum: a.Enum, TargetField: a.TargetField, AllowedTypes: a.AllowedFiles, Repeatable: a.Repeatable, CustomField: a.CustomField,
		}
		if a.Default != nil {
			one.Default = &a.Default
		}
		one.bound(a)
		v.word(&one, t, a, seen)
		v.lead(&one, a)
		if inside := sight.Within(a); inside.Limited() && len(componentsIn(a)) > 0 {
			one.Within = &withinOf{}
			v.differ(one.Within, a, inside, "")
		}
		all = append(all, one)
	}
	return all
}

// word sets what people have written about an attribute, and its conditions. A condition on
// an attribute that the account does not see is left out: the server decides by it.
func (v *schemaView) word(o *attributeOf, t *schema.Type, a *schema.Attribute, seen []*schema.Attribute) {
	sees := func(c *schema.Condition) bool {
		return !slices.ContainsFunc(c.Reads(), func(name string) bool {
			return !slices.ContainsFunc(seen, func(other *schema.Attribute) bool { return other.Name == name && other.Kind != schema.Password })
		})
	}
	if c := a.Visible; c != nil {
		if o.Visible = c.JSON(); !sees(c) {
			o.Visible, o.Required = nil, false
		}
	}
	r := v.arranged[t]
	if r == nil {
		return
	}
	w := r.Attributes[a.Name]
	o.Hint, o.Placeholder, o.Label = w.Hint, w.Placeholder, cmp.Or(w.Label, o.Label)
	if c, err := w.Condition(); err == nil && c != nil && sees(c) {
		o.Shown = c.JSON()
	}
}

// bound sets the minimum and maximum of a value.
func (o *attributeOf) bound(a *schema.Attribute) {
	switch {
	case a.IsList():
		o.Min, o.Max = boundOf(a.MinItems), boundOf(a.MaxItems)
	case a.Kind == schema.BigInteger:
		o.Min, o.Max = exact(a.MinInt), exact(a.MaxInt)
	default:
		o.Min, o.Max = boundOf(a.Min), boundOf(a.Max)
	}
}

func boundOf[T any](n *T) any {
	if n == nil {
		return nil
	}
	return *n
}

// exact returns a number as a text, which no program rounds.
func exact(n *int64) any {
	if n == nil {
		return nil
	}
	text, _ := json.Marshal(*n)
	return string(text)
}

// lead sets the target of an attribute.
func (v *schemaView) lead(o *attributeOf, a *schema.Attribute) {
	switch {
	case a.Kind == schema.Media:
		o.Multiple = a.Relation.Many()
	case a.Relation != nil:
		o.Relation = a.Relation.Form.String()
		if t := a.Relation.Target; t != nil {
			o.Target, o.MainField = t.UID, t.Title(v.caller.Sight(t).Sees).Name
		}
		if inverse := a.Relation.Inverse; inverse != nil && v.caller.Sight(inverse.Owner).Sees(inverse) {
			o.Inverse = inverse.Name
		}
	case a.ComponentType != nil:
		o.Component = a.ComponentType.UID
	}
	for _, t := range a.Zone {
		o.Components = append(o.Components, t.UID)
	}
}

// differ collects what is hidden or read-only at this place in the components of an
// attribute, among the attributes that are visible elsewhere.
func (v *schemaView) differ(o *withinOf, a *schema.Attribute, sight *schema.Sight, at string) {
	for _, t := range componentsIn(a) {
		for _, inner := range t.Attributes {
			path := at + inner.Name
			switch {
			case !sight.Knows(inner):
				if v.components[t][inner.Name] {
					o.Hidden = append(o.Hidden, path)
				}
				continue
			case !sight.Sets(inner):
				o.ReadOnly = append(o.ReadOnly, path)
			}
			if inside := sight.Within(inner); inside.Limited() {
				v.differ(o, inner, inside, path+".")
			}
		}
	}
}

// labelOf makes a label from the name of an attribute: "publishedOn" becomes "Published
// on", "imageURL" "Image URL", and "CTAs" stays as it is.
func labelOf(name string) string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word))
		}
		word = nil
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case r == '_' || r == '-':
			end()
			continue
		case i > 0 && unicode.IsUpper(r) && beginsWord(runes[i-1], runes[i+1:]):
			end()
		}
		word = append(word, r)
	}
	end()
	for i, w := range words {
		one := strings.TrimSuffix(w, "s")
		if acronym := len(one) > 1 && one == strings.ToUpper(one); !acronym {
			w = strings.ToLower(w)
		}
		if i == 0 && w != "" {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		words[i] = w
	}
	if len(words) == 0 {
		return name
	}
	return strings.Join(words, " ")
}

// beginsWord reports whether a capital between the letter before it and the rest of a name
// begins a word. In "URLs" none but the first does, since the s only makes it several.
func beginsWord(before rune, rest []rune) bool {
	if !unicode.IsUpper(before) {
		return true
	}
	several := len(rest) > 0 && rest[0] == 's' && (len(rest) == 1 || !unicode.IsLower(rest[1]))
	return len(rest) > 0 && unicode.IsLower(rest[0]) && !several
}
