package documents

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"quire/content"
	"quire/content/audit"
	"quire/content/body"
	"quire/content/changeset"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// Changes that wait for a person, see package changeset. Whoever sees or approves a change set
// must be allowed to do all of it: there is no other rule about it.

// idsAlone are the parameters of a write whose response nobody reads.
var idsAlone = (*params.Node)(nil).WithText("fields", "documentId")

// Prepare prepares the writes of a change set, to be done together; their responses have only
// ids. beside, unless nil, runs in their transaction. The condition of a step counts if no step
// before it is about the same document, because that changes the version. The error is a
// *content.PartError that says which step is refused.
func (c *Call) Prepare(ctx context.Context, steps []changeset.Step, beside func(*store.Tx) error) ([]*Write, error) {
	writes, seen := make([]*Write, len(steps)), map[documentName]bool{}
	for i := range steps {
		together := FitsTogether
		if i == 0 && beside != nil {
			together = func(tx *store.Tx) error { return errors.Join(beside(tx), FitsTogether(tx)) }
		}
		about := c.nameOf(&steps[i])
		var err error
		if writes[i], err = c.prepareStep(ctx, &steps[i], !seen[about], together); err != nil {
			return nil, &content.PartError{Part: i, Err: err}
		}
		seen[about] = true
	}
	return writes, nil
}

// nameOf names the document of a step: the current one of a single type, however it is named.
func (c *Call) nameOf(s *changeset.Step) documentName {
	if t := c.Site.Type(s.Type); t != nil {
		return documentName{s.Type, c.Document(t, s.DocumentID)}
	}
	return documentName{s.Type, s.DocumentID}
}

var stepActions = map[string]schema.Action{
	"publish": schema.Publish, "unpublish": schema.Unpublish, "discard": schema.DiscardDraft, "duplicate": schema.Duplicate,
}

// prepareStep prepares one step. first says whether it is the first one about its document.
func (c *Call) prepareStep(ctx context.Context, s *changeset.Step, first bool, beside func(*store.Tx) error) (*Write, error) {
	t := c.Site.Type(s.Type)
	if t == nil || t.IsComponent() {
		return nil, notFound()
	}
	g := Change{DocumentID: s.DocumentID, Arguments: Arguments{Tree: localeOr(idsAlone, s.Locale)}, Beside: beside}
	switch {
	case !first:
	case s.Absent:
		g.Match = &content.Match{Absent: true}
	case s.Version > 0:
		g.Match = &content.Match{Versions: []uint64{s.Version}}
	}
	g.Data = func() (body.Value, error) { return body.OfJSON(s.Data), nil }
	if s.Status != "" && t.DraftAndPublish && s.Action != "restore" {
		g.Arguments.Tree = g.Arguments.Tree.WithText("status", s.Status)
	}
	switch s.Action {
	case "create":
		return c.Create(t, g)
	case "update":
		return c.Update(t, g)
	case "delete":
		w, err := c.Delete(t, g)
		if err == nil && first && !c.Exists(t, s.DocumentID) {
			err = notFound() // deleting nothing would be no error
		}
		return w, err
	case "restore":
		if s.Entry != nil {
			return c.adoptStep(t, s, g)
		}
		return c.restoreStep(ctx, t, s, g)
	}
	action, known := stepActions[s.Action]
	if !known {
		return nil, invalid("There is no action " + strconv.Quote(s.Action))
	}
	return c.Act(t, action, g)
}

// restoreStep prepares to restore the version of a revision in one locale and status.
func (c *Call) restoreStep(ctx context.Context, t *schema.Type, s *changeset.Step, g Change) (*Write, error) {
	tree := localeOr((*params.Node)(nil), s.Locale)
	if s.Status != "" {
		tree = tree.WithText("status", s.Status)
	}
	h, err := c.History(ctx, t, s.DocumentID, Arguments{Tree: tree})
	if err != nil {
		return nil, err
	}
	h.tree = idsAlone
	return h.Restore(strconv.FormatUint(s.Revision, 10), g)
}

// adoptStep prepares to give a document the values that it has in another site. Only a caller with
// all rights may do that: values of a data file are not checked as those of a body are.
func (c *Call) adoptStep(t *schema.Type, s *changeset.Step, g Change) (*Write, error) {
	if !c.Caller.Full() {
		return nil, forbidden()
	}
	r := content.Restoration{Locale: s.Locale, Entry: s.Entry, Create: true}
	r.Step = content.Step{Type: t, DocumentID: s.DocumentID, Access: c.Caller, Beside: g.Beside, Match: c.match(t, g.Match)}
	var dropped []content.Dropped
	return &Write{call: c, Type: t, write: content.ToRestore(r, c.Budget.OnTime, &dropped), DocumentID: s.DocumentID}, nil
}

// Adopt does steps in one transaction, all or none. before runs first in it, and after when they are
// done. The error of a step is a *content.PartError with its place among the steps; others are those
// of Prepare, Do and the functions.
func (c *Call) Adopt(ctx context.Context, steps []changeset.Step, before, after func(*store.Tx) error) error {
	writes, err := c.Prepare(ctx, steps, nil)
	if err != nil {
		return err
	}
	writes = slices.Concat([]*Write{{call: c, write: content.ToRecord(before)}}, writes, []*Write{{call: c, write: content.ToRecord(after)}})
	err = c.Do(ctx, writes...)
	if part := (*content.PartError)(nil); errors.As(err, &part) {
		if part.Part == 0 || part.Part > len(steps) {
			return part.Err
		}
		err = &content.PartError{Part: part.Part - 1, Err: part.Err}
	}
	return err
}

// Propose stores changes that somebody with the rights of the caller has to approve. They are
// tried first, so that what is proposed can be done. Each document must still be as it is now
// when they are approved. Errors are those of Do, and *changeset.LimitError.
func (c *Call) Propose(ctx context.Context, title string, steps []changeset.Step) (*changeset.ChangeSet, error) {
	set := &changeset.ChangeSet{By: c.Actor, Title: title, Steps: steps}
	if err := set.Check(); err != nil {
		return nil, err
	}
	for i := range steps {
		c.pin(&steps[i])
	}
	writes, err := c.Prepare(ctx, steps, nil)
	if err != nil {
		return nil, err
	}
	for i, w := range writes {
		if w.write.SetsPassword() { // it would be stored as it is
			return nil, &content.PartError{Part: i, Err: invalid("A password cannot wait for a person, because it would be stored; set it at once")}
		}
	}
	if _, err := c.effects(ctx, writes); err != nil {
		return nil, err
	}
	err = c.Writer.Record(c.Context(ctx), func(tx *store.Tx) error {
		if err := changeset.Put(tx, set, time.Now()); err != nil {
			return err
		}
		return audit.Note(tx, audit.Of(ctx), setEvent("propose", set))
	})
	return set, err
}

// pin makes a step one about the document as it is now, which its condition says.
func (c *Call) pin(s *changeset.Step) {
	t := c.Site.Type(s.Type)
	switch {
	case t == nil || t.IsComponent(): // Prepare refuses it
	case s.Action == "create":
		s.DocumentID = cmp.Or(s.DocumentID, content.NewDocumentID())
	case s.Version == 0:
		s.Version = c.Version(t, c.Document(t, s.DocumentID))
		s.Absent = s.Version == 0 && (s.Action == "restore" || t.Kind == schema.Single)
	}
}

func setEvent(action string, s *changeset.ChangeSet) audit.Event {
	return audit.Event{Action: "changes." + action, Target: audit.Target{Type: "change set", ID: s.ID, Name: s.Title}}
}

// ChangeSets lists the change sets that the caller may know: its own, and those of types whose
// drafts it may read. Of types of which not all entries exist for it, it knows those of its own
// assistants. They have no steps.
func (c *Call) ChangeSets() (list []*changeset.ChangeSet, err error) {
	err = c.DB.View(func(tx *store.Tx) error {
		list, err = changeset.List(tx, time.Now())
		return err
	})
	return slices.DeleteFunc(list, func(s *changeset.ChangeSet) bool { return !c.mayKnowSet(s) }), err
}

// ChangeSet returns a change set that the caller may know. If there is none, the error is that
// of something that does not exist.
func (c *Call) ChangeSet(id string) (s *changeset.ChangeSet, err error) {
	err = c.DB.View(func(tx *store.Tx) error {
		s, err = changeset.Find(tx, id, time.Now())
		return err
	})
	if errors.Is(err, changeset.ErrNotFound) || err == nil && !c.mayKnowSet(s) {
		return nil, notFound()
	}
	return s, err
}

func (c *Call) mayKnowSet(s *changeset.ChangeSet) bool {
	if s.By == c.Actor {
		return true
	}
	return (c.Caller.IsAdmin() || c.Caller.Full()) && !slices.ContainsFunc(s.Types, func(uid string) bool {
		t := c.Site.Type(uid)
		return t == nil || !c.Caller.Allows(t, schema.Find) || t.DraftAndPublish && !c.seesDrafts(t) ||
			c.Caller.Filter(t) != nil && (s.By.Account() == "" || s.By.Account() != c.Actor.Account())
	})
}

// Approve does a change set, all or nothing, with the rights of the caller. Whoever proposed
// the changes is their author. Errors are those of Prepare and Do; changeset.ErrDecided if it
// does not wait any longer.
func (c *Call) Approve(ctx context.Context, id string) error {
	s, err := c.ChangeSet(id)
	if err != nil {
		return err
	}
	if s.State != changeset.Waiting {
		return changeset.ErrDecided
	}
	writes, err := c.Prepare(ctx, s.Steps, c.decides(ctx, s, changeset.Approved, "approve"))
	if err != nil {
		return err
	}
	if _, err := c.effects(ctx, writes); err != nil {
		return err // the caller may not do it, or nobody can
	}
	return c.doSteps(content.Signed(ctx, s.By), writes)
}

// doSteps is Do whose error is a *content.PartError for one write, too.
func (c *Call) doSteps(ctx context.Context, writes []*Write) error {
	err := c.Do(ctx, writes...)
	if err != nil && len(writes) == 1 {
		err = &content.PartError{Err: err}
	}
	return err
}

// Reject refuses a change set, for a caller who could approve it if it can still be done, or
// who has proposed it. Errors are those of ChangeSet, and changeset.ErrDecided.
func (c *Call) Reject(ctx context.Context, id string) error {
	s, err := c.ChangeSet(id)
	if err == nil && s.By != c.Actor {
		_, err = c.Effects(ctx, s.Steps)
		if p := Explain(err); p != nil && p.Kind != Forbidden {
			err = c.couldDo(ctx, s.Steps) // it has become impossible
		}
	}
	if err != nil {
		return err
	}
	return c.Writer.Record(c.Context(ctx), c.decides(ctx, s, changeset.Rejected, "reject"))
}

// couldDo refuses a caller who may not do one of the steps, whether or not it can be done now.
// Documents that are gone are nobody's.
func (c *Call) couldDo(ctx context.Context, steps []changeset.Step) error {
	for i, s := range steps {
		s.Version, s.Absent = 0, false
		_, err := c.Effects(ctx, []changeset.Step{s})
		if p := Explain(err); p == nil || p.Kind != Forbidden {
			err = nil
			if t := c.Site.Type(s.Type); t != nil && c.Exists(t, s.DocumentID) {
				var locales []string
				if s.Locale != "" {
					locales = strings.Split(s.Locale, ",")
				}
				err = c.Writer.MayChange(c.Context(ctx), t, c.Document(t, s.DocumentID), locales, actionOfStep(s.Action))
			}
		}
		if err != nil {
			return &content.PartError{Part: i, Err: err}
		}
	}
	return nil
}

// actionOfStep returns what a step does with its document.
func actionOfStep(action string) schema.Action {
	switch action {
	case "create", "duplicate":
		return schema.Create
	case "delete", "publish", "unpublish":
		return schema.Action(action)
	}
	return schema.Update
}

func (c *Call) decides(ctx context.Context, s *changeset.ChangeSet, state changeset.State, action string) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		if err := changeset.Decide(tx, s.ID, state, c.Actor, time.Now()); err != nil {
			return err
		}
		return audit.Note(tx, audit.Of(ctx), setEvent(action, s))
	}
}

// ExplainStep returns which step of a change set an error is about, from 0, and what the error
// means; nil if it is another error.
func ExplainStep(err error) (int, *Problem) {
	part := (*content.PartError)(nil)
	if !errors.As(err, &part) {
		return 0, nil
	}
	return part.Part, Explain(part.Err)
}

// Effect is what changes would do to one entry, as the caller sees it.
type Effect struct {
	Type       *schema.Type
	DocumentID string
	Locale     string // empty if the type is not localized
	Status     store.Status
	Title      string
	Action     store.Action // ActionCreate, ActionUpdate or ActionDelete

	// What it has and would have of the attributes that change; nothing where there is no entry.
	Before, After *query.View
}

// Effects returns what changes would do, without doing it: of the entries that the caller may
// see, those that would look different. Hooks and the project's own code are not asked. Errors
// are those of Prepare, and those of a write that would be refused.
func (c *Call) Effects(ctx context.Context, steps []changeset.Step) ([]Effect, error) {
	writes, err := c.Prepare(ctx, steps, nil)
	if err != nil {
		return nil, err
	}
	return c.effects(ctx, writes)
}

// effects is Effects for writes that have been prepared.
func (c *Call) effects(ctx context.Context, writes []*Write) ([]Effect, error) {
	c.Budget.Start()
	if err := c.Budget.Enter(ctx); err != nil {
		return nil, err
	}
	defer c.Budget.End()
	list := make([]content.Write, len(writes))
	for i, w := range writes {
		list[i] = w.write
	}
	changes, after, err := c.Writer.DryRun(c.Context(ctx), list)
	if err != nil {
		return nil, err
	}
	if size, err := store.StoredSize(changes); err != nil {
		return nil, err
	} else if size > store.MaxBytes {
		return nil, &content.PartError{Part: len(writes) - 1, Err: tooMuchTogether()}
	}
	var effects []Effect
	held, was, will := 0, c.compiler.Viewer(c.Caller, c.Snapshot()), c.compiler.Viewer(c.Caller, after)
	for _, change := range changes {
		t := c.Site.Type(change.Type)
		if t == nil || change.Before == nil && change.After == nil || !c.Caller.Allows(t, schema.Find) {
			continue
		}
		e := c.effect(t, change, was, will, &held)
		if err := errors.Join(c.Budget.Reserve(held), c.Budget.OnTime()); err != nil {
			return nil, err
		}
		if e != nil {
			effects = append(effects, *e)
		}
	}
	return effects, nil
}

// effect shows the change of one entry; nil if the caller would see no difference.
func (c *Call) effect(t *schema.Type, change store.Change, was, will *query.Viewer, held *int) *Effect {
	before, after := &query.View{}, &query.View{}
	e := &Effect{Type: t, Action: store.ActionUpdate}
	some := change.After
	if change.After == nil {
		e.Action, some = store.ActionDelete, change.Before
	}
	shown := func(v *query.Viewer, e *store.Entry) bool { return e != nil && v.Shows(t, e) }
	if !c.showsVersion(t, some.Key()) || !shown(was, change.Before) && !shown(will, change.After) {
		return nil
	}
	e.DocumentID, e.Locale, e.Status = some.DocumentID, some.Locale, some.Status
	if change.Before == nil {
		e.Action = store.ActionCreate
	} else {
		before = was.View(t, change.Before)
	}
	if change.After != nil {
		after = will.View(t, change.After)
	}
	*held += 2 * (before.Size() + after.Size())
	if main := t.Title(c.Caller.Sight(t).Sees); main.System == schema.NotSystem {
		if e.Title = after.Text(main.Name); change.After == nil {
			e.Title = before.Text(main.Name)
		}
	}
	e.Before, e.After = query.Differing(before, after)
	if e.Action == store.ActionUpdate && e.Before.IsEmpty() && e.After.IsEmpty() {
		return nil
	}
	return e
}
