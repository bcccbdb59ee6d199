package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Sight decides, for each attribute of the records at one place, whether a caller sees it
// and may set it. A place is either the entries of a type or the components at a path in
// them: a component can be visible in one type and hidden in another. Nothing else decides
// that. A Sight never changes, and the same place has the same pointer.
//
// The nil Sight is that of the content API: it hides private attributes and passwords, and
// lets the caller set all. Any other Sight shows private attributes too, except those that
// it hides, unless it is Public. No Sight shows passwords and Reserved attributes.
type Sight struct {
	hidden   []string          // attributes that are neither visible nor set
	readOnly []string          // attributes that are visible and cannot be set
	inside   map[string]*Sight // by component or dynamic zone, where something is hidden or read-only in it
	none     bool              // nothing is visible

	content bool   // private attributes are hidden too
	public  *Sight // see Public; nil if content or none is set
}

var (
	whole = &Sight{}
	blind = &Sight{none: true}
)

// WholeSight shows all attributes except passwords, and lets the caller set all.
func WholeSight() *Sight { return whole }

// NoSight shows no attribute and lets the caller set none.
func NoSight() *Sight { return blind }

// PathError is a path that does not lead to an attribute of a type.
type PathError struct {
	Type string // uid
	Path string
}

func (e *PathError) Error() string { return fmt.Sprintf("%s has no attribute %q", e.Type, e.Path) }

// NewSight is SightOf with paths that must lead to attributes of t. Errors are *PathError.
func NewSight(t *Type, hidden, readOnly []string) (*Sight, error) {
	for _, path := range slices.Concat(hidden, readOnly) {
		if !HasPath(t, path) {
			return nil, &PathError{t.UID, path}
		}
	}
	return SightOf(hidden, readOnly), nil
}

// SightOf returns the Sight of the entries of a type that hides some attributes and makes
// others read-only. A path is the name of a declared attribute, or leads to one through
// components: "seo.keywords". In a dynamic zone it means the attribute of that name in each
// component that has one. A path that leads to no attribute today hides one that is added
// later.
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

// place returns the Sight of the place of the attribute at the end of a path, and the name
// of the attribute. It makes the Sight if there is none.
func (s *Sight) place(path string) (place *Sight, name string) {
	names := strings.Split(path, ".")
	last := len(names) - 1
	for _, name := range names[:last] {
		s = s.enter(name)
	}
	return s, names[last]
}

// Public returns the Sight for the readers to whom the caller shows entries: they see what
// both the caller and the content API show.
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

// components returns the components that an attribute can hold; none unless it is a
// component or a zone.
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

// Sets reports whether the caller may set an attribute of the place. A caller can set a
// password without seeing it.
func (s *Sight) Sets(a *Attribute) bool {
	return s.Knows(a) && (s == nil || !slices.Contains(s.readOnly, a.Name))
}

// Knows reports whether the caller may know that the attribute exists. For callers with a
// role that hides an attribute, it does not exist.
func (s *Sight) Knows(a *Attribute) bool {
	return s == nil || !s.none && !slices.Contains(s.hidden, a.Name)
}

// KnowsPath is Knows for the attribute at the end of a path of names, and for all
// attributes before it; it ignores positions in lists.
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

// SeesByName reports whether a caller sees an attribute of a type and, if it is a relation, may
// find what it leads to. It decides who sees what people say about an attribute.
func SeesByName(access Access, t *Type, name string) bool {
	a := t.Attribute(name)
	if a == nil || !access.Sight(t).Sees(a) {
		return false
	}
	return a.Kind != RelationKind || a.Relation.Target == nil || access.Allows(a.Relation.Target, Find)
}

// Within returns the Sight of the components in an attribute of the place.
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

// Conceals reports whether s hides something that the content API shows of the records of
// t.
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

// Limited reports whether the place, or a component in it, has an attribute that the caller
// may not set.
func (s *Sight) Limited() bool {
	return s != nil && (s.none || len(s.hidden)+len(s.readOnly)+len(s.inside) > 0)
}

// Access is what a caller may do. It is used when a query is compiled, a body is decoded or
// a write is planned, never while entries are read.
type Access interface {
	// Allows reports whether the caller may perform the action on the type. Populating,
	// filtering, sorting and linking through a relation to the type need Find.
	Allows(t *Type, a Action) bool

	// Sight returns what the caller may see and set of the attributes of a type's entries;
	// nil for callers of the content API.
	Sight(t *Type) *Sight

	// Reach returns which documents of a type the caller's writes may change; nil for all.
	Reach(t *Type) *Reach

	// Filter returns which entries of a type exist for the caller; nil for all.
	Filter(t *Type) *Filter
}

// Unlimited is for callers whose rights depend only on types and actions: they see what the
// content API shows, and may change every document of a type. Such an Access embeds it.
type Unlimited struct{}

// Sight returns the Sight of the content API.
func (Unlimited) Sight(*Type) *Sight { return nil }

// Reach returns nil: all documents.
func (Unlimited) Reach(*Type) *Reach { return nil }

// Filter returns nil: all entries.
func (Unlimited) Filter(*Type) *Filter { return nil }

// Reach is which documents of a type the writes of a caller may change.
type Reach struct {
	// Own allows changes only of documents that the actor of the write has created.
	Own bool

	// Locales are the codes of the locales that may be changed; nil for all. Types that are
	// not localized ignore them.
	Locales []string

	// Where has the conditions that an entry meets before and after it is changed.
	Where []Equality

	// KeepsPublished refuses to delete documents that are published.
	KeepsPublished bool

	// Ways are set for a caller with several roles whose limits differ: what one of them
	// allows is allowed. Own and Locales then say what none of them allows, and Hidden what
	// none of them shows.
	Ways   []RoleReach
	Hidden []string
}

// RoleReach is what one role of a caller lets it change of a type.
type RoleReach struct {
	Actions []Action // of Create, Update, Delete, Publish and Unpublish
	Own     bool
	Locales []string
	Where   []Equality
	Fixed   []string // paths of the attributes that it does not let set
}

// For returns the ways in which the caller may do an action with some documents.
func (r *Reach) For(action Action) (ways []RoleReach) {
	if len(r.Ways) == 0 {
		return []RoleReach{{Own: r.Own, Locales: r.Locales, Where: r.Where}}
	}
	for _, w := range r.Ways {
		if slices.Contains(w.Actions, action) {
			ways = append(ways, w)
		}
	}
	return ways
}

// Sight returns what the caller sees and may set of a document that it may change in these of
// its Ways.
func (r *Reach) Sight(ways []RoleReach) *Sight {
	if len(ways) == 0 {
		return NoSight()
	}
	fixed := make([][]string, len(ways))
	for i := range ways {
		fixed[i] = ways[i].Fixed
	}
	return SightOf(r.Hidden, CommonPaths(fixed...))
}

// CommonPaths returns the paths to all attributes to which each of the lists has a path. A path
// also leads to what is in the attribute.
func CommonPaths(lists ...[]string) []string {
	if len(lists) == 1 {
		return lists[0]
	}
	var common []string
	known := make([]map[string]bool, len(lists))
	for i, list := range lists {
		known[i] = map[string]bool{}
		for _, path := range list {
			known[i][path] = true
		}
	}
	for _, path := range slices.Concat(lists...) {
		if !slices.ContainsFunc(known, func(has map[string]bool) bool { return !leads(has, path) }) {
			common = append(common, path)
		}
	}
	slices.Sort(common)
	return slices.Compact(common)
}

// leads reports whether a path, or one to what is around it, is in a set.
func leads(has map[string]bool, path string) bool {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if has[path[:end]] {
			return true
		}
	}
	return false
}
