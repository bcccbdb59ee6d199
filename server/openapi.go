package server

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"sync"

	"quire/auth"
	"quire/schema"
	"quire/server/describe"
)

// descriptionRoutes are the routes that describe the API. Content types take precedence: a
// site with one at /api/docs does not have the page.
func descriptionRoutes(site *schema.Site) []Route {
	routes := []Route{{Method: http.MethodGet, Path: "/api/openapi.json", Permission: auth.ReadDescription, handler: openAPI}}
	if site.ByPlural("docs") == nil && site.BySingular("docs") == nil {
		routes = append(routes, docsRoutes()...)
	}
	return routes
}

// CodeOperation is a route that the project's code answers.
type CodeOperation struct {
	Method, Path string   // "ALL" for every method; the path in the form of Koa
	Handler      string   // its name, or "a function"
	Open         bool     // whether everybody may use it
	Scope        []string // the permissions that a caller needs
}

// OpenAPI describes routes of the site, and those of the project's code, as an OpenAPI 3.1
// document, in compact JSON. site.json determines what callers without a credential may do.
func OpenAPI(site *schema.Site, routes []Route, coded []CodeOperation) []byte {
	return describeRoutes(site, routes, coded, auth.SiteRoles(site)[auth.PublicRole], describe.V5)
}

func describeRoutes(site *schema.Site, all []Route, coded []CodeOperation, public *auth.Caller, f describe.Format) []byte {
	var routes []describe.Route
	for _, r := range all {
		d := describe.Route{Method: r.Method, Path: r.Path}
		if !r.Open {
			d.Permission, d.Public = r.Permission.String(), r.isFor(public)
		}
		if t := site.Type(r.Permission.UID); t != nil && !t.BuiltIn {
			d.Type = t
		}
		routes = append(routes, d)
	}
	known := map[string]bool{}
	for _, r := range routes {
		known[r.Method+" "+describe.PathTemplate(r.Path)] = true
	}
	for _, c := range coded {
		d := describe.Route{Method: c.Method, Path: c.Path, Handler: c.Handler}
		if !c.Open {
			d.Permission, d.Public = cmp.Or(strings.Join(c.Scope, "` and `"), "*"), public.HasPermissions(c.Scope) && len(c.Scope) > 0
		}
		for _, one := range describe.Coded(d) {
			if name := one.Method + " " + describe.PathTemplate(one.Path); !known[name] { // the first one matches
				known[name] = true
				routes = append(routes, one)
			}
		}
	}
	return describe.OpenAPI(site, routes, f)
}

// description caches the documents of a version of the site.
type description struct {
	mu        sync.Mutex
	public    *auth.Caller // the public caller for whom they were made
	documents map[describe.Format][]byte
}

// document describes the version of the site for the current rights of callers without a credential.
func (e *siteVersion) document(f describe.Format) []byte {
	d, public := e.description, e.auth.Public()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.public != public {
		d.public, d.documents = public, map[describe.Format][]byte{}
	}
	if d.documents[f] == nil {
		var coded []CodeOperation
		if e.code != nil {
			coded = e.code.Operations()
		}
		routes := slices.DeleteFunc(Routes(e.schema), func(r Route) bool { return isCoded(r, e.code) })
		d.documents[f] = describeRoutes(e.schema, routes, coded, public, f)
	}
	return d.documents[f]
}

// openAPI answers GET /api/openapi.json. A client that requests the response format of
// Strapi 4 gets the description of that format.
func openAPI(x *request) error {
	format := describe.V5
	if x.call.V4 {
		format = describe.V4
	}
	x.Header().Set("Vary", "Strapi-Response-Format")
	x.json(http.StatusOK, x.site.document(format))
	return nil
}
