package server

import (
	"net/http"
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

// OpenAPI describes every route of the site as an OpenAPI 3.1 document, in compact JSON.
// site.json determines what callers without a credential may do.
func OpenAPI(site *schema.Site) []byte {
	return describeRoutes(site, auth.SiteRoles(site)[auth.PublicRole], describe.V5)
}

func describeRoutes(site *schema.Site, public *auth.Caller, f describe.Format) []byte {
	var routes []describe.Route
	for _, r := range Routes(site) {
		d := describe.Route{Method: r.Method, Path: r.Path}
		if !r.Open {
			d.Permission, d.Public = r.Permission.String(), r.isFor(public)
		}
		if t := site.Type(r.Permission.UID); t != nil && !t.BuiltIn {
			d.Type, d.Action = t, r.Permission.Action
		}
		routes = append(routes, d)
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
		d.documents[f] = describeRoutes(e.schema, public, f)
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
