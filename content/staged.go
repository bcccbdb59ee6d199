package content

import (
	"fmt"

	"quire/content/review"
	"quire/schema"
	"quire/store"
)

// A type can have stages, and one of them from which alone its documents are published, see
// package review. This is where all that is published passes. As in Strapi, the rule is for
// people: for accounts of the admin and their assistants, and for schedules and releases,
// whoever has planned them. Programs that write with a token publish without it.

// StageError refuses to publish a document that is in another stage.
type StageError struct {
	Stage  string // its name; empty if the caller may not see the draft
	Needed string // name of the stage from which documents are published
	Locale string // empty if the type is not localized
}

func (e *StageError) Error() string {
	if e.Stage == "" {
		return fmt.Sprintf("This document can be published from the stage “%s” only", e.Needed)
	}
	return fmt.Sprintf("This document is in the stage “%s”; it can be published from “%s” only", e.Stage, e.Needed)
}

// Unwrap makes it one of the errors of documents that cannot do what was asked.
func (e *StageError) Unwrap() error { return &ApplicationError{e.Error()} }

// inStage refuses to publish a document that is in another stage than its type demands.
func (op *operation) inStage(t *schema.Type, k store.Key) error {
	if op.view == nil || op.actor.Account() == "" && op.actor.Kind() != store.BySchedule {
		return nil
	}
	var is, needed *review.Stage
	err := op.view(func(tx *store.Tx) (err error) {
		is, needed, err = review.NeededStage(tx, review.Place{UID: t.UID, DocumentID: k.DocumentID, Locale: k.Locale})
		return err
	})
	if err != nil || needed == nil {
		return err
	}
	refused := &StageError{Stage: is.Name, Needed: needed.Name, Locale: k.Locale}
	if op.access != nil && !op.access.Allows(t, schema.ReadDraft) {
		refused.Stage = ""
	}
	return refused
}

// dropReviews removes the states and comments of documents that the write deletes.
func (op *operation) dropReviews() error {
	for _, c := range op.changes {
		if c.Before == nil || c.After != nil {
			continue
		}
		k, t := c.Before.Key(), op.site.Type(c.Type)
		if op.exists(t, k.WithStatus(store.Draft)) || op.exists(t, k.WithStatus(store.Published)) {
			continue
		}
		if err := review.Remove(op.tx, review.Place{UID: c.Type, DocumentID: k.DocumentID, Locale: k.Locale}); err != nil {
			return err
		}
	}
	return nil
}
