package schema

import (
	"fmt"
	"slices"
	"strings"
)

func (l *loader) linkComponent(a *Attribute, d *declaration) {
	if d.component == "" {
		d.at.refuseAt("component", "is missing", `name a component, as in "shared.seo"`)
		return
	}
	a.ComponentType = l.component(d.at.child(pathStep(d.at.place, "component"), nil), d.component)
}

func (l *loader) linkZone(a *Attribute, d *declaration) {
	for _, w := range d.zone {
		t := l.component(w.value, w.text)
		if t == nil {
			continue
		}
		if slices.Contains(a.Zone, t) {
			w.refuse(fmt.Sprintf("%q stands here twice", w.text), "remove one of the two")
			continue
		}
		a.Zone = append(a.Zone, t)
	}
}

// component finds a component by its uid.
func (l *loader) component(at value, uid string) *Type {
	t := l.site.Type(uid)
	switch {
	case l.broken[uid]:
	case t == nil:
		at.refuse(fmt.Sprintf("there is no component %q", uid), "correct the uid or add the component under src/components")
	case !t.IsComponent():
		at.refuse(fmt.Sprintf("%q is a content type", uid), "name a component, or use a relation")
	default:
		return t
	}
	return nil
}

// checkCycles reports components that must hold themselves, directly or through
// others, and so could never be written down. A component that only may hold
// itself is fine: its content ends where its author ends it, and a read ends
// at the populate it asks for.
func (l *loader) checkCycles() {
	done := map[*Type]bool{}
	for _, t := range l.site.Components {
		l.follow(t, nil, done)
	}
}

// follow walks the components that t must hold; way are the attributes that led to t.
func (l *loader) follow(t *Type, way []*Attribute, done map[*Type]bool) {
	for i, a := range way {
		if a.Owner == t {
			l.refuseCycle(way[i:])
			return
		}
	}
	if done[t] {
		return
	}
	done[t] = true
	for _, a := range t.Attributes {
		if a.endless() {
			l.follow(a.ComponentType, append(way[:len(way):len(way)], a), done)
		}
	}
}

// endless reports whether every instance of the owner holds one of the component.
func (a *Attribute) endless() bool {
	if a.Kind != Component || !a.Required || a.ComponentType == nil {
		return false
	}
	return !a.Repeatable || a.MinItems != nil && *a.MinItems > 0
}

func (l *loader) refuseCycle(cycle []*Attribute) {
	var uids []string
	for _, a := range cycle {
		uids = append(uids, a.Owner.UID)
	}
	l.declared[cycle[0]].at.refuse(
		fmt.Sprintf("without end: %s", strings.Join(append(uids, uids[0]), " must hold ")),
		"make one of these attributes optional")
}
