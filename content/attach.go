package content

import (
	"slices"

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
	op.stampAll(entries)
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
	for _, k := range op.content.Versions(t, a.DocumentID) {
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

// stampAll gives all versions one new updatedAt, but for a draft that differed
// from the published version already: it stays the newer one.
func (op *operation) stampAll(entries []*store.Entry) {
	modified := len(entries) == 2 && entries[0].UpdatedAt > entries[1].UpdatedAt
	stamp := op.now
	for _, e := range entries {
		stamp = max(stamp, e.UpdatedAt+1)
	}
	for _, e := range entries {
		e.UpdatedAt = stamp
	}
	if modified {
		entries[0].UpdatedAt++
	}
}

func (op *operation) attachTo(t *schema.Type, e *store.Entry, a Attachment) error {
	in := &linksInput{}
	for _, id := range a.Files {
		in.connect = append(in.connect, linkInput{target: target{documentID: id}})
	}
	l := linker{op: op, attribute: a.Attribute, from: e.Key(), fromType: t, at: path{name: a.Attribute.Name, parent: new(path)}}
	edges, err := l.newList(slices.Clone(e.Value(a.Attribute.Name).Edges), in)
	if err == nil {
		err = op.found.err()
	}
	if err != nil {
		return err
	}
	e.Fields = with(e.Fields, a.Attribute.Name, store.Value{Kind: store.Edges, Edges: edges})
	if err := op.put(t, e); err != nil {
		return err
	}
	return op.share(t, e)
}
