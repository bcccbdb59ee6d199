package body

import (
	"slices"

	"quire/schema"
	"quire/store"
)

// Input is a body that [Decode] has accepted: every key is an attribute that the caller may
// write, and every value has the attribute's kind and obeys the limits that apply to drafts
// too. An Input belongs to one write.
type Input struct {
	Type   *schema.Type
	Given  []Given       // in the order of the schema, each attribute once
	access schema.Access // of the caller; nil with all rights
	sent   Value         // what it was decoded from
}

// Given is the value of one attribute in a body. Which member counts depends on the
// attribute's kind; null is the zero scalar, no instances and no links.
type Given struct {
	Attribute *schema.Attribute
	Scalar    store.Value // plain values
	Instances []Instance  // components and dynamic zones
	Links     *Links      // relations and media
}

// Instance is one component instance of a body.
type Instance struct {
	Component *schema.Type
	Keep      bool // keep and change the instance with that id; otherwise create a new one
	ID        uint64
	Given     []Given
}

// Links is the change of the links of one attribute.
type Links struct {
	// Replace says that Set is the whole new list; otherwise Disconnect and then Connect
	// change the existing list.
	Replace             bool
	Set                 []Link
	Connect, Disconnect []Link

	// Lenient puts a link with an unknown neighbour at the end instead of refusing it
	// ("options": {"strict": false}).
	Lenient bool
}

// Link names one document to link to or to unlink.
type Link struct {
	Target
	Position Position
}

// Target identifies a document: by documentId, or by the numeric id of any of its entries.
type Target struct {
	DocumentID string
	ID         uint64       // if DocumentID is empty
	Locale     string       // empty if the body has none
	Status     store.Status // 0 if the body has none
	Morph      *schema.Type // named by __type; nil except in morph relations
}

// Position says where in the list a connected link goes.
type Position struct {
	Where     Where
	Neighbour Target // for Before and After
}

// Where is the side of a list, or of a neighbour in it, to which a link goes.
type Where uint8

const (
	AtEnd Where = iota
	AtStart
	Before
	After
)

// Mentions reports whether the body, or an instance in it, has a value of an attribute.
func Mentions(given []Given, a *schema.Attribute) bool { return indexOfGiven(given, a) >= 0 }

func indexOfGiven(given []Given, a *schema.Attribute) int {
	return slices.IndexFunc(given, func(g Given) bool { return g.Attribute == a })
}

// MayReadDrafts reports whether the caller who sent the body may read drafts of its
// type.
func (in *Input) MayReadDrafts() bool {
	return in.access == nil || in.access.Allows(in.Type, schema.ReadDraft)
}

// Gives reports whether the body has the whole value of an attribute, so that its writer
// knows all that is stored for it. A change of a list of links, or of an instance of a
// component, keeps something that was there before.
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

// Each calls fn for every given attribute, including those of components, with the path to
// it, until one call returns an error.
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
