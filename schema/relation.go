package schema

import (
	"fmt"
	"slices"
	"strings"
)

// readRelation reads the form of a relation and the names it uses.
func (l *loader) readRelation(a *Attribute, o object) {
	d := l.declared[a]
	d.target = o.text("target")
	d.inversedBy, d.mappedBy, d.morphBy = o.text("inversedBy"), o.text("mappedBy"), o.text("morphBy")
	form, ok := readForm(o)
	if !ok {
		return
	}
	inverse := d.mappedBy != "" || form == MorphOne || form == MorphMany
	a.Relation = &Relation{Form: form, Owns: !inverse}
}

func readForm(o object) (RelationForm, bool) {
	fix := "use " + strings.Join(formNames[1:], ", ")
	v, ok := o.get("relation")
	if !ok {
		o.refuseAt("relation", "is missing", fix)
		return 0, false
	}
	name, ok := v.text()
	if !ok {
		return 0, false
	}
	form := slices.Index(formNames[1:], name) + 1
	if form == 0 {
		v.refuse(fmt.Sprintf("%q is not a relation", name), fix)
	}
	return RelationForm(form), form != 0
}

// checkSides reports keys that cannot stand beside the relation's form. The
// many side of a manyToOne/oneToMany pair owns it, as in the reference.
func (d *declaration) checkSides(a *Attribute) bool {
	form := a.Relation.Form
	inverseMorph := form == MorphOne || form == MorphMany
	switch {
	case a.Owner.IsComponent() && (d.inverse() != "" || inverseMorph):
		d.refuse("a relation in a component has one side only", "remove inversedBy, mappedBy or morphBy, or move the relation to the content type")
	case d.inversedBy != "" && d.mappedBy != "":
		d.refuse("inversedBy and mappedBy exclude each other", "keep inversedBy on the side that owns the relation, mappedBy on the other")
	case d.morphBy != "" && !inverseMorph:
		d.refuse("morphBy belongs to morphOne and morphMany", "remove it")
	case inverseMorph && d.morphBy == "":
		d.refuse("morphBy is missing", "name the morphToOne or morphToMany attribute of the target")
	case (inverseMorph || a.Relation.Morph()) && d.inversedBy+d.mappedBy != "":
		d.refuse(fmt.Sprintf("a %s has neither inversedBy nor mappedBy", form), "remove them")
	case form == OneToMany && d.inversedBy != "":
		d.refuse("the one side of a oneToMany cannot own it", "write mappedBy here, and manyToOne with inversedBy on the other side")
	case form == ManyToOne && d.mappedBy != "":
		d.refuse("the many side of a manyToOne owns it", "write inversedBy here, and oneToMany with mappedBy on the other side")
	default:
		return true
	}
	return false
}

func (d *declaration) inverse() string { return d.inversedBy + d.mappedBy + d.morphBy }

func (d *declaration) refuse(message, fix string) { d.at.refuse(message, fix) }
