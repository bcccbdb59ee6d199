package arrange

import (
	"encoding/json"
	"slices"
	"strings"

	"quire/schema"
)

// Strapi keeps the arrangement of each type in a setting of its data file, which its archives
// contain. Quire writes the same form, and its own beside it, which Strapi ignores.

// The keys of these settings end in the uid of a type.
const (
	strapiTypes      = "plugin_content_manager_configuration_content_types::"
	strapiComponents = "plugin_content_manager_configuration_components::"
)

// SettingKey returns the key of the setting with the arrangement of a type.
func SettingKey(t *schema.Type) string {
	if t.IsComponent() {
		return strapiComponents + t.UID
	}
	return strapiTypes + t.UID
}

// TypeOfSetting returns the uid of the type whose arrangement is in the setting with a key.
func TypeOfSetting(key string) (uid string, ok bool) {
	if uid, ok = strings.CutPrefix(key, strapiTypes); !ok {
		uid, ok = strings.CutPrefix(key, strapiComponents)
	}
	return uid, ok
}

// strapiSetting is the value of such a setting.
type strapiSetting struct {
	UID         string                 `json:"uid"`
	IsComponent bool                   `json:"isComponent,omitempty"`
	Settings    strapiSettings         `json:"settings"`
	Metadatas   map[string]strapiWords `json:"metadatas"`
	Layouts     strapiLayouts          `json:"layouts"`
	Quire       *Exported              `json:"quire,omitempty"`
}

// Exported is what the people of a site have made of a type, for another site.
type Exported struct {
	Arrangement *Arrangement `json:"arrangement"`
	Views       []*View      `json:"views,omitempty"` // shared ones
}

type strapiSettings struct {
	Bulkable   bool   `json:"bulkable"`
	Filterable bool   `json:"filterable"`
	Searchable bool   `json:"searchable"`
	PageSize   int    `json:"pageSize"`
	MainField  string `json:"mainField"`
	SortBy     string `json:"defaultSortBy"`
	SortOrder  string `json:"defaultSortOrder"`
}

type strapiLayouts struct {
	List []string `json:"list"`
	Edit [][]Cell `json:"edit"`
}

type strapiWords struct {
	Edit struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Placeholder string `json:"placeholder"`
		Visible     *bool  `json:"visible,omitempty"`
		Editable    *bool  `json:"editable,omitempty"`
	} `json:"edit"`
	List struct {
		Label      string `json:"label"`
		Searchable bool   `json:"searchable"`
		Sortable   bool   `json:"sortable"`
	} `json:"list"`
}

// FromStrapi reads the value of a setting: what it has that differs from what Strapi makes of
// the type by itself, and fits the type. It is nil if nothing does.
func FromStrapi(t *schema.Type, value json.RawMessage) (*Exported, error) {
	var text string
	if json.Unmarshal(value, &text) == nil {
		value = json.RawMessage(text) // older versions store the text of an object
	}
	var s strapiSetting
	if err := json.Unmarshal(value, &s); err != nil {
		return nil, err
	}
	e := s.Quire
	if e == nil {
		e = &Exported{}
	}
	if e.Arrangement == nil {
		e.Arrangement = s.arrangement(t)
	}
	e.Arrangement, _ = e.Arrangement.Fit(t)
	if err := e.Arrangement.Check(t); err != nil {
		return nil, err
	}
	e.Views = slices.DeleteFunc(e.Views, func(v *View) bool { return v == nil || !isID(v.ID) || v.Check() != nil })
	if e.Arrangement.empty() && len(e.Views) == 0 {
		return nil, nil
	}
	return e, nil
}

func (r *Arrangement) empty() bool {
	return r.Title == "" && len(r.Columns)+len(r.Tabs)+len(r.Hidden)+len(r.Attributes) == 0
}

// arrangement takes over what somebody has changed.
func (s *strapiSetting) arrangement(t *schema.Type) *Arrangement {
	r := &Arrangement{Attributes: map[string]Wording{}}
	if a := t.Attribute(s.Settings.MainField); MayBeTitle(a) && a != t.MainField(func(*schema.Attribute) bool { return true }) {
		r.Title = a.Name
	}
	for _, name := range s.Layouts.List {
		if name != "id" && mayBeColumn(t, name) && !slices.Contains(r.Columns, name) {
			r.Columns = append(r.Columns, name)
		}
	}
	if t.IsComponent() || slices.Equal(r.Columns, strapiColumns(t)) {
		r.Columns = nil
	}
	for name, words := range s.Metadatas {
		w := Wording{Hint: words.Edit.Description, Placeholder: words.Edit.Placeholder}
		if words.Edit.Label != name {
			w.Label = words.Edit.Label
		}
		if w.Label+w.Hint+w.Placeholder != "" && w.check(t, name) == nil {
			r.Attributes[name] = w
		}
	}
	s.form(t, r)
	return r
}

// form takes over the rows of the form if they are not those of Strapi. Attributes that are
// in none of them are hidden there.
func (s *strapiSetting) form(t *schema.Type, r *Arrangement) {
	var fields, usual []Cell
	placed := map[string]bool{}
	for _, row := range s.Layouts.Edit {
		for _, f := range row {
			if f.Size >= 1 && f.Size <= wholeRow && place(t, f.Name, placed) == nil {
				fields = append(fields, f)
			}
		}
	}
	for _, a := range t.Attributes {
		if words, known := s.Metadatas[a.Name]; known && !placed[a.Name] && (words.Edit.Visible == nil || *words.Edit.Visible) {
			r.Hidden = append(r.Hidden, a.Name)
		}
		usual = append(usual, Cell{a.Name, strapiSize(a)})
	}
	if len(fields) > 0 && !slices.Equal(fields, usual) {
		r.Tabs = []Tab{{Groups: []FieldGroup{{Fields: fields}}}}
	}
}

func strapiSize(a *schema.Attribute) int {
	if a.Kind == schema.Text {
		return wholeRow / 2
	}
	return SizeOf(a)
}

// strapiColumns are the columns that Strapi shows by itself.
func strapiColumns(t *schema.Type) (names []string) {
	for _, a := range t.Attributes {
		switch a.Kind {
		case schema.JSON, schema.Blocks, schema.RichText, schema.DynamicZone, schema.Password:
			continue
		}
		if names = append(names, a.Name); len(names) == 3 {
			break
		}
	}
	return names
}

// Strapi returns the value of the setting for a type. Strapi shows the fields without tabs and
// groups, and knows no conditions and views.
func (e *Exported) Strapi(t *schema.Type) ([]byte, error) {
	r := e.Arrangement
	s := strapiSetting{UID: t.UID, IsComponent: t.IsComponent(), Metadatas: map[string]strapiWords{}, Quire: e}
	s.Settings = strapiSettings{true, true, true, 10, r.Title, r.Title, "ASC"}
	if r.Title == "" {
		main := t.MainField(func(*schema.Attribute) bool { return true }).Name
		s.Settings.MainField, s.Settings.SortBy = main, main
	}
	fits, _ := r.Fit(t)
	for _, a := range t.Attributes {
		w, words := fits.Attributes[a.Name], strapiWords{}
		words.Edit.Label, words.Edit.Description, words.Edit.Placeholder = w.Label, w.Hint, w.Placeholder
		if w.Label == "" {
			words.Edit.Label = a.Name
		}
		yes := true
		words.Edit.Visible, words.Edit.Editable = &yes, &yes
		words.List.Label = words.Edit.Label
		words.List.Searchable, words.List.Sortable = a.IsScalar(), a.IsScalar()
		s.Metadatas[a.Name] = words
	}
	if s.Layouts.List = append([]string{"id"}, fits.Columns...); len(fits.Columns) == 0 {
		s.Layouts.List = append(s.Layouts.List, strapiColumns(t)...)
	}
	s.Layouts.List = slices.DeleteFunc(s.Layouts.List, func(name string) bool { return t.Attribute(name) == nil })
	for _, tab := range fits.Tabs {
		for _, g := range tab.Groups {
			s.Layouts.Edit = append(s.Layouts.Edit, Rows(g.Fields)...)
		}
	}
	if len(fits.Tabs) == 0 {
		s.Layouts.Edit = Rows(usualFields(t, fits.Hidden))
	}
	return json.Marshal(&s)
}

func usualFields(t *schema.Type, hidden []string) (fields []Cell) {
	for _, a := range t.Attributes {
		if !slices.Contains(hidden, a.Name) {
			fields = append(fields, Cell{a.Name, strapiSize(a)})
		}
	}
	return fields
}
