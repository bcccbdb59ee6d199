package server

import (
	"fmt"
	"slices"
	"strings"

	"quire/query/params"
	"quire/schema"
)

// namedTypes reads a list of content types, by their uids or their names in paths. Commas
// separate items. The result is ordered by uid.
func (e *siteVersion) namedTypes(n *params.Node) ([]*schema.Type, error) {
	items := []*params.Node{n}
	if n.IsList() {
		items = n.Items
	}
	var types []*schema.Type
	for _, item := range items {
		if !item.IsText() {
			return nil, invalid(`"types" must be a list of content types`)
		}
		for name := range strings.SplitSeq(item.Text, ",") {
			t := e.typeNamed(strings.TrimSpace(name))
			if t == nil {
				return nil, invalid(fmt.Sprintf(`"types": there is no content type %.100q`, name))
			}
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	slices.SortFunc(types, func(a, b *schema.Type) int { return strings.Compare(a.UID, b.UID) })
	return types, nil
}

func (e *siteVersion) typeNamed(name string) *schema.Type {
	for _, t := range e.schema.Types {
		if t.UID == name || t.Route() == name && !t.BuiltIn {
			return t
		}
	}
	return nil
}
