package content

import (
	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// A project's own code can write single rows, as Strapi's query engine does: the draft or the
// published version of a document in one locale, and nothing else.

// Row names a stored entry.
type Row struct {
	Type *schema.Type
	Key  store.Key
}

// ToUpdateRow changes a stored entry alone. Errors: as for Update.
func ToUpdateRow(row Row, input *body.Input) Write {
	r := Request{Type: row.Type, DocumentID: row.Key.DocumentID, Locale: row.Key.Locale, Status: row.Key.Status, Input: input}
	return Write{plan: planOne(func(op *operation) (Result, error) { return op.saveRow(row, r) }), request: &r, about: r.matter(store.ActionUpdate)}
}

// ToDeleteRow deletes a stored entry alone.
func ToDeleteRow(row Row) Write {
	r := Request{Type: row.Type, DocumentID: row.Key.DocumentID, Locale: row.Key.Locale}
	return Write{plan: planOne(func(op *operation) (Result, error) { return op.deleteRow(row) }), about: r.matter(store.ActionDelete)}
}

func (op *operation) saveRow(row Row, r Request) (Result, error) {
	stored, err := op.entry(row.Type, row.Key)
	if err == nil && stored == nil {
		err = &NotFoundError{row.Type.UID, row.Key.DocumentID}
	}
	if err != nil {
		return Result{}, err
	}
	changed := *stored
	s := &saving{op: op, t: row.Type, request: r, fields: r.Input.Given, working: &changed}
	s.result = Result{DocumentID: row.Key.DocumentID, Locale: row.Key.Locale, Status: row.Key.Status}
	op.subject(s.t, row.Key.DocumentID, store.ActionUpdate, row.Key.Status == store.Published)
	published := changed.PublishedAt
	if err := s.merge(); err != nil {
		return Result{}, err
	}
	changed.PublishedAt = published
	if err := op.put(s.t, &changed); err != nil {
		return Result{}, err
	}
	if err := s.relink(&changed); err != nil {
		return Result{}, err
	}
	return s.result, op.found.Err()
}

func (op *operation) deleteRow(row Row) (Result, error) {
	op.subject(row.Type, row.Key.DocumentID, store.ActionDelete, row.Key.Status == store.Published)
	if row.Key.Status == store.Published && row.Type.DraftAndPublish {
		if err := op.unlinkPublished(row.Type, row.Key); err != nil {
			return Result{}, err
		}
	}
	return Result{DocumentID: row.Key.DocumentID, Locale: row.Key.Locale, Status: row.Key.Status}, op.remove(row.Type, row.Key)
}
