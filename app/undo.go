package app

import (
	"context"
	"time"

	"quire/auth"
	"quire/documents"
	"quire/store"
)

// UndoRequest says whose changes a command takes back.
type UndoRequest struct {
	By    string    `json:"by"` // as in history: "assistant:27a7a9d720f1888b"
	Since time.Time `json:"since"`
	Do    bool      `json:"do"` // otherwise nothing is done
}

// Undone is what is taken back, or would be.
type Undone struct {
	Done    bool         `json:"done"`
	Since   time.Time    `json:"since"` // what was asked for, or the beginning of the log of changes
	Entries []UndoneItem `json:"entries"`
	Left    []UndoneItem `json:"left"` // documents that stay as they are
}

// UndoneItem is an entry that changes, or a document that stays as it is.
type UndoneItem struct {
	Type       string `json:"type"` // uid
	DocumentID string `json:"documentId"`
	Locale     string `json:"locale,omitempty"`
	Status     string `json:"status,omitempty"`
	Title      string `json:"title,omitempty"`
	Action     string `json:"action,omitempty"` // create, update or delete
	Reason     string `json:"reason,omitempty"` // why it stays
}

// Undo takes back what an author has changed since a moment, all or nothing, in the running
// server or, if none runs, in this process.
func (l Location) Undo(ctx context.Context, in UndoRequest) (out Undone, who string, err error) {
	return callData[Undone](ctx, l, undoCommand, in)
}

func (a *App) undo(ctx context.Context, in UndoRequest) (any, error) {
	out := Undone{Entries: []UndoneItem{}, Left: []UndoneItem{}}
	who := func() (auth.Identity, error) { return a.auth.ActAs(auth.AsOwner) }
	err := a.server.Ask(ctx, who, func(ctx context.Context, call *documents.Call) error {
		call.Actor = store.ActorOf(store.ByCommand, "undo")
		plan, err := call.Undo(ctx, documents.Period{By: in.By, Since: in.Since})
		if err != nil {
			return err
		}
		out.Since = plan.Since
		effects, err := call.Effects(ctx, plan.Steps)
		if err != nil {
			return err
		}
		for _, e := range effects {
			out.Entries = append(out.Entries, UndoneItem{Type: e.Type.UID, DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status.String(), Title: e.Title, Action: e.Action.String()})
		}
		for _, left := range plan.Left {
			out.Left = append(out.Left, UndoneItem{Type: left.Type.UID, DocumentID: left.DocumentID, Reason: left.Reason})
		}
		if out.Done = in.Do; !in.Do {
			return nil
		}
		return call.TakeBack(ctx, plan)
	})
	return out, err
}
