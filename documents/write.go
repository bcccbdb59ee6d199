package documents

import (
	"cmp"
	"context"
	"fmt"

	"quire/auth"
	"quire/content"
	"quire/content/body"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// A write is prepared, done, and shown. What can prevent its response is checked before it
// begins: a write whose response is refused is not done.

// Change is what a write is given.
type Change struct {
	DocumentID string // empty for single types, and for a create that makes one
	Arguments  Arguments
	Shape      *query.Shape // of the response; nil for that of REST

	// Match, unless nil, is a condition on the document. Whether it counts drafts is
	// decided here.
	Match *content.Match

	// Data returns the values to write. It is called when all else has been accepted. Nil
	// is for writes without values.
	Data func() (body.Value, error)

	// Beside, unless nil, runs in the transaction of the write, see content.Request.
	Beside func(tx *store.Tx) error
}

// FitsTogether is the Beside of each of several writes: it limits what they store, to as much
// as nodes that share a journal accept in one transaction.
func FitsTogether(tx *store.Tx) error {
	if tx.Written() > store.MaxBytes {
		return tooMuchTogether()
	}
	return tx.Fits()
}

func tooMuchTogether() error {
	return tooLarge(fmt.Sprintf("The requests up to this one store more than %d MiB, which is more than one transaction may; send it in several", store.MaxBytes>>20))
}

// Write is one change of a document, ready to be done.
type Write struct {
	Type       *schema.Type
	DocumentID string // of the document that it is about or creates; empty if unknown
	Creates    bool   // whether it creates the document in any case
	Removes    bool   // whether it deletes the document, and shows nothing

	call    *Call
	write   content.Write
	query   *query.Query                 // of the response; nil for an empty one
	known   func(*schema.Attribute) bool // reports whether the body has an attribute
	sends   bool                         // whether the body has everything in the document, if that is new
	dropped func() string                // the meta object of the response; nil for an empty one
	result  content.Result
}

// Create prepares the creation of a document in a collection.
func (c *Call) Create(t *schema.Type, g Change) (*Write, error) {
	q, r, err := c.prepare(t, g, schema.Create, schema.CreateDraft)
	if err != nil {
		return nil, err
	}
	r.DocumentID = cmp.Or(r.DocumentID, content.NewDocumentID())
	return &Write{call: c, Type: t, write: content.ToCreate(r), DocumentID: r.DocumentID, Creates: true, query: q, known: r.Input.Gives, sends: true}, nil
}

// Update prepares an update of a document, or of a single type, which it creates if there
// is none yet.
func (c *Call) Update(t *schema.Type, g Change) (*Write, error) {
	q, r, err := c.prepare(t, g, schema.Update, schema.UpdateDraft)
	if err != nil {
		return nil, err
	}
	return &Write{call: c, Type: t, write: content.ToUpdate(r), DocumentID: r.DocumentID, query: q, known: r.Input.Gives, sends: true}, nil
}

// Delete prepares the deletion of a document, in one locale or in all. As in Strapi,
// deleting something that does not exist is no error.
func (c *Call) Delete(t *schema.Type, g Change) (*Write, error) {
	if err := c.allow(t, schema.Delete); err != nil {
		return nil, err
	}
	tree, _, r, err := c.request(t, g)
	if err == nil && t.DraftAndPublish && tree.Get("status") != nil {
		err = invalid(`A delete removes the draft and the published version; it takes no "status"`)
	}
	return &Write{call: c, Type: t, write: content.ToDelete(r), DocumentID: c.Document(t, r.DocumentID), Removes: true}, err
}

// prepare reads what a create or an update does. It compiles the query first: a write whose
// response is not possible is not started.
func (c *Call) prepare(t *schema.Type, g Change, whole, draft schema.Action) (*query.Query, content.Request, error) {
	draftsOnly, err := c.allowWrite(t, whole, draft)
	if err != nil {
		return nil, content.Request{}, err
	}
	_, q, r, err := c.request(t, g)
	if err == nil && draftsOnly && r.Status != store.Draft {
		err = &Problem{Kind: Forbidden, Name: "ForbiddenError", Message: fmt.Sprintf("This publishes, which needs %s; %s allows it with status=draft",
			auth.Permission{UID: t.UID, Action: whole}, auth.Permission{UID: t.UID, Action: draft})}
	}
	if err == nil && r.Locale == content.AllLocales {
		err = invalid(`A document is written in one locale at a time; "locale" cannot be *`)
	}
	if err == nil {
		err = c.checkLocale(r.Locale)
	}
	if err != nil {
		return nil, r, err
	}
	data, err := g.Data()
	if err != nil {
		return nil, r, err
	}
	r.Input, err = body.DecodeValue(c.Site, t, data, c.Caller)
	return q, r, err
}

// allowWrite is allow for writes that a caller may do in part: of drafts only.
func (c *Call) allowWrite(t *schema.Type, whole, draft schema.Action) (draftsOnly bool, err error) {
	err = c.allow(t, whole)
	if err != nil && t.DraftAndPublish && c.allow(t, draft) == nil {
		return true, nil
	}
	return false, err
}

// request reads the parts of a write beside its data.
func (c *Call) request(t *schema.Type, g Change) (*params.Node, *query.Query, content.Request, error) {
	r := content.Request{Type: t, DocumentID: g.DocumentID, Status: store.Published, Beside: g.Beside, Match: c.match(t, g.Match)}
	tree, err := c.tree(g.Arguments)
	if err != nil {
		return nil, nil, r, err
	}
	q, err := c.Compile(t, tree, query.Options{V4: c.V4, Write: true, Shape: g.Shape})
	if err != nil {
		return nil, nil, r, err
	}
	if t.DraftAndPublish {
		r.Status = q.Status()
	}
	r.Locale, err = c.locale(t, tree.Get("locale"))
	return tree, q, r, err
}

// match returns a condition that counts what the caller sees.
func (c *Call) match(t *schema.Type, m *content.Match) *content.Match {
	if m == nil {
		return nil
	}
	seen := *m
	seen.Drafts = c.seesDrafts(t)
	return &seen
}

// Do does the writes in one transaction, all or none. If there are several and one is
// refused, the error is a *content.PartError. Their responses show the content after the
// last of them, which later reads of the Call see too.
func (c *Call) Do(ctx context.Context, writes ...*Write) error {
	list := make([]content.Write, len(writes))
	for i, w := range writes {
		list[i] = w.write
	}
	place := content.Reservation{
		Wait: func() error { c.Budget.End(); return c.Budget.Wait() },
		Take: func() error { c.Budget.Resume(); return c.beginResponses(ctx, writes) },
	}
	results, err := c.Writer.TogetherIn(c.Context(ctx), place, list)
	if err != nil {
		return err
	}
	for i, w := range writes {
		w.result = results[i][0]
		c.snapshot = w.result.Snapshot
	}
	return nil
}

// beginResponses starts the queries of the responses.
func (c *Call) beginResponses(ctx context.Context, writes []*Write) error {
	cost, s := 0, c.Index.Snapshot()
	var queries []*query.Query
	for _, w := range writes {
		if w.query != nil {
			queries = append(queries, w.query)
			cost += w.query.CostOfOne(s)
		}
	}
	if queries == nil {
		return nil
	}
	return c.Budget.Begin(ctx, cost, queries...)
}

// Version returns the version of the written document as the caller may know it; 0 for
// none.
func (w *Write) Version() uint64 {
	return w.call.versionAt(w.result.Snapshot, w.Type, w.result.DocumentID)
}

// Document returns the documentId of the written document.
func (w *Write) Document() string { return w.result.DocumentID }

// Empty reports whether the write has no response.
func (w *Write) Empty() bool { return w.query == nil }

// Append appends the response: the entry as a read right after the write would show it. If
// that takes too much, it shows less, and omitted says what is left out.
func (w *Write) Append(ctx context.Context, dst []byte) (_ []byte, omitted string, err error) {
	defer w.call.Budget.End()
	w.call.Budget.Restart()
	dst, omitted, found, err := w.call.appendLess(w.query, dst, lesser, w.show(ctx))
	if err == nil && !found {
		dst = append(dst, `{"data":null,"meta":{}}`...) // a write that was stored in the same transaction has removed it
	}
	if err == nil && w.dropped != nil {
		dst = append(dst[:len(dst)-len("{}}")], w.dropped()+"}"...)
	}
	return dst, omitted, err
}

// AppendPart is Append for one of several writes, whose budget the caller restarts once. It
// does not fail: everything is stored, and after an error the client would send it again.
// The error is that of a client that is gone.
func (w *Write) AppendPart(ctx context.Context, dst []byte) (_ []byte, omitted string, err error) {
	before := len(dst)
	dst, omitted, found, err := w.call.appendLess(w.query, dst, onlyIDs, w.show(ctx))
	switch {
	case isGone(err):
		return dst, "", err
	case err != nil:
		dst = append(dst[:before], `{"data":{"documentId":"`+w.result.DocumentID+`"},"meta":{}}`...)
	case !found:
		dst = append(dst[:before], `{"data":null,"meta":{}}`...)
	}
	return dst, omitted, nil
}

// knows returns what the body contained, nil for everything.
func (w *Write) knows() func(*schema.Attribute) bool {
	if w.result.Created && w.sends {
		return nil
	}
	return w.known
}

// key identifies the written entry.
func (w *Write) key() store.Key {
	return store.Key{DocumentID: w.result.DocumentID, Locale: w.result.Locale, Status: w.result.Status}
}

// show returns a function that appends the written entry. A caller who may not read the
// draft gets back only what the body has, or only the ids after an action, because it may
// not know when the draft has changed.
func (w *Write) show(ctx context.Context) func(*query.Query, []byte) ([]byte, bool, error) {
	known := w.knows()
	hidden := !w.sends && w.result.Status == store.Draft && !w.call.seesDrafts(w.Type)
	return func(q *query.Query, dst []byte) ([]byte, bool, error) {
		if hidden {
			q = q.OnlyIDs()
		}
		return q.AppendEntry(ctx, w.result.Snapshot, w.key(), known, dst)
	}
}
