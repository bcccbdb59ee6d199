package content

import (
	"slices"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// Attachment asks to show files in a media attribute of an entry, and to leave
// everything else of it as it is: nothing is published on the way.
type Attachment struct {
	Attribute  *schema.Attribute // of a content type
	DocumentID string
	Locale     string       // empty for the default one
	Status     store.Status // Draft changes the draft alone, anything else the published version too
	Files      []string     // documentIds
}

// attach adds files at the end of a list, or replaces the one file.
func (op *operation) attach(a Attachment) error {
	t := a.Attribute.Owner
	locale, err := op.locale(t, a.Locale)
	if err != nil {
		return err
	}
	entries, err := op.attachable(t, a, locale)
	if err != nil {
		return err
	}
	if err := op.mayChange(t, a.DocumentID, locale); err != nil {
		return err
	}
	if !op.sight(t).Sets(a.Attribute) {
		return readOnly(body.At(a.Attribute.Name))
	}
	op.subject(t, a.DocumentID, store.ActionUpdate)
	op.renew(entries)
	for _, e := range entries {
		if err := op.attachTo(t, e, a); err != nil {
			return err
		}
	}
	return nil
}

// attachable are copies of the versions to be changed, the draft first.
func (op *operation) attachable(t *schema.Type, a Attachment, locale string) ([]*store.Entry, error) {
	var entries []*store.Entry
	for _, k := range op.versions(t, a.DocumentID) {
		if k.Locale != locale || k.Status != store.Draft && a.Status == store.Draft {
			continue
		}
		e, err := op.entry(t, k)
		if err != nil {
			return nil, err
		}
		changed := *e
		entries = append(entries, &changed)
	}
	if entries == nil {
		return nil, &NotFoundError{t.UID, a.DocumentID}
	}
	return entries, nil
}

// renew gives all versions one new updatedAt, but for a draft that differed
// from the published version already: it stays the newer one.
func (op *operation) renew(entries []*store.Entry) {
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
