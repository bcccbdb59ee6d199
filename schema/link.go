package schema

import (
	"fmt"

	"quire/schema/source"
)

// linkAll turns the names that attributes use into pointers.
func (l *loader) linkAll() {
	for t := range l.site.allTypes() {
		for _, a := range t.Attributes {
			if d := l.declared[a]; d != nil {
				l.linkAttribute(a, d)
			}
		}
	}
}

func (l *loader) linkAttribute(a *Attribute, d *declaration) {
	switch a.Kind {
	case UID:
		linkTargetField(a, d)
	case Media:
		a.Relation.Target = l.site.Type(FileUID)
	case RelationKind:
		if a.Relation != nil && d.checkSides(a) {
			l.linkRelation(a, d)
		}
	case Component:
		l.linkComponent(a, d)
	case DynamicZone:
		l.linkZone(a, d)
	}
}

func linkTargetField(a *Attribute, d *declaration) {
	if a.TargetField == "" {
		return
	}
	target := a.Owner.Attribute(a.TargetField)
	switch {
	case target == nil:
		d.at.RefuseAt("targetField", fmt.Sprintf("there is no attribute %q here", a.TargetField), "name a text attribute of this type")
	case target.Kind != 0 && (!target.IsText() || target.Kind == Password || target == a):
		d.at.RefuseAt("targetField", fmt.Sprintf("%q is not a text to make a uid from", a.TargetField), "name another text attribute of this type")
	}
}

func (l *loader) linkRelation(a *Attribute, d *declaration) {
	if a.Relation.Morph() {
		return
	}
	target := l.contentType(d)
	if target == nil {
		return
	}
	a.Relation.Target = target
	switch {
	case d.morphBy != "":
		l.linkMorph(a, d)
	case d.inverse() != "":
		l.linkInverse(a, d)
	}
}

// contentType finds the target of a relation.
func (l *loader) contentType(d *declaration) *Type {
	t := l.site.Type(d.target)
	switch {
	case d.target == "":
		d.at.RefuseAt("target", "is missing", `name a content type, as in "api::article.article"`)
	case l.broken[d.target]:
	case t == nil:
		d.at.RefuseAt("target", fmt.Sprintf("there is no content type %q", d.target), "correct the uid or add the content type")
	case t.IsComponent():
		d.at.RefuseAt("target", fmt.Sprintf("%q is a component", d.target), "relate to a content type, or use a component attribute")
	default:
		return t
	}
	return nil
}

// linkMorph finds the attribute that a morphOne or morphMany names in morphBy.
func (l *loader) linkMorph(a *Attribute, d *declaration) {
	other := a.Relation.Target.Attribute(d.morphBy)
	switch {
	case other == nil:
		d.at.RefuseAt("morphBy", fmt.Sprintf("%s has no attribute %q", d.target, d.morphBy), "name its morphToOne or morphToMany attribute")
	case other.Kind == 0 || other.Kind == RelationKind && other.Relation == nil:
	case other.Kind != RelationKind || !other.Relation.Morph():
		d.at.RefuseAt("morphBy", fmt.Sprintf("%s.%s links to one type only", d.target, d.morphBy), "name a morphToOne or morphToMany attribute")
	default:
		a.Relation.Inverse = other
	}
}

// linkInverse finds the other side of a relation with two sides. As in Strapi, what the owning
// side says in inversedBy counts, and must name a relation. One that does not fit leaves the
// relation with one side, and so does a mappedBy to which nothing fits.
func (l *loader) linkInverse(a *Attribute, d *declaration) {
	if a.Relation.Inverse != nil {
		return // linked from the other side
	}
	other := a.Relation.Target.Attribute(d.inverse())
	if other != nil && (other.Kind == 0 || other.Kind == RelationKind && other.Relation == nil) {
		return // already reported there
	}
	switch {
	case d.mappedBy != "":
		if owner := l.ownerOf(a, other); owner != nil {
			pair(owner, a)
			return
		}
		a.Relation.Owns = true
		l.note(d.at.At("mappedBy"), "nothing in "+d.target+" fits, so the relation has one side", "write there: "+otherSide(a, d))
	case other == nil:
		d.at.RefuseAt("inversedBy", fmt.Sprintf("%s has no attribute %q", d.target, d.inversedBy), "write on the other side: "+otherSide(a, d))
	case other.Kind != RelationKind:
		d.at.RefuseAt("inversedBy", fmt.Sprintf("%s.%s is not a relation", d.target, d.inversedBy), "write on the other side: "+otherSide(a, d))
	case l.fits(a, other) && l.isFree(other, a):
		pair(a, other)
	default:
		l.note(d.at.At("inversedBy"), d.target+"."+d.inversedBy+" does not fit, so the relation has one side", "write there: "+otherSide(a, d))
	}
}

// pair makes two attributes the sides of one relation. As in Strapi, its form is that of the
// owning side.
func pair(owner, inverse *Attribute) {
	owner.Relation.Owns, owner.Relation.Inverse = true, inverse
	inverse.Relation.Owns, inverse.Relation.Inverse, inverse.Relation.Form = false, owner, owner.Relation.Form.inverted()
}

// ownerOf returns the owning side of a relation with mappedBy: the attribute that it names, if
// that does not name another one, or else one that names a; nil for none.
func (l *loader) ownerOf(a, named *Attribute) *Attribute {
	if named != nil && l.fits(named, a) && (l.declared[named].inversedBy == "" || l.declared[named].inversedBy == a.Name) {
		return named
	}
	for _, one := range a.Relation.Target.Attributes {
		if d := l.declared[one]; d != nil && d.inversedBy == a.Name && l.fits(one, a) && one.Relation.Inverse == nil {
			return one
		}
	}
	return nil
}

// fits reports whether two attributes can be the sides of one relation: they lead to each other,
// and the inverse one shows a list if its form is a list.
func (l *loader) fits(owner, inverse *Attribute) bool {
	if owner == inverse || owner.Kind != RelationKind || inverse.Kind != RelationKind || owner.Relation == nil || inverse.Relation == nil {
		return false
	}
	one, other := l.declared[owner], l.declared[inverse]
	return one != nil && other != nil && one.mappedBy == "" && one.morphBy == "" && other.morphBy == "" && one.target == inverse.Owner.UID && other.target == owner.Owner.UID &&
		!owner.Relation.Morph() && !inverse.Relation.Morph() && (&Relation{Form: owner.Relation.Form.inverted()}).Many() == inverse.Relation.Many()
}

// isFree reports whether the inverse side of a relation belongs to no owner but this one.
func (l *loader) isFree(inverse, owner *Attribute) bool {
	d := l.declared[inverse]
	switch {
	case inverse.Relation.Inverse != nil || d.inversedBy != "" && d.inversedBy != owner.Name:
		return false
	case d.mappedBy == "" || d.mappedBy == owner.Name:
		return true
	}
	named := owner.Owner.Attribute(d.mappedBy)
	return named == nil || l.ownerOf(inverse, named) != named
}

// note notes what Strapi loads without a word.
func (l *loader) note(at source.Value, message, fix string) {
	l.site.Notes = append(l.site.Notes, at.Problem(message, fix))
}

// otherSide returns the attribute that would match, as schema files have it.
func otherSide(a *Attribute, d *declaration) string {
	key := "mappedBy"
	if d.mappedBy != "" {
		key = "inversedBy"
	}
	return fmt.Sprintf(`%q: {"type": "relation", "relation": %q, "target": %q, %q: %q}`,
		d.inverse(), a.Relation.Form.inverted(), a.Owner.UID, key, a.Name)
}

// inverted returns the form of the same relation on its other side.
func (f RelationForm) inverted() RelationForm {
	switch f {
	case OneToMany:
		return ManyToOne
	case ManyToOne:
		return OneToMany
	}
	return f
}
