package indextest

import (
	"fmt"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// describeBody returns all values and edges of a body, as text without numbers of
// documents.
func describeBody(s *index.Snapshot, t *schema.Type, body index.Body) string {
	var out []byte
	slots := body.Slots()
	for _, a := range t.Slots {
		slot := slots.Next()
		if slot == nil {
			continue
		}
		out = fmt.Appendf(out, "%s=", a.Name)
		switch {
		case a.Relation != nil:
			eachEdge(s, a, slot, func(target *schema.Type, e index.Edge) {
				out = fmt.Appendf(out, "%s/%s/%s@%d %s,", target.UID, s.Collection(target).DocumentID(e.Target), s.LocaleCode(e.Locale), e.Place, e.Only)
			})
		case !a.IsScalar():
			s.Instances(a, slot, func(in index.Instance) bool {
				out = fmt.Appendf(out, "%s#%d{%s}", in.Type.UID, in.ID, describeBody(s, in.Type, in.Body))
				return true
			})
		default:
			out = append(out, slot...)
		}
		out = append(out, ' ')
	}
	return string(out)
}

// eachEdge calls fn for the edges in a slot of attribute a, with the type of the target.
func eachEdge(s *index.Snapshot, a *schema.Attribute, slot []byte, fn func(target *schema.Type, e index.Edge)) {
	edges := s.Edges(a, slot)
	for e, ok := edges.Next(); ok; e, ok = edges.Next() {
		target := a.Relation.Target
		if e.Type != nil {
			target = e.Type
		}
		fn(target, e)
	}
}

// beyond is how many numbers above the highest used one are checked for documents that
// should have none.
const beyond = 256

// documentsOf returns the documents of a type that have a number.
func documentsOf(s *index.Snapshot, t *schema.Type) map[index.Doc]string {
	c, documents := s.Collection(t), map[index.Doc]string{}
	for n, unnamed := index.Doc(0), 0; unnamed < beyond; n++ {
		if documentID := c.DocumentID(n); documentID != "" {
			documents[n] = documentID
			unnamed = 0
		} else {
			unnamed++
		}
	}
	return documents
}

// misnumbered describes the first document that has a number and needs none, or needs one
// and has none: a document must have one if and only if it has an entry or an edge names
// it.
func misnumbered(s *index.Snapshot) string {
	used := map[*schema.Type]map[index.Doc]bool{}
	for _, t := range s.Site().Types {
		used[t] = map[index.Doc]bool{}
	}
	for _, t := range s.Site().Types {
		for _, status := range []store.Status{store.Draft, store.Published} {
			tb := s.Table(t, status)
			tb.Live().Each(func(r index.Row) bool {
				e := tb.Entry(r)
				used[t][e.Doc] = true
				markNamed(s, t, e.Body, used)
				return true
			})
		}
	}
	for _, t := range s.Site().Types {
		documents := documentsOf(s, t)
		for n, documentID := range documents {
			if found, ok := s.Collection(t).Document(documentID); !ok || found != n || !used[t][n] {
				return fmt.Sprintf("%s: %q has the number %d and is found as %d; it is needed: %v", t.UID, documentID, n, found, used[t][n])
			}
		}
		if len(documents) != len(used[t]) {
			return fmt.Sprintf("%s: %d documents have numbers, and %d need one", t.UID, len(documents), len(used[t]))
		}
	}
	return ""
}

// markNamed marks the documents that the edges of a body name.
func markNamed(s *index.Snapshot, t *schema.Type, body index.Body, used map[*schema.Type]map[index.Doc]bool) {
	slots := body.Slots()
	for _, a := range t.Slots {
		slot := slots.Next()
		switch {
		case slot == nil:
		case a.Relation != nil:
			eachEdge(s, a, slot, func(target *schema.Type, e index.Edge) { used[target][e.Target] = true })
		case !a.IsScalar():
			s.Instances(a, slot, func(in index.Instance) bool {
				markNamed(s, in.Type, in.Body, used)
				return true
			})
		}
	}
}
