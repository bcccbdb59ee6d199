package documents

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// A person who edits a document sees its page beside the form, with what is typed and not
// saved. The form is sent while it changes, and kept in memory. Reads with the token of its
// preview link see the content as if the form had been saved; all others see what is stored.
// Nothing of a form is written: it is in no history, no event and no log.

// Limits of unsaved forms. If there are too many, the ones that have not changed for longest are
// dropped, first those of the same account. A preview whose form was dropped shows the draft.
const (
	MostFormBytes  = 1 << 20  // of the values of one form
	MostFormsBytes = 64 << 20 // of all forms
	MostForms      = 256      // of all accounts
	MostOwnForms   = 8        // of one account
	LongestForm    = time.Hour
)

// Form is a form that a person has not saved.
type Form struct {
	ID         string // secret: only the token of its preview has it
	Type       *schema.Type
	DocumentID string // of a new document, the id that its previews show
	Locale     string
	Token      string // of its preview link

	owner   store.Actor
	isNew   bool
	data    json.RawMessage // what would be saved; nil to show what is stored
	changed time.Time
}

// Forms are the unsaved forms of all accounts. They end with the process, and each node of a
// site has its own.
type Forms struct {
	now func() time.Time

	mu  sync.Mutex
	all []*Form // those that have not changed for longest are first; a Form in it never changes
}

// NewForms returns no forms. now is the clock, nil for time.Now.
func NewForms(now func() time.Time) *Forms {
	if now == nil {
		now = time.Now
	}
	return &Forms{now: now}
}

// find returns a form; nil if there is none, or no more.
func (s *Forms) find(id string) *Form {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit()
	if at := s.at(id); at >= 0 {
		return s.all[at]
	}
	return nil
}

// at returns the place of a form, or -1. s.mu must be held.
func (s *Forms) at(id string) int {
	return slices.IndexFunc(s.all, func(f *Form) bool { return f.ID == id })
}

// put stores a form in place of the one with its id.
func (s *Forms) put(f Form) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.at(f.ID); at >= 0 {
		s.all = slices.Delete(s.all, at, at+1)
	}
	f.changed = s.now()
	s.all = append(s.all, &f)
	s.limit()
}

// remove drops a form.
func (s *Forms) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(f *Form) bool { return f.ID == id })
}

// limit drops the forms that are too old or too many. s.mu must be held.
func (s *Forms) limit() {
	oldest, count, bytes, own := s.now().Add(-LongestForm), 0, 0, map[store.Actor]int{}
	for i := len(s.all) - 1; i >= 0; i-- {
		f := s.all[i]
		count, bytes, own[f.owner] = count+1, bytes+len(f.data), own[f.owner]+1
		if f.changed.Before(oldest) || count > MostForms || bytes > MostFormsBytes || own[f.owner] > MostOwnForms {
			count, bytes, own[f.owner] = count-1, bytes-len(f.data), own[f.owner]-1
			s.all = slices.Delete(s.all, i, i+1)
		}
	}
}

// NewForm returns a form of the caller for a document that it may preview, or for a new one if
// documentID is empty and the type is a collection. The form is not kept until SetForm is called.
func (c *Call) NewForm(t *schema.Type, documentID, locale string) *Form {
	return &Form{
		ID: rand.Text(), Type: t, DocumentID: cmp.Or(c.Document(t, documentID), content.NewDocumentID()), Locale: locale,
		owner: c.Actor, isNew: t.Kind == schema.Collection && documentID == "",
	}
}

// Form returns a form of the caller. If there is none, the error is that of something that
// does not exist.
func (c *Call) Form(id string) (*Form, error) {
	f := c.Forms.find(id)
	if f == nil || f.owner != c.Actor {
		return nil, notFound()
	}
	return f, nil
}

// Imagine makes the Call see the content as if the form had been saved with data; nil shows
// what is stored. If it could not be saved as a draft, the error is that of the write. Hooks
// and the project's own code are not asked.
func (c *Call) Imagine(ctx context.Context, f *Form, data json.RawMessage) error {
	snapshot, err := c.imagine(ctx, f, data)
	if err == nil && snapshot != nil {
		c.snapshot = snapshot
	}
	return err
}

// PreviewForm reads the values of the placeholders in the address of the preview, of the
// content that the Call sees.
func (c *Call) PreviewForm(ctx context.Context, f *Form, names []string) (map[string]string, error) {
	tree := (&params.Node{Kind: params.Object}).WithText("status", "draft")
	return c.PreviewValues(ctx, f.Type, f.DocumentID, localeOr(tree, f.Locale), names)
}

// SetForm makes previews of the form show data from now on. Imagine has accepted it.
func (c *Call) SetForm(f *Form, data json.RawMessage) {
	next := *f
	next.data = data
	c.Forms.put(next)
}

// CloseForm drops a form of the caller.
func (c *Call) CloseForm(id string) error {
	f, err := c.Form(id)
	if err == nil {
		c.Forms.remove(f.ID)
	}
	return err
}

// ShowForm makes the Call of the holder of a preview link see the content as if the form of
// the link had been saved, with the rights that its maker has now. If it cannot be saved any
// more, or if there is no form, the Call sees what is stored.
func (c *Call) ShowForm(ctx context.Context) error {
	p := c.Caller.Preview()
	if p == nil || p.Form == "" || c.Forms == nil {
		return nil
	}
	f := c.Forms.find(p.Form)
	if f == nil {
		return nil
	}
	by := *c
	by.Caller, by.Actor, by.snapshot, by.V4 = c.Caller.Maker(), f.owner, nil, false
	now := *f
	if now.Type = c.Site.Type(f.Type.UID); now.Type == nil {
		return nil // another version of the site
	}
	snapshot, err := by.imagine(ctx, &now, f.data)
	if err != nil {
		if Explain(err) == nil {
			return err
		}
		return nil
	}
	c.snapshot = cmp.Or(snapshot, c.snapshot)
	return nil
}

// imagine returns the content as if a form had been saved; nil for what is stored.
func (c *Call) imagine(ctx context.Context, f *Form, data json.RawMessage) (*index.Snapshot, error) {
	if data == nil {
		return nil, nil
	}
	g := Change{DocumentID: f.DocumentID, Arguments: InLocale(f.Locale), Data: func() (body.Value, error) { return body.OfJSON(data), nil }}
	g.Arguments.Tree = g.Arguments.Tree.WithText("status", "draft")
	prepare := (*Call).Update
	if f.isNew {
		prepare = (*Call).Create
	}
	w, err := prepare(c, f.Type, g)
	if err != nil {
		return nil, err
	}
	if w.write.SetsPassword() { // hashing it for each read would cost too much
		return nil, invalid("A form with a password has no preview until it is saved")
	}
	c.Budget.Start()
	if err := c.Budget.Enter(ctx); err != nil {
		return nil, err
	}
	defer c.Budget.End()
	_, after, err := c.Writer.DryRun(c.Context(ctx), []content.Write{w.write})
	if part, ok := errors.AsType[*content.PartError](err); ok {
		err = part.Err // there is only one
	}
	return after, err
}
