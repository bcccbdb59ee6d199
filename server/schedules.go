package server

import (
	"fmt"
	"net/http"

	"quire/auth"
	"quire/content/release"
	"quire/query/params"
)

// The list of all schedules of a site, which has permissions of its own. A schedule of a
// deleted document appears only here.

func schedulesRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/api/_schedules", Permission: auth.FindSchedules, takes: []string{"pagination", "state", "type", "documentId"}, handler: findAllSchedules},
		{Method: http.MethodDelete, Path: "/api/_schedules/:id", Permission: auth.DeleteSchedule, handler: cancelSchedule},
	}
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
func readDocuments(parameters *params.Node) (of scheduledOf, err error) {
	if n := parameters.Get("type"); n != nil {
		if !n.IsText() || n.Text == "" {
			return of, invalid(`"type" must be the uid of a content type`)
		}
		of.uid = n.Text
	}
	n := parameters.Get("documentId")
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

func findAllSchedules(x *request) error {
	parameters, err := x.query()
	if err != nil {
		return err
	}
	page, size, err := readPages(parameters, release.MaxSchedules)
	if err != nil {
		return err
	}
	state, err := readState(parameters.Get("state"), release.Scheduled, release.Done, release.Failed)
	if err != nil {
		return err
	}
	of, err := readDocuments(parameters)
	if err != nil {
		return err
	}
	shown, total, err := x.call.Scheduled(x.http.Context(), (page-1)*size, size, func(r *release.Release) bool {
		return (state == "" || r.State == state) && of.has(r.Steps[0])
	})
	if err != nil {
		return err
	}
	return x.envelope(http.StatusOK, shown, pageOf(page, size, total))
}

// cancelSchedule cancels a schedule if the caller could do its action at once, or removes a
// failed one.
func cancelSchedule(x *request) error {
	r, err := x.site.calendar.ScheduleCalled(x.params.ByName("id"))
	switch {
	case err != nil:
		return err
	case !x.call.Knows(r):
		return notFound()
	case !x.call.MayStep(r.Steps[0], r.Steps[0].Action):
		return forbidden()
	}
	if err := x.call.RemoveSchedule(x.http.Context(), r); err != nil {
		return err
	}
	x.answerEmpty()
	return nil
}
