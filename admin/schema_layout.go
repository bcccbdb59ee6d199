package admin

import (
	"slices"

	"quire/content/arrange"
	"quire/schema"
)

// layoutOf is the layout of documents of a type.
type layoutOf struct {
	List []string         `json:"list,omitempty"` // columns: attributes, and updatedAt
	Edit [][]arrange.Cell `json:"edit"`           // rows of fields

	// Tabs are the same fields in the parts of the form, if somebody has arranged it.
	Tabs []formTab `json:"tabs,omitempty"`
	// Columns says that somebody has chosen the columns: the list has no others.
	Columns bool `json:"columns,omitempty"`
}

// formTab is a part of a form that is shown alone.
type formTab struct {
	Label  string      `json:"label"`
	Groups []fieldRows `json:"groups"`
}

type fieldRows struct {
	Label string           `json:"label"`
	Rows  [][]arrange.Cell `json:"rows"`
}

const mostColumns = 4 // of attributes, in a list that nobody has arranged

// layOut lays out attributes: the main field and a few short ones as the columns of a list,
// and all of them in their order as fields, or as the type is arranged.
func layOut(t *schema.Type, attributes []*schema.Attribute, main string, r *arrange.Arrangement) layoutOf {
	l := layoutOf{List: []string{main}, Edit: [][]arrange.Cell{}}
	var fields []arrange.Cell
	for _, a := range attributes {
		if len(l.List) < mostColumns && a.Name != main && isShort(a) {
			l.List = append(l.List, a.Name)
		}
		if r == nil || !slices.Contains(r.Hidden, a.Name) {
			fields = append(fields, arrange.Cell{Name: a.Name, Size: arrange.SizeOf(a)})
		}
	}
	if l.List = append(l.List, "updatedAt"); t.IsComponent() {
		l.List = nil
	}
	l.Edit = append(l.Edit, arrange.Rows(fields)...)
	if r != nil {
		l.arrange(t, attributes, r)
	}
	return l
}

// arrange replaces what somebody has arranged. Attributes that the account does not see are
// left out, and so are the groups and tabs that are then empty.
func (l *layoutOf) arrange(t *schema.Type, attributes []*schema.Attribute, r *arrange.Arrangement) {
	sees := func(name string) bool {
		return slices.ContainsFunc(attributes, func(a *schema.Attribute) bool { return a.Name == name })
	}
	if len(r.Columns) > 0 && l.List != nil {
		l.Columns, l.List = true, slices.DeleteFunc(slices.Clone(r.Columns), func(name string) bool {
			a := t.Attribute(name)
			return a != nil && a.System == schema.NotSystem && !sees(name)
		})
	}
	if len(r.Tabs) == 0 {
		return
	}
	l.Edit = [][]arrange.Cell{}
	for _, tab := range r.Tabs {
		shown := formTab{Label: tab.Label}
		for _, g := range tab.Groups {
			fields := slices.DeleteFunc(slices.Clone(g.Fields), func(f arrange.Cell) bool { return !sees(f.Name) })
			if len(fields) == 0 {
				continue
			}
			rows := arrange.Rows(fields)
			shown.Groups = append(shown.Groups, fieldRows{g.Label, rows})
			l.Edit = append(l.Edit, rows...)
		}
		if len(shown.Groups) > 0 {
			l.Tabs = append(l.Tabs, shown)
		}
	}
}

// isShort reports whether values of an attribute fit into a column.
func isShort(a *schema.Attribute) bool {
	switch a.Kind {
	case schema.String, schema.Email, schema.Enumeration, schema.Integer, schema.BigInteger, schema.Float, schema.Decimal,
		schema.Boolean, schema.Date, schema.Time, schema.DateTime, schema.Timestamp:
		return true
	}
	return false
}
