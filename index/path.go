package index

import (
	"strings"

	"quire/schema"
)

// Path leads from a content type to one attribute of its own entries: through
// components and dynamic zones, never through relations. The last attribute is
// a scalar, a system attribute, or a relation that owns its edges.
type Path struct {
	Attributes []*schema.Attribute
	key        string
}

// NewPath returns the path of those attributes, outermost first.
func NewPath(attributes ...*schema.Attribute) Path {
	p := Path{Attributes: attributes}
	p.key = strings.Join(p.names(), ".")
	return p
}

// names returns the names of the attributes on the path.
func (p Path) names() []string {
	names := make([]string, len(p.Attributes))
	for i, a := range p.Attributes {
		names[i] = a.Name
		if a.Owner != nil && i > 0 && p.Attributes[i-1].Kind == schema.DynamicZone {
			names[i] = a.Owner.UID + ":" + a.Name // a zone's components may share names
		}
	}
	return names
}

// Last returns the attribute at the end of the path.
func (p Path) Last() *schema.Attribute { return p.Attributes[len(p.Attributes)-1] }

// String returns the path in the form of queries: "location.geo.lat".
func (p Path) String() string { return p.key }

// Multiple reports whether a row may have several values at the path.
func (p Path) Multiple() bool {
	for _, a := range p.Attributes[:len(p.Attributes)-1] {
		if a.Repeatable || a.Kind == schema.DynamicZone {
			return true
		}
	}
	return false
}

// EachSlot calls fn with the payload of every slot that the declared attributes lead to
// from body, outermost first; nil for a null, also if a component on the path is missing.
func (s *Snapshot) EachSlot(body Body, attributes []*schema.Attribute, fn func(slot []byte)) {
	a := attributes[0]
	slot := body.Slot(a.Slot)
	if len(attributes) == 1 {
		fn(slot)
		return
	}
	found := false
	s.Instances(a, slot, func(in Instance) bool {
		if in.Type == attributes[1].Owner {
			found = true
			s.EachSlot(in.Body, attributes[1:], fn)
		}
		return true
	})
	if !found {
		fn(nil)
	}
}
