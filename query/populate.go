package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"quire/query/params"
	"quire/schema"
)

// selection is the part of a record that a response shows.
type selection struct {
	shape  *encoding
	sight  *schema.Sight
	fields fieldSet
	values []shownValue        // in the order of the slots
	system []*schema.Attribute // to show, in addition to id and documentId

	// populated has the components and zones to show; relations the relations and media,
	// which come after everything else.
	populated, relations []*population
	// where limits the records of one type in a dynamic zone or morph relation; nil for
	// all. Otherwise the population has it.
	where condition

	shared bool // by several populations

	members []shapedMember   // of a response with a Shape
	reads   []*slotRead      // the slots that they read, in their order
	refused map[string]error // by the key in populate: what the response shows as a fault
}

// shownValue is one slot that a response shows.
type shownValue struct {
	attribute  *schema.Attribute
	key        string      // `,"name":`
	skip       int         // slots between the previous shown one and this one
	population *population // of a component or zone; nil for a scalar
}

// population is one populated attribute.
type population struct {
	attribute *schema.Attribute
	key       string     // `,"chef":`
	record    *selection // of the single type that the attribute leads to

	// byType is for dynamic zones and morph relations: the types to show.
	byType map[*schema.Type]*selection

	where condition // nil for all
	order []sortKey // none: in the order of linking
	count bool      // {"count": n} instead of the entries
	limit int       // of the shown entries; 0 for none

	name string // its key in populate, if the response has a Shape
	part paging // of the entries, if the response has a Shape
}

const (
	populateMessage = "Invalid populate parameter. Expected a string, an array of strings, a populate object"
	populateParam   = "populate"
)

// populator compiles the populate parameter of one query.
type populator struct {
	c     *Compiler
	b     *compilation
	depth int
	whole map[deep]*selection // see deepSelection
	root  *selection          // of the entries of the query
	shape *Shape              // nil for none
}

// mayShow reports whether an attribute of the records of s may be followed.
func (p *populator) mayShow(s *selection, a *schema.Attribute) bool {
	return mayReadTarget(p.b.access, a) && p.b.reaches(a, s == p.root)
}

// compileSelection resolves fields and populate for entries of a type.
func (c *Compiler) compileSelection(b *compilation, in scope, n *params.Node, shape *Shape) (*selection, []shapedMember, error) {
	shown, err := c.compileFields(b, in, n.Get("fields"), "fields")
	if err != nil {
		return nil, nil, err
	}
	p := &populator{c: c, b: b, shape: shape}
	s, err := p.selection(in, shown, n.Get("populate"), "")
	if err != nil || shape == nil {
		return s, nil, err
	}
	p.shapeRecord(s, n)
	return s, p.connection(s, shape.Connection), nil
}

// selection compiles what to populate of a record. at is the path of the populate
// parameter, for the message if it is empty.
func (p *populator) selection(in scope, shown fieldSet, n *params.Node, at string) (*selection, error) {
	s := &selection{shape: p.c.shape(in.t), sight: in.sight, fields: shown}
	if p.depth > 0 {
		p.b.dependsOn(in.t)
	} else {
		p.root = s
	}
	if p.depth++; p.depth > p.c.limits.PopulateDepth+1 {
		return nil, refuseParam(populateParam, populateParam, fmt.Sprintf("populate is nested deeper than %d levels", p.c.limits.PopulateDepth))
	}
	defer func() { p.depth-- }()
	var err error
	switch {
	case n == nil || n.IsNull():
	case n.IsText() && n.Text == "*":
		err = p.everything(s)
	case n.IsText() && n.Text == "" && at != "":
		err = &KeyError{Key: "", Path: at, Param: populateParam}
	case n.IsText():
		err = p.paths(s, splitNames(n.Text))
	case n.IsList():
		err = p.list(s, n)
	case n.Get("*") != nil:
		err = p.levels(s, n)
	default:
		err = p.object(s, n)
	}
	s.arrange()
	return s, err
}

// add adds a populated attribute.
func (s *selection) add(p *population) {
	if p.attribute.Relation != nil {
		s.relations = append(s.relations, p)
		return
	}
	s.populated = append(s.populated, p)
}

// arrange sorts the populated attributes in the order of the response, and finds which
// slots of the body the response reads.
func (s *selection) arrange() {
	slices.SortStableFunc(s.relations, func(a, b *population) int { return cmp.Compare(uint(a.attribute.Pos), uint(b.attribute.Pos)) }) // -1, localizations, goes last
	s.values, s.system = s.shape.values, s.shape.system
	if s.fields != nil || len(s.populated) > 0 || s.sight != nil {
		s.values = s.shownValues()
	}
	if s.sight != nil {
		s.system = systemSeen(s.shape.t, s.sight)
	}
	if s.fields != nil {
		s.system = slices.DeleteFunc(slices.Clone(s.system), func(a *schema.Attribute) bool { return !s.fields.shows(a) })
	}
}

func (s *selection) shownValues() []shownValue {
	var values []shownValue
	next := 0
	for slot, o := range s.shape.outputs {
		p := s.population(o.attribute)
		if p != nil || o.attribute.IsScalar() && s.sight.Sees(o.attribute) && s.fields.shows(o.attribute) {
			values = append(values, shownValue{o.attribute, o.key, slot - next, p})
			next = slot + 1
		}
	}
	return values
}

// population returns how a component or zone is populated, nil if it is not.
func (s *selection) population(a *schema.Attribute) *population {
	for _, p := range s.populated {
		if p.attribute == a {
			return p
		}
	}
	return nil
}

// everything compiles populate=*: all that the caller may see, one level deep. It silently
// leaves out what the caller may not see, as Strapi does.
func (p *populator) everything(s *selection) error {
	for _, a := range s.shape.populatable {
		if !s.sight.Sees(a) || !p.mayShow(s, a) {
			continue
		}
		one, err := p.plain(s, a, nil)
		if err != nil {
			return err
		}
		s.add(one)
	}
	return nil
}

func (p *populator) list(s *selection, n *params.Node) error {
	if len(n.Items) > p.c.limits.PopulateEntries {
		return p.tooMany(len(n.Items))
	}
	var names []string
	for _, item := range n.Items {
		if !item.IsText() {
			return refuseParam(populateParam, populateParam, populateMessage)
		}
		names = append(names, splitNames(item.Text)...)
	}
	return p.paths(s, names)
}

func (p *populator) tooMany(n int) error {
	return refuseParam(populateParam, populateParam, fmt.Sprintf("Too many populate entries (%d); at most %d are allowed on a level", n, p.c.limits.PopulateEntries))
}

// pathTree is populate in dotted paths: "chef.restaurants,categories".
type pathTree struct {
	names []string
	below map[string]*pathTree
}

func (p *pathTree) child(name string) *pathTree {
	if p.below[name] == nil {
		if p.below == nil {
			p.below = map[string]*pathTree{}
		}
		p.names = append(p.names, name)
		p.below[name] = &pathTree{}
	}
	return p.below[name]
}

// paths compiles dotted paths. It ignores empty parts of a path.
func (p *populator) paths(s *selection, paths []string) error {
	var root pathTree
	for _, path := range paths {
		at := &root
		for name := range strings.SplitSeq(path, ".") {
			if name != "" {
				at = at.child(name)
			}
		}
	}
	if len(root.names) > p.c.limits.PopulateEntries {
		return p.tooMany(len(root.names))
	}
	return p.tree(s, "", &root)
}

// tree compiles the paths below one record.
func (p *populator) tree(s *selection, at string, tree *pathTree) error {
	for _, name := range tree.names {
		a := s.shape.t.Attribute(name)
		if a == nil || !s.sight.Sees(a) || a.IsScalar() {
			return &KeyError{Key: name, Path: joinPath(at, name), Param: populateParam}
		}
		if !p.mayShow(s, a) {
			continue
		}
		one, err := p.branch(s, a, joinPath(at, name), tree.below[name])
		if err != nil {
			return err
		}
		s.add(one)
	}
	return nil
}

// branch compiles one attribute of a path and everything below it. Below a dynamic zone a
// name applies to every component that has it.
func (p *populator) branch(s *selection, a *schema.Attribute, at string, below *pathTree) (*population, error) {
	one, err := p.plain(s, a, nil)
	if err != nil || len(below.names) == 0 {
		return one, err
	}
	if p.depth++; p.depth > p.c.limits.PopulateDepth {
		return nil, refuseParam(populateParam, at, fmt.Sprintf("populate is nested deeper than %d levels", p.c.limits.PopulateDepth))
	}
	defer func() { p.depth-- }()
	if one.byType == nil {
		err = p.tree(one.record, at, below)
		one.record.arrange()
		return one, err
	}
	for _, name := range below.names {
		if err := p.zoneBranch(one, at, name, below.below[name]); err != nil {
			return nil, err
		}
	}
	return one, nil
}

func (p *populator) zoneBranch(zone *population, at, name string, below *pathTree) error {
	found := false
	for t, s := range zone.byType {
		if a := t.Attribute(name); a == nil || !s.sight.Sees(a) || a.IsScalar() {
			continue
		}
		found = true
		only := &pathTree{names: []string{name}, below: map[string]*pathTree{name: below}}
		if err := p.tree(s, at, only); err != nil {
			return err
		}
		s.arrange()
	}
	if !found {
		return &KeyError{Key: name, Path: joinPath(at, name), Param: populateParam}
	}
	return nil
}

// behind returns the scope of the records of type t that an attribute of a selection leads
// to.
func (p *populator) behind(s *selection, a *schema.Attribute, t *schema.Type) scope {
	return p.b.behind(scope{s.shape.t, s.sight}, a, t)
}

// plain populates an attribute with the scalars of the records that it leads to, and
// with what the nested populate parameter names.
func (p *populator) plain(from *selection, a *schema.Attribute, nested *params.Node) (*population, error) {
	one := &population{attribute: a, key: `,"` + a.Name + `":`}
	if a.Kind != schema.DynamicZone && targetType(a) != nil {
		var err error
		one.record, err = p.selection(p.behind(from, a, targetType(a)), nil, nested, a.Name)
		return one, err
	}
	one.byType = map[*schema.Type]*selection{}
	for _, t := range p.targetTypes(a) {
		s, err := p.selection(p.behind(from, a, t), nil, nested, a.Name)
		if err != nil {
			return nil, err
		}
		one.byType[t] = s
	}
	return one, nil
}

// targetTypes returns the types that a dynamic zone or a morph relation may show.
func (p *populator) targetTypes(a *schema.Attribute) []*schema.Type {
	if a.Kind == schema.DynamicZone {
		return a.Zone
	}
	return p.c.readable(p.b.access)
}

// targetType returns the one type that an attribute leads to, nil if there are several.
func targetType(a *schema.Attribute) *schema.Type {
	if a.Relation != nil {
		return a.Relation.Target
	}
	return a.ComponentType
}
