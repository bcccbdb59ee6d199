package admin

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"quire/auth"
	"quire/auth/people"
	"quire/content/audit"
	"quire/content/review"
	"quire/documents"
	"quire/schema"
	"quire/server"
)

// Where a document is on its way to being published, and what people say about it. Whoever may
// not see the document, its draft or the attribute that a comment is about sees nothing of it.

func reviewRoutes() []Route {
	const one, comment = "/reviews/:uid/:documentId", "/reviews/:uid/:documentId/comments"
	locale := []string{"locale"}
	return []Route{
		{Method: http.MethodGet, Path: "/reviews/:uid", handler: listReviews, summary: "The stages of documents, or of all that have left the first one or have an assignee", query: []string{"locale", "documents"}, out: []reviewLine{}, meta: reviewsMeta{}},
		{Method: http.MethodGet, Path: one, handler: showReview, summary: "The stage, assignee, due date and comments of a document", query: locale, out: reviewOf{}},
		{Method: http.MethodPut, Path: one, handler: changeReview, summary: "Move a document to another stage, or change its assignee or due date", query: locale, in: reviewForm{}, out: reviewOf{}},
		{Method: http.MethodGet, Path: one + "/people", handler: listReviewers, summary: "The accounts that see a document, or an attribute of it", query: []string{"locale", "field"}, out: []personOf{}},
		{Method: http.MethodPost, Path: comment, handler: addComment, summary: "Comment on a document or an attribute of it", query: locale, in: commentForm{}, out: reviewOf{}, status: http.StatusCreated},
		{Method: http.MethodPut, Path: comment + "/:id", handler: resolveComment, summary: "Resolve a thread, or open it again", query: locale, in: resolveForm{}, out: reviewOf{}},
		{Method: http.MethodDelete, Path: comment + "/:id", handler: removeComment, summary: "Remove one's own comment that nobody has answered; owners remove those of others too", query: locale},
	}
}

// reviewOf is a document on its way, as the account sees it.
type reviewOf struct {
	Stage     *string     `json:"stage"`     // id; null if the type has no stages
	Stages    []stageSeen `json:"stages"`    // of the type
	Publish   *string     `json:"publish"`   // id of the stage from which alone it is published; null for all
	MayChange bool        `json:"mayChange"` // the assignee and the due date
	Assignee  *personOf   `json:"assignee"`
	Due       *string     `json:"due"` // a date
	Comments  []commentOf `json:"comments"`
}

// stageSeen is a stage, and whether the account may move the document to it now.
type stageSeen struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	May  bool   `json:"may"`
}

type personOf struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// commentOf is a comment as shown.
type commentOf struct {
	ID       string     `json:"id"`
	Thread   *string    `json:"thread"` // id of the first comment of the thread that it answers
	Field    *string    `json:"field"`  // name of an attribute
	Text     string     `json:"text"`
	By       personOf   `json:"by"` // without a name if the account was removed; without an id if an import has found none
	At       time.Time  `json:"at"`
	Mentions []personOf `json:"mentions"`
	Resolved *resolved  `json:"resolved"`
	Own      bool       `json:"own"` // the account can remove it
}

type resolved struct {
	By personOf  `json:"by"`
	At time.Time `json:"at"`
}

// reviewed is a document in one locale that the account sees, with its draft.
type reviewed struct {
	*request
	t     *schema.Type
	place review.Place
	title string
	call  *documents.Call
}

// readReviewed reads which document a request is about.
func (x *request) readReviewed() (*reviewed, error) {
	t, err := x.readableType(x.params.ByName("uid"))
	if err != nil {
		return nil, err
	}
	r := &reviewed{request: x, t: t, place: review.Place{UID: t.UID, DocumentID: x.params.ByName("documentId")}}
	if noDocument(r.place.DocumentID) || !isLine(r.place.DocumentID) {
		return nil, notFound()
	}
	if r.place.Locale, err = x.readLocale(t); err != nil {
		return nil, err
	}
	if r.call, err = x.call(); err != nil {
		return nil, err
	}
	found, err := r.call.Summary(x.http.Context(), t, r.place.DocumentID, r.place.Locale)
	if err != nil {
		return nil, err
	}
	if found == nil || found.DocumentID != r.place.DocumentID || !seesReviews(r.call.Caller, t) {
		return nil, notFound()
	}
	r.title = found.Title
	return r, nil
}

// seesReviews reports whether a caller sees documents of a type, with their drafts.
func seesReviews(c *auth.Caller, t *schema.Type) bool {
	return c.Allows(t, schema.Find) && c.Allows(t, t.ReadOne()) && (!t.DraftAndPublish || c.Allows(t, schema.ReadDraft))
}

// seesField is seesReviews for what is said about an attribute; empty for the whole document.
func seesField(c *auth.Caller, t *schema.Type, field string) bool {
	return seesReviews(c, t) && (field == "" || schema.SeesByName(c, t, field))
}

func (r *reviewed) sees(field string) bool { return seesField(r.call.Caller, r.t, field) }

// seen returns the comments that the account sees.
func (r *reviewed) seen(list []*review.Comment) []*review.Comment {
	return slices.DeleteFunc(list, func(c *review.Comment) bool { return !r.sees(c.Field) })
}

// person shows an account to another one.
func (x *request) reviewPerson(id string) personOf {
	if a := x.admin.People.ByID(id); a != nil {
		return personOf{id, a.Name}
	}
	return personOf{ID: id}
}

// author shows who has written a comment.
func (r *reviewed) author(c *review.Comment) personOf {
	if c.By == "" {
		return personOf{Name: c.Author}
	}
	return r.reviewPerson(c.By)
}

func showReview(x *request) error {
	r, err := x.readReviewed()
	if err != nil {
		return err
	}
	return r.answer(http.StatusOK)
}

func (r *reviewed) answer(status int) error {
	w, _, err := r.admin.Reviews.Workflow(r.t.UID)
	if err != nil {
		return err
	}
	st, list, err := r.admin.Reviews.Read(r.place)
	if err != nil {
		return err
	}
	works, err := r.call.MayWork(r.http.Context(), r.t, r.place.DocumentID, r.place.Locale)
	if err != nil {
		return err
	}
	out := reviewOf{Stages: []stageSeen{}, MayChange: r.mayChange(st, works), Due: documents.NullIfEmpty(st.Due), Comments: []commentOf{}}
	if is := w.StageOf(st); is != nil {
		out.Stage, out.Publish = &is.ID, documents.NullIfEmpty(w.Publish)
		for i := range w.Stages {
			to := &w.Stages[i]
			out.Stages = append(out.Stages, stageSeen{to.ID, to.Name, w.Leads(is, to) && r.mayMove(to, works)})
		}
	}
	if a := r.admin.People.ByID(st.Assignee); a != nil {
		out.Assignee = &personOf{a.ID, a.Name}
	}
	seen := r.seen(list)
	for _, c := range seen {
		out.Comments = append(out.Comments, r.comment(c, seen))
	}
	return r.answerData(status, out)
}

func (r *reviewed) comment(c *review.Comment, all []*review.Comment) commentOf {
	out := commentOf{ID: c.ID, Thread: documents.NullIfEmpty(c.Thread), Field: documents.NullIfEmpty(c.Field), Text: c.Text, By: r.author(c), At: c.At, Mentions: []personOf{}}
	for _, id := range c.Mentions {
		out.Mentions = append(out.Mentions, r.reviewPerson(id))
	}
	if c.Resolved != nil {
		out.Resolved = &resolved{r.reviewPerson(c.Resolved.By), c.Resolved.At}
	}
	out.Own = r.mayRemove(c) && !slices.ContainsFunc(all, func(other *review.Comment) bool { return other.Thread == c.ID })
	return out
}

// mayRemove reports whether the account may remove a comment that has no answers. Owners may remove
// all of them: comments are limited in number, and nobody must be able to use that up for ever.
func (r *reviewed) mayRemove(c *review.Comment) bool {
	return c.By == r.session.Account.ID || r.session.Account.Roles.Full()
}

// mayChange reports whether the account may change the assignee and the due date: if it may
// change the document, and if it has it.
func (r *reviewed) mayChange(st *review.State, works bool) bool {
	return works || st.Assignee == r.session.Account.ID
}

// mayMove reports whether the account may move the document to a stage from one that leads
// there: accounts with a role that it names, or all that may change the document.
func (r *reviewed) mayMove(to *review.Stage, works bool) bool {
	roles := r.session.Account.Roles
	return roles.Full() || len(to.Roles) == 0 && works || roles.Include(to.Roles...)
}

// reviewForm changes what it has; an empty text removes the assignee or the due date.
type reviewForm struct {
	Stage    *string `json:"stage,omitempty"`    // id
	Assignee *string `json:"assignee,omitempty"` // id of an account
	Due      *string `json:"due,omitempty"`      // a date
}

func changeReview(x *request) error {
	r, err := x.readReviewed()
	if err != nil {
		return err
	}
	var f reviewForm
	if err := x.readForm(&f); err != nil {
		return err
	}
	if f.Due != nil {
		if err := review.CheckDue(*f.Due); err != nil {
			return belowReview("", err)
		}
	}
	if f.Assignee != nil && *f.Assignee != "" && r.reviewer(*f.Assignee, "") == nil {
		return server.KeyProblem("assignee", "There is no such account, or it does not see this document")
	}
	works, err := r.call.MayWork(x.http.Context(), r.t, r.place.DocumentID, r.place.Locale)
	if err != nil {
		return err
	}
	beside := x.beside()
	err = x.admin.Reviews.Change(r.place, func(w *review.Workflow, st *review.State) error {
		beside.Events, beside.Mail = nil, nil
		if err := r.assign(&f, st, works, beside); err != nil {
			return err
		}
		if f.Stage == nil {
			return nil
		}
		return r.move(w, st, *f.Stage, works, beside)
	}, beside)
	if err != nil {
		return belowReview("", err)
	}
	return r.answer(http.StatusOK)
}

// assign changes the assignee and the due date.
func (r *reviewed) assign(f *reviewForm, st *review.State, works bool, beside *review.Beside) error {
	if f.Assignee == nil && f.Due == nil {
		return nil
	}
	if !r.mayChange(st, works) {
		return server.Problem(http.StatusForbidden, "ForbiddenError", "You may not change who has this document, or until when", nil)
	}
	if f.Assignee != nil && *f.Assignee != st.Assignee {
		st.Assignee = *f.Assignee
		name := r.reviewPerson(st.Assignee).Name
		beside.Events = append(beside.Events, r.event("review.assign", map[string]string{"assignee": name}))
		beside.Mail = append(beside.Mail, r.mail(assignedYou, "", "", st.Assignee)...)
	}
	if f.Due != nil && *f.Due != st.Due {
		st.Due = *f.Due
		beside.Events = append(beside.Events, r.event("review.due", map[string]string{"due": st.Due}))
	}
	return nil
}

// move moves the document to another stage.
func (r *reviewed) move(w *review.Workflow, st *review.State, id string, works bool, beside *review.Beside) error {
	is, to := w.StageOf(st), w.Stage(id)
	switch {
	case to == nil:
		return server.KeyProblem("stage", fmt.Sprintf("There is no stage %.40q", id))
	case is.ID == to.ID:
		return nil
	case !w.Leads(is, to):
		return server.KeyProblem("stage", fmt.Sprintf("A document in the stage “%s” cannot be moved to “%s”", is.Name, to.Name))
	case !r.mayMove(to, works):
		return server.Problem(http.StatusForbidden, "ForbiddenError", fmt.Sprintf("Your role may not move documents to the stage “%s”", to.Name), nil)
	}
	st.Stage = to.ID
	beside.Events = append(beside.Events, r.event("review.move", map[string]string{"from": is.Name, "to": to.Name}))
	return nil
}

// event is a line of the audit log about the document. It has nothing of what comments say.
func (r *reviewed) event(action string, details map[string]string) audit.Event {
	target := audit.Target{Type: r.t.UID, ID: r.place.DocumentID, Locale: r.place.Locale}
	return audit.Event{Action: action, Target: target, Details: details}
}

// mostPeople is the maximum number of accounts that can be chosen from.
const mostPeople = 200

// reviewer returns an account that sees the document and a field of it; nil if there is none.
func (r *reviewed) reviewer(id, field string) *people.Account {
	a := r.admin.People.ByID(id)
	if a == nil || a.Blocked || !seesField(a.Sees(), r.t, field) || !r.call.ExistsFor(a.Sees(), r.t, r.place.DocumentID, r.place.Locale) {
		return nil
	}
	return a
}

func listReviewers(x *request) error {
	r, err := x.readReviewed()
	if err != nil {
		return err
	}
	field, list := x.http.URL.Query().Get("field"), []personOf{}
	if !r.sees(field) {
		return notFound()
	}
	for _, a := range x.admin.People.List() {
		if r.reviewer(a.ID, field) != nil && len(list) < mostPeople {
			list = append(list, personOf{a.ID, a.Name})
		}
	}
	slices.SortStableFunc(list, func(a, b personOf) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return x.data(list)
}

// commentForm is a new comment: about a field, about the document, or an answer.
type commentForm struct {
	Text     string   `json:"text"`
	Field    string   `json:"field,omitempty"`
	Thread   string   `json:"thread,omitempty"` // id of the first comment of the thread that it answers
	Mentions []string `json:"mentions,omitempty"`
}

func addComment(x *request) error {
	r, err := x.readReviewed()
	if err != nil {
		return err
	}
	var f commentForm
	if err := x.readForm(&f); err != nil {
		return err
	}
	c := &review.Comment{Text: strings.TrimSpace(f.Text), Field: f.Field, Thread: f.Thread, By: x.session.Account.ID, Mentions: f.Mentions}
	if err := c.Check(); err != nil {
		return belowReview("", err)
	}
	st, list, err := x.admin.Reviews.Read(r.place)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(list, func(one *review.Comment) bool { return one.ID == f.Thread }); i >= 0 {
		c.Field = list[i].Field
	}
	if !r.sees(c.Field) {
		if f.Thread != "" {
			return notFound()
		}
		return server.KeyProblem("field", fmt.Sprintf("There is no attribute %.100q", f.Field))
	}
	for i, id := range f.Mentions {
		if slices.Contains(f.Mentions[:i], id) || r.reviewer(id, c.Field) == nil {
			return server.KeyProblem("mentions", fmt.Sprintf("mentions[%d]: there is no such account, or it does not see this, or it is named twice", i))
		}
	}
	beside := x.beside(r.event("review.comment", nil))
	beside.Mail = r.mail(mentionedYou, c.Field, c.Text, f.Mentions...)
	if !slices.Contains(f.Mentions, st.Assignee) {
		beside.Mail = append(beside.Mail, r.mail(commented, c.Field, c.Text, st.Assignee)...)
	}
	if err := x.admin.Reviews.Add(r.place, c, r.sees, beside); err != nil {
		return belowReview("", err)
	}
	return r.answer(http.StatusCreated)
}

// resolveForm resolves a thread, or opens it again.
type resolveForm struct {
	Resolved bool `json:"resolved"`
}

func resolveComment(x *request) error {
	r, err := x.readReviewed()
	if err != nil {
		return err
	}
	var f resolveForm
	if err := x.readForm(&f); err != nil {
		return err
	}
	action := "review.open"
	if f.Resolved {
		action = "review.resolve"
	}
	if err := x.admin.Reviews.Resolve(r.place, x.params.ByName("id"), x.session.Account.ID, f.Resolved, r.sees, x.beside(r.event(action, nil))); err != nil {
		return belowReview("", err)
	}
	return r.answer(http.StatusOK)
}

// reviewLine is the stage and the assignee of one of several documents.
type reviewLine struct {
	DocumentID string    `json:"documentId"`
	Stage      *string   `json:"stage"` // name
	StageID    *string   `json:"stageId"`
	Assignee   *personOf `json:"assignee"`
}

type reviewsMeta struct {
	More bool `json:"more"` // there are more documents than are listed
}

// mostListed is the maximum number of documents whose stages are listed by their ids, and
// mostStored of those that are listed otherwise.
const (
	mostListed = 100
	mostStored = 500
)

// listReviews lists the stages of documents that a list shows. Whoever sees no drafts of the type
// gets none.
func listReviews(x *request) error {
	t, err := x.readableType(x.params.ByName("uid"))
	if err != nil {
		return err
	}
	locale, err := x.readLocale(t)
	if err != nil {
		return err
	}
	lines := []reviewLine{}
	if !seesReviews(x.session.Identity().Caller, t) {
		return x.answerWith(http.StatusOK, lines, reviewsMeta{})
	}
	stated, more, err := x.statesOf(t, locale)
	if err != nil {
		return err
	}
	w, _, err := x.admin.Reviews.Workflow(t.UID)
	if err != nil {
		return err
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	for _, one := range stated {
		if call.Caller.Filter(t) != nil && !call.ExistsFor(call.Caller, t, one.DocumentID, locale) {
			continue
		}
		l := reviewLine{DocumentID: one.DocumentID}
		if is := w.StageOf(one.State); is != nil {
			l.Stage, l.StageID = &is.Name, &is.ID
		}
		if a := x.admin.People.ByID(one.State.Assignee); a != nil {
			l.Assignee = &personOf{a.ID, a.Name}
		}
		lines = append(lines, l)
	}
	return x.answerWith(http.StatusOK, lines, reviewsMeta{more})
}

// statesOf returns the states of the documents that the request names or, if it names none, of
// all that have one.
func (x *request) statesOf(t *schema.Type, locale string) (list []review.Stated, more bool, err error) {
	named := x.http.URL.Query().Get("documents")
	if named == "" {
		return x.admin.Reviews.Stored(t.UID, locale, mostStored)
	}
	ids := strings.Split(named, ",")
	if len(ids) > mostListed {
		return nil, false, queryProblem("documents", fmt.Sprintf("documents names at most %d documents", mostListed))
	}
	states, err := x.admin.Reviews.States(t.UID, locale, ids)
	for i, st := range states {
		list = append(list, review.Stated{DocumentID: ids[i], State: st})
	}
	return list, false, err
}

func removeComment(x *request) error {
	r, err := x.readReviewed()
	if err != nil {
		return err
	}
	if err := x.admin.Reviews.RemoveComment(r.place, x.params.ByName("id"), r.sees, r.mayRemove, x.beside(r.event("review.remove", nil))); err != nil {
		return belowReview("", err)
	}
	return x.empty()
}
