package schema

import (
	"fmt"
	"slices"
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

func (l *loader) linkZone(a *Attribute, d *declaration) {
	for _, w := range d.zone {
		t := l.component(w.Value, w.Text)
		if t == nil {
			continue
		}
		if slices.Contains(a.Zone, t) {
			w.Refuse(fmt.Sprintf("%q occurs twice", w.Text), "remove one of the two")
			continue
		}
		a.Zone = append(a.Zone, t)
	}
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

// checkCycles reports components that must contain themselves, directly or through others:
// no finite value could satisfy them. A component that may contain itself is fine: its
// author decides how deep it goes, and a read goes as deep as its populate.
func (l *loader) checkCycles() {
	done := map[*Type]bool{}
	for _, t := range l.site.Components {
		l.checkContained(t, nil, done)
	}
}

// checkContained checks the components that t must contain, at any depth; path has the
// attributes that led to t, done the components that have been checked.
func (l *loader) checkContained(t *Type, path []*Attribute, done map[*Type]bool) {
	for i, a := range path {
		if a.Owner == t {
			l.refuseCycle(path[i:])
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

func (l *loader) refuseCycle(cycle []*Attribute) {
	var uids []string
	for _, a := range cycle {
		uids = append(uids, a.Owner.UID)
	}
	l.declared[cycle[0]].at.Refuse(
		fmt.Sprintf("without end: %s", strings.Join(append(uids, uids[0]), " must hold ")),
		"make one of these attributes optional")
}
