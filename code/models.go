package code

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"quire/schema"
)

// siteOf is what the runtime must know of a site.
func siteOf(o Options, root string) any {
	s := o.Site
	models, components := []any{}, []any{}
	for _, t := range s.Types {
		models = append(models, modelOf(t))
	}
	for _, t := range s.Components {
		components = append(components, modelOf(t))
	}
	rest := map[string]any{"prefix": "/api", "defaultLimit": s.Settings.DefaultLimit, "maxLimit": s.Settings.MaxLimit, "withCount": s.Settings.WithCount}
	return map[string]any{
		"models": models, "components": components, "root": root, "version": o.Version,
		"limits":        map[string]any{"write": o.LongestWrite.Milliseconds()},
		"defaultLocale": s.Settings.DefaultLocale, "refreshTokens": s.Settings.Accounts.Refresh.Enabled, "graphql": s.Settings.GraphQL.Enabled,
		"accounts": map[string]any{
			"unique_email": true, "allow_register": s.Settings.Accounts.Register.Enabled, "default_role": s.Settings.Accounts.Register.Role,
			"email_confirmation": s.Settings.Accounts.Confirmation.Required, "email_confirmation_redirection": s.Settings.Accounts.Confirmation.Redirect,
		},
		"i18n":   map[string]any{"defaultLocale": s.Settings.DefaultLocale, "locales": s.Settings.Locales},
		"config": map[string]any{"api": map[string]any{"rest": rest}, "server": map[string]any{"url": s.Settings.URL}},
	}
}

// A model is a content type or a component as Strapi's code sees it.
type model struct {
	UID            string            `json:"uid"`
	Kind           string            `json:"kind,omitempty"`
	ModelType      string            `json:"modelType"`
	GlobalID       string            `json:"globalId"`
	ModelName      string            `json:"modelName"`
	SingularName   string            `json:"singularName,omitempty"`
	APIName        string            `json:"apiName,omitempty"`
	Plugin         string            `json:"plugin,omitempty"`
	Category       string            `json:"category,omitempty"`
	CollectionName string            `json:"collectionName"`
	TableName      string            `json:"tableName"`
	Info           map[string]string `json:"info"`
	Options        map[string]any    `json:"options"`
	PluginOptions  json.RawMessage   `json:"pluginOptions"`
	Attributes     attributes        `json:"attributes"`
}

// attributes are written as an object in the order of the schema file.
type attributes []*schema.Attribute

// MarshalJSON writes the object.
func (list attributes) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, a := range list {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := json.Marshal(attributeOf(a))
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, quote(a.Name)...), ':'), value...)
	}
	return append(out, '}'), nil
}

func modelOf(t *schema.Type) *model {
	m := &model{
		UID: t.UID, ModelType: "contentType", ModelName: t.Singular, SingularName: t.Singular, CollectionName: strings.ReplaceAll(t.Plural, "-", "_"),
		Info:          map[string]string{"singularName": t.Singular, "pluralName": t.Plural, "displayName": t.Display, "description": t.Description},
		Options:       map[string]any{"draftAndPublish": t.DraftAndPublish},
		PluginOptions: t.PluginOptions, Attributes: slices.Concat(t.System, t.Attributes),
	}
	space, name, _ := strings.Cut(t.UID, "::")
	owner, _, _ := strings.Cut(name, ".")
	switch {
	case t.IsComponent():
		m.ModelType, m.Options = "component", map[string]any{}
		m.Category, m.ModelName, _ = strings.Cut(t.UID, ".")
	case space == "api":
		m.APIName = owner
	default:
		m.Plugin = owner
	}
	m.Kind = map[schema.TypeKind]string{schema.Collection: "collectionType", schema.Single: "singleType"}[t.Kind]
	m.TableName = m.CollectionName
	if m.PluginOptions == nil {
		m.PluginOptions = json.RawMessage("{}")
	}
	m.GlobalID = globalID(m)
	return m
}

// globalID is the name of a model in Strapi: "Article", "UsersPermissionsUser",
// "ComponentSharedSeo".
func globalID(m *model) string {
	owner := m.Plugin
	if m.Category != "" {
		owner = "component-" + m.Category
	}
	var id strings.Builder
	for word := range strings.FieldsFuncSeq(owner+"-"+m.ModelName, func(r rune) bool { return r == '-' || r == '_' }) {
		first, n := utf8.DecodeRuneInString(word)
		id.WriteString(string(unicode.ToUpper(first)) + word[n:])
	}
	return id.String()
}

// An attribute is one as a schema file declares it.
type attribute struct {
	Type          string          `json:"type"`
	Required      bool            `json:"required,omitempty"`
	Unique        bool            `json:"unique,omitempty"`
	Private       bool            `json:"private,omitempty"`
	Default       json.RawMessage `json:"default,omitempty"`
	Enum          []string        `json:"enum,omitempty"`
	Min           *float64        `json:"min,omitempty"`
	Max           *float64        `json:"max,omitempty"`
	MinLength     *int            `json:"minLength,omitempty"`
	MaxLength     *int            `json:"maxLength,omitempty"`
	Regex         string          `json:"regex,omitempty"`
	TargetField   string          `json:"targetField,omitempty"`
	Relation      string          `json:"relation,omitempty"`
	Target        string          `json:"target,omitempty"`
	InversedBy    string          `json:"inversedBy,omitempty"`
	MappedBy      string          `json:"mappedBy,omitempty"`
	Multiple      bool            `json:"multiple,omitempty"`
	AllowedTypes  []string        `json:"allowedTypes,omitempty"`
	Component     string          `json:"component,omitempty"`
	Repeatable    bool            `json:"repeatable,omitempty"`
	Components    []string        `json:"components,omitempty"`
	CustomField   string          `json:"customField,omitempty"`
	PluginOptions map[string]any  `json:"pluginOptions,omitempty"`
}

func attributeOf(a *schema.Attribute) attribute {
	out := attribute{
		Type: a.Kind.String(), Required: a.Required, Unique: a.Unique, Private: a.Private, Default: a.Default, Enum: a.Enum,
		Min: a.Min, Max: a.Max, MinLength: a.MinLength, MaxLength: a.MaxLength, Regex: a.PatternText, TargetField: a.TargetField,
		AllowedTypes: a.AllowedFiles, Repeatable: a.Repeatable, CustomField: a.CustomField,
	}
	if a.Localized {
		out.PluginOptions = map[string]any{"i18n": map[string]any{"localized": true}}
	}
	if a.ComponentType != nil {
		out.Component = a.ComponentType.UID
	}
	for _, c := range a.Zone {
		out.Components = append(out.Components, c.UID)
	}
	r := a.Relation
	switch {
	case r == nil:
	case a.Kind == schema.Media:
		out.Multiple = r.Many()
	default:
		out.Relation = r.Form.String()
		if r.Target != nil {
			out.Target = r.Target.UID
		}
		if r.Inverse != nil && r.Owns {
			out.InversedBy = r.Inverse.Name
		} else if r.Inverse != nil {
			out.MappedBy = r.Inverse.Name
		}
	}
	return out
}
