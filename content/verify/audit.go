package verify

import (
	"context"
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"quire/content"
	"quire/content/history"
	"quire/schema"
	"quire/store"
)

// Fault is something that no write of package content leaves in the content: it comes from
// a damaged file, from another program, or from a schema that has changed since.
type Fault struct {
	Place   string // where it was first found: a type, an entry and an attribute, as far as known
	Message string
	Count   int    // number of entries with it
	Fix     string // what to do about it; empty if Repair fixes it
	Note    bool   // it is legal, and worth knowing
}

// Check compares the stored content with what writes guarantee: numbers, sequences, links,
// the versions of documents, and values that must be unique. It ignores values that do not
// fit the schema. Errors are the store's and the context's.
func Check(ctx context.Context, site *schema.Site, tx *store.Tx) ([]Fault, error) {
	var unfit *UnfitError
	if err := CheckLocalization(site, tx); err != nil && !errors.As(err, &unfit) {
		return nil, err
	}
	a := newAuditor(ctx, site, tx)
	a.localization(unfit)
	a.finder = tx.Finder()
	if err := a.scan(); err != nil {
		return nil, err
	}
	if err := a.checkFolders(); err != nil {
		return nil, err
	}
	a.checkSequences()
	return a.found.list, nil
}

// checkFolders reports folders of files at impossible places.
func (a *auditor) checkFolders() error {
	t := a.site.Type(schema.FolderUID)
	faults, err := content.FolderFaults(t, a.tx)
	for _, id := range slices.Sorted(maps.Keys(faults)) {
		k := store.Key{DocumentID: id, Status: store.Published}
		a.found.add(Spot{Name: store.Name{Type: t.UID, Key: k}}, Fault{Message: faults[id], Fix: "move it in the media library, or give it another name"})
	}
	return err
}

// localization reports the types that cannot be served in their stored form.
func (a *auditor) localization(unfit *UnfitError) {
	if unfit == nil {
		return
	}
	for _, t := range unfit.Types {
		a.found.add(Spot{Name: store.Name{Type: t.UID}}, Fault{Place: t.UID, Message: t.String(), Fix: unfitRemedy})
	}
}

// auditor walks all entries. It remembers by name what must be repaired. What only one may
// have it remembers if several have it, which contests finds in an earlier walk.
type auditor struct {
	ctx   context.Context
	site  *schema.Site
	tx    *store.Tx
	found findings

	contests *contests
	numbers  numbers
	own      map[instance]bool // buffer for those of an entry
	broken   []broken

	// Only for Check, not for Repair.
	finder  *store.Finder
	singles map[string]string   // the document of a single type, by uid
	locales map[string][]string // stored locales of localized types, by uid
	taken   map[exclusiveTarget]string
}

// broken is an entry that Repair must change.
type broken struct {
	store.Name
	newID bool
}

func newAuditor(ctx context.Context, site *schema.Site, tx *store.Tx) *auditor {
	c := &contests{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, found: map[[2]uint64]struct{}{}}
	return &auditor{
		ctx: ctx, site: site, tx: tx, contests: c, numbers: newNumbers(c), own: map[instance]bool{},
		singles: map[string]string{}, locales: map[string][]string{}, taken: map[exclusiveTarget]string{},
	}
}

func (a *auditor) scan() error {
	if err := a.findContests(); err != nil {
		return err
	}
	for _, uid := range a.tx.Types() {
		if err := a.tx.Lend(uid, func(e *store.Entry) error { return a.entry(uid, e) }); err != nil {
			return err
		}
	}
	latest, err := history.Latest(a.tx)
	if latest <= content.SequenceLimit(history.VersionsSequence) { // others are damaged
		a.numbers.reach(history.VersionsSequence, latest)
	}
	return err
}

// entry checks one entry. Of a type that the site does not have, it checks only the
// numbers.
func (a *auditor) entry(uid string, e *store.Entry) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	at := Spot{Name: store.Name{Type: uid, Key: e.Key()}}
	a.numbers.reach(history.VersionsSequence, e.Stamp.Version)
	newID := a.entryNumber(at, e)
	faulty := a.instanceNumbers(at, e) || newID
	if t := a.site.Type(uid); t != nil && !t.IsComponent() && t.TakesLocale(e.Locale) {
		faulty = a.dates(at, e) || faulty
		faulty = a.fields(t, e, e.Fields, at) || faulty
		if a.finder != nil {
			if err := a.version(t, e, at); err != nil {
				return err
			}
			a.unique(t, e, at)
		}
	}
	if faulty {
		a.broken = append(a.broken, broken{store.Name{Type: uid, Key: ownKey(e)}, newID})
	}
	return nil
}

// ownKey returns a copy of the key of a lent entry.
func ownKey(e *store.Entry) store.Key {
	return store.Key{DocumentID: strings.Clone(e.DocumentID), Locale: e.Locale, Status: e.Status}
}

// fields checks the links of an entry or a component, and reports whether they must be
// repaired.
func (a *auditor) fields(t *schema.Type, e *store.Entry, fields store.Fields, at Spot) (faulty bool) {
	for _, f := range fields {
		attribute := t.Attribute(f.Name)
		if attribute == nil {
			continue
		}
		here := at.Attribute(f.Name)
		if attribute.Relation != nil && attribute.Relation.Owns {
			faulty = a.edges(attribute, e, f.Value.Edges, here) || faulty
		}
		for _, r := range f.Value.Instances {
			if component := a.site.Type(r.Component); component != nil && component.IsComponent() {
				faulty = a.fields(component, e, r.Fields, here) || faulty
			}
		}
	}
	return faulty
}

// Spot is a place in the content: an attribute of an entry, or the entry itself.
type Spot struct {
	Name store.Name
	Path string // of the attribute, joined by dots, without positions in lists; empty for the entry
}

// Attribute returns the spot of an attribute of the entry or of the component at s.
func (s Spot) Attribute(name string) Spot {
	s.Path = strings.TrimPrefix(s.Path+"."+name, ".")
	return s
}

// String returns the spot in readable form: "api::dish.dish j3m1 (draft, en):
// address.street".
func (s Spot) String() string {
	if s.Path == "" {
		return s.Name.String()
	}
	return s.Name.String() + ": " + s.Path
}

// findings collects faults, and joins those with the same attribute and message.
type findings struct {
	list  []Fault
	known map[string]int // index in list
}

func (f *findings) add(at Spot, fault Fault) {
	group := at.Name.Type + "\x00" + at.Path + "\x00" + fault.Message
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

// Repairable reports whether Repair fixes the fault.
func (f Fault) Repairable() bool { return f.Fix == "" && !f.Note }
