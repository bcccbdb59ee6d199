package index

import (
	"encoding/binary"
	"slices"
	"strconv"

	"quire/schema"
	"quire/store"
)

// Body has the values of an entry or of a component instance: one slot for each declared
// attribute, in the order of Type.Slots, without trailing nulls. A slot is a uvarint, 0 for
// null or 1 + the payload's length, and the payload:
//
//	scalar                JSON text, as answers carry it
//	component             uvarint id, then a Body
//	repeatable component  for each instance: uvarint length, then as above
//	dynamic zone          for each instance: uvarint length, uvarint ordinal of
//	                      the component, uvarint id, then a Body
//	relation, media       for each edge: uvarint document number, uvarint place,
//	                      uvarint 4 * (1 + locale ordinal, 0 for none) + 1 for the
//	                      draft or 2 for the published version of the target
//	                      alone and, in morph relations, uvarint type ordinal
//
// A published entry that equals its draft shares the draft's Body.
type Body []byte

// Slots walks a Body slot by slot.
type Slots struct{ rest []byte }

// Slots starts a walk over the body's slots.
func (b Body) Slots() Slots { return Slots{b} }

// Next returns the payload of the next slot, nil for null.
func (s *Slots) Next() []byte {
	if len(s.rest) == 0 {
		return nil
	}
	n := uint64(s.rest[0])
	width := 1
	if n >= 0x80 {
		n, width = binary.Uvarint(s.rest)
	}
	if n == 0 {
		s.rest = s.rest[width:]
		return nil
	}
	end := width + int(n) - 1
	payload := s.rest[width:end:end]
	s.rest = s.rest[end:]
	return payload
}

// Skip skips n slots.
func (s *Slots) Skip(n int) {
	at := 0
	for ; n > 0 && at < len(s.rest); n-- {
		switch size := int(s.rest[at]); {
		case size == 0:
			at++
		case size < 0x80:
			at += size // one for the length itself, and the stored one is one too high
		default:
			long, width := binary.Uvarint(s.rest[at:])
			at += width + int(long) - 1
		}
	}
	s.rest = s.rest[at:]
}

// Slot returns the payload of the slot at i, nil for null.
func (b Body) Slot(i int) []byte {
	s := b.Slots()
	s.Skip(i)
	return s.Next()
}

// Instance is one stored component: its id, its component and its values.
type Instance struct {
	ID   uint64
	Type *schema.Type
	Body Body
}

// Instances calls fn for each instance in the slot of a component or dynamic
// zone attribute, in order, until fn returns false.
func (s *Snapshot) Instances(a *schema.Attribute, slot []byte, fn func(Instance) bool) {
	single := a.Kind == schema.Component && !a.Repeatable
	for len(slot) > 0 {
		one := slot
		if single {
			slot = nil
		} else {
			n, width := binary.Uvarint(slot)
			one, slot = slot[width:width+int(n)], slot[width+int(n):]
		}
		component := a.ComponentType
		if a.Kind == schema.DynamicZone {
			ordinal, width := binary.Uvarint(one)
			component, one = s.site.Components[ordinal], one[width:]
		}
		id, width := binary.Uvarint(one)
		if !fn(Instance{id, component, one[width:]}) {
			return
		}
	}
}

// Edge is one link of a row: the target's document number, its place in the target's list
// and, if the edge has them, the target's locale, version and type.
type Edge struct {
	Target Doc
	Place  uint64
	Locale Locale       // NoLocale unless the edge has one
	Only   store.Status // 0 unless the edge links to only one version of the target
	Type   *schema.Type // nil except in morph relations
}

// LeadsTo reports whether the edge links to the version of its target with that status.
func (e *Edge) LeadsTo(status store.Status) bool { return e.Only == 0 || e.Only == status }

// versions are the codes of Edge.Only in a Body.
var versions = [4]store.Status{1: store.Draft, 2: store.Published}

// Edges walks the slot of a relation or media attribute.
type Edges struct {
	rest  []byte
	morph bool
	site  *schema.Site
}

// Edges starts a walk over the edges in a slot of attribute a.
func (s *Snapshot) Edges(a *schema.Attribute, slot []byte) Edges {
	return Edges{slot, a.Relation.Morph(), s.site}
}

// Next returns the next edge; false at the end.
func (w *Edges) Next() (Edge, bool) {
	if len(w.rest) == 0 {
		return Edge{}, false
	}
	target, rest := uvarint(w.rest)
	place, rest := uvarint(rest)
	locale, rest := uvarint(rest)
	e := Edge{Target: Doc(target), Place: place, Locale: Locale(locale>>2) - 1, Only: versions[locale&3]}
	if w.morph {
		var ordinal uint64
		ordinal, rest = uvarint(rest)
		e.Type = w.site.Types[ordinal]
	}
	w.rest = rest
	return e, true
}

// uvarint takes a number off b; most are short.
func uvarint(b []byte) (n uint64, rest []byte) {
	if b[0] < 0x80 {
		return uint64(b[0]), b[1:]
	}
	n, width := binary.Uvarint(b)
	return n, b[width:]
}

// encoder encodes stored values as bodies. It leaves out values whose kind no longer fits
// their attribute, after a change of the schema: they stay in the file and quire check
// reports them.
type encoder struct {
	site *schema.Site
	// number returns the document number of a target, existing or not.
	number func(t *schema.Type, documentID string) Doc
	locale func(code string) Locale
	part   func(*schema.Attribute) bool // see BuildPart
	bodies *bodies                      // where bodies are stored; nil for memory

	room []byte // buffer for bodies
}

// body returns a body that takes no more memory than it needs.
func (e *encoder) body(t *schema.Type, fields []store.Field) Body {
	e.room = e.appendBody(e.room[:0], t, fields)
	return e.bodies.keep(e.room)
}

func (e *encoder) appendBody(dst []byte, t *schema.Type, fields []store.Field) []byte {
	var few [48]*store.Value
	values := few[:]
	if len(t.Slots) > len(few) {
		values = make([]*store.Value, len(t.Slots))
	}
	sorted := t.Sorted
	for i := range fields {
		name := fields[i].Name
		for len(sorted) > 0 && sorted[0].Name < name {
			sorted = sorted[1:]
		}
		if len(sorted) > 0 && sorted[0].Name == name {
			values[sorted[0].Slot] = &fields[i].Value
		} else if a := t.Attribute(name); a != nil && a.System == schema.NotSystem { // the fields are in another order
			values[a.Slot] = &fields[i].Value
		}
	}
	pending := 0 // nulls not written yet
	for i, a := range t.Slots {
		v := values[i]
		if v == nil || !HasKind(a, v) || e.part != nil && !e.part(a) {
			pending++
			continue
		}
		for ; pending > 0; pending-- {
			dst = append(dst, 0)
		}
		start := len(dst)
		dst = e.appendValue(append(dst, 0), a, v)
		dst = setLength(dst, start, 1)
	}
	return dst
}

// setLength writes the length of what follows the byte at start, plus extra, into that
// byte, and moves the rest if one byte is not enough.
func setLength(dst []byte, start int, extra uint64) []byte {
	n := uint64(len(dst)-start-1) + extra
	if n < 0x80 {
		dst[start] = byte(n)
		return dst
	}
	var prefix [binary.MaxVarintLen64]byte
	width := binary.PutUvarint(prefix[:], n)
	dst = append(dst, prefix[:width-1]...)
	copy(dst[start+width:], dst[start+1:len(dst)-width+1])
	copy(dst[start:], prefix[:width])
	return dst
}

// HasKind reports whether a stored value has the current kind of the attribute.
func HasKind(a *schema.Attribute, v *store.Value) bool {
	switch a.Kind {
	case schema.Integer, schema.BigInteger:
		return v.Kind == store.Int
	case schema.Float, schema.Decimal:
		return v.Kind == store.Float
	case schema.Boolean:
		return v.Kind == store.Bool
	case schema.JSON, schema.Blocks:
		return v.Kind == store.JSON
	case schema.Component:
		return v.Kind == store.Instances && (a.Repeatable || len(v.Instances) == 1)
	case schema.DynamicZone:
		return v.Kind == store.Instances
	case schema.RelationKind, schema.Media:
		return v.Kind == store.Edges && a.Relation.Owns
	}
	return v.Kind == store.Text
}

func (e *encoder) appendValue(dst []byte, a *schema.Attribute, v *store.Value) []byte {
	switch v.Kind {
	case store.Instances:
		return e.appendInstances(dst, a, v.Instances)
	case store.Edges:
		return e.appendEdges(dst, a, v.Edges)
	}
	return AppendScalar(dst, a, v)
}

// AppendScalar appends a plain value of an attribute in the form of responses.
func AppendScalar(dst []byte, a *schema.Attribute, v *store.Value) []byte {
	switch v.Kind {
	case store.Bool:
		return strconv.AppendBool(dst, v.Num != 0)
	case store.Int:
		if a.Kind == schema.BigInteger {
			dst = append(dst, '"')
			dst = strconv.AppendInt(dst, v.Num, 10)
			return append(dst, '"')
		}
		return strconv.AppendInt(dst, v.Num, 10)
	case store.Float:
		return AppendNumber(dst, v.Real)
	case store.JSON:
		return append(dst, v.Text...)
	}
	return AppendString(dst, v.Text)
}

func (e *encoder) appendInstances(dst []byte, a *schema.Attribute, instances []store.Instance) []byte {
	for i := range instances {
		r := &instances[i]
		component := a.ComponentType
		if a.Kind == schema.DynamicZone {
			component = e.site.Type(r.Component)
			if component == nil || !component.IsComponent() {
				continue
			}
		}
		if a.Kind == schema.Component && !a.Repeatable {
			return e.appendBody(binary.AppendUvarint(dst, r.ID), component, r.Fields)
		}
		start := len(dst)
		dst = append(dst, 0)
		if a.Kind == schema.DynamicZone {
			dst = binary.AppendUvarint(dst, uint64(e.site.ComponentOrdinal(component)))
		}
		dst = e.appendBody(binary.AppendUvarint(dst, r.ID), component, r.Fields)
		dst = setLength(dst, start, 0)
	}
	return dst
}

func (e *encoder) appendEdges(dst []byte, a *schema.Attribute, edges []store.Edge) []byte {
	for i := range edges {
		edge := &edges[i]
		target := a.Relation.Target
		if a.Relation.Morph() {
			target = e.site.Type(edge.Type)
			if target == nil || target.IsComponent() {
				continue
			}
		}
		dst = binary.AppendUvarint(dst, uint64(e.number(target, edge.Target)))
		dst = binary.AppendUvarint(dst, edge.Place)
		dst = binary.AppendUvarint(dst, uint64(e.locale(edge.Locale)+1)<<2|uint64(slices.Index(versions[:3], edge.Only)))
		if a.Relation.Morph() {
			dst = binary.AppendUvarint(dst, uint64(e.site.TypeOrdinal(target)))
		}
	}
	return dst
}
