package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"quire/auth"
	"quire/documents"
	"quire/schema"
	"quire/server/metrics"
)

// Route is one line of the route table.
type Route struct {
	Method, Path string
	// Permission is the permission that a caller needs.
	Permission auth.Permission
	// Draft, unless zero, is the permission that a caller without Permission needs to write
	// drafts only.
	Draft auth.Permission
	// Instead, unless zero, is an alternative to Permission. The handler decides what the
	// caller may do with it.
	Instead auth.Permission
	// Open routes answer every caller; they have no Permission.
	Open bool
	// Previewed routes read documents, and accept preview links.
	Previewed bool
	// inside routes answer accounts of the admin. For others they do not exist, and Routes
	// does not list them.
	inside bool
	// Throttled routes limit the number of attempts, see auth.Throttle.
	Throttled bool
	// reads marks a route with another method than GET that may change no content, or not at once.
	// Its handler joins the writes if it writes.
	reads bool
	// lenient routes ignore unknown parameters, as those of Strapi do. Others refuse them.
	lenient bool
	// identifies marks a route whose handler finds out who is calling.
	identifies bool
	// takes are the parameters of a route that is not lenient.
	takes []string
	// versioned writes observe If-Match and If-None-Match, see request.match.
	versioned bool

	handler handler
	refused func(x *request, refusal error) error // answers callers without Permission; nil for an error
	write   preparation                           // of a write that can be part of a batch; nil for others
	meter   *metrics.Meter                        // counts the requests
	words   map[string]*Route                     // words at the place of the last parameter that are not values of it
}

// Routes lists what is served for a site: the routes of the server itself and those of each
// content type, ordered by uid. GET routes answer HEAD too.
func Routes(site *schema.Site) []Route {
	routes := []Route{
		{Method: http.MethodGet, Path: "/_health", Open: true, lenient: true, handler: health},
		{Method: http.MethodGet, Path: "/_ready", Open: true, lenient: true, handler: ready},
		{Method: http.MethodGet, Path: "/metrics", Permission: auth.ReadMetrics, lenient: true, handler: showMetrics},
		{Method: http.MethodGet, Path: "/api/i18n/locales", Permission: auth.ListLocales, lenient: true, handler: listLocales},
	}
	routes = append(routes, batchRoute(site), syncRoute(), liveRoute(), Route{Method: http.MethodGet, Path: "/api/_backup", Permission: auth.ReadBackups, handler: sendBackup})
	routes = append(routes, followRoutes()...)
	routes = append(routes, pushRoute())
	routes = append(routes, streamRoutes()...)
	routes = append(routes, uploadRoutes()...)
	routes = append(routes, leniently(accountRoutes())...)
	routes = append(routes, leniently(connectRoutes(site))...)
	routes = append(routes, descriptionRoutes(site)...)
	routes = append(routes, releaseRoutes()...)
	routes = append(routes, webhookRoutes()...)
	routes = append(routes, schedulesRoutes()...)
	routes = append(routes, searchRoutes()...)
	routes = append(routes, graphqlRoutes(site)...)
	routes = append(routes, mcpRoutes(site)...)
	for t := range site.Served() {
		routes = append(routes, typeRoutes(t)...)
	}
	return routes
}

// allRoutes are those of Routes, and those that only accounts of the admin can use.
func allRoutes(site *schema.Site) []Route { return append(Routes(site), libraryRoutes()...) }

func typeRoutes(t *schema.Type) []Route {
	h := &contentType{t}
	route := func(method, path string, action schema.Action, handler handler) Route {
		return Route{Method: method, Path: path, Permission: auth.Permission{UID: t.UID, Action: action}, handler: handler}
	}
	write := func(method, path string, action schema.Action, prepare preparation) Route {
		return route(method, path, action, prepare.handle).of(prepare)
	}
	path, one := "/api/"+t.Route(), documentPath(t)
	routes := []Route{
		write(http.MethodPut, one, schema.Update, h.writing((*documents.Call).Update)).orDraft(t, schema.UpdateDraft),
		write(http.MethodDelete, one, schema.Delete, h.writing((*documents.Call).Delete)),
	}
	if t.Kind == schema.Single {
		routes = append(routes, route(http.MethodGet, path, schema.Find, h.findOne).previewed())
	} else {
		routes = append(routes,
			route(http.MethodGet, path, schema.Find, h.find).previewed(),
			write(http.MethodPost, path, schema.Create, h.writing((*documents.Call).Create)).orDraft(t, schema.CreateDraft),
			route(http.MethodGet, one, schema.FindOne, h.findOne).previewed())
	}
	routes = append(leniently(routes), linksRoute(t, one))
	if t.Kind != schema.Single {
		routes = append(routes,
			route(http.MethodGet, path+"/_count", schema.Find, h.count).taking(listKeys...),
			route(http.MethodGet, path+"/_aggregate", schema.Find, h.aggregate).taking(aggregateKeys...))
		routes = append(routes, typeSearchRoutes(t)...)
	}
	return slices.Concat(routes, actionRoutes(t, one), previewRoutes(t, one), scheduleRoutes(t, one), historyRoutes(t, one))
}

// documentPath is the path of a document of a type.
func documentPath(t *schema.Type) string {
	if t.Kind == schema.Single {
		return "/api/" + t.Route()
	}
	return "/api/" + t.Route() + "/:documentId"
}

// of returns the route as one of a write.
func (r Route) of(prepare preparation) Route {
	r.write, r.versioned = prepare, true
	return r
}

// previewed returns the route as one that accepts preview links.
func (r Route) previewed() Route {
	r.Previewed = true
	return r
}

// orDraft returns the route for callers who may only write drafts.
func (r Route) orDraft(t *schema.Type, a schema.Action) Route {
	if t.DraftAndPublish {
		r.Draft = auth.Permission{UID: t.UID, Action: a}
	}
	return r
}

// newRouter registers the routes. It fails if two of them exclude each other.
func newRouter(site *schema.Site, routes []Route) (router *httprouter.Router, err error) {
	router = &httprouter.Router{
		HandleMethodNotAllowed: true,
		HandleOPTIONS:          true,
		NotFound:               http.HandlerFunc(missing),
		MethodNotAllowed:       refuse(methodNotAllowed),
		GlobalOPTIONS:          http.HandlerFunc(options),
	}
	for _, r := range withWords(routes) {
		if err := register(router, r); err != nil {
			return nil, err
		}
	}
	for t := range site.Served() {
		for _, path := range actionsNotOf(t) {
			router.Handler(http.MethodPost, path, refuse(methodNotAllowed))
		}
	}
	return router, nil
}

// register turns the router's panic about two routes at one place into an error.
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
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.(*request).fail(p()) })
}

// options answers OPTIONS on a path that exists; the router has set Allow.
func options(w http.ResponseWriter, _ *http.Request) { w.(*request).answerEmpty() }

// isFor reports whether a caller may use the route at least in part: to write drafts, or
// with Instead.
func (r *Route) isFor(c *auth.Caller) bool {
	return slices.ContainsFunc([]auth.Permission{r.Permission, r.Draft, r.Instead}, func(p auth.Permission) bool {
		return p != auth.Permission{} && c.HasPermission(p)
	})
}

// Roles names the roles of site.json that may use the route, in alphabetic order.
func (r *Route) Roles(site *schema.Site) []string {
	var roles []string
	for role, caller := range auth.SiteRoles(site) {
		if r.isFor(caller) {
			roles = append(roles, role)
		}
	}
	slices.Sort(roles)
	return roles
}

// The router cannot have a word and a parameter at one place, such as /api/users/me beside
// /api/users/:id. In such a case the route with the parameter passes the request to the
// route of the word.

// withWords returns the routes for the router: all except those that another route passes
// requests to.
func withWords(routes []Route) []*Route {
	var known []*Route
	parameters := map[string]*Route{} // by method and path up to the parameter
	for i := range routes {
		r := &routes[i]
		if parent, last := cutPath(r.Path); strings.HasPrefix(last, ":") {
			parameters[r.Method+" "+parent] = r
		}
	}
	for i := range routes {
		r := &routes[i]
		parent, last := cutPath(r.Path)
		wide := parameters[r.Method+" "+parent]
		if wide == nil || strings.HasPrefix(last, ":") {
			known = append(known, r)
			continue
		}
		if wide.words == nil {
			wide.words = map[string]*Route{}
		}
		wide.words[last] = r
	}
	return known
}

func cutPath(path string) (parent, last string) {
	slash := strings.LastIndexByte(path, '/')
	return path[:slash], path[slash+1:]
}

// meant returns the route that the request is for: r, or that of a word.
func (r *Route) meant(params httprouter.Params) *Route {
	if len(params) == 0 || r.words == nil {
		return r
	}
	if word := r.words[params[len(params)-1].Value]; word != nil {
		return word
	}
	return r
}
