package admin

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"quire/admin/account"
	"quire/server"
)

// Route is one line of the table of routes. GET routes answer HEAD as well.
type Route struct {
	Method string
	Path   string // below /admin/api/v1, such as "/accounts/:id"

	// Open routes answer without a session.
	Open bool
	// Early routes answer accounts that still need a second factor.
	Early bool
	// Right, unless empty, is what the role of the account must have.
	Right account.Right
	// Foreign routes pass over parameters that nothing describes: others add their own.
	Foreign bool
	// Quiet routes change nothing that the audit log would say.
	Quiet bool
	// OneNode routes read what the node keeps that writes, where several share the site.
	OneNode bool

	handler handler
}

// handler answers one route. An error that it returns has sent nothing yet.
type handler func(x *exchange) error

// Routes lists what is served below /admin/api/v1.
func Routes() []Route {
	return slices.Concat(
		sessionRoutes(),
		secondRoutes(), passkeyRoutes(), openIDRoutes(),
		accountRoutes(),
		roleRoutes(),
		accessRoutes(),
		schemaRoutes(),
		typeRoutes(),
		documentRoutes(),
		deskRoutes(),
		searchRoutes(),
		linkRoutes(),
		deletedRoutes(),
		homeRoutes(),
		liveRoutes(),
		auditRoutes(),
		operationRoutes(),
		transferRoutes(),
		settingsRoutes(),
		mailRoutes(),
		openAPIRoutes(),
		contentRoutes(),
	)
}

// handle makes a route of the table one of the router.
func (a *Admin) handle(route Route) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := &exchange{writer: w, request: r, params: params, admin: a}
		x.setSource()
		if err := x.answer(&route); err != nil {
			a.Server.Fail(r, explain(err))
		}
		x.note(&route)
	}
}

// answer finds out who is calling, and has the route answer whoever may call it.
func (x *exchange) answer(route *Route) error {
	if route.Open {
		return route.ask(x)
	}
	if err := x.recognize(route.Early); err != nil {
		return err
	}
	x.setSource()
	x.admin.Server.Name(x.request, x.session.Identity())
	if route.Right != "" && !x.session.Account.Role.Has(route.Right) {
		return refusedRight()
	}
	x.admin.Book.Use(x.session)
	return route.ask(x)
}

// refusedRight refuses an account whose role lacks a right about the site.
func refusedRight() error {
	return server.Problem(http.StatusForbidden, "ForbiddenError", "Your role may not do this", nil)
}

// ask has the route answer, if it knows the parameters of the request.
func (r *Route) ask(x *exchange) error {
	if err := r.checkQuery(x.request.URL.RawQuery); err != nil {
		return err
	}
	return r.handler(x)
}

// passedOn is what the paths end with that lead to the content API.
const passedOn = "/*rest"

// checkQuery refuses parameters that the description of the route does not name, and those
// that are given twice. What is passed on is for the content API to check.
func (r *Route) checkQuery(raw string) error {
	described := operations[r.Method+" "+r.Path]
	if strings.HasSuffix(r.Path, passedOn) || r.Foreign || raw == "" {
		return nil
	}
	asked, err := url.ParseQuery(raw)
	if err != nil {
		return invalid("The query of the address cannot be read")
	}
	known := described.query
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		name := key
		if described.passed {
			name, _, _ = strings.Cut(key, "[")
		}
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			return queryProblem(key, fmt.Sprintf("There is no parameter %.40q; this takes none", key))
		case !slices.Contains(known, name):
			return queryProblem(key, fmt.Sprintf("There is no parameter %.40q; this takes %s", key, strings.Join(known, ", ")))
		case len(asked[key]) > 1 && !described.passed:
			return queryProblem(key, fmt.Sprintf("%s is given %d times; give it once", key, len(asked[key])))
		}
	}
	return nil
}
