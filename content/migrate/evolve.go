package migrate

import (
	"context"
	"errors"
	"slices"
	"time"

	"quire/content"
	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// evolver finds what entries become, one by one, and counts the effects.
type evolver struct {
	Evolution
	tx        *store.Tx
	types     map[string]string  // new uids by old ones
	formers   map[string]string  // and the other way round
	names     map[Removed]string // new names of attributes, by the new uid and the old name
	drop      map[Removed]bool
	tally     *tally
	unique    *uniqueValues // nil if values that must be unique are not compared
	exclusive *exclusiveLinks
	incoming  turnedLinks
	places    *linkPlaces // nil in a plan, which assigns none

	entries, changed int
}

// side is a type in both sites; each may be nil.
type side struct{ from, to *schema.Type }

// attribute is one attribute in both sites; each may be nil.
type attribute struct{ from, to *schema.Attribute }

func (e Evolution) evolver(ctx context.Context, tx *store.Tx, bounds Bounds) (*evolver, error) {
	v := &evolver{
		Evolution: e, tx: tx, types: e.names(), formers: map[string]string{},
		names: map[Removed]string{}, drop: map[Removed]bool{},
		tally: newTally(bounds), unique: &uniqueValues{map[uniqueValue]string{}},
	}
	for _, names := range []map[string]string{v.types, e.former} {
		for old, name := range names {
			v.formers[name] = old
		}
	}
	for _, r := range e.Attributes {
		v.names[Removed{r.Type, r.Old}] = r.New
	}
	for _, d := range e.Drop {
		v.drop[d] = true
	}
	var err error
	if v.incoming, err = v.findIncoming(ctx); err == nil {
		v.exclusive, err = v.findExclusiveLinks(ctx)
	}
	return v, err
}

// newUID returns what a stored uid becomes.
func (v *evolver) newUID(uid string) string {
	if name, ok := v.types[uid]; ok {
		return name
	}
	return uid
}

// side returns the type that is, or will be, stored under that uid.
func (v *evolver) side(uid string) (s side) {
	s.to = v.To.Type(uid)
	if v.From == nil {
		return s
	}
	if old, ok := v.formers[uid]; ok {
		uid = old
	}
	s.from = v.From.Type(uid)
	return s
}

// attribute returns the attributes of both sites for a stored name.
func (v *evolver) attribute(s side, uid, stored string) (name string, a attribute) {
	name = stored
	if to, ok := v.names[Removed{uid, stored}]; ok {
		name = to
	}
	if s.to != nil {
		a.to = declared(s.to, name)
	}
	if s.from != nil {
		a.from = declared(s.from, stored)
	}
	return name, a
}

func declared(t *schema.Type, name string) *schema.Attribute {
	if a := t.Attribute(name); a != nil && a.System == schema.NotSystem {
		return a
	}
	return nil
}

// plan reads the content within its bounds.
func (v *evolver) plan(ctx context.Context) (*Plan, error) {
	partial := false
	begin := time.Now()
	for _, uid := range v.tx.Types() {
		err := v.tx.Scan(uid, func(e *store.Entry) error {
			b := v.tally.bounds
			if partial = partial || b.Entries > 0 && v.entries >= b.Entries || b.Time > 0 && time.Since(begin) > b.Time; partial {
				return errBounds
			}
			v.entries++
			if v.lacksDraft(uid, e) {
				v.tally.add(Drafted, verify.Spot{Name: store.Name{Type: v.newUID(uid), Key: e.Key()}}, "", Example{})
				v.changed++
			}
			if after, changed := v.entry(uid, e); changed {
				v.changed++
				v.rules(v.newUID(uid), e, after)
			} else {
				v.rules(v.newUID(uid), e, e)
			}
			return ctx.Err()
		})
		if err != nil && err != errBounds {
			return nil, err
		}
	}
	return &Plan{Effects: v.tally.list(), Entries: v.entries, Changed: v.changed, Partial: partial || v.tally.full, Lossy: v.Lossy}, nil
}

// errBounds ends a scan.
var errBounds = &MigrationError{"the bounds of the plan are reached"}

// each calls fn for every entry that changes; after is nil for one that is deleted.
func (v *evolver) each(ctx context.Context, fn func(uid string, before, after *store.Entry)) error {
	for _, uid := range v.tx.Types() {
		err := v.tx.Scan(uid, func(e *store.Entry) error {
			if after, changed := v.entry(uid, e); changed {
				fn(uid, e, after)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// entry returns what an entry becomes, nil if it is deleted.
func (v *evolver) entry(uid string, e *store.Entry) (after *store.Entry, changed bool) {
	name := v.newUID(uid)
	at := verify.Spot{Name: store.Name{Type: name, Key: e.Key()}}
	s := v.side(name)
	switch {
	case v.drop[Removed{Type: uid}]:
		v.tally.add(Dropped, at, "", Example{})
		return nil, true
	case name != uid:
		v.tally.add(Renamed, at, uid, Example{})
		changed = true
	case s.to == nil && (s.from != nil || v.From == nil):
		v.tally.add(Hidden, at, "", Example{})
	}
	if s.to != nil && s.from != nil && s.from.DraftAndPublish && !s.to.DraftAndPublish && e.Status == store.Draft {
		v.tally.add(Hidden, at, "drafts", Example{})
	}
	given, more := v.addIncoming(store.Name{Type: uid, Key: e.Key()}, e.Fields)
	fields, some := v.fields(s, name, given, at)
	if !some && !more && !changed {
		return e, false
	}
	moved := *e
	moved.Fields = fields
	return &moved, true
}

// fields returns what the fields of an entry or a component become.
func (v *evolver) fields(s side, uid string, fields store.Fields, at verify.Spot) (after store.Fields, changed bool) {
	after = make(store.Fields, 0, len(fields))
	for _, f := range fields {
		name, a := v.attribute(s, uid, f.Name)
		if v.drop[Removed{uid, f.Name}] {
			v.tally.add(Dropped, at.Attribute(f.Name), "", v.example(attribute{from: a.from}, f.Value))
			changed = true
			continue
		}
		here := at.Attribute(name)
		value, converted := v.field(a, s, f.Value, here)
		changed = changed || converted || name != f.Name
		if name != f.Name {
			v.tally.add(Renamed, here, f.Name, v.example(a, f.Value))
			if !v.renames(s, uid, fields, name, here) {
				continue
			}
		} else if v.replaced(uid, fields, name) && !value.IsEmpty() {
			continue // a renamed value replaces it
		}
		if !value.IsEmpty() {
			after = append(after, store.Field{Name: name, Value: value})
		}
	}
	if !changed {
		return fields, false
	}
	return after, true
}

// renames reports whether a value may have its new name: not if another one keeps it.
func (v *evolver) renames(s side, uid string, fields store.Fields, name string, at verify.Spot) bool {
	if _, leaves := v.names[Removed{uid, name}]; leaves || v.drop[Removed{uid, name}] || fields.Value(name).IsEmpty() {
		return true
	}
	if v.Localized.Keep == KeepNeither {
		v.tally.add(Clashing, at, name, Example{})
	}
	return v.Localized.Keep != KeepNew
}

// replaced reports whether a renamed value takes that name.
func (v *evolver) replaced(uid string, fields store.Fields, name string) bool {
	return v.Localized.Keep == KeepOld && slices.ContainsFunc(fields, func(f store.Field) bool {
		return f.Name != name && v.names[Removed{uid, f.Name}] == name && !f.Value.IsEmpty()
	})
}

// field returns what one value becomes.
func (v *evolver) field(a attribute, s side, value store.Value, at verify.Spot) (after store.Value, changed bool) {
	switch {
	case a.to == nil:
		if (a.from != nil || v.From == nil) && s.to != nil {
			v.tally.add(Hidden, at, "", v.example(a, value))
		}
		return v.hidden(value)
	case a.from == nil && s.from != nil:
		v.tally.add(Shown, at, "", v.example(a, value))
	}
	return v.convert(a, value, at)
}

// hidden returns what a value that the new site does not know becomes: it gets new names of
// types, and dropped ones are removed.
func (v *evolver) hidden(value store.Value) (after store.Value, changed bool) {
	switch value.Kind {
	case store.Instances:
		list := make([]store.Instance, 0, len(value.Instances))
		for _, r := range value.Instances {
			if v.drop[Removed{Type: r.Component}] {
				continue
			}
			name := v.newUID(r.Component)
			fields, inside := v.hiddenFields(r.Fields)
			changed = changed || inside || name != r.Component
			r.Component, r.Fields = name, fields
			list = append(list, r)
		}
		changed = changed || len(list) < len(value.Instances)
		value.Instances = list
	case store.Edges:
		list := make([]store.Edge, 0, len(value.Edges))
		for _, edge := range value.Edges {
			if v.drop[Removed{Type: edge.Type}] {
				continue
			}
			was := edge.Type
			edge.Type = v.newUID(was)
			changed = changed || edge.Type != was
			list = append(list, edge)
		}
		changed = changed || len(list) < len(value.Edges)
		value.Edges = list
	}
	return value, changed
}

func (v *evolver) hiddenFields(fields store.Fields) (after store.Fields, changed bool) {
	after = slices.Clone(fields)
	for i, f := range fields {
		value, inside := v.hidden(f.Value)
		after[i].Value, changed = value, changed || inside
	}
	return slices.DeleteFunc(after, func(f store.Field) bool { return changed && f.Value.IsEmpty() }), changed
}

// linkPlaces gives links places in the lists of their targets.
type linkPlaces struct {
	tx  *store.Tx
	err error
}

// reach makes the sequence continue after a place.
func (p *linkPlaces) reach(owner string, place uint64) {
	sequence := content.PlaceSequence(owner)
	if n := place / content.PlaceGap; n > p.tx.Sequence(sequence) {
		p.err = errors.Join(p.err, p.tx.SetSequence(sequence, n))
	}
}

func (p *linkPlaces) next(owner string) uint64 {
	sequence := content.PlaceSequence(owner)
	n := p.tx.Sequence(sequence) + 1
	p.err = errors.Join(p.err, p.tx.SetSequence(sequence, n))
	return n * content.PlaceGap
}
