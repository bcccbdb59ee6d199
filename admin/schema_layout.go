package admin

import "quire/schema"

// layoutOf is the default layout of documents of a type.
type layoutOf struct {
	List []string   `json:"list,omitempty"` // columns: attributes, and updatedAt
	Edit [][]cellOf `json:"edit"`           // rows of fields
}

// cellOf is one field of a form. Its size is in twelfths of a row.
type cellOf struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

const (
	rowSize     = 12
	mostColumns = 4 // of attributes, in a list
)

// layOut lays out attributes: the main field and a few short ones as the columns of a list,
// and all of them in their order as fields.
func layOut(attributes []*schema.Attribute, main string) layoutOf {
	l := layoutOf{List: []string{main}, Edit: [][]cellOf{}}
	left := 0
	for _, a := range attributes {
		if len(l.List) < mostColumns && a.Name != main && isShort(a) {
			l.List = append(l.List, a.Name)
		}
		size := sizeOf(a)
		if size > left {
			l.Edit, left = append(l.Edit, nil), rowSize
		}
		row := len(l.Edit) - 1
		l.Edit[row] = append(l.Edit[row], cellOf{a.Name, size})
		left -= size
	}
	if len(attributes) == 0 || !attributes[0].Owner.IsComponent() {
		l.List = append(l.List, "updatedAt")
		return l
	}
	l.List = nil
	return l
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

// sizeOf returns the width of the field of an attribute.
func sizeOf(a *schema.Attribute) int {
	switch a.Kind {
	case schema.Integer, schema.BigInteger, schema.Float, schema.Decimal, schema.Boolean, schema.Date, schema.Time:
		return 4
	case schema.Text, schema.RichText, schema.Blocks, schema.JSON, schema.Component, schema.DynamicZone:
		return rowSize
	}
	return 6
}
