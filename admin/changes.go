package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"quire/content/changeset"
	"quire/documents"
	"quire/server"
)

// Changes that wait for a person, and changes of an author that are taken back.

func changeRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/changes", handler: listChangeSets,
			summary: "Changes that wait for a person, and the decisions", out: []changeSetOf{}},
		{Method: http.MethodGet, Path: "/changes/:id", handler: showChangeSet,
			summary: "What a change set would do", out: changeSetOf{}},
		{Method: http.MethodPost, Path: "/changes/:id/approve", handler: approveChangeSet,
			summary: "Do a change set, all or nothing"},
		{Method: http.MethodPost, Path: "/changes/:id/reject", handler: rejectChangeSet,
			summary: "Reject a change set"},
		{Method: http.MethodGet, Path: "/undo", handler: showUndo, query: []string{"by", "since", "until", "type", "documentId"},
			summary: "What taking back the changes of an author, or with * of all, since a moment or between two would do", out: undoOf{}},
		{Method: http.MethodPost, Path: "/undo", handler: taking(undo),
			summary: "Take back what an author has, or with * all have, changed since a moment or between two, all or nothing", in: undoForm{}, out: undoOf{}},
		{Method: http.MethodGet, Path: "/past", handler: showPast, query: []string{"since", "until", "page"},
			summary: "Which documents were changed since a moment or between two, by type, 100 on a page", out: pastOf{}},
	}
}

// changeSetOf is a change set as the account sees it.
type changeSetOf struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"`
	By        *actorOf        `json:"by"`
	CreatedAt string          `json:"createdAt"`
	State     changeset.State `json:"state"`
	Count     int             `json:"count"` // of its writes
	DecidedAt *string         `json:"decidedAt"`
	DecidedBy *actorOf        `json:"decidedBy"`
	Effects   []changedEntry  `json:"effects,omitzero"`  // of one that waits
	Problem   *problemOf      `json:"problem,omitempty"` // why it cannot be done now
}

// changedEntry is what would change in one entry.
type changedEntry struct {
	Type       string          `json:"type"` // uid
	DocumentID string          `json:"documentId"`
	Locale     *string         `json:"locale"`
	Status     string          `json:"status"`
	Title      string          `json:"title"`
	Action     string          `json:"action"` // create, update or delete
	Before     json.RawMessage `json:"before"` // what it has of the attributes that change
	After      json.RawMessage `json:"after"`  // what it would have of them
}

// problemOf is why a write of a change set is refused.
type problemOf struct {
	Step    int    `json:"step"` // from 0
	Message string `json:"message"`
}

func (x *request) showSet(call *documents.Call, s *changeset.ChangeSet) changeSetOf {
	return changeSetOf{
		ID: s.ID, Title: s.Title, By: (*actorOf)(call.Author(s.By)), CreatedAt: documents.Moment(s.Created).String(), State: s.State, Count: s.Count,
		DecidedAt: documents.NullIfEmpty(documents.Moment(s.Decided).String()), DecidedBy: (*actorOf)(call.Author(s.DecidedBy)),
	}
}

func listChangeSets(x *request) error {
	call, err := x.call()
	if err != nil {
		return err
	}
	sets, err := call.ChangeSets()
	if err != nil {
		return err
	}
	list := []changeSetOf{}
	for _, s := range sets {
		list = append(list, x.showSet(call, s))
	}
	return x.data(list)
}

// waiting adds the change sets that wait to the home.
func (x *request) waiting(h *homeOf) error {
	call, err := x.call()
	if err != nil {
		return err
	}
	sets, err := call.ChangeSets()
	for _, s := range sets {
		if s.State == changeset.Waiting && len(h.Waiting) < mostAtHome {
			h.Waiting = append(h.Waiting, x.showSet(call, s))
		}
	}
	return err
}

func showChangeSet(x *request) error {
	call, err := x.call()
	if err != nil {
		return err
	}
	s, err := call.ChangeSet(x.params.ByName("id"))
	if err != nil {
		return err
	}
	shown := x.showSet(call, s)
	if s.State == changeset.Waiting {
		effects, err := call.Effects(x.http.Context(), s.Steps)
		if step, p := documents.ExplainStep(err); p != nil {
			shown.Problem = &problemOf{step, p.Message}
		} else if err != nil {
			return err
		}
		shown.Effects = showEffects(effects)
	}
	return x.data(shown)
}

func showEffects(effects []documents.Effect) []changedEntry {
	list := []changedEntry{}
	for _, e := range effects {
		list = append(list, changedEntry{
			Type: e.Type.UID, DocumentID: e.DocumentID, Locale: documents.NullIfEmpty(e.Locale), Status: e.Status.String(),
			Title: e.Title, Action: e.Action.String(), Before: e.Before.Append(nil), After: e.After.Append(nil),
		})
	}
	return list
}

func approveChangeSet(x *request) error { return x.decide((*documents.Call).Approve) }

func rejectChangeSet(x *request) error { return x.decide((*documents.Call).Reject) }

func (x *request) decide(do func(call *documents.Call, ctx context.Context, id string) error) error {
	call, err := x.call()
	if err != nil {
		return err
	}
	return x.done(namesStep(do(call, x.http.Context(), x.params.ByName("id"))))
}

// namesStep adds to the error of several writes which of them it is about.
func namesStep(err error) error {
	step, p := documents.ExplainStep(err)
	if p == nil {
		return err
	}
	named := *p
	if p.Kind == documents.NotFound { // the path of the request exists
		named = documents.Problem{Kind: documents.Conflict, Name: "ConflictError", Details: p.Details}
	}
	named.Message = fmt.Sprintf("Change %d: %s", step+1, p.Message)
	return &named
}

// undoForm says what is taken back.
type undoForm struct {
	By         string    `json:"by"`    // as in history: "assistant:27a7a9d720f1888b"; * for everybody
	Since      time.Time `json:"since"` // RFC 3339
	Until      time.Time `json:"until"` // the first moment that stays; the zero time for now
	Type       string    `json:"type"`  // with documentId, of one document alone
	DocumentID string    `json:"documentId"`
}

// wrong returns the key of the form that is wrong, and why; "" for none.
func (f *undoForm) wrong() (key, why string) {
	switch {
	case f.Since.IsZero():
		return "since", "since is a time, such as 2026-01-31T12:00:00Z"
	case f.By == "":
		return "by", "by names an author, such as admin:27a7a9d720f1888b, or is * for everybody"
	case !f.Until.IsZero() && f.Until.Before(f.Since):
		return "until", "until is before since"
	case (f.Type == "") != (f.DocumentID == ""):
		return "documentId", "type and documentId name one document together"
	}
	return "", ""
}

// readPeriod reads a period from a query.
func (x *request) readPeriod() (form undoForm, err error) {
	q := x.http.URL.Query()
	form = undoForm{By: q.Get("by"), Type: q.Get("type"), DocumentID: q.Get("documentId")}
	for key, to := range map[string]*time.Time{"since": &form.Since, "until": &form.Until} {
		text := q.Get(key)
		if text == "" {
			continue
		}
		if *to, err = time.Parse(time.RFC3339, text); err != nil {
			return form, queryProblem(key, key+" is a time, such as 2026-01-31T12:00:00Z")
		}
	}
	return form, nil
}

// undoOf is what taking back does.
type undoOf struct {
	Since   string         `json:"since"` // what was asked for, or the beginning of the log of changes
	Count   int            `json:"count"` // of writes
	Effects []changedEntry `json:"effects"`
	Left    []leftOf       `json:"left"` // documents that stay as they are
}

type leftOf struct {
	Type       string `json:"type"` // uid
	DocumentID string `json:"documentId"`
	Reason     string `json:"reason"`
}

func showUndo(x *request) error {
	form, err := x.readPeriod()
	if err != nil {
		return err
	}
	if key, why := form.wrong(); key != "" {
		return queryProblem(key, why)
	}
	_, _, shown, err := x.planUndo(form)
	if err != nil {
		return err
	}
	return x.data(shown)
}

func undo(x *request, form *undoForm) error {
	if key, why := form.wrong(); key != "" {
		return server.KeyProblem(key, why)
	}
	call, plan, shown, err := x.planUndo(*form)
	if err != nil {
		return err
	}
	if err := call.TakeBack(x.http.Context(), plan); err != nil {
		return namesStep(err)
	}
	return x.data(shown)
}

func (x *request) planUndo(form undoForm) (*documents.Call, *documents.Undo, *undoOf, error) {
	call, err := x.call()
	if err != nil {
		return nil, nil, nil, err
	}
	plan, err := call.Undo(x.http.Context(), documents.Period(form))
	if err != nil {
		return nil, nil, nil, err
	}
	effects, err := call.Effects(x.http.Context(), plan.Steps)
	if err != nil {
		return nil, nil, nil, namesStep(err)
	}
	shown := &undoOf{Since: documents.Moment(plan.Since).String(), Count: len(plan.Steps), Effects: showEffects(effects), Left: []leftOf{}}
	for _, l := range plan.Left {
		shown.Left = append(shown.Left, leftOf{l.Type.UID, l.DocumentID, l.Reason})
	}
	return call, plan, shown, nil
}
