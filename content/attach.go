package content

import (
	"slices"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// Attachment adds files to a media attribute of an entry, and leaves everything else of the
// entry unchanged. Nothing else of the draft is published.
type Attachment struct {
	Attribute  *schema.Attribute // of a content type
	DocumentID string
	Locale     string       // empty for the default one
	Status     store.Status // Draft changes only the draft, any other value also the published version
	Files      []string     // documentIds
}

// attach appends files to a list, or replaces a single file.
func (op *operation) attach(a Attachment) error {
	t := a.Attribute.Owner
	locale, err := op.locale(t, a.Locale)
	if err != nil {
		return err
	}
	// Copies of the versions to change, the draft first.
	var entries []*store.Entry
	for _, k := range op.versions(t, a.DocumentID) {
		if k.Locale != locale || k.Status != store.Draft && a.Status == store.Draft {
			continue
		}
		e, err := op.entry(t, k)
		if err != nil {
			return err
		}
		changed := *e
		entries = append(entries, &changed)
	}
	if entries == nil {
		return &NotFoundError{t.UID, a.DocumentID}
	}
	op.act(t, a.DocumentID, locale, schema.Update)
	if a.Status != store.Draft && t.DraftAndPublish {
		op.act(t, a.DocumentID, locale, schema.Update, schema.Publish)
	}
	if err := op.mayChange(t, a.DocumentID, locale); err != nil {
		return err
	}
	sight, err := op.sightOn(t, a.DocumentID, locale)
	if err != nil {
		return err
	}
	if !sight.Sets(a.Attribute) {
		return readOnly(body.At(a.Attribute.Name))
	}
	op.subject(t, a.DocumentID, store.ActionUpdate, a.Status != store.Draft)
	// Give all versions the same new updatedAt, except that a draft that already differed from
	// the published version stays the newer one.
	modified := len(entries) == 2 && entries[0].UpdatedAt > entries[1].UpdatedAt
	moment := op.now
	for _, e := range entries {
		moment = max(moment, e.UpdatedAt+1)
	}
	for _, e := range entries {
		e.UpdatedAt = moment
	}
	if modified {
		entries[0].UpdatedAt++
	}
	for _, e := range entries {
		if e.Status == store.Published && t.DraftAndPublish {
			if err := op.inStage(t, e.Key()); err != nil {
				return err
			}
		}
		if err := op.attachTo(t, e, a); err != nil {
			return err
		}
	}
	return nil
}

func (op *operation) attachTo(t *schema.Type, e *store.Entry, a Attachment) error {
	in := &body.Links{}
	for _, id := range a.Files {
		in.Connect = append(in.Connect, body.Link{Target: body.Target{DocumentID: id}})
	}
	l := linker{op: op, attribute: a.Attribute, from: e.Key(), fromType: t, at: body.At(a.Attribute.Name)}
	found, err := l.find(in)
	if err != nil {
		return err
	}
	edges, err := l.newList(slices.Clone(e.Value(a.Attribute.Name).Edges), found, false)
	if err == nil {
		err = op.found.Err()
	}
	if err != nil {
		return err
	}
	e.Fields = e.Fields.With(a.Attribute.Name, store.Value{Kind: store.Edges, Edges: edges})
	if err := op.put(t, e); err != nil {
		return err
	}
	return op.share(t, e)
}
