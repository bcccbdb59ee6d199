package query

import (
	"math"
	"slices"

	"quire/query/params"
	"quire/schema"
)

// Shape is the form of a response in which each record shows chosen members, in a chosen
// order and under keys of their own, as in GraphQL. In this mode an entry of populate may
// name its attribute under "attribute", and has "pagination".
type Shape struct {
	Records      map[*params.Node][]Member // by the parameters of the records
	Connection   []Member                  // of the object around a list; nil for none
	DefaultLimit int                       // of lists
	MaxLimit     int                       // of lists; -1 for none
}

// Show says what a member shows.
type Show uint8

const (
	ShowNothing   Show = iota // null
	ShowValue                 // a scalar
	ShowText                  // always the same text
	ShowPopulated             // what an entry of populate leads to
	ShowNodes                 // the records of a connection
	ShowRecord                // other members of the same record, as an object
	ShowPage                  // where the list is in the whole
	ShowTotal
	ShowNumber // of the page
	ShowSize
	ShowPages // the number of pages
)

// Member is one member of an object in a response.
type Member struct {
	Key       string
	Show      Show
	Attribute *schema.Attribute // of a scalar, or of what is populated
	Text      string
	Populate  string                      // the key of populate
	Inside    []Member                    // of connections, pages and records
	Must      bool                        // it cannot be null
	Enum      func(string) (string, bool) // the name of a value, if it has another one
}

// Faults are what a response could not show.
type Faults struct{ All []Fault }

// Fault is a member that is null because the caller may not see it, because its parameters
// are wrong, or because it has no value and must have one.
type Fault struct {
	Path      []any
	Forbidden bool
	Err       error  // the query asks for it in a wrong way; nil for none
	Member    string // the type and the attribute
}

// mostFaults is the maximum number of faults of one response.
const mostFaults = 200

// shapedMember is a Member that has been compiled.
type shapedMember struct {
	Member
	key        string // `,"name":`; without the comma for the first member
	step       any    // the Key, as a step of a path
	population *population
	refused    error     // why it has no population; nil if the caller may not see it
	read       *slotRead // nil for none
	plain      bool      // its slot is what the response shows
	names      bool      // it is the documentId
	inside     []shapedMember
}

// slotRead is a slot that the members of records read.
type slotRead struct {
	slot int
	skip int // slots between the previous one that is read and this one
	at   int // position among those that are read
}

func newShapedMember(m Member, i int) shapedMember {
	key := `"` + m.Key + `":`
	if i > 0 {
		key = "," + key
	}
	return shapedMember{Member: m, key: key, step: m.Key}
}

// Page resolves the part of a list that does not come from a query.
func (s *Shape) Page(n *params.Node) (Page, error) {
	p, err := s.compilePage(n)
	return Page{p}, err
}

// compilePage resolves the part of a list; nil is the first page.
func (s *Shape) compilePage(n *params.Node) (paging, error) {
	page, size := pagingText(n, "page"), pagingText(n, "pageSize")
	start, limit := pagingText(n, "start"), pagingText(n, "limit")
	byPage := page != nil || size != nil
	if byPage && (start != nil || limit != nil) {
		return paging{}, &PaginationError{mixedMessage}
	}
	p := paging{byPage: byPage, size: s.DefaultLimit}
	number := func(text *string, least, otherwise int) int {
		if text == nil {
			return otherwise
		}
		return int(min(max(toNumber(*text), float64(least)), math.MaxInt32))
	}
	switch {
	case byPage:
		p.size = s.within(number(size, 1, s.DefaultLimit))
		p.start = (number(page, 1, 1) - 1) * p.size
	case limit != nil && *limit == "-1":
		p.size, p.start = s.within(math.MaxInt32), number(start, 0, 0)
	default:
		p.size, p.start = s.within(number(limit, 1, s.DefaultLimit)), number(start, 0, 0)
	}
	return p, nil
}

// within returns a size that is not larger than the maximum.
func (s *Shape) within(size int) int {
	if s.MaxLimit < 0 {
		return size
	}
	return min(size, s.MaxLimit)
}

// shapeRecord compiles the members that records with these parameters show.
func (p *populator) shapeRecord(s *selection, n *params.Node) {
	if p.shape != nil {
		s.members = p.members(s, p.shape.Records[n])
	}
}

// members compiles members of the records of a selection.
func (p *populator) members(s *selection, list []Member) []shapedMember {
	all := make([]shapedMember, len(list))
	for i := range list {
		m := newShapedMember(list[i], i)
		switch m.Show {
		case ShowValue:
			m.read = s.reading(m.Attribute)
			m.names = m.Attribute.System == schema.SystemDocumentID
			m.plain = m.read != nil && m.Enum == nil && m.Attribute.Kind != schema.BigInteger && m.Attribute.Kind != schema.Time && m.Attribute.Kind != schema.JSON
		case ShowPopulated:
			m.population = s.populationOf(m.Populate)
			if m.population == nil {
				m.refused = s.refused[m.Populate]
				break
			}
			m.read = s.reading(m.Attribute)
			m.inside = p.connection(m.population.record, m.Inside)
		case ShowRecord:
			m.inside = p.members(s, m.Inside)
		}
		all[i] = m
	}
	return all
}

// connection compiles the members of the object around a list of records.
func (p *populator) connection(record *selection, list []Member) []shapedMember {
	var all []shapedMember
	for i := range list {
		m := newShapedMember(list[i], i)
		switch m.Show {
		case ShowNodes:
			m.inside = p.members(record, m.Inside)
		case ShowPage:
			m.inside = p.connection(record, m.Inside)
		}
		all = append(all, m)
	}
	return all
}

// hasPlace reports whether an error is about the parameters of one populated attribute, so
// that the rest of the response can be shown. An exceeded limit refuses the whole query.
func hasPlace(err error) bool {
	switch err := err.(type) {
	case *KeyError, *PaginationError:
		return true
	case *params.ParamError:
		return err.Key != err.Param
	}
	return false
}

// refuse notes why the records do not show what an entry of populate leads to.
func (s *selection) refuse(key string, err error) {
	if s.refused == nil {
		s.refused = map[string]error{}
	}
	s.refused[key] = err
}

// reading adds the slot of an attribute to those that the members read; nil if it has none.
func (s *selection) reading(a *schema.Attribute) *slotRead {
	slot := slices.Index(s.shape.t.Slots, a)
	if slot < 0 {
		return nil
	}
	at, found := slices.BinarySearchFunc(s.reads, slot, func(r *slotRead, slot int) int { return r.slot - slot })
	if found {
		return s.reads[at]
	}
	added := &slotRead{slot: slot}
	s.reads = slices.Insert(s.reads, at, added)
	next := 0
	for i, r := range s.reads {
		r.at, r.skip = i, r.slot-next
		next = r.slot + 1
	}
	return added
}

// populationOf returns what a key of populate leads to, nil for nothing.
func (s *selection) populationOf(key string) *population {
	for _, list := range [...][]*population{s.populated, s.relations} {
		for _, p := range list {
			if p.name == key {
				return p
			}
		}
	}
	return nil
}

// kept returns the members without the values of attributes that are not shown; they are
// null.
func kept(list []shapedMember, shows func(*schema.Attribute) bool) []shapedMember {
	list = slices.Clone(list)
	for i := range list {
		m := &list[i]
		if m.Show == ShowRecord {
			m.inside = kept(m.inside, shows)
		}
		if m.Attribute != nil && m.Attribute.System != schema.SystemDocumentID && !shows(m.Attribute) {
			m.Show, m.plain = ShowNothing, false
		}
	}
	return list
}
