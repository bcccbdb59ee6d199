package server

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/julienschmidt/httprouter"

	"quire/auth"
	"quire/schema"
)

// Route is one line of the route table.
type Route struct {
	Method, Path string
	// Permission is what a caller must hold.
	Permission auth.Permission
	// Open routes answer every caller; they have no Permission.
	Open bool
	// Throttled routes can be called so often and no more, see auth.Throttle.
	Throttled bool

	handler handler
	meter   *meter            // counts the requests
	words   map[string]*Route // what stands at the place of the last parameter and is no value of it
}

// Routes lists what is served for a site: the routes of the server itself and
// those of each content type, ordered by uid. GET routes answer HEAD as well.
func Routes(site *schema.Site) []Route {
	routes := []Route{
		{Method: http.MethodGet, Path: "/_health", Open: true, handler: health},
		{Method: http.MethodGet, Path: "/_ready", Open: true, handler: ready},
		{Method: http.MethodGet, Path: "/metrics", Permission: auth.ReadMetrics, handler: showMetrics},
		{Method: http.MethodGet, Path: "/api/i18n/locales", Permission: auth.ListLocales, handler: listLocales},
	}
	routes = append(routes, uploadRoutes()...)
	routes = append(routes, accountRoutes()...)
	routes = append(routes, descriptionRoutes(site)...)
	for t := range site.Served() {
		routes = append(routes, typeRoutes(t)...)
	}
	return routes
}

func typeRoutes(t *schema.Type) []Route {
	h := &contentType{t}
	route := func(method, path string, action schema.Action, handler handler) Route {
		return Route{Method: method, Path: path, Permission: auth.Permission{UID: t.UID, Action: action}, handler: handler}
	}
	path := "/api/" + t.Route()
	if t.Kind == schema.Single {
		return []Route{
			route(http.MethodGet, path, schema.Find, h.findSingle),
			route(http.MethodPut, path, schema.Update, h.update),
			route(http.MethodDelete, path, schema.Delete, h.delete),
		}
	}
	one := path + "/:documentId"
	return []Route{
		route(http.MethodGet, path, schema.Find, h.find),
		route(http.MethodPost, path, schema.Create, h.create),
		route(http.MethodGet, one, schema.FindOne, h.findOne),
		route(http.MethodPut, one, schema.Update, h.update),
		route(http.MethodDelete, one, schema.Delete, h.delete),
	}
}

// newRouter registers the routes. It fails when two of them exclude each other.
func newRouter(routes []Route) (router *httprouter.Router, err error) {
	router = &httprouter.Router{
		HandleMethodNotAllowed: true,
		HandleOPTIONS:          true,
		NotFound:               refuse(notFound),
		MethodNotAllowed:       refuse(methodNotAllowed),
		GlobalOPTIONS:          http.HandlerFunc(options),
	}
	for _, r := range withWords(routes) {
		if err := register(router, r); err != nil {
			return nil, err
		}
	}
	return router, nil
}

// register turns the router's panic over two routes at one place into an error.
func register(router *httprouter.Router, r *Route) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the route %s %s (%s) cannot stand beside another: %v", r.Method, r.Path, r.Permission, fault)
		}
	}()
	router.Handle(r.Method, r.Path, r.handle)
	if r.Method == http.MethodGet {
		router.Handle(http.MethodHead, r.Path, r.handle)
	}
	return nil
}

func refuse(p func() *problem) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.(*exchange).fail(p()) })
}

// options answers OPTIONS on a path that exists; the router has set Allow.
func options(w http.ResponseWriter, _ *http.Request) { w.(*exchange).empty() }

// Roles names the roles of site.json that may use the route, in alphabetic order.
func (r *Route) Roles(site *schema.Site) []string {
	var roles []string
	for role, caller := range auth.SiteRoles(site) {
		if caller.Holds(r.Permission) {
			roles = append(roles, role)
		}
	}
	slices.Sort(roles)
	return roles
}
