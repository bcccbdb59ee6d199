package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// do does a write in the transaction of the call, or in one of its own.
func (c *call) do(one content.Write) (results []content.Result, err error) {
	if c.tx != nil {
		return c.tx.Do(c.ctx, one)
	}
	committed, err := c.service.Writer.Transact(c.ctx, func(ctx context.Context, t *content.Transaction) error {
		_, err := t.Do(ctx, one)
		return err
	})
	if err != nil {
		return nil, err
	}
	return committed[0], nil
}

// input reads the data of a write. As in Strapi, keys that are no attributes are ignored.
func (c *call) input(t *schema.Type) (*body.Input, error) {
	var data map[string]json.RawMessage
	if err := json.Unmarshal(c.arguments["data"], &data); err != nil && c.arguments["data"] != nil {
		return nil, &Error{Name: "ValidationError", Message: "data must be an object", Status: 400}
	}
	for key := range data {
		if a := t.Attribute(key); a == nil || a.System != schema.NotSystem {
			delete(data, key)
		}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // values of JSON are stored as they are
	if data == nil {
		data = map[string]json.RawMessage{}
	}
	if err := e.Encode(data); err != nil {
		return nil, err
	}
	return c.service.Writer.Owned(t, bytes.TrimSpace(text.Bytes()))
}

// status returns the status that a call asks for: drafts unless it says otherwise.
func (c *call) status(t *schema.Type) store.Status {
	if t.DraftAndPublish && c.text("status") != "published" {
		return store.Draft
	}
	return store.Published
}

func (c *call) request() (r content.Request, err error) {
	if r.Type, err = c.t(); err != nil {
		return r, err
	}
	r.DocumentID, r.Locale, r.Status = c.text("documentId"), c.locale(), c.status(r.Type)
	r.Input, err = c.input(r.Type)
	return r, err
}

func (c *call) create() ([]byte, error) {
	r, err := c.request()
	if err != nil {
		return nil, err
	}
	return c.written(r, content.ToCreate(r))
}

// update answers null if there is no such document.
func (c *call) update() ([]byte, error) {
	r, err := c.request()
	if err != nil {
		return nil, err
	}
	if r.Type.Kind != schema.Single && len(c.snapshot().Versions(r.Type, r.DocumentID)) == 0 {
		return []byte("null"), nil
	}
	return c.written(r, content.ToUpdate(r))
}

// written does a write and shows what it has written.
func (c *call) written(r content.Request, one content.Write) ([]byte, error) {
	results, err := c.do(one)
	if err != nil {
		return nil, err
	}
	return c.show(r.Type, results[0].Snapshot, keyOf(results[0]))
}

func keyOf(r content.Result) store.Key {
	return store.Key{DocumentID: r.DocumentID, Locale: r.Locale, Status: r.Status}
}

// delete answers the entries that were deleted.
func (c *call) delete() ([]byte, error) {
	t, err := c.t()
	if err != nil {
		return nil, err
	}
	id, locale := c.document(t), c.locale()
	gone, err := c.versions(t, c.snapshot(), id, func(k store.Key) bool { return locale == content.AllLocales || k.Locale == c.localeOf(t, locale) })
	if err != nil {
		return nil, err
	}
	if _, err = c.do(content.ToDelete(content.Request{Type: t, DocumentID: id, Locale: locale})); err != nil {
		return nil, err
	}
	return entries(id, gone), nil
}

// localeOf returns the locale of entries for one that a call names.
func (c *call) localeOf(t *schema.Type, named string) string {
	switch {
	case !t.Localized:
		return ""
	case named == "":
		return c.service.Site.Settings.DefaultLocale
	}
	return named
}

// versions shows stored versions of a document.
func (c *call) versions(t *schema.Type, s *index.Snapshot, documentID string, which func(store.Key) bool) (shown [][]byte, err error) {
	for _, k := range s.Versions(t, documentID) {
		if !which(k) {
			continue
		}
		one, err := c.show(t, s, k)
		if err != nil {
			return nil, err
		}
		shown = append(shown, one)
	}
	return shown, nil
}

func (c *call) step() (t *schema.Type, s content.Step, err error) {
	if t, err = c.t(); err != nil {
		return nil, s, err
	}
	if !t.DraftAndPublish {
		return nil, s, &Error{Name: "Error", Message: fmt.Sprintf("%s has no drafts", t.UID), Status: 500}
	}
	return t, content.Step{Type: t, DocumentID: c.document(t), Locales: c.locales()}, nil
}

// act does a step, and answers the entries that it has written.
func (c *call) act(t *schema.Type, id string, one content.Write) ([]byte, error) {
	results, err := c.do(one)
	if err != nil {
		return nil, err
	}
	list := make([][]byte, len(results))
	for i, r := range results {
		if list[i], err = c.show(t, r.Snapshot, keyOf(r)); err != nil {
			return nil, err
		}
	}
	return entries(id, list), nil
}

func (c *call) publish() ([]byte, error) {
	t, s, err := c.step()
	if err != nil {
		return nil, err
	}
	return c.act(t, s.DocumentID, content.ToPublish(s))
}

func (c *call) discardDraft() ([]byte, error) {
	t, s, err := c.step()
	if err != nil {
		return nil, err
	}
	return c.act(t, s.DocumentID, content.ToDiscardDraft(s))
}

// unpublish answers the entries that were published.
func (c *call) unpublish() ([]byte, error) {
	t, s, err := c.step()
	if err != nil {
		return nil, err
	}
	discard := string(c.arguments["discardDraft"]) == "true"
	before := c.snapshot()
	results, err := c.do(content.ToUnpublish(s, discard))
	if err != nil {
		return nil, err
	}
	var gone [][]byte
	for _, r := range results {
		k := keyOf(r)
		k.Status = store.Published
		if !before.Exists(t, k) {
			continue
		}
		one, err := c.show(t, before, k)
		if err != nil {
			return nil, err
		}
		gone = append(gone, one)
	}
	return entries(s.DocumentID, gone), nil
}

// clone duplicates a document, and changes what the data has.
func (c *call) clone() ([]byte, error) {
	t, err := c.t()
	if err != nil {
		return nil, err
	}
	results, err := c.do(content.ToDuplicate(content.Step{Type: t, DocumentID: c.document(t)}))
	if err != nil {
		return nil, err
	}
	last, id := results[0], results[0].DocumentID
	if c.arguments["data"] != nil {
		input, err := c.input(t)
		if err != nil {
			return nil, err
		}
		if results, err = c.do(content.ToUpdate(content.Request{Type: t, DocumentID: id, Status: last.Status, Input: input})); err != nil {
			return nil, err
		}
		last = results[0]
	}
	list, err := c.versions(t, last.Snapshot, id, func(store.Key) bool { return true })
	return entries(id, list), err
}
