package audit

import (
	"fmt"
	"maps"
	"slices"

	"quire/content"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// numbers is every number that the content uses: the ids of entries, unique in
// their type, those of component instances, each in one document only, and the
// highest of each sequence.
type numbers struct {
	entries   map[string]map[uint64]bool   // by type
	instances map[string]map[uint64]uint32 // by component, the number of the document that has it first
	documents map[document]uint32          // by which instances name them, from 1 on
	highest   map[string]uint64            // by sequence
}

// instance names a component instance: ids are unique within a component.
type instance struct {
	component string
	id        uint64
}

// document names a document among all types.
type document struct{ uid, id string }

func newNumbers() numbers {
	return numbers{
		entries: map[string]map[uint64]bool{}, instances: map[string]map[uint64]uint32{},
		documents: map[document]uint32{}, highest: map[string]uint64{},
	}
}

func (n *numbers) reach(sequence string, number uint64) {
	n.highest[sequence] = max(n.highest[sequence], number)
}

// takeEntry takes an id for an entry, and reports whether it could be had.
func (n *numbers) takeEntry(uid string, id uint64) bool {
	ids := n.entries[uid]
	if ids == nil {
		ids = map[uint64]bool{}
		n.entries[uid] = ids
	}
	if id == 0 || ids[id] {
		return false
	}
	ids[id] = true
	n.reach(uid, id)
	return true
}

// takeInstance takes an id for a component instance of a document, which may
// have it already: its versions share their instances.
func (n *numbers) takeInstance(r *store.Instance, d uint32) bool {
	ids := n.instances[r.Component]
	if ids == nil {
		ids = map[uint64]uint32{}
		n.instances[r.Component] = ids
	}
	owner, taken := ids[r.ID]
	switch {
	case r.ID == 0:
		return false
	case taken:
		return owner == d
	}
	ids[r.ID] = d
	n.reach(r.Component, r.ID)
	return true
}

// entryNumber takes the id of an entry, and reports whether it needs another one.
func (a *auditor) entryNumber(at Spot, e *store.Entry) (faulty bool) {
	if a.numbers.takeEntry(at.Name.Type, e.ID) {
		return false
	}
	a.found.add(at, Fault{Message: "its numeric id is that of another entry, or 0"})
	return true
}

// instanceNumbers takes the ids of the component instances of an entry, and
// reports whether some need another one.
func (a *auditor) instanceNumbers(at Spot, e *store.Entry) (faulty bool) {
	name := document{at.Name.Type, e.DocumentID}
	d, known := a.numbers.documents[name]
	if !known {
		d = uint32(len(a.numbers.documents) + 1)
		a.numbers.documents[name] = d
	}
	clear(a.own)
	return a.instances(at, d, e.Fields, a.own)
}

// instances takes the ids of the component instances in an entry. own are those
// that the entry has already.
func (a *auditor) instances(at Spot, d uint32, fields store.Fields, own map[instance]bool) (faulty bool) {
	for i := range fields {
		f := &fields[i]
		if at.Path == "" { // links of components have no place
			a.reachPlaces(at.Name.Type, f.Value.Edges)
		}
		for j := range f.Value.Instances {
			r := &f.Value.Instances[j]
			name := instance{r.Component, r.ID}
			if own[name] || !a.numbers.takeInstance(r, d) {
				a.found.add(at.Attribute(f.Name), Fault{Message: "a component has the id of another one, or 0"})
				faulty = true
			}
			own[name] = true
			faulty = a.instances(at.Attribute(f.Name), d, r.Fields, own) || faulty
		}
	}
	return faulty
}

// reachPlaces notes the places of edges as numbers in use; those of an owner are in one
// sequence.
func (a *auditor) reachPlaces(uid string, edges []store.Edge) {
	for _, edge := range edges {
		if edge.Place > 0 {
			a.numbers.reach(content.PlaceSequence(uid), (edge.Place-1)/content.PlaceGap+1)
		}
	}
}

// checkSequences reports the sequences that would give numbers again, or numbers
// that cannot be.
func (a *auditor) checkSequences() {
	for _, name := range slices.Sorted(maps.Keys(a.numbers.highest)) {
		at, highest := a.tx.Sequence(name), a.numbers.highest[name]
		if at < highest || at > content.SequenceLimit(name) {
			a.found.add(Spot{Name: store.Name{Type: name}}, Fault{
				Place:   "the sequence " + name,
				Message: fmt.Sprintf("it stands at %d, and the highest number in use is %d", at, highest),
			})
		}
	}
}

// SequenceError is a sequence that would give a numeric id again, or one that
// cannot be.
type SequenceError struct {
	Type        string // uid
	At, Highest uint64
}

func (e *SequenceError) Error() string {
	return fmt.Sprintf("the sequence of %s stands at %d, and the highest id in use is %d; run `quire check --repair`, which sets it right", e.Type, e.At, e.Highest)
}

// CheckSequences makes sure that the next entry of each type gets a new id. It
// reads the last rows only, so that it can be done at every start.
func CheckSequences(site *schema.Site, tx *store.Tx, s *index.Snapshot) error {
	for _, t := range site.Types {
		highest := s.HighestID(t)
		if at := tx.Sequence(t.UID); at < highest || at > content.SequenceLimit(t.UID) {
			return &SequenceError{t.UID, at, highest}
		}
	}
	return nil
}
