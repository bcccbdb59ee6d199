package content

import (
	"cmp"
	"fmt"
	"slices"

	"quire/schema"
	"quire/store"
)

// A write of a draft changes nothing that is published, unless its caller may publish: this
// is checked for its complete plan, however the plan came about. Such a change is possible
// because the entries of types without drafts are published, and so are those that were
// imported without a draft. If they store links to drafts, or allow only one link, a write
// of a draft may take a link from them, and with it from the published version of another
// document.
//
//	review w    restaurant: [A]       (a type without drafts)
//	draft of B  reviews: [w]          takes w from the published A
//
// A create that publishes may link to anything, as in Strapi, but its caller may not change
// the other documents: without the right to update, it takes no published link from them.

// mayPublish reports whether the caller may change what is published of a type, and, with several
// roles, of that document.
func (op *operation) mayPublish(t *schema.Type, documentID, locale string) bool {
	may := func(a schema.Action) bool { return op.access.Allows(t, a) }
	if !may(schema.Update) && !(may(schema.UpdateDraft) && may(schema.Publish)) {
		return false
	}
	actions := []schema.Action{schema.Update, schema.Publish}
	if !t.DraftAndPublish {
		actions = actions[:1]
	}
	r := op.reach(t)
	return r == nil || len(r.Ways) == 0 || op.may(t, documentID, locale, actions...) == nil
}

// keepsPublished refuses a planned write of drafts that changes what is published, and a
// create that takes published links from other documents, if the caller may publish neither
// the written type nor that of the changed entry.
func (op *operation) keepsPublished() error {
	if op.access == nil || op.about == nil || op.mayPublish(op.about, op.acting.documentID, op.acting.locale) {
		return nil
	}
	changes := op.showsPublished
	switch {
	case op.publishes && op.onlyCreates():
		changes = op.takesPublished
	case op.publishes:
		return nil
	}
	for _, c := range op.changes {
		t := op.site.Type(c.Type)
		e := cmp.Or(c.After, c.Before)
		if e == nil || op.mayPublish(t, e.DocumentID, e.Locale) || !changes(t, c) {
			continue
		}
		return &ForbiddenError{Message: fmt.Sprintf("This changes links that are published and stored with entries of %s, which needs %s or %s", t.UID, permissionToUpdate(op.about), permissionToUpdate(t))}
	}
	return nil
}

func permissionToUpdate(t *schema.Type) string { return fmt.Sprintf("%s.%s", t.UID, schema.Update) }

// showsPublished reports whether readers who see no drafts can see a change.
func (op *operation) showsPublished(t *schema.Type, c store.Change) bool {
	switch {
	case c.Before == c.After:
		return false
	case c.Before == nil || c.After == nil:
		return c.After == nil && c.Before.Status == store.Published || c.Before == nil && c.After.Status == store.Published
	case c.After.Status != store.Published:
		return false
	}
	was, is := *c.Before, *c.After
	return was.ID != is.ID || was.UpdatedAt != is.UpdatedAt || was.PublishedAt != is.PublishedAt ||
		!op.publicFields(t, &was).EqualButDrafts(op.publicFields(t, &is))
}

// onlyCreates reports whether all documents that the write is about are new.
func (op *operation) onlyCreates() bool {
	for _, action := range op.subjects {
		if action != store.ActionCreate {
			return false
		}
	}
	return true
}

// takesPublished reports whether a create, whose own entries are new, takes a published link
// from an entry.
func (op *operation) takesPublished(t *schema.Type, c store.Change) bool {
	switch {
	case c.Before == nil || c.Before.Status != store.Published:
		return false
	case c.After == nil:
		return true
	}
	for _, f := range op.publicFields(t, c.Before) {
		now := c.After.Value(f.Name).Edges
		for _, was := range f.Value.Edges {
			if was.Only != store.Draft && !slices.ContainsFunc(now, func(e store.Edge) bool {
				return e.Target == was.Target && e.Type == was.Type && e.Locale == was.Locale && e.Only != store.Draft
			}) {
				return true
			}
		}
	}
	return false
}

// publicFields returns the fields of a published entry without links that lead to nothing
// that is published before or after the write.
func (op *operation) publicFields(t *schema.Type, e *store.Entry) (fields store.Fields) {
	for _, f := range e.Fields {
		a := t.Attribute(f.Name)
		if a == nil || a.Relation == nil || len(f.Value.Edges) == 0 {
			fields = append(fields, f)
			continue
		}
		f.Value.Edges = slices.DeleteFunc(slices.Clone(f.Value.Edges), func(edge store.Edge) bool {
			target := op.targetOf(a, edge)
			if target == nil {
				return true
			}
			k := op.targetKey(target, e.Locale, edge).WithStatus(store.Published)
			return !op.content.Exists(target, k) && !op.exists(target, k)
		})
		fields = append(fields, f)
	}
	return fields
}
