package admin

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"quire/auth/people"
	"quire/content/audit"
)

func auditRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/audit", Right: people.Settings, handler: listAudit,
			summary: "The newest lines of the audit log", query: append([]string{"before"}, auditQuery...), out: []audit.Event{}, meta: auditMeta{}},
		{Method: http.MethodGet, Path: "/audit/export", Right: people.Settings, handler: exportAudit,
			summary: "The audit log as JSON lines, the oldest first", query: auditQuery, media: "application/jsonl"},
	}
}

// auditQuery has the names of the parameters of both routes.
var auditQuery = []string{"by", "action", "target", "since", "until"}

// auditPage limits the lines of one response.
const auditPage = 50

// auditMeta says how to read the next page.
type auditMeta struct {
	Next uint64 `json:"next"` // the before of the next page; 0 at the end
}

// listAudit answers with the newest lines of the audit log.
func listAudit(x *request) error {
	q, err := x.auditQuery()
	if err != nil {
		return err
	}
	below := uint64(0)
	if text := x.http.URL.Query().Get("before"); text != "" {
		if below, err = strconv.ParseUint(text, 10, 64); err != nil {
			return queryProblem("before", "before is the number of a line")
		}
	}
	page, err := x.admin.Audit.Back(q, below, auditPage)
	if err != nil {
		return err
	}
	return x.answerWith(http.StatusOK, append([]audit.Event{}, page.Events...), auditMeta{page.Next})
}

// exportAudit answers with all selected lines, the oldest first, as JSON lines.
func exportAudit(x *request) error {
	q, err := x.auditQuery()
	if err != nil {
		return err
	}
	h := x.writer.Header()
	h.Set("Content-Type", "application/jsonl; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="audit.jsonl"`)
	h.Set("Cache-Control", "no-store")
	if x.http.Method == http.MethodHead {
		x.writer.WriteHeader(http.StatusOK)
		return nil
	}
	read := func(from uint64) (audit.Lines, error) {
		if err := x.http.Context().Err(); err != nil {
			return audit.Lines{}, err
		}
		return x.admin.Audit.Read(q, from)
	}
	out := x.admin.Server.Patient(x.http)
	return audit.Export(read, func(line []byte) error {
		_, err := out.Write(append(line, '\n'))
		return err
	})
}

// auditQuery reads the selection of lines from the URL.
func (x *request) auditQuery() (q audit.Query, err error) {
	parameters := x.http.URL.Query()
	site, caller := x.admin.Server.Site(x.http), x.session.Identity().Caller
	q = audit.Query{By: parameters.Get("by"), Action: parameters.Get("action"), Target: parameters.Get("target")}
	q.Without = func(about *audit.Target) bool { // lines have no values that a filter could look at
		t := site.Type(about.Type)
		return t != nil && caller.Filter(t) != nil
	}
	for name, text := range map[string]string{"by": q.By, "action": q.Action, "target": q.Target} {
		if len(text) > longestText {
			return q, queryProblem(name, fmt.Sprintf("%s has at most %d bytes", name, longestText))
		}
	}
	if q.Since, err = readMoment(parameters, "since"); err != nil {
		return q, err
	}
	q.Until, err = readMoment(parameters, "until")
	return q, err
}

// readMoment reads a time from the URL; the zero time for none.
func readMoment(parameters url.Values, name string) (at time.Time, err error) {
	if text := parameters.Get(name); text != "" {
		if at, err = time.Parse(time.RFC3339, text); err != nil {
			return at, queryProblem(name, name+" is a time such as 2026-01-31T12:00:00Z")
		}
	}
	return at, nil
}

// setSource sets the source for the audit log: where the request comes from and, after
// sign-in, the account.
func (x *request) setSource() {
	by := &audit.Source{From: x.admin.Server.Client(x.http), Way: audit.ByAdmin}
	if x.session != nil {
		by.By, by.Name = x.session.Identity().Actor(), x.session.Account.Email
	}
	x.http = x.http.WithContext(audit.With(x.http.Context(), by))
}

// note records what a route has done if the route has not recorded it itself, and what it
// has refused to an account: so the admin changes nothing without a line.
func (x *request) note(route *Route) {
	ctx := x.http.Context()
	by := audit.Of(ctx)
	if route.Method == http.MethodGet || route.Quiet || by == nil || by.Noted() {
		return
	}
	action, target := route.Method+" "+route.Path, audit.Target{Type: "path", ID: x.http.URL.Path}
	switch status := x.admin.Server.Answered(x.http); {
	case status == http.StatusForbidden && x.session != nil:
		x.admin.People.NoteRefused(ctx, action, target, nil)
	case status >= http.StatusOK && status < http.StatusMultipleChoices:
		if err := x.admin.Audit.Note(by, audit.Event{Action: action, Target: target}); err != nil {
			x.admin.People.Warn("cannot record an action in the audit log", "action", action, "path", target.ID, "error", err)
		}
	}
}
