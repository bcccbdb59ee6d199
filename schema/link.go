package schema

import "fmt"

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

// linkInverse finds the other side of a relation with two sides and checks that both
// sides declare the same relation.
func (l *loader) linkInverse(a *Attribute, d *declaration) {
	key := "inversedBy"
	if d.mappedBy != "" {
		key = "mappedBy"
	}
	other := a.Relation.Target.Attribute(d.inverse())
	if other != nil && (other.Kind == 0 || other.Kind == RelationKind && other.Relation == nil) {
		return // already reported there
	}
	if back := l.declared[other]; d.mappedBy != "" && back != nil && back.inverse() == "" && back.morphBy == "" {
		back.inversedBy = a.Name // Strapi loads a project whose owning side does not name the other one
		if l.inverseFault(a, d, other) != "" || other.Relation.Form != a.Relation.Form.inverted() {
			back.inversedBy = ""
		} else {
			other.Relation.Inverse = a
		}
	}
	if fault := l.inverseFault(a, d, other); fault != "" {
		d.at.RefuseAt(key, fault, "write on the other side: "+otherSide(a, d))
		return
	}
	a.Relation.Inverse = other
}

// inverseFault returns why other is not the other side of a, or "".
func (l *loader) inverseFault(a *Attribute, d *declaration, other *Attribute) string {
	name := d.target + "." + d.inverse()
	if other == nil {
		return fmt.Sprintf("%s has no attribute %q", d.target, d.inverse())
	}
	back := l.declared[other]
	if other.Kind != RelationKind || back == nil {
		return name + " is not a relation"
	}
	named := back.mappedBy
	if d.mappedBy != "" {
		named = back.inversedBy
	}
	switch {
	case back.target != a.Owner.UID:
		return fmt.Sprintf("%s relates to %q, not to %s", name, back.target, a.Owner.UID)
	case named != a.Name:
		return fmt.Sprintf("%s does not name %q as its other side", name, a.Name)
	case a.Relation.Owns && other.Relation.Form != a.Relation.Form.inverted():
		return fmt.Sprintf("%s is %s, which does not go with %s", name, other.Relation.Form, a.Relation.Form)
	}
	return ""
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
