package admin

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"quire/auth/people"
	"quire/server"
)

// Route is one line of the table of routes. GET routes answer HEAD too.
type Route struct {
	Method string
	Path   string // below /admin/api/v1, for example "/accounts/:id"

	// Open routes answer without a session.
	Open bool
	// Early routes answer accounts that still need a second factor.
	Early bool
	// Right is the right that the role of the account must have, if not empty.
	Right people.Right
	// Foreign routes ignore unknown parameters: others add their own.
	Foreign bool
	// Quiet routes change nothing that belongs in the audit log.
	Quiet bool
	// OneNode routes read data that only the writing node has, if several nodes share the
	// site.
	OneNode bool

	handler handler
}

// handler answers one route. If it returns an error, it has sent nothing yet.
type handler func(x *request) error

// Routes lists the routes below /admin/api/v1.
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

// handle makes a handler for the router from a route of the table.
func (a *Admin) handle(route Route) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := &request{writer: w, http: r, params: params, admin: a}
		x.setSource()
		if err := x.answer(&route); err != nil {
			a.Server.Fail(r, explain(err))
		}
		x.note(&route)
	}
}

// answer identifies the caller, and answers a caller who may call the route.
func (x *request) answer(route *Route) error {
	if route.Open {
		return route.ask(x)
	}
	if err := x.recognize(route.Early); err != nil {
		return err
	}
	x.setSource()
	x.admin.Server.Name(x.http, x.session.Identity())
	if route.Right != "" && !x.session.Account.Role.Has(route.Right) {
		return refusedRight()
	}
	x.admin.People.Use(x.session)
	return route.ask(x)
}

// refusedRight refuses an account whose role lacks a right about the site.
func refusedRight() error {
	return server.Problem(http.StatusForbidden, "ForbiddenError", "Your role may not do this", nil)
}

// ask answers the request if the route knows its parameters.
func (r *Route) ask(x *request) error {
	if err := r.checkQuery(x.http.URL.RawQuery); err != nil {
		return err
	}
	return r.handler(x)
}

// passedOn ends the paths that lead to the content API.
const passedOn = "/*rest"

// checkQuery refuses parameters that the description of the route does not name, and
// duplicates. The content API checks what is passed on.
func (r *Route) checkQuery(raw string) error {
	described := operations[r.Method+" "+r.Path]
	if strings.HasSuffix(r.Path, passedOn) || r.Foreign || raw == "" {
		return nil
	}
	parameters, err := url.ParseQuery(raw)
	if err != nil {
		return invalid("The query of the address cannot be read")
	}
	known := described.query
	for _, key := range slices.Sorted(maps.Keys(parameters)) {
		name := key
		if described.passed {
			name, _, _ = strings.Cut(key, "[")
		}
		switch {
		case !slices.Contains(known, name) && len(known) == 0:
			return queryProblem(key, fmt.Sprintf("There is no parameter %.40q; this takes none", key))
		case !slices.Contains(known, name):
			return queryProblem(key, fmt.Sprintf("There is no parameter %.40q; this takes %s", key, strings.Join(known, ", ")))
		case len(parameters[key]) > 1 && !described.passed:
			return queryProblem(key, fmt.Sprintf("%s is given %d times; give it once", key, len(parameters[key])))
		}
	}
	return nil
}
