package arrange

import (
	"slices"

	"quire/schema"
)

// Fit returns the arrangement without what does not fit a type, and the names of attributes
// that the type no longer has, sorted. Attributes without a place are at the end of the first
// tab: those that the type has since.
func (r *Arrangement) Fit(t *schema.Type) (fits *Arrangement, lost []string) {
	fits = &Arrangement{Attributes: map[string]Wording{}}
	lose := func(name string) {
		if !hasField(t, name) && !slices.Contains(lost, name) {
			lost = append(lost, name)
		}
	}
	if MayBeTitle(t.Attribute(r.Title)) {
		fits.Title = r.Title
	} else if r.Title != "" {
		lose(r.Title)
	}
	for _, name := range r.Columns {
		if mayBeColumn(t, name) {
			fits.Columns = append(fits.Columns, name)
		} else {
			lose(name)
		}
	}
	placed := map[string]bool{}
	for _, tab := range r.Tabs {
		fits.Tabs = append(fits.Tabs, tab.fit(t, placed, lose))
	}
	for _, name := range r.Hidden {
		if place(t, name, placed) == nil {
			fits.Hidden = append(fits.Hidden, name)
		} else {
			lose(name)
		}
	}
	for name, w := range r.Attributes {
		switch {
		case !hasField(t, name):
			lose(name)
		case w.check(t, name) != nil: // its condition reads an attribute that is gone
			w.Visible = nil
			fallthrough
		default:
			fits.Attributes[name] = w
		}
	}
	fits.placeRest(t, placed)
	slices.Sort(lost)
	return fits, lost
}

func (b Tab) fit(t *schema.Type, placed map[string]bool, lose func(string)) Tab {
	out := Tab{Label: b.Label, Groups: []FieldGroup{}}
	for _, g := range b.Groups {
		kept := FieldGroup{Label: g.Label, Fields: []Cell{}}
		for _, f := range g.Fields {
			if place(t, f.Name, placed) != nil {
				lose(f.Name)
				continue
			}
			kept.Fields = append(kept.Fields, f)
		}
		out.Groups = append(out.Groups, kept)
	}
	return out
}

// placeRest gives attributes without a place one in the first tab.
func (r *Arrangement) placeRest(t *schema.Type, placed map[string]bool) {
	if len(r.Tabs) == 0 {
		return
	}
	var rest FieldGroup
	for _, a := range t.Attributes {
		if !placed[a.Name] {
			rest.Fields = append(rest.Fields, Cell{a.Name, SizeOf(a)})
		}
	}
	if len(rest.Fields) > 0 {
		r.Tabs[0].Groups = append(r.Tabs[0].Groups, rest)
	}
}

// Rows puts fields into rows, in their order.
func Rows(fields []Cell) (rows [][]Cell) {
	left := 0
	for _, f := range fields {
		if f.Size > left {
			rows, left = append(rows, nil), wholeRow
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], f)
		left -= f.Size
	}
	return rows
}

// SizeOf returns the usual width of the field of an attribute.
func SizeOf(a *schema.Attribute) int {
	switch a.Kind {
	case schema.Integer, schema.BigInteger, schema.Float, schema.Decimal, schema.Boolean, schema.Date, schema.Time:
		return 4
	case schema.Text, schema.RichText, schema.Blocks, schema.JSON, schema.Component, schema.DynamicZone:
		return wholeRow
	}
	return wholeRow / 2
}
