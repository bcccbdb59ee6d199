package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Sight decides, for each attribute of the records at one place, whether a caller sees it
// and may set it. A place is the entries of a type, or the components at a path in them:
// a component can be seen in one type and not in another. Nothing else decides that. A
// Sight never changes, and the same place has the same pointer.
//
// The nil Sight is that of the content API: private attributes and passwords are not
// seen, and all may be set. Any other sees private attributes too, but for those that it
// hides, unless it is Public; nobody sees passwords, and what is Reserved.
type Sight struct {
	hidden   []string          // attributes that are neither seen nor set
	readOnly []string          // attributes that are seen and not set
	inside   map[string]*Sight // by component or dynamic zone, where something is hidden or read-only in it
	none     bool              // nothing is seen

	content bool   // private attributes are not seen either
	public  *Sight // see Public; nil where content or none is set
}

var (
	whole = &Sight{}
	blind = &Sight{none: true}
)

// WholeSight sees all attributes but passwords, and may set all.
func WholeSight() *Sight { return whole }

// NoSight sees and sets no attribute.
func NoSight() *Sight { return blind }

// PathError is a path that leads to no attribute of a type.
type PathError struct {
	Type string // uid
	Path string
}

func (e *PathError) Error() string { return fmt.Sprintf("%s has no attribute %q", e.Type, e.Path) }

// NewSight is SightOf paths that must lead to attributes of t. Errors are *PathError.
func NewSight(t *Type, hidden, readOnly []string) (*Sight, error) {
	for _, path := range slices.Concat(hidden, readOnly) {
		if !HasPath(t, path) {
			return nil, &PathError{t.UID, path}
		}
	}
	return SightOf(hidden, readOnly), nil
}

// SightOf is the Sight of the entries of a type that hides some attributes and does not set
// others. A path is the name of a declared attribute, or leads to one through components:
// "seo.keywords". In a dynamic zone it means the attribute of that name in each component
// that has one. A path that leads to no attribute hides one that comes later.
func SightOf(hidden, readOnly []string) *Sight {
	s := &Sight{}
	for _, path := range hidden {
		at, name := s.place(path)
		at.hidden = append(at.hidden, name)
	}
	for _, path := range readOnly {
		at, name := s.place(path)
		at.readOnly = append(at.readOnly, name)
	}
	if !s.Limited() {
		return whole
	}
	s.public = s.withoutPrivate()
	return s
}

// place is the Sight of the place of the attribute that a path leads to, which is made
// where there is none, and the attribute's name.
func (s *Sight) place(path string) (place *Sight, name string) {
	names := strings.Split(path, ".")
	last := len(names) - 1
	for _, name := range names[:last] {
		s = s.enter(name)
	}
	return s, names[last]
}

// Public is the Sight of those to whom the caller shows entries: they see what both the
// caller and the content API show.
func (s *Sight) Public() *Sight {
	switch {
	case s == nil || s == whole:
		return nil
	case s.public == nil:
		return s
	}
	return s.public
}

func (s *Sight) withoutPrivate() *Sight {
	p := &Sight{hidden: s.hidden, readOnly: s.readOnly, inside: map[string]*Sight{}, content: true}
	for name, inside := range s.inside {
		p.inside[name] = inside.withoutPrivate()
	}
	return p
}

// HasPath reports whether a path, as in SightOf, leads to an attribute of the type.
func HasPath(t *Type, path string) bool {
	types := []*Type{t}
	for name := range strings.SplitSeq(path, ".") {
		var inside []*Type
		found := false
		for _, t := range types {
			a := t.Attribute(name)
			if a == nil || a.System != NotSystem {
				continue
			}
			found = true
			inside = append(inside, a.components()...)
		}
		if !found {
			return false
		}
		types = inside
	}
	return true
}

// components are those that an attribute holds; none but for components and zones.
func (a *Attribute) components() []*Type {
	if a.ComponentType != nil {
		return []*Type{a.ComponentType}
	}
	return a.Zone
}

func (s *Sight) enter(name string) *Sight {
	if s.inside == nil {
		s.inside = map[string]*Sight{}
	}
	if s.inside[name] == nil {
		s.inside[name] = &Sight{}
	}
	return s.inside[name]
}

// Sees reports whether the caller sees an attribute of the place.
func (s *Sight) Sees(a *Attribute) bool {
	if s == nil {
		return !a.Hidden()
	}
	if a.Kind == Password || a.Reserved() || s.content && a.Hidden() {
		return false
	}
	return !s.none && !slices.Contains(s.hidden, a.Name)
}

// Sets reports whether the caller may set an attribute of the place. A password is set
// without being seen.
func (s *Sight) Sets(a *Attribute) bool {
	return s.Knows(a) && (s == nil || !slices.Contains(s.readOnly, a.Name))
}

// Knows reports whether the caller may know that there is the attribute: one that is
// hidden by a role is for those who have it as if it were not declared.
func (s *Sight) Knows(a *Attribute) bool {
	return s == nil || !s.none && !slices.Contains(s.hidden, a.Name)
}

// KnowsPath is Knows for the attribute at the end of a path of names, and for all on the
// way; positions in lists are left out.
func (s *Sight) KnowsPath(names []string) bool {
	for _, name := range names {
		switch {
		case s == nil:
			return true
		case s.none || slices.Contains(s.hidden, name):
			return false
		case strings.Trim(name, "0123456789") == "": // a position
			continue
		}
		if s = s.inside[name]; s == nil {
			return true
		}
	}
	return true
}

// Within is the Sight of the components in an attribute of the place.
func (s *Sight) Within(a *Attribute) *Sight {
	switch {
	case s == nil || s.none:
		return s
	case s.inside[a.Name] != nil:
		return s.inside[a.Name]
	case s.content:
		return nil
	}
	return whole
}

// Conceals reports whether it hides something of the records of t that the content API
// shows.
func (s *Sight) Conceals(t *Type) bool {
	return s != nil && slices.ContainsFunc(t.Attributes, func(a *Attribute) bool {
		switch {
		case a.Hidden():
			return false
		case !s.Sees(a):
			return true
		}
		inside := s.inside[a.Name]
		return inside != nil && slices.ContainsFunc(a.components(), inside.Conceals)
	})
}

// Limited reports whether there is an attribute at the place, or in a component of it,
// that the caller may not set.
func (s *Sight) Limited() bool {
	return s != nil && (s.none || len(s.hidden)+len(s.readOnly)+len(s.inside) > 0)
}

// Access is what a caller may do. It is asked while a query is compiled, while a body is
// decoded and while a write is planned, never while entries are read.
type Access interface {
	// Allows reports whether the caller may perform the action on the type.
	// Find is also what populating, filtering, sorting or linking through a
	// relation to the type needs.
	Allows(t *Type, a Action) bool

	// Sight is what the caller sees and may set of the attributes of a type's entries;
	// nil for callers of the content API.
	Sight(t *Type) *Sight

	// Reach is which documents of a type the caller's writes may change; nil for all.
	Reach(t *Type) *Reach
}

// Unlimited is for callers whose rights depend on types and actions alone: they see what
// the content API shows, and change whatever documents they are allowed to. Such an
// Access embeds it.
type Unlimited struct{}

// Sight is that of the content API.
func (Unlimited) Sight(*Type) *Sight { return nil }

// Reach is all documents.
func (Unlimited) Reach(*Type) *Reach { return nil }

// Reach is which documents of a type the writes of a caller may change.
type Reach struct {
	// Own means that only documents are changed which the actor of the write has made.
	Own bool

	// Locales are the codes of those that may be changed; nil for all. They mean nothing
	// for types that are not localized.
	Locales []string
}
