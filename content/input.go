package content

import (
	"quire/schema"
	"quire/store"
)

// Input is a body that Decode has accepted: every key is an attribute that the
// caller may write, and every value has the attribute's kind and keeps the
// limits that hold for drafts too. An Input belongs to one write.
type Input struct {
	Type   *schema.Type
	fields []given
}

// given is what a body says about one attribute. Which member counts follows
// from the attribute's kind; null is the zero scalar, no records and no links.
type given struct {
	attribute *schema.Attribute
	scalar    store.Value   // plain values
	records   []recordInput // components and dynamic zones
	links     *linksInput   // relations and media
}

// recordInput is one component instance of a body.
type recordInput struct {
	component *schema.Type
	keep      bool // the instance of that id is kept and changed; otherwise a new one is made
	id        uint64
	fields    []given
}

// linksInput is what a body does to the links of one attribute.
type linksInput struct {
	// replace says that set is the whole new list; otherwise disconnect and
	// then connect change the list that is there.
	replace             bool
	set                 []linkInput
	connect, disconnect []linkInput

	// lenient puts what names an unknown neighbour at the end instead of
	// refusing it ("options": {"strict": false}).
	lenient bool
}

// linkInput names one document to link to or to unlink.
type linkInput struct {
	target
	position position
}

// target names a document as a body does: by documentId, or by the numeric id
// of any of its entries.
type target struct {
	documentID string
	id         uint64       // when documentID is empty
	locale     string       // empty when the body names none
	morph      *schema.Type // named by __type; nil except in morph relations
}

// position is where a connected link goes.
type position struct {
	where     place
	neighbour target // of before and after
}

type place uint8

const (
	atEnd place = iota
	atStart
	before
	after
)

// find returns what the fields say about an attribute.
func find(fields []given, a *schema.Attribute) (given, bool) {
	for _, g := range fields {
		if g.attribute == a {
			return g, true
		}
	}
	return given{}, false
}

// each calls fn for every given attribute, those of components included.
func each(fields []given, at path, fn func(g *given, at path) error) error {
	for i := range fields {
		g := &fields[i]
		here := at.attribute(g.attribute.Name)
		if err := fn(g, here); err != nil {
			return err
		}
		for j, r := range g.records {
			inside := here
			if g.attribute.Repeatable || g.attribute.Kind == schema.DynamicZone {
				inside = here.item(j)
			}
			if err := each(r.fields, inside, fn); err != nil {
				return err
			}
		}
	}
	return nil
}
