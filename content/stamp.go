package content

import (
	"context"
	"slices"

	"quire/content/history"
	"quire/schema"
	"quire/store"
)

// A write that changes something gets a number, which becomes the version of every document
// that it changes: a document's version grows with its own changes and no others. Changed
// entries also record who requested the write, and what was done.

// actorKey is where a context keeps its actor.
type actorKey struct{}

// By returns a context whose writes are the actor's.
func By(ctx context.Context, actor store.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// authorKey is where a context keeps an author that is not its actor.
type authorKey struct{}

// Signed returns a context whose writes are recorded as those of an author. The actor is still the
// one whose rights count, and whose documents are their own.
func Signed(ctx context.Context, author store.Actor) context.Context {
	return context.WithValue(ctx, authorKey{}, author)
}

// modelKey is where a context keeps the name of a language model.
type modelKey struct{}

// Suggested returns a context whose writes have suggestions of a language model in them. The
// versions of the documents that they are about say so.
func Suggested(ctx context.Context, model string) context.Context {
	return context.WithValue(ctx, modelKey{}, model)
}

func modelOf(ctx context.Context) string {
	model, _ := ctx.Value(modelKey{}).(string)
	return model
}

func authorOf(ctx context.Context) store.Actor {
	if author, ok := ctx.Value(authorKey{}).(store.Actor); ok {
		return author
	}
	return actorOf(ctx)
}

// ActorOf returns who makes the changes of a context, see By and Signed.
func ActorOf(ctx context.Context) store.Actor { return authorOf(ctx) }

func actorOf(ctx context.Context) store.Actor {
	actor, _ := ctx.Value(actorKey{}).(store.Actor)
	return actor
}

// documentName names a document among all types.
type documentName struct{ uid, id string }

// subject says what the write does to a document, and whether that changes what is
// published. All other documents are changed through their links.
func (op *operation) subject(t *schema.Type, documentID string, action store.Action, publishes bool) {
	op.about, op.publishes = t, op.publishes || publishes
	op.subjects[documentName{t.UID, documentID}] = action
}

func actionOf(created bool) store.Action {
	if created {
		return store.ActionCreate
	}
	return store.ActionUpdate
}

// stamp stamps all changes of the write.
func (op *operation) stamp() error {
	if len(op.changes) == 0 {
		return nil
	}
	op.version = op.nextVersion()
	if err := op.stampRemains(); err != nil {
		return err
	}
	for i := range op.changes {
		c := &op.changes[i]
		op.log(c)
		if c.After == nil {
			continue
		}
		e := *c.After
		if e.Stamp = op.stampOf(c); op.same[c.After] || op.showsDraft(c) {
			e.Stamp = c.Before.Stamp
		}
		c.After = &e
	}
	return nil
}

// nextVersion returns the number of the write. If revisions have jumped, because commits
// were lost that clients have seen, numbers jump too: none is used again.
func (op *operation) nextVersion() uint64 {
	if op.tx != nil {
		revision := op.tx.Revision()
		least := revision - revision%store.UnknownLead
		if _, taken := op.sequences[history.VersionsSequence]; !taken && op.file.Sequence(history.VersionsSequence) < least {
			op.sequences[history.VersionsSequence] = least
		}
	}
	return op.next(history.VersionsSequence)
}

func (op *operation) stampOf(c *store.Change) store.Stamp {
	s := store.Stamp{Version: op.version, Action: op.actionOn(c), CreatedBy: c.After.Stamp.CreatedBy, UpdatedBy: op.author}
	if s.Action != store.ActionLink {
		s.UpdatedBy = op.author.With(op.model)
	}
	switch {
	case c.After == c.Before: // it only stands for an entry that is gone
		s = c.Before.Stamp
		s.Version = op.version
	case s.Action == store.ActionDelete:
		s.Action = store.ActionDiscardDraft // see draftLeft
	case c.Before != nil:
		s.CreatedBy = c.Before.Stamp.CreatedBy
	case s.CreatedBy == "":
		s.CreatedBy = op.author
	}
	return s
}

// showsDraft reports whether the only changes are links from a document without drafts to what
// has nothing published, written from the other side. The version of that document stays,
// because it would reveal to callers who may not read drafts that one of them has changed.
func (op *operation) showsDraft(c *store.Change) bool {
	t := op.site.Type(c.Type)
	if op.actionOn(c) != store.ActionLink || c.Before == nil || c.After == c.Before || t.DraftAndPublish {
		return false
	}
	return op.publicFields(t, c.Before).EqualButDrafts(op.publicFields(t, c.After))
}

// actionOn returns what the write does to one entry.
func (op *operation) actionOn(c *store.Change) store.Action {
	action, ok := op.subjects[documentName{c.Type, c.After.DocumentID}]
	switch {
	case !ok:
		return store.ActionLink
	case c.After.Status == store.Published && op.site.Type(c.Type).DraftAndPublish:
		return store.ActionPublish
	}
	return action
}

// keep stores what a change has replaced in the history.
func (op *operation) keep(c store.Change) error {
	t := op.site.Type(c.Type)
	switch {
	case c.Before == nil || t.BuiltIn:
		return nil
	case c.After != nil && c.After.Stamp == c.Before.Stamp: // the entry keeps its version
		return history.Rebase(op.tx, c)
	}
	end := history.End{Version: op.version, At: op.now, Action: op.subjects[documentName{c.Type, c.Before.DocumentID}], By: op.author}
	return history.Keep(op.tx, c, end, op.site.Settings.History)
}

// stampRemains changes the version of documents that lose an entry while their other
// entries stay unchanged.
func (op *operation) stampRemains() error {
	for _, lost := range slices.Clone(op.changes) {
		if lost.Before == nil || lost.After != nil {
			continue
		}
		t := op.site.Type(lost.Type)
		k, ok := op.remains(t, lost.Before.Key())
		if !ok {
			continue
		}
		e, err := op.entry(t, k)
		if err != nil {
			return err
		}
		if err := op.put(t, e); err != nil {
			return err
		}
	}
	return nil
}

// remains returns the entry that shows that another was removed. It has the same status if
// possible, so that callers who read only published entries see it. If the write changes
// one of them anyway, there is none.
func (op *operation) remains(t *schema.Type, gone store.Key) (store.Key, bool) {
	left := op.versions(t, gone.DocumentID)
	same := slices.DeleteFunc(slices.Clone(left), func(k store.Key) bool { return k.Status != gone.Status })
	if len(same) > 0 {
		left = same
	}
	changes := func(k store.Key) bool { _, ok := op.changed[store.Name{Type: t.UID, Key: k}]; return ok }
	if len(left) == 0 || slices.ContainsFunc(left, changes) {
		return store.Key{}, false
	}
	return left[0], true
}
