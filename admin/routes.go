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
	// Owner routes refuse everybody but owners.
	Owner bool
	// Foreign routes ignore unknown parameters: others add their own.
	Foreign bool
	// Quiet routes change nothing that belongs in the audit log.
	Quiet bool
	// OneNode routes read data that only the writing node has, if several nodes share the
	// site.
	OneNode bool

	handler handler

	// The description of the route, from which the OpenAPI document is made.
	summary string   // in a few words
	query   []string // names of parameters; others are refused, see checkQuery
	passed  bool     // the content API reads the parameters, which may have keys: filters[name]
	in      any      // the form of the body; nil for none
	out     any      // of the data of a response; nil if there is none
	meta    any      // of the meta of a response
	status  int      // of the response; 0 for 200 or, without data, 204; with 206 parts can be requested
	body    string   // media type of a body that is not a form
	media   string   // media type of a response without an envelope
}

// handler answers one route. If it returns an error, it has sent nothing yet.
type handler func(x *request) error

// taking makes a handler of a function that takes the form in the body.
func taking[F any](answer func(x *request, form *F) error) handler {
	return func(x *request) error {
		form := new(F)
		if err := x.readForm(form); err != nil {
			return err
		}
		return answer(x, form)
	}
}

// Routes lists the routes below /admin/api/v1.
func Routes() []Route {
	return slices.Concat(
		sessionRoutes(),
		secondRoutes(), passkeyRoutes(), openIDRoutes(),
		accountRoutes(), assistantRoutes(),
		roleRoutes(),
		accessRoutes(),
		schemaRoutes(),
		typeRoutes(),
		arrangementRoutes(), viewRoutes(),
		workflowRoutes(), reviewRoutes(),
		documentRoutes(),
		deskRoutes(),
		previewRoutes(), suggestionRoutes(),
		searchRoutes(),
		linkRoutes(),
		deletedRoutes(),
		changeRoutes(),
		homeRoutes(),
		liveRoutes(),
		auditRoutes(),
		operationRoutes(),
		transferRoutes(),
		settingsRoutes(), searchedRoutes(),
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
		return route.serve(x)
	}
	if err := x.recognize(route.Early); err != nil {
		return err
	}
	x.setSource()
	x.admin.Server.Name(x.http, x.session.Identity())
	if route.Right != "" && !x.session.Account.Roles.Has(route.Right) {
		return refusedRight()
	}
	x.admin.People.Use(x.session)
	return route.serve(x)
}

// refusedRight refuses an account whose role lacks a right about the site.
func refusedRight() error {
	return server.Problem(http.StatusForbidden, "ForbiddenError", "Your role may not do this", nil)
}

// serve answers the request if the route knows its parameters.
func (r *Route) serve(x *request) error {
	if err := r.checkQuery(x.http.URL.RawQuery); err != nil {
		return err
	}
	if r.Owner {
		if err := x.ownerOnly(); err != nil {
			return err
		}
	}
	return r.handler(x)
}

// passedOn ends the paths that lead to the content API.
const passedOn = "/*rest"

// checkQuery refuses parameters that the description of the route does not name, and
// duplicates. The content API checks what is passed on.
func (r *Route) checkQuery(raw string) error {
	if strings.HasSuffix(r.Path, passedOn) || r.Foreign || raw == "" {
		return nil
	}
	parameters, err := url.ParseQuery(raw)
	if err != nil {
		return invalid("The query of the address cannot be read")
	}
	for _, key := range slices.Sorted(maps.Keys(parameters)) {
		name := key
		if r.passed {
			name, _, _ = strings.Cut(key, "[")
		}
		switch {
		case !slices.Contains(r.query, name) && len(r.query) == 0:
			return queryProblem(key, fmt.Sprintf("There is no parameter %.40q; this takes none", key))
		case !slices.Contains(r.query, name):
			return queryProblem(key, fmt.Sprintf("There is no parameter %.40q; this takes %s", key, strings.Join(r.query, ", ")))
		case len(parameters[key]) > 1 && !r.passed:
			return queryProblem(key, fmt.Sprintf("%s is given %d times; give it once", key, len(parameters[key])))
		}
	}
	return nil
}
