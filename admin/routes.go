package admin

import (
	"net/http"
	"slices"

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

	handler handler
}

// handler answers one route. An error that it returns has sent nothing yet.
type handler func(x *exchange) error

// Routes lists what is served below /admin/api/v1.
func Routes() []Route {
	return slices.Concat(
		sessionRoutes(),
		secondRoutes(),
		accountRoutes(),
		roleRoutes(),
		accessRoutes(),
		schemaRoutes(),
		documentRoutes(),
		deskRoutes(),
		searchRoutes(),
		linkRoutes(),
		deletedRoutes(),
		homeRoutes(),
		liveRoutes(),
		openAPIRoutes(),
		contentRoutes(),
	)
}

// handle makes a route of the table one of the router.
func (a *Admin) handle(route Route) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := &exchange{writer: w, request: r, params: params, admin: a}
		if err := x.answer(&route); err != nil {
			a.Server.Fail(r, explain(err))
		}
	}
}

// answer finds out who is calling, and has the route answer whoever may call it.
func (x *exchange) answer(route *Route) error {
	if route.Open {
		return route.handler(x)
	}
	if err := x.recognize(route.Early); err != nil {
		return err
	}
	x.admin.Server.Name(x.request, x.session.Identity())
	if route.Right != "" && !x.session.Account.Role.Has(route.Right) {
		return server.Problem(http.StatusForbidden, "ForbiddenError", "Your role may not do this", nil)
	}
	x.admin.Book.Use(x.session)
	return route.handler(x)
}
