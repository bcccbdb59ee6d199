package content

import (
	"context"
	"slices"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// Whoever sees a document also sees the private files that it uses, with addresses that open
// them. So a write links to a private file only if its caller may find files, has uploaded this
// one, or sees it in the document already. For others it does not exist.

// mayUse reports whether the caller may link to a file.
func (l *linker) mayUse(documentID string) (bool, error) {
	op, files := l.op, l.op.site.Type(schema.FileUID)
	if op.access == nil || op.access.Allows(files, schema.Find) || !op.content.HasPrivateFolders() {
		return true, nil
	}
	file, err := op.entry(files, store.Key{DocumentID: documentID, Status: store.Published})
	if err != nil || file == nil {
		return false, err
	}
	if !op.content.IsPrivateRecord(file) {
		return true, nil
	}
	if op.actor != store.ByPublic && op.owns(file.Stamp.CreatedBy) {
		return true, nil
	}
	readsDrafts := !l.fromType.DraftAndPublish || op.access.Allows(l.fromType, schema.ReadDraft)
	for _, k := range op.versions(l.fromType, l.from.DocumentID) {
		if k.Status == store.Draft && !readsDrafts {
			continue
		}
		e, err := op.entry(l.fromType, k)
		if err != nil || e != nil && op.has(l.fromType, e) && op.shows(l.fromType, op.sight(l.fromType), e.Fields, documentID) {
			return err == nil, err
		}
	}
	return false, nil
}

// shows reports whether fields of an entry or a component of type t link to a file where the
// caller, who may not find files, sees it: in a media attribute.
func (op *operation) shows(t *schema.Type, sight *schema.Sight, fields store.Fields, file string) bool {
	return slices.ContainsFunc(t.Attributes, func(a *schema.Attribute) bool {
		if a.Kind == schema.RelationKind || !sight.Sees(a) {
			return false
		}
		v := fields.Value(a.Name)
		return slices.ContainsFunc(v.Edges, func(e store.Edge) bool {
			target := op.targetOf(a, e)
			return e.Target == file && target != nil && target.UID == schema.FileUID
		}) || slices.ContainsFunc(v.Instances, func(r store.Instance) bool {
			component := op.site.Type(r.Component)
			return component != nil && op.shows(component, sight.Within(a), r.Fields, file)
		})
	})
}

// CheckFiles refuses links to private files in the data of a document, as a write of the caller of
// the context would. It is for data that a project's own code writes with the rights of the site's
// owner. The documentId is empty for a new document.
func (w *Writer) CheckFiles(ctx context.Context, in *body.Input, documentID string) error {
	access, t := accessOf(ctx), in.Type
	if access == nil || access.Allows(w.planner.site.Type(schema.FileUID), schema.Find) || !w.index().Snapshot().HasPrivateFolders() {
		return nil
	}
	return w.db.View(func(tx *store.Tx) error {
		op := w.planner.operation(tx, w.index().Snapshot(), w.planner.now())
		op.actor, op.access = actorOf(ctx), access
		switch {
		case !access.Allows(t, t.ReadOne()) && !access.Allows(t, schema.Find):
			documentID = "" // the caller sees no file in it
		case t.Kind == schema.Single:
			documentID, _ = op.singleDocument(t)
		}
		return in.Each(func(g *body.Given, at body.Path) error {
			if g.Attribute.Kind != schema.Media || g.Links == nil {
				return nil
			}
			l := linker{op: op, attribute: g.Attribute, from: store.Key{DocumentID: documentID}, fromType: t, at: at}
			_, err := l.find(g.Links)
			return err
		})
	})
}
