package admin

import (
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"quire/admin/model"
	"quire/auth"
	"quire/auth/people"
	"quire/auth/people/desk"
	"quire/content/arrange"
	"quire/content/audit"
	"quire/content/review"
	"quire/content/search"
	"quire/server"
)

// Deps has the dependencies of the admin.
type Deps struct {
	Server  *server.Server
	People  *people.Directory // accounts, roles and sessions
	Auth    *auth.Auth        // roles and tokens of the site
	Desk    *desk.Desk        // unsaved forms and preferences of accounts
	Audit   *audit.Log        // the audit log
	Arrange *arrange.Store    // how forms and lists are arranged
	Reviews *review.Board     // stages and comments
	Lexicon *search.Lexicon   // words of searches
	Missed  *search.Missed    // searches that found nothing

	Operation Operation  // the state of the running site
	Transfers Transfers  // import, export and restore
	Mail      Mail       // mail to users of the site
	Types     TypeEditor // changes of content types

	Name   string // of the site, for display
	Secret string // of the client of admin.openid; empty for none
	Key    string // for the language model of admin.model; empty for none

	// Pages answers "/" and everything below /admin except the API; nil if there are no
	// pages.
	Pages http.Handler
}

// Admin answers the requests below /admin, and "/".
type Admin struct {
	Deps
	router  *httprouter.Router
	kept    *httprouter.Router // routes that only the writing node can answer
	samples *auth.Throttle     // of mail, independent of the rate limits in site.json
	notices *auth.Throttle     // mail about reviews that an account causes

	model       *model.Client
	suggestions *auth.Throttle // requests of an account to the model

	providers *providerDesk
	oauth     *oauthDesk
}

// The paths of the admin and its API.
const (
	Path    = "/admin"
	APIPath = Path + "/api/v1"
)

// New returns the admin, for Mount.
func New(d Deps) *Admin {
	a := &Admin{Deps: d, samples: auth.NewThrottle(time.Now, mostSamples, sampleInterval), notices: auth.NewThrottle(time.Now, mostNotices, noticeInterval), providers: newProviderDesk(), oauth: newOAuthDesk(d.Auth)}
	a.model, a.suggestions = model.New(d.Key), auth.NewThrottle(time.Now, 1, time.Minute)
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

// Mount makes the server pass the admin's requests on to it, and those of OAuth.
func (a *Admin) Mount() {
	a.Server.Mount(Path, a)
	a.Server.Mount("/", a)
	for _, path := range []string{oauthPath, resourceMetadataPath, serverMetadataPath} {
		a.Server.Mount(path, http.HandlerFunc(a.serveOAuth))
	}
}

// AtWriter reports whether a read is about something that one of several nodes keeps in its
// memory or in its own folder. Writes always go to the writing node.
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

// intentHeader is a header that requests with changes must have. Forms of other sites
// cannot send it, and scripts of other sites only if they were allowed to.
const intentHeader = "X-Quire-Admin"

var crossOrigin = http.NewCrossOriginProtection()

// serveAPI refuses requests that no page of the admin has sent, and passes the rest to
// their route.
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

// shallow returns a copy of a request whose URL can be replaced.
func shallow(r *http.Request) *http.Request {
	c := *r
	return &c
}
