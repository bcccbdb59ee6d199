package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"quire/content"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// numbers are the numbers in use: the ids of entries, unique in their type, and those of
// component instances, each in one document only, if several have one; and the highest of
// each sequence.
type numbers struct {
	contests  *contests
	entries   map[numbered]bool
	instances map[instance]document // that has it first
	highest   map[string]uint64     // by sequence
}

// numbered identifies an entry by its id.
type numbered struct {
	uid string
	id  uint64
}

// instance identifies a component instance: ids are unique within a component.
type instance struct {
	component string
	id        uint64
}

// document identifies a document among all types.
type document struct{ uid, id string }

func newNumbers(c *contests) numbers {
	return numbers{contests: c, entries: map[numbered]bool{}, instances: map[instance]document{}, highest: map[string]uint64{}}
}

func (n *numbers) reach(sequence string, number uint64) {
	n.highest[sequence] = max(n.highest[sequence], number)
}

// takeEntry takes an id for an entry, and reports whether it was free.
func (n *numbers) takeEntry(one numbered) bool {
	if one.id == 0 || n.entries[one] {
		return false
	}
	if contested(n.contests, one) {
		n.entries[one] = true
	}
	n.reach(one.uid, one.id)
	return true
}

// takeInstance takes an id for a component instance of a document, which may already have
// it: its versions share their instances.
func (n *numbers) takeInstance(one instance, d document) bool {
	if one.id == 0 {
		return false
	}
	if owner, taken := n.instances[one]; taken {
		return owner == d
	}
	if contested(n.contests, one) {
		n.instances[one] = document{d.uid, strings.Clone(d.id)}
	}
	n.reach(one.component, one.id)
	return true
}

// has reports whether a component instance of a document kept its id.
func (n *numbers) has(one instance, d document) bool {
	owner, several := n.instances[one]
	return one.id != 0 && (!several || owner == d)
}

// entryNumber takes the id of an entry, and reports whether the entry needs another one.
func (a *auditor) entryNumber(at Spot, e *store.Entry) (faulty bool) {
	if a.numbers.takeEntry(numbered{at.Name.Type, e.ID}) {
		return false
	}
	a.found.add(at, Fault{Message: "its numeric id is that of another entry, or 0"})
	return true
}

// instanceNumbers takes the ids of the component instances of an entry, and
// reports whether some need another one.
func (a *auditor) instanceNumbers(at Spot, e *store.Entry) (faulty bool) {
	clear(a.own)
	return a.instances(at, document{at.Name.Type, e.DocumentID}, e.Fields, a.own)
}

// instances takes the ids of the component instances in an entry. own are those that the
// entry already has.
func (a *auditor) instances(at Spot, d document, fields store.Fields, own map[instance]bool) (faulty bool) {
	for i := range fields {
		f := &fields[i]
		if at.Path == "" { // links of components have no place
			// The places of edges are numbers in use; those of an owner are in one sequence.
			for _, edge := range f.Value.Edges {
				if edge.Place > 0 {
					a.numbers.reach(content.PlaceSequence(at.Name.Type), (edge.Place-1)/content.PlaceGap+1)
				}
			}
		}
		for j := range f.Value.Instances {
			r := &f.Value.Instances[j]
			name := instance{r.Component, r.ID}
			if own[name] || !a.numbers.takeInstance(name, d) {
				a.found.add(at.Attribute(f.Name), Fault{Message: "a component has the id of another one, or 0"})
				faulty = true
			}
			own[name] = true
			faulty = a.instances(at.Attribute(f.Name), d, r.Fields, own) || faulty
		}
	}
	return faulty
}

// checkSequences reports the sequences that would return used or impossible numbers.
func (a *auditor) checkSequences() {
	for _, name := range slices.Sorted(maps.Keys(a.numbers.highest)) {
		at, highest := a.tx.Sequence(name), a.numbers.highest[name]
		if at < highest || at > content.SequenceLimit(name) {
			a.found.add(Spot{Name: store.Name{Type: name}}, Fault{
				Place:   "the sequence " + name,
				Message: fmt.Sprintf("it is %d, and the highest number in use is %d", at, highest),
			})
		}
	}
}

// SequenceError is a sequence that would return a used numeric id, or an impossible one.
type SequenceError struct {
	Type        string // uid
	At, Highest uint64
}

func (e *SequenceError) Error() string {
	return fmt.Sprintf("the sequence of %s stands at %d, and the highest id in use is %d; run `quire check --repair`, which sets it right", e.Type, e.At, e.Highest)
}

// CheckSequences checks that the next entry of each type gets a new id. It reads only the
// last rows, so that every start can do it.
func CheckSequences(site *schema.Site, tx *store.Tx, s *index.Snapshot) error {
	for _, t := range site.Types {
		highest := s.HighestID(t)
		if at := tx.Sequence(t.UID); at < highest || at > content.SequenceLimit(t.UID) {
			return &SequenceError{t.UID, at, highest}
		}
	}
	return nil
}
