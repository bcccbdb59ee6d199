package archive

import (
	"encoding/json"
	"slices"

	"quire/schema"
	"quire/store"
)

// writeLinks writes the links that an attribute of one row owns.
func (w *entityWriter) writeLinks(a *schema.Attribute, row uint64, edges []store.Edge) {
	if !a.Relation.Owns || w.links == nil {
		return
	}
	n := 0
	for _, e := range edges {
		targets := w.versions(a, e)
		if len(targets) == 0 {
			w.report.leave("links of "+a.Owner.UID+"."+a.Name, 1, nowhere)
			continue
		}
		n++
		for _, target := range targets {
			if w.err == nil {
				w.err = w.writeLink(w.links, describeLink(a, row, target, e.Place, n))
			}
		}
	}
}

// versions returns the rows in an archive that an edge leads to. There, links are between
// versions: of a draft the draft, of a published version the published one, and without
// drafts, both. A target that has only the other version is linked with that, because the
// link would otherwise be lost.
func (w *entityWriter) versions(a *schema.Attribute, e store.Edge) []targetRow {
	rows := w.targets(a, e, w.entry.Locale)
	if len(rows) == 2 && w.t.DraftAndPublish {
		rows = slices.DeleteFunc(rows, func(r targetRow) bool { return r.status != w.entry.Status })
	}
	return rows
}

// describeLink returns the n-th link of an attribute in the form of an archive.
func describeLink(a *schema.Attribute, row uint64, to targetRow, place uint64, n int) linkLine {
	order := float64(n)
	owner := linkEnd{Type: a.Owner.UID, Field: a.Name, Ref: rowRef(row)}
	target := linkEnd{Type: to.t.UID, Ref: rowRef(to.id)}
	l := linkLine{Kind: "relation.basic", Relation: a.Relation.Form.String()}
	switch {
	case a.Kind == schema.Media: // files own these in Strapi
		l.Kind, l.Relation = "relation.morph", "morphToMany"
		target.Field, owner.Pos = "related", &order
		l.Left, l.Right = target, owner
		return l
	case a.Relation.Morph():
		l.Kind = "relation.morph"
		pos := float64(place) / placesPerPosition
		owner.Pos = &pos // Strapi does not have this, and ignores it
		if a.Relation.Form == schema.MorphToMany {
			target.Pos, target.Field = &order, seenAs(a, to.t)
		}
	default:
		if to.t == a.Owner {
			l.Kind = "relation.circular"
		}
		if a.Relation.Many() {
			owner.Pos = &order
		}
		if inverse := a.Relation.Inverse; inverse != nil {
			target.Field = inverse.Name
			if inverse.Relation.Many() {
				pos := float64(place) / placesPerPosition
				target.Pos = &pos
			}
		}
	}
	l.Left, l.Right = owner, target
	return l
}

// seenAs returns the attribute of t that shows the links of a morph relation.
func seenAs(a *schema.Attribute, t *schema.Type) string {
	for _, other := range t.Attributes {
		if other.Relation != nil && other.Relation.Inverse == a {
			return other.Name
		}
	}
	return ""
}

func (x *exporter) writeLink(s *spool, l linkLine) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return s.line(text)
}
