package schema

import (
	"fmt"
	"slices"
	"strings"

	"quire/schema/source"
)

// RelationForm is the cardinality of a relation. Its String is the "relation" of schema files.
type RelationForm uint8

const (
	OneToOne RelationForm = iota + 1
	OneToMany
	ManyToOne
	ManyToMany
	MorphToOne
	MorphToMany
	MorphOne
	MorphMany
)

var formNames = [...]string{
	OneToOne: "oneToOne", OneToMany: "oneToMany", ManyToOne: "manyToOne", ManyToMany: "manyToMany",
	MorphToOne: "morphToOne", MorphToMany: "morphToMany", MorphOne: "morphOne", MorphMany: "morphMany",
}

func (f RelationForm) String() string { return formNames[f] }

// Relation is the target of an attribute, and which side stores the edges.
type Relation struct {
	Form RelationForm

	// Target is the type linked to; nil for MorphToOne and MorphToMany, which
	// may link to any content type.
	Target *Type

	// Inverse is the attribute on Target that shows the same edges; nil for a one-way
	// relation.
	Inverse *Attribute

	// Owns is true on the side that stores the edges: inversedBy, one-way, media and
	// morphTo relations. The other side (mappedBy, morphOne and morphMany through MorphBy)
	// only shows them.
	Owns bool
}

// Many reports whether the attribute holds a list of targets and not a single one.
func (r *Relation) Many() bool {
	switch r.Form {
	case OneToMany, ManyToMany, MorphToMany, MorphMany:
		return true
	}
	return false
}

// Exclusive reports whether a target can be linked from one entry at most, so that linking
// it removes its former link: bidirectional oneToOne and oneToMany, seen from the
// attribute's own side, and morphOne and morphMany if the target holds a single link.
func (r *Relation) Exclusive() bool {
	if r.Inverse == nil {
		return false
	}
	switch r.Form {
	case OneToOne, OneToMany:
		return true
	case MorphOne, MorphMany:
		return !r.Inverse.Relation.Many()
	}
	return false
}

// Morph reports whether targets may be of any type, so that each edge names its type.
func (r *Relation) Morph() bool { return r.Form == MorphToOne || r.Form == MorphToMany }

// readRelation reads the form of a relation and the names it uses.
func (l *loader) readRelation(a *Attribute, o source.Object) {
	d := l.declared[a]
	d.target = o.Text("target")
	d.inversedBy, d.mappedBy, d.morphBy = o.Text("inversedBy"), o.Text("mappedBy"), o.Text("morphBy")
	form, ok := readForm(o)
	if !ok {
		return
	}
	inverse := d.mappedBy != "" || form == MorphOne || form == MorphMany
	a.Relation = &Relation{Form: form, Owns: !inverse}
}

func readForm(o source.Object) (RelationForm, bool) {
	fix := "use " + strings.Join(formNames[1:], ", ")
	v, ok := o.Get("relation")
	if !ok {
		o.RefuseAt("relation", "is missing", fix)
		return 0, false
	}
	name, ok := v.Text()
	if !ok {
		return 0, false
	}
	form := slices.Index(formNames[1:], name) + 1
	if form == 0 {
		v.Refuse(fmt.Sprintf("%q is not a relation", name), fix)
	}
	return RelationForm(form), form != 0
}

// checkSides reports keys that the form of the relation does not allow. The many side of a
// manyToOne/oneToMany pair owns it, as in Strapi.
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

func (d *declaration) refuse(message, fix string) { d.at.Refuse(message, fix) }
