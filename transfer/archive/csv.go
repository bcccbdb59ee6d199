package archive

import (
	"fmt"
	"strings"

	"quire/schema"
)

// CSV is a table of the documents of one type: a row for each version of a document in one
// locale, and a column for each attribute. An import turns each row into the equivalent
// JSON line, so a table follows the rules of lines.

// CSVOptions configure how a table is written.
type CSVOptions struct {
	Separator byte // between cells: ',', ';', '|' or a tab

	// Spreadsheet puts an apostrophe before a cell that a spreadsheet would take for a
	// formula, and removes it again when reading.
	Spreadsheet bool
}

// Limits of a table. A row has no more cells than the header.
const (
	maxRow     = maxLine // bytes
	maxColumns = 4096
)

// The columns in addition to the attributes.
const (
	idColumn     = "documentId"
	localeColumn = "locale"
	statusColumn = "status"
)

// column is a column of a table.
type column struct {
	name   string
	path   []*schema.Attribute // components, and the attribute in the last of them; nil for documentId, locale and status
	unique *schema.Attribute   // of the target, by which links are named; nil for documentIds
}

func (c *column) attribute() *schema.Attribute {
	if len(c.path) == 0 {
		return nil
	}
	return c.path[len(c.path)-1]
}

// columnsOf returns the columns in an export of a type.
func columnsOf(t *schema.Type) []column {
	list := []column{{name: idColumn}}
	if t.Localized {
		list = append(list, column{name: localeColumn})
	}
	if t.DraftAndPublish {
		list = append(list, column{name: statusColumn})
	}
	return appendColumns(list, t, nil)
}

// appendColumns appends the columns of a type, or of a component at the end of a path.
func appendColumns(list []column, t *schema.Type, path []*schema.Attribute) []column {
	for _, a := range t.Attributes {
		to := append(path[:len(path):len(path)], a)
		switch {
		case a.Kind == schema.Password, a.Relation != nil && !a.Relation.Owns:
		case a.Kind == schema.Component && !a.Repeatable && !within(path, a.ComponentType):
			list = appendColumns(list, a.ComponentType, to)
		default:
			list = append(list, column{name: pathOf(to), path: to})
		}
	}
	return list
}

// within reports whether a path leads through a component. A component inside itself would
// give endless columns.
func within(path []*schema.Attribute, component *schema.Type) bool {
	for _, a := range path {
		if a.ComponentType == component {
			return true
		}
	}
	return false
}

func pathOf(path []*schema.Attribute) string {
	names := make([]string, len(path))
	for i, a := range path {
		names[i] = a.Name
	}
	return strings.Join(names, ".")
}

// findColumn returns the column with a name in a header.
func findColumn(t *schema.Type, name string) (column, error) {
	switch name {
	case idColumn:
		return column{name: name}, nil
	case localeColumn, statusColumn:
		if name == localeColumn && !t.Localized || name == statusColumn && !t.DraftAndPublish {
			return column{}, fmt.Errorf("%s has no %s", t.UID, name)
		}
		return column{name: name}, nil
	}
	c, at := column{name: name}, t
	parts := strings.Split(name, ".")
	for i, part := range parts {
		a := at.Attribute(part)
		switch {
		case a == nil:
			return c, fmt.Errorf("%s has no attribute %q", at.UID, part)
		case a.Pos < 0:
			return c, fmt.Errorf("%s is set by Quire; remove the column", part)
		}
		c.path = append(c.path, a)
		rest := len(parts) - i - 1
		switch {
		case rest == 0:
			return c, nil
		case a.Kind == schema.Component && !a.Repeatable:
			at = a.ComponentType
		case a.Relation != nil && a.Relation.Target != nil && rest == 1:
			return c.by(a.Relation.Target, parts[i+1])
		default:
			return c, fmt.Errorf("%s is neither a component nor a relation; a list of components is one column with JSON", part)
		}
	}
	return c, nil
}

// by makes a column identify links by an attribute of their target.
func (c column) by(target *schema.Type, name string) (column, error) {
	if name == idColumn {
		return c, nil
	}
	c.unique = target.Attribute(name)
	if c.unique == nil || c.unique.Pos < 0 || c.unique.Hidden() || !c.unique.Unique && c.unique.Kind != schema.UID {
		return c, fmt.Errorf("%s has no unique attribute %q", target.UID, name)
	}
	return c, nil
}
