package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"quire/auth"
	"quire/content/release"
	"quire/documents"
	"quire/query/params"
)

// Releases have permissions of their own. A caller who publishes, checks or schedules a
// release also needs the action of each step on its type, because at its time the release
// runs without a caller.

func releaseRoutes() []Route {
	const all, one = "/api/_releases", "/api/_releases/:id"
	return []Route{
		{Method: http.MethodGet, Path: all, Permission: auth.FindReleases, takes: []string{"pagination", "state"}, handler: findReleases},
		{Method: http.MethodPost, Path: all, Permission: auth.CreateRelease, handler: createRelease},
		{Method: http.MethodGet, Path: one, Permission: auth.FindReleases, handler: findRelease},
		{Method: http.MethodPut, Path: one, Permission: auth.UpdateRelease, handler: updateRelease},
		{Method: http.MethodDelete, Path: one, Permission: auth.DeleteRelease, handler: deleteRelease},
		{Method: http.MethodGet, Path: one + "/check", Permission: auth.PublishRelease, handler: checkRelease},
		{Method: http.MethodPost, Path: one + "/publish", Permission: auth.PublishRelease, handler: publishRelease},
	}
}

// Limits on a page of releases.
const (
	releasePage     = 25
	mostReleasePage = 100
)

func findReleases(x *request) error {
	parameters, err := x.query()
	if err != nil {
		return err
	}
	page, size, err := readPages(parameters, release.MaxReleases)
	if err != nil {
		return err
	}
	all, err := x.site.calendar.List()
	if err != nil {
		return err
	}
	if all, err = inState(all, parameters.Get("state")); err != nil {
		return err
	}
	shown := []documents.Release{}
	for _, r := range all[min(len(all), (page-1)*size):min(len(all), page*size)] {
		x.call.AwaitDone(x.http.Context(), r)
		shown = append(shown, documents.ShowHead(r))
	}
	return x.envelope(http.StatusOK, shown, pageOf(page, size, len(all)))
}

// pages is the meta object of a list.
type pages struct {
	Pagination struct {
		Page      int `json:"page"`
		PageSize  int `json:"pageSize"`
		PageCount int `json:"pageCount"`
		Total     int `json:"total"`
	} `json:"pagination"`
}

func pageOf(page, size, total int) (meta pages) {
	p := &meta.Pagination
	p.Page, p.PageSize, p.PageCount, p.Total = page, size, (total+size-1)/size, total
	return meta
}

// readPages reads the requested page, with at most the given number of items.
func readPages(parameters *params.Node, most int) (page, size int, err error) {
	if page, err = number(parameters.Get("pagination"), "page", 1, most); err != nil {
		return 0, 0, err
	}
	size, err = number(parameters.Get("pagination"), "pageSize", releasePage, mostReleasePage)
	return page, size, err
}

// number reads a number from 1 to most; the default is standard.
func number(n *params.Node, key string, standard, most int) (int, error) {
	if n == nil || n.Get(key) == nil {
		if n != nil && !n.IsObject() {
			return 0, invalid(`"pagination" must be pagination[page] and pagination[pageSize]`)
		}
		return standard, nil
	}
	i, err := strconv.Atoi(n.Get(key).Text)
	if !n.Get(key).IsText() || err != nil || strconv.Itoa(i) != n.Get(key).Text || i < 1 || i > most {
		return 0, invalid(fmt.Sprintf(`"pagination[%s]" must be a number from 1 to %d`, key, most))
	}
	return i, nil
}

// inState keeps the releases in the state that the parameter names, if there is one.
func inState(all []*release.Release, n *params.Node) ([]*release.Release, error) {
	state, err := readState(n, release.Planned, release.Scheduled, release.Done, release.Failed)
	if err != nil || state == "" {
		return all, err
	}
	return slices.DeleteFunc(all, func(r *release.Release) bool { return r.State != state }), nil
}

// readState reads a parameter that is one of the states; empty without it.
func readState(n *params.Node, states ...release.State) (release.State, error) {
	if n == nil {
		return "", nil
	}
	if n.IsText() && slices.Contains(states, release.State(n.Text)) {
		return release.State(n.Text), nil
	}
	var names []string
	for _, s := range states {
		names = append(names, string(s))
	}
	return "", invalid(`"state" must be one of ` + strings.Join(names, ", "))
}

func findRelease(x *request) error {
	r, err := x.site.calendar.Release(x.params[0].Value)
	if err != nil {
		return err
	}
	x.call.AwaitDone(x.http.Context(), r)
	return x.envelope(http.StatusOK, x.call.ShowRelease(r), nil)
}

func createRelease(x *request) error {
	in, err := x.releaseInput()
	if err != nil {
		return err
	}
	r, err := in.Of(release.Release{By: x.identity.Actor()})
	if err != nil {
		return err
	}
	if err := x.call.MayPlan(x.http.Context(), &r); err != nil {
		return err
	}
	made, err := x.site.calendar.Create(x.http.Context(), r)
	if err != nil {
		return err
	}
	return x.envelope(http.StatusCreated, x.call.ShowRelease(made), nil)
}

func updateRelease(x *request) error {
	in, err := x.releaseInput()
	if err != nil {
		return err
	}
	was, err := x.site.calendar.Release(x.params[0].Value)
	if err != nil {
		return err
	}
	if in.Steps != nil && slices.ContainsFunc(was.Steps, func(s release.Step) bool { return !x.call.SeesStep(s) }) {
		return &problem{http.StatusForbidden, "ForbiddenError", "The release has steps that you may not see, so you may not replace them", none{}}
	}
	r, err := in.Of(*was)
	if err != nil {
		return err
	}
	if in.Replans() {
		r.By = x.identity.Actor()
		if err := x.call.MayPlan(x.http.Context(), &r); err != nil {
			return err
		}
	}
	changed, err := x.site.calendar.Change(x.http.Context(), was, r)
	if err != nil {
		return err
	}
	return x.envelope(http.StatusOK, x.call.ShowRelease(changed), nil)
}

// releaseInput reads the body of a write.
func (x *request) releaseInput() (in release.Input, err error) {
	kind, text, err := openBody(x, x.site.schema.Settings.Limits.BodyBytes)
	if err != nil {
		return in, err
	}
	var body map[string]json.RawMessage
	if kind != jsonBody || json.Unmarshal(text, &body) != nil || body["data"] == nil {
		return in, invalid(`The body must be JSON: {"data": {"name": …, "steps": […]}}`)
	}
	for key := range body {
		if key != "data" {
			return in, KeyProblem(key[:min(len(key), 100)], fmt.Sprintf(`A release is all in "data"; the body has the key %.50q beside it`, key))
		}
	}
	return x.site.calendar.ReadInput(body["data"], x.caller)
}

func deleteRelease(x *request) error {
	r, err := x.site.calendar.Release(x.params[0].Value)
	if err != nil {
		return err
	}
	if err := x.site.calendar.Remove(x.http.Context(), r); err != nil {
		return err
	}
	x.answerEmpty()
	return nil
}

// shownCheck is the result of checking a release.
type shownCheck struct {
	OK       bool              `json:"ok"`
	Failures []release.Failure `json:"failures"`
}

func checkRelease(x *request) error {
	r, err := x.site.calendar.Release(x.params[0].Value)
	if err != nil {
		return err
	}
	if err := x.call.MayDo(x.http.Context(), r); err != nil {
		return err
	}
	if err := x.share.JoinWrites(); err != nil {
		return err // it takes as much as publishing
	}
	failures, err := x.site.calendar.Check(x.call.Context(x.http.Context()), r)
	if err != nil {
		return err
	}
	return x.envelope(http.StatusOK, shownCheck{len(failures) == 0, append([]release.Failure{}, failures...)}, nil)
}

func publishRelease(x *request) error {
	if _, err := readWhen(x, false); err != nil {
		return err
	}
	r, err := x.site.calendar.Release(x.params[0].Value)
	if err != nil {
		return err
	}
	if err := x.call.MayDo(x.http.Context(), r); err != nil {
		return err
	}
	done, err := x.site.calendar.Publish(x.http.Context(), r, x.identity.Actor())
	if failed := (*release.FailedError)(nil); errors.As(err, &failed) && failed.Causes() != nil {
		x.server.log.Error("a release failed", "id", x.id[0], "release", r.ID, "error", failed.Causes())
	}
	if err != nil {
		return err
	}
	return x.envelope(http.StatusOK, x.call.ShowRelease(done), nil)
}
