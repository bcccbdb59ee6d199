package admin

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"quire/auth/people"
	"quire/content/audit"
	"quire/content/review"
	"quire/schema"
	"quire/server"
)

// The stages of each type, and which roles may move documents to them.

func workflowRoutes() []Route {
	const one = "/workflows/:uid"
	return []Route{
		{Method: http.MethodGet, Path: "/workflows", Right: people.Settings, handler: listWorkflows, summary: "The types that have stages, and the roles of the admin", out: workflowsOf{}},
		{Method: http.MethodGet, Path: one, Right: people.Settings, handler: showWorkflow, summary: "Read the stages of a type", out: storedWorkflow{}},
		{Method: http.MethodPut, Path: one, Right: people.Settings, handler: setWorkflow, summary: "Set the stages of a type", in: storedWorkflow{}, out: storedWorkflow{}},
	}
}

// workflowsOf is what the page of stages begins with.
type workflowsOf struct {
	Types  []workflowType `json:"types"`
	Staged []string       `json:"staged"` // uids of the types with stages
	Roles  []roleOf       `json:"roles"`
}

// workflowType is a content type that can have stages.
type workflowType struct {
	UID             string `json:"uid"`
	Display         string `json:"displayName"`
	DraftAndPublish bool   `json:"draftAndPublish"`
}

// storedWorkflow is the workflow of a type, and its version, which is empty without stages. PUT
// stores one in place of the one of that version.
type storedWorkflow struct {
	Version  string           `json:"version"`
	Workflow *review.Workflow `json:"workflow"`
}

func listWorkflows(x *request) error {
	workflows, err := x.admin.Reviews.Workflows()
	if err != nil {
		return err
	}
	out := workflowsOf{Types: []workflowType{}, Staged: slices.AppendSeq([]string{}, maps.Keys(workflows)), Roles: []roleOf{}}
	slices.Sort(out.Staged)
	for t := range x.admin.Server.Site(x.http).Served() {
		out.Types = append(out.Types, workflowType{t.UID, t.Display, t.DraftAndPublish})
	}
	for _, r := range x.admin.People.Roles() {
		out.Roles = append(out.Roles, roleOf{r.ID, r.Name})
	}
	return x.data(out)
}

// stagedType finds a content type of the site.
func (x *request) stagedType() (*schema.Type, error) {
	t := x.admin.Server.Site(x.http).Type(x.params.ByName("uid"))
	if t == nil || t.BuiltIn || t.IsComponent() {
		return nil, notFound()
	}
	return t, nil
}

func showWorkflow(x *request) error {
	t, err := x.stagedType()
	if err != nil {
		return err
	}
	return x.answerWorkflow(t)
}

func (x *request) answerWorkflow(t *schema.Type) error {
	w, version, err := x.admin.Reviews.Workflow(t.UID)
	if err != nil {
		return err
	}
	if w.Stages == nil {
		w.Stages = []review.Stage{}
	}
	return x.data(storedWorkflow{version, w})
}

func setWorkflow(x *request) error {
	t, err := x.stagedType()
	if err != nil {
		return err
	}
	var f storedWorkflow
	if err := x.readForm(&f); err != nil {
		return err
	}
	if f.Workflow == nil {
		return server.KeyProblem("workflow", "workflow is missing")
	}
	if err := f.Workflow.Check(t); err != nil {
		return belowReview("workflow", err)
	}
	roles := x.admin.People.Roles()
	for i, s := range f.Workflow.Stages {
		for j, id := range s.Roles {
			if !slices.ContainsFunc(roles, func(r *people.Role) bool { return r.ID == id }) {
				key := fmt.Sprintf("workflow.stages[%d].roles[%d]", i, j)
				return server.KeyProblem(key, fmt.Sprintf("%s: there is no role %.40q", key, id))
			}
		}
	}
	e := audit.Event{Action: "workflow.set", Target: audit.Target{Type: t.UID, Name: t.Display}}
	err = x.admin.Reviews.PutWorkflow(t.UID, f.Version, f.Workflow, x.beside(e))
	if errors.Is(err, review.ErrChanged) {
		return server.Problem(http.StatusConflict, "ConflictError", "Somebody else has changed these stages meanwhile; load them again", nil)
	}
	if err != nil {
		return err
	}
	return x.answerWorkflow(t)
}

// beside is what belongs to a change of the account.
func (x *request) beside(events ...audit.Event) *review.Beside {
	return &review.Beside{By: audit.Of(x.http.Context()), Events: events}
}

// belowReview explains an error of package review. The key of a refused part is below a key of
// the body, unless that is empty.
func belowReview(at string, err error) error {
	var wrong *review.MisfitError
	var full *review.SpaceError
	switch {
	case errors.As(err, &wrong):
		return problemBelow(at, wrong.Key, wrong.Message)
	case errors.As(err, &full):
		return noSpace(full.Message)
	case errors.Is(err, review.ErrNoDocument):
		return notFound()
	case errors.Is(err, review.ErrNotOwn):
		return server.Problem(http.StatusForbidden, "ForbiddenError", "You can remove your own comments that nobody has answered", nil)
	}
	return err
}
