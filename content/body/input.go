package body

import (
	"slices"

	"quire/schema"
	"quire/store"
)

// Input is a body that [Decode] has accepted: every key is an attribute that the
// caller may write, and every value has the attribute's kind and keeps the
// limits that hold for drafts too. An Input belongs to one write.
type Input struct {
	Type   *schema.Type
	Given  []Given       // in the order of the schema, each attribute once
	access schema.Access // of the caller; nil where that may see everything
	sent   Value         // what it was decoded from
}

// Given is what a body says about one attribute. Which member counts follows
// from the attribute's kind; null is the zero scalar, no instances and no links.
type Given struct {
	Attribute *schema.Attribute
	Scalar    store.Value // plain values
	Instances []Instance  // components and dynamic zones
	Links     *Links      // relations and media
}

// Instance is one component instance of a body.
type Instance struct {
	Component *schema.Type
	Keep      bool // the instance of that id is kept and changed; otherwise a new one is made
	ID        uint64
	Given     []Given
}

// Links is what a body does to the links of one attribute.
type Links struct {
	// Replace says that Set is the whole new list; otherwise Disconnect and
	// then Connect change the list that is there.
	Replace             bool
	Set                 []Link
	Connect, Disconnect []Link

	// Lenient puts what names an unknown neighbour at the end instead of
	// refusing it ("options": {"strict": false}).
	Lenient bool
}

// Link names one document to link to or to unlink.
type Link struct {
	Target
	Position Position
}

// Target names a document as a body does: by documentId, or by the numeric id
// of any of its entries.
type Target struct {
	DocumentID string
	ID         uint64       // when DocumentID is empty
	Locale     string       // empty when the body names none
	Status     store.Status // 0 when the body names none
	Morph      *schema.Type // named by __type; nil except in morph relations
}

// Position says where in the list a connected link goes.
type Position struct {
	Where     Where
	Neighbour Target // of Before and After
}

// Where is the side of a list, or of a neighbour in it, that a link goes to.
type Where uint8

const (
	AtEnd Where = iota
	AtStart
	Before
	After
)

// Mentions reports whether the body, or an instance in it, says anything about an
// attribute.
func Mentions(given []Given, a *schema.Attribute) bool { return indexOfGiven(given, a) >= 0 }

func indexOfGiven(given []Given, a *schema.Attribute) int {
	return slices.IndexFunc(given, func(g Given) bool { return g.Attribute == a })
}

// MayReadDrafts reports whether the caller who sent the body may read drafts of its
// type.
func (in *Input) MayReadDrafts() bool {
	return in.access == nil || in.access.Allows(in.Type, schema.ReadDraft)
}

// Gives reports whether the body gives the whole value of an attribute, so that its
// writer knows all that is stored for it. A change to a list of links, or to an
// instance of a component, keeps something that was there before.
func (in *Input) Gives(a *schema.Attribute) bool {
	i := indexOfGiven(in.Given, a)
	return i >= 0 && in.Given[i].whole()
}

func (g *Given) whole() bool {
	if g.Links != nil {
		return g.Links.Replace || len(g.Links.Connect) > 0 && !g.Attribute.Relation.Many()
	}
	return !slices.ContainsFunc(g.Instances, func(r Instance) bool {
		return r.Keep || slices.ContainsFunc(r.Given, func(g Given) bool { return !g.whole() })
	})
}

// Each calls fn for every given attribute, those of components included, with the
// path to it, until one call returns an error.
func (in *Input) Each(fn func(g *Given, at Path) error) error { return each(in.Given, Path{}, fn) }

func each(given []Given, at Path, fn func(g *Given, at Path) error) error {
	for i := range given {
		g := &given[i]
		here := at.Attribute(g.Attribute.Name)
		if err := fn(g, here); err != nil {
			return err
		}
		for j, r := range g.Instances {
			inside := here
			if g.Attribute.IsList() {
				inside = here.Item(j)
			}
			if err := each(r.Given, inside, fn); err != nil {
				return err
			}
		}
	}
	return nil
}
