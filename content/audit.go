package content

import (
	"context"
	"fmt"
	"strings"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// Fault is something that no write of this package leaves in the content: it
// comes from a damaged file, from another program, or from a schema that has
// changed since.
type Fault struct {
	Place   string // where it is found first: a type, an entry and an attribute, as far as they are known
	Message string
	Count   int    // in how many entries it is
	Fix     string // what to do about it; empty where Repair does it
	Note    bool   // it is legal, and worth knowing
}

// Audit compares the stored content with what writes guarantee: numbers,
// sequences, links, the versions of documents, and values that must be unique.
// Values that do not fit the schema are passed over. Errors are the store's and
// the context's.
func Audit(ctx context.Context, site *schema.Site, tx *store.Tx) ([]Fault, error) {
	x, err := index.Build(site, tx)
	if err != nil {
		return nil, err
	}
	a := newAuditor(ctx, site, tx)
	a.snapshot = x.Snapshot()
	a.sides = newSides()
	a.rules = newWriter(nil, x, site, WriterOptions{}).operation(tx, a.snapshot)
	if err := a.walk(); err != nil {
		return nil, err
	}
	a.checkSequences()
	a.checkSides()
	return a.found.list, nil
}

// auditor walks all entries. What is to be repaired it remembers by name.
type auditor struct {
	ctx   context.Context
	site  *schema.Site
	tx    *store.Tx
	found findings

	numbers numbers
	broken  []broken

	// Only in an Audit; a Repair does without.
	snapshot *index.Snapshot
	sides    *sides
	rules    *operation
	singles  map[string]string // the document of a single type, by uid
	held     map[holding]string
}

// broken is an entry that Repair has to change.
type broken struct {
	entryName
	newID bool
}

func newAuditor(ctx context.Context, site *schema.Site, tx *store.Tx) *auditor {
	return &auditor{
		ctx: ctx, site: site, tx: tx, numbers: newNumbers(),
		singles: map[string]string{}, held: map[holding]string{},
	}
}

func (a *auditor) walk() error {
	for _, uid := range a.tx.Types() {
		if err := a.tx.Scan(uid, func(e *store.Entry) error { return a.entry(uid, e) }); err != nil {
			return err
		}
	}
	return nil
}

// entry looks at one entry. Of a type that the site does not have, only the
// numbers are known to mean something.
func (a *auditor) entry(uid string, e *store.Entry) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	at := spot{uid: uid, key: e.Key()}
	newID := a.entryNumber(at, e)
	faulty := a.instanceNumbers(at, e) || newID
	if t := a.site.Type(uid); t != nil && !t.IsComponent() {
		faulty = a.dates(at, e) || faulty
		faulty = a.fields(t, e, e.Fields, at) || faulty
		if a.snapshot != nil {
			if err := a.version(t, e, at); err != nil {
				return err
			}
			a.unique(t, e, at)
		}
	}
	if faulty {
		a.broken = append(a.broken, broken{entryName{uid, e.Key()}, newID})
	}
	return nil
}

// fields looks at the links of an entry or a component, and reports whether
// they are to be repaired.
func (a *auditor) fields(t *schema.Type, e *store.Entry, fields []store.Field, at spot) (faulty bool) {
	for _, f := range fields {
		attribute := t.Attribute(f.Name)
		if attribute == nil {
			continue
		}
		here := at.attribute(f.Name)
		if attribute.Relation != nil && attribute.Relation.Owns {
			faulty = a.edges(attribute, e, f.Value.Edges, here) || faulty
		}
		for _, r := range f.Value.Records {
			if component := a.site.Type(r.Component); component != nil && component.IsComponent() {
				faulty = a.fields(component, e, r.Fields, here) || faulty
			}
		}
	}
	return faulty
}

// spot is where something is: an attribute of an entry, or the entry itself.
type spot struct {
	uid  string
	key  store.Key
	path string
}

func (s spot) attribute(name string) spot {
	s.path = strings.TrimPrefix(s.path+"."+name, ".")
	return s
}

func (s spot) String() string {
	text := fmt.Sprintf("%s %s", s.uid, s.key)
	if s.path != "" {
		text += ": " + s.path
	}
	return text
}

// findings gathers faults, those of one attribute and message into one.
type findings struct {
	list  []Fault
	known map[string]int // index in list
}

func (f *findings) add(at spot, fault Fault) {
	group := at.uid + "\x00" + at.path + "\x00" + fault.Message
	if i, ok := f.known[group]; ok {
		f.list[i].Count++
		return
	}
	if f.known == nil {
		f.known = map[string]int{}
	}
	f.known[group] = len(f.list)
	if fault.Place == "" {
		fault.Place = at.String()
	}
	fault.Count = 1
	f.list = append(f.list, fault)
}

// Mendable reports whether Repair puts the fault right.
func (f Fault) Mendable() bool { return f.Fix == "" && !f.Note }
