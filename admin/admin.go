package admin

import (
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"quire/admin/account"
	"quire/admin/desk"
	"quire/audit"
	"quire/auth"
	"quire/server"
)

// Deps is what the admin is made of.
type Deps struct {
	Server *server.Server
	Book   *account.Book // accounts, roles and sessions
	Auth   *auth.Auth    // roles and tokens of the site
	Desk   *desk.Desk    // what accounts have not saved
	Audit  *audit.Log    // who did what

	Operation Operation  // how the site runs
	Transfers Transfers  // its data as a whole
	Mail      Mail       // what users of the site get
	Types     TypeEditor // changes content types

	Name   string // of the site, for people
	Secret string // of the client of admin.openid; empty for none

	// Pages answers "/" and what is below /admin and no API; nil where there are no pages.
	Pages http.Handler
}

// Admin answers the requests below /admin, and "/".
type Admin struct {
	Deps
	router  *httprouter.Router
	kept    *httprouter.Router // routes of what one node keeps
	samples *auth.Throttle     // of mail, whatever site.json says about trying

	providers *providerDesk
}

// Where the admin is, and its API.
const (
	Path    = "/admin"
	APIPath = Path + "/api/v1"
)

// New returns the admin, for Mount.
func New(d Deps) *Admin {
	a := &Admin{Deps: d, samples: auth.NewThrottle(time.Now, mostSamples, sampleInterval), providers: newProviderDesk()}
	a.router = &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               a.refuse(http.StatusNotFound, "NotFoundError", "Not Found"),
		MethodNotAllowed:       a.refuse(http.StatusMethodNotAllowed, "MethodNotAllowedError", "Method Not Allowed"),
	}
	a.kept = httprouter.New()
	for _, r := range Routes() {
		if r.OneNode {
			a.kept.Handle(r.Method, APIPath+r.Path, a.handle(r))
		}
		a.router.Handle(r.Method, APIPath+r.Path, a.handle(r))
		if r.Method == http.MethodGet {
			a.router.Handle(http.MethodHead, APIPath+r.Path, a.handle(r))
		}
	}
	return a
}

// Mount has the server pass on what the admin answers.
func (a *Admin) Mount() {
	a.Server.Mount(Path, a)
	a.Server.Mount("/", a)
}

// AtWriter reports whether a request to read is about what one of several nodes keeps in its
// memory or in its own folder. Requests to write go to the node that writes anyway.
func (a *Admin) AtWriter(r *http.Request) bool {
	route, _, _ := a.kept.Lookup(http.MethodGet, strings.TrimRight(r.URL.Path, "/"))
	return route != nil
}

// ServeHTTP answers a request that the server passes on.
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if settings := &a.Server.Site(r).Settings.Admin; !settings.Shows(a.Server.Client(r)) {
		a.Server.Fail(r, notFound())
		return
	}
	rest, isAPI := strings.CutPrefix(r.URL.Path, Path+"/api")
	switch {
	case isAPI && (rest == "" || rest[0] == '/'):
		a.serveAPI(w, r)
	case a.Pages != nil:
		a.Pages.ServeHTTP(w, r)
	default:
		a.Server.Fail(r, notFound())
	}
}

// intentHeader is a header that requests need which change something. Forms of other
// sites cannot send it, and scripts of other sites only if they were allowed to.
const intentHeader = "X-Quire-Admin"

var crossOrigin = http.NewCrossOriginProtection()

// serveAPI refuses what no page of the admin has sent, and passes the rest to its route.
func (a *Admin) serveAPI(w http.ResponseWriter, r *http.Request) {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !reads && (r.Header.Get(intentHeader) != "1" || crossOrigin.Check(r) != nil) {
		a.Server.Fail(r, server.Problem(http.StatusForbidden, "ForbiddenError",
			"Only the admin's own pages may send this: it needs the header "+intentHeader+": 1, and no other origin", nil))
		return
	}
	if trimmed := strings.TrimRight(r.URL.Path, "/"); trimmed != r.URL.Path {
		u := *r.URL
		u.Path = trimmed
		r = shallow(r)
		r.URL = &u
	}
	a.router.ServeHTTP(w, r)
}

// shallow is a copy of a request whose URL can be replaced.
func shallow(r *http.Request) *http.Request {
	c := *r
	return &c
}
