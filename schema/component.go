package schema

import (
	"fmt"
	"strings"

	"quire/schema/source"
)

func (l *loader) linkComponent(a *Attribute, d *declaration) {
	if d.component == "" {
		d.at.RefuseAt("component", "is missing", `name a component, as in "shared.seo"`)
		return
	}
	a.ComponentType = l.component(d.at.At("component"), d.component)
}

// component finds a component by its uid.
func (l *loader) component(at source.Value, uid string) *Type {
	t := l.site.Type(uid)
	switch {
	case l.broken[uid]:
	case t == nil:
		at.Refuse(fmt.Sprintf("there is no component %q", uid), "correct the uid or add the component under src/components")
	case !t.IsComponent():
		at.Refuse(fmt.Sprintf("%q is a content type", uid), "name a component, or use a relation")
	default:
		return t
	}
	return nil
}

// checkContained checks the components that t must contain, at any depth; path has the
// attributes that led to t, done the components that have been checked.
func (l *loader) checkContained(t *Type, path []*Attribute, done map[*Type]bool) {
	for i, a := range path {
		if a.Owner == t {
			cycle := path[i:]
			var uids []string
			for _, a := range cycle {
				uids = append(uids, a.Owner.UID)
			}
			l.declared[cycle[0]].at.Refuse(
				fmt.Sprintf("without end: %s", strings.Join(append(uids, uids[0]), " must hold ")),
				"make one of these attributes optional")
			return
		}
	}
	if done[t] {
		return
	}
	done[t] = true
	for _, a := range t.Attributes {
		if a.mustContain() {
			l.checkContained(a.ComponentType, append(path[:len(path):len(path)], a), done)
		}
	}
}

// mustContain reports whether every instance of the owner contains an instance of the
// component.
func (a *Attribute) mustContain() bool {
	if a.Kind != Component || !a.AlwaysRequired() || a.ComponentType == nil {
		return false
	}
	return !a.Repeatable || a.MinItems != nil && *a.MinItems > 0
}
