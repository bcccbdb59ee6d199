package server_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"quire/auth"
	"quire/server"
)

// lenientRoutes ignore unknown parameters: the routes of Strapi, beside those of each content
// type, and those that probes and browsers request.
var lenientRoutes = regexp.MustCompile(`^\w+ (/_health|/_ready|/metrics|/api/docs(/.*)?|/uploads/\*name|/api/i18n/locales|/api/upload|/api/upload/files(/:id)?|/api/auth/.*|/api/users(/.*)?|/api/users-permissions/.*|/api/connect/.*)$`)

// ownRoutes are the routes of a site that refuse unknown parameters.
func (h *accountSite) ownRoutes() (own []server.Route) {
	strapi := map[string]bool{}
	for t := range h.site.Served() {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			strapi[method+" /api/"+t.Route()], strapi[method+" /api/"+t.Route()+"/:documentId"] = true, true
		}
	}
	for _, r := range server.AllRoutes(h.site) {
		if name := r.Method + " " + r.Path; !strapi[name] && !lenientRoutes.MatchString(name) {
			own = append(own, r)
		}
	}
	return own
}

// openOwn opens a site for requests to each route by a caller who may use it.
func openOwn(t *testing.T) *accountSite {
	h := openSample(t)
	h.receivePeople()
	h.tokens["edge"] = h.customToken(t, "edge", auth.ReadBackups.String(), auth.ReadFollow.String(), auth.FenceFollow.String(), auth.WritePush.String(), auth.WriteStreams.String())
	h.receive(t, "ada", auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: {Actions: everyAction}}, Files: []string{"read", "upload", "delete"}})
	return h
}

// ask sends a request to a route; the values of its parameters in the path exist nowhere.
func (h *accountSite) ask(r server.Route, query string) *answer {
	if r.Path == "/api/_events" {
		query = "?since=never&" + strings.TrimPrefix(query, "?") // it refuses this value after the names; a stream would not end
	}
	as, path := "full", regexp.MustCompile(`[:*]\w+`).ReplaceAllString(r.Path, "99")+query
	if slices.Contains(auth.TokenOnly(), r.Permission) {
		as = "edge" // no other kind of token has it
	}
	if slices.ContainsFunc(server.Routes(h.site), func(s server.Route) bool { return s.Method == r.Method && s.Path == r.Path }) {
		return h.send(as, r.Method, path, "")
	}
	return h.send(as, r.Method, h.below("ada")+path, "")
}

// Every route that Quire adds refuses a parameter that it does not take, with its key,
// however it is written. A new route is in the table of routes, and so in this test.
func TestUnknownParametersOfQuiresOwnRoutesAreRefused(t *testing.T) {
	h := openOwn(t)
	own := h.ownRoutes()
	if len(own) < 80 {
		t.Errorf("%d routes are too few", len(own))
	}
	for _, r := range own {
		for query, key := range map[string]string{
			"?sorts=name": "sorts", "?SORT=name": "SORT", "?Locale=en": "Locale", "?%70opulates=*": "populates", "?sorts[0]=a&sorts[1]=b": "sorts",
			"?sorts": "sorts", "?sorts=": "sorts", "?sorts=1&sorts=2": "sorts", "?pagination%20=1": "pagination ", "?x%5By%5D=1": "x", "?lookup=1": "lookup",
			"?%C3%A9=1": "é", "?0=1": "0",
		} {
			if a := h.ask(r, query); a.status != http.StatusBadRequest || a.Error.Message != "Invalid key "+key || !strings.Contains(a.body, `"source":"query","param":"`+key+`"`) {
				t.Errorf("%s %s%s: %d %.200s", r.Method, r.Path, query, a.status, a.body)
			}
		}
		if a := h.ask(r, ""); strings.Contains(a.body, "Invalid key") {
			t.Errorf("%s %s: %s", r.Method, r.Path, a.body)
		}
	}
}

// A part of pagination that there is not would otherwise give the first page again and again.
func TestUnknownPartsOfPaginationAreRefused(t *testing.T) {
	h := openOwn(t)
	tried := 0
	for _, r := range h.ownRoutes() {
		if a := h.ask(r, "?pagination[Page]=2"); strings.Contains(a.body, `"Invalid key pagination"`) {
			continue // it has no pages
		} else if tried++; a.status != http.StatusBadRequest || a.Error.Message != "Invalid key Page at pagination.Page" {
			t.Errorf("%s %s: %d %s", r.Method, r.Path, a.status, a.body)
		}
	}
	if tried < 20 {
		t.Errorf("%d routes with pages are too few", tried)
	}
}

// What the description of the API names is taken.
func TestDescribedParametersAreTaken(t *testing.T) {
	h := openOwn(t)
	p := readPromise(t, []byte(h.send("full", "GET", "/api/openapi.json", "").body))
	tried := 0
	for _, r := range h.ownRoutes() {
		operation, err := p.operation(r.Method, regexp.MustCompile(`[:*]\w+`).ReplaceAllString(r.Path, "99"))
		if err != nil {
			continue // a route for accounts of the admin, which the description leaves out
		}
		for _, parameter := range p.parameters(operation) {
			if key, ok := strings.CutPrefix(parameter, "query "); ok {
				tried++
				if a := h.ask(r, "?"+key+"[x]=1"); strings.Contains(a.body, `"Invalid key `+key+`"`) {
					t.Errorf("%s %s does not take %s: %s", r.Method, r.Path, key, a.body)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d parameters are too few", tried)
	}
}

// A part of a batch is held to the same parameters as the request alone.
func TestUnknownParametersInABatchAreRefused(t *testing.T) {
	h := openSample(t)
	id := h.create("/api/restaurants", `{"name": "One"}`)
	a := h.batch("full", batched{"method": "POST", "url": "/api/restaurants/" + id + "/actions/publish?lokale=fr"})
	if a.status != http.StatusBadRequest || !strings.Contains(a.body, "Invalid key lokale") {
		t.Errorf("%d %s", a.status, a.body)
	}
}
