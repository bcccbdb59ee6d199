package index

import (
	"slices"

	"quire/schema"
)

// Doc is the number of a document within its content type. A document has one as long as an
// entry is stored under it or an edge names it; after that the number goes to another
// document. So a number is only valid within one snapshot.
type Doc = uint32

// documents assigns numbers to the documents of a content type.
type documents struct {
	numbering
	uses paged[uint32] // by number: count of the entries of the document and the edges to it
	free Posting       // unused numbers below the highest
}

func newDocuments(own *edition) *documents { return &documents{numbering: *newNumbering(own)} }

func (d *documents) clone(own *edition) *documents {
	return &documents{*d.numbering.clone(own), d.uses.clone(), d.free}
}

// number returns the number of a document. A new document gets the lowest free number,
// which must be used before anything is released.
func (d *documents) number(documentID string) Doc {
	if n, ok := d.find(documentID); ok {
		return n
	}
	n, ok := d.free.first()
	if !ok {
		return d.add(documentID)
	}
	d.free = d.free.remove(n, d.own)
	d.put(documentID, n)
	return n
}

// retain counts one more entry of a document or edge to it.
func (d *documents) retain(n Doc) { *d.uses.edit(n, d.own)++ }

// release counts one less, and reports whether it was the last: then the number is free.
func (d *documents) release(n Doc) (last bool) {
	uses := d.uses.edit(n, d.own)
	if *uses--; *uses > 0 {
		return false
	}
	d.remove(n)
	d.free = d.free.add(n, Row(d.texts.n), d.own)
	end := d.texts.n
	for end > 0 && d.free.Has(Doc(end-1)) {
		end--
		d.free = d.free.remove(Doc(end), d.own)
	}
	d.texts.cut(end)
	d.uses.cut(end)
	return true
}

// namedDocument is a document that an edge names.
type namedDocument struct {
	t *schema.Type
	d Doc
}

// appendNamed appends the documents that the edges of a body name, once for each edge.
func (s *Snapshot) appendNamed(dst []namedDocument, t *schema.Type, body Body) []namedDocument {
	slots := body.Slots()
	for _, a := range t.Slots {
		slot := slots.Next()
		switch {
		case slot == nil:
		case a.Relation != nil:
			edges := s.Edges(a, slot)
			for e, ok := edges.Next(); ok; e, ok = edges.Next() {
				target := a.Relation.Target
				if e.Type != nil {
					target = e.Type
				}
				dst = append(dst, namedDocument{target, e.Target})
			}
		case !a.IsScalar():
			s.Instances(a, slot, func(in Instance) bool {
				dst = s.appendNamed(dst, in.Type, in.Body)
				return true
			})
		}
	}
	return dst
}

// recount updates the numbers in use for a changed entry; a zero Entry means none.
// Documents that only the old entry named are free afterwards.
func (e *Edit) recount(t *schema.Type, before, after *Entry) {
	e.named = e.next.appendNamed(e.named[:0], t, after.Body)
	n := len(e.named)
	e.named = e.next.appendNamed(e.named, t, before.Body)
	come, gone := e.named[:n], e.named[n:]
	if after.exists() != before.exists() {
		if after.exists() {
			e.documents(t).retain(after.Doc)
		}
	} else if slices.Equal(come, gone) {
		return
	}
	for _, one := range come {
		e.documents(one.t).retain(one.d)
	}
	for _, one := range gone {
		e.release(one.t, one.d)
	}
	if before.exists() && !after.exists() {
		e.release(t, before.Doc)
	}
}

func (e *Edit) release(t *schema.Type, d Doc) {
	if e.documents(t).release(d) {
		e.lastFields = nil // the body made from them may name it
	}
}

// documents returns the documents of a type for this edit to change.
func (e *Edit) documents(t *schema.Type) *documents {
	c := e.next.Collection(t)
	if c.documents.own != e.own {
		changed := *c
		changed.documents = c.documents.clone(e.own)
		e.next.collections[e.next.site.TypeOrdinal(t)], c = &changed, &changed
	}
	return c.documents
}
