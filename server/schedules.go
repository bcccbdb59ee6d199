package server

import (
	"fmt"
	"net/http"

	"quire/auth"
	"quire/query/params"
	"quire/release"
	"quire/schema"
)

// The list of all schedules of a site, which has permissions of its own. A schedule of a
// deleted document appears only here.

func schedulesRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/api/_schedules", Permission: auth.FindSchedules, handler: findAllSchedules},
		{Method: http.MethodDelete, Path: "/api/_schedules/:id", Permission: auth.DeleteSchedule, handler: cancelSchedule},
	}
}

// listedSchedule is a schedule in the list of all.
type listedSchedule struct {
	Type string `json:"type"`
	shownSchedule
	DoneAt moment `json:"doneAt"`
}

// knows reports whether the caller may know about a schedule: it may do the same action, or
// read the drafts of the type, because most scheduled documents are drafts.
func (x *exchange) knows(r *release.Release) bool {
	step := r.Steps[0]
	return x.may(step, step.Action) || x.sees(step) && x.may(step, schema.ReadDraft)
}

// list shows a schedule to the caller.
func (x *exchange) list(r *release.Release) listedSchedule {
	step := r.Steps[0]
	s := listedSchedule{step.Type, x.showSchedule(r), moment(r.DoneAt)}
	if s.Failure != nil && !x.may(step, step.Action) {
		s.Failure = &shownFailure{Reason: "It could not be done"} // the reason depends on the draft
	}
	return s
}

// scheduledOf limits the list to the documents of a type, if it is not empty, and to the
// documents with these ids, if there are any.
type scheduledOf struct {
	uid string
	ids map[string]bool
}

// mostScheduledOf is the maximum number of documents in one request. A list in a query has
// the same maximum.
const mostScheduledOf = 100

func (o scheduledOf) has(s release.Step) bool {
	return (o.uid == "" || s.Type == o.uid) && (o.ids == nil || o.ids[s.DocumentID])
}

// readDocuments reads type and documentId, which is one id or a list of them.
func readDocuments(asked *params.Node) (of scheduledOf, err error) {
	if n := asked.Get("type"); n != nil {
		if !n.IsText() || n.Text == "" {
			return of, invalid(`"type" must be the uid of a content type`)
		}
		of.uid = n.Text
	}
	n := asked.Get("documentId")
	if n == nil {
		return of, nil
	}
	ids := []*params.Node{n}
	if n.IsList() {
		ids = n.Items
	}
	of.ids = map[string]bool{}
	for _, id := range ids {
		if !id.IsText() || id.Text == "" || len(ids) > mostScheduledOf {
			return of, invalid(fmt.Sprintf(`"documentId" must be the id of a document, or a list of up to %d`, mostScheduledOf))
		}
		of.ids[id.Text] = true
	}
	return of, nil
}

// findAllSchedules reads all schedules, so it takes a slot of heavy queries.
func findAllSchedules(x *exchange) error {
	asked, err := x.query()
	if err != nil {
		return err
	}
	page, size, err := readPages(asked, release.MaxSchedules)
	if err != nil {
		return err
	}
	state, err := readState(asked.Get("state"), release.Scheduled, release.Done, release.Failed)
	if err != nil {
		return err
	}
	of, err := readDocuments(asked)
	if err != nil {
		return err
	}
	shows := func(r *release.Release) bool {
		return (state == "" || r.State == state) && of.has(r.Steps[0]) && x.knows(r)
	}
	if err := x.Enter(x.request.Context()); err != nil {
		return err
	}
	all, total, done, err := x.edition.calendar.Schedules(release.Page{Shows: shows, Skip: (page - 1) * size, Size: size})
	if x.End(); err != nil {
		return err
	}
	x.awaitShown(done)
	shown := []listedSchedule{}
	for _, r := range all {
		shown = append(shown, x.list(r))
	}
	return x.envelope(http.StatusOK, shown, pageOf(page, size, total))
}

// cancelSchedule cancels a schedule if the caller could do its action at once, or removes a
// failed one.
func cancelSchedule(x *exchange) error {
	r, err := x.edition.calendar.ScheduleCalled(x.params.ByName("id"))
	switch {
	case err != nil:
		return err
	case !x.knows(r):
		return notFound()
	case !x.may(r.Steps[0], r.Steps[0].Action):
		return forbidden()
	}
	return x.removeSchedule(r)
}
