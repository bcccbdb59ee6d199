package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"quire/auth"
	"quire/documents"
	"quire/query/params"
	"quire/schema"
)

// A project's own code answers some routes below /api, and its middlewares see all requests
// for the API. The requests are limited, logged and counted like all others.

// Code is a project's code that has been loaded for one version of the site. It is safe for
// concurrent use.
type Code interface {
	// Match says what the code does with a request.
	Match(method, path string) CodeRoute

	// Owns reports whether the project has files of routes for a content type. Of the five
	// routes of the type, the code then has all that exist.
	Owns(uid string) bool

	// Operations returns the routes that the code answers, in the order in which they match.
	Operations() []CodeOperation

	// Serve answers a request that Match has found, or that passes through the middlewares.
	// An error means that the code has not answered.
	Serve(ctx context.Context, r *CodeRequest) (*CodeResponse, error)

	// Close stops the code when its requests have ended, or after a while.
	Close()
}

// CodeRoute says what a project's code does with a request.
type CodeRoute struct {
	Found       bool              // whether the code has the route
	Core        bool              // whether the route is as if there were no code for it
	Middlewares bool              // whether the code has middlewares for all requests
	Open        bool              // whether everybody may use the route
	Scope       []string          // the permissions that the route requires: "api::a.a.find"
	Params      map[string]string // in the path
	Allowed     []string          // other methods of the path, if the route is not found
	Name        string            // for metrics: "api::a.a.find"
	Key         any               // of the code
}

// CodeRequest is a request for a project's code.
type CodeRequest struct {
	Route CodeRoute
	HTTP  *http.Request
	From  string          // address of the client
	TLS   bool            // whether the client uses TLS, up to this server or to a trusted proxy
	ID    string          // in the log
	Body  json.RawMessage // nil for none
	Raw   []byte          // the body as it was sent; nil for a form with files
	Files []CodeFile      // of a form, whose fields are the body
	User  uint64          // id of the user of the site; 0 for none
	Call  *documents.Call // on behalf of the caller

	// Refused is the status with which the route refuses the caller, 401 or 403; 0 if it does
	// not. The middlewares of the code see refused requests too.
	Refused int

	// Handle answers a request as if there were no code. The body is JSON; nil for none. A
	// form goes on as it is. Writes have the context.
	Handle func(ctx context.Context, method, target string, body []byte) *CodeResponse
}

// CodeResponse is the response to a CodeRequest.
type CodeResponse struct {
	Status  int
	Headers [][2]string // names and values
	Body    []byte
	Failed  bool // whether the log says more of it, under the id of the request
}

type writerKey struct{}

// CodeRequestOf returns the request that began a write, for the code that takes part in it;
// nil for a write of the server itself.
func CodeRequestOf(ctx context.Context) *CodeRequest {
	x, ok := ctx.Value(writerKey{}).(*request)
	if !ok {
		return nil
	}
	return x.forCode()
}

func (x *request) forCode() *CodeRequest {
	r := &CodeRequest{ID: x.id[0], HTTP: x.http, From: x.client().String(), TLS: x.overTLS(), Call: &x.call}
	if x.identity.User != nil {
		r.User = x.identity.User.ID
	}
	return r
}

// coreActions are those of the five routes of a content type.
var coreActions = []schema.Action{schema.Find, schema.FindOne, schema.Create, schema.Update, schema.Delete}

// withoutOwned returns the routes with those of content types that the code has left out
// answering that they are not there.
func withoutOwned(routes []Route, c Code) []Route {
	if c == nil {
		return routes
	}
	routes = slices.Clone(routes)
	for i, r := range routes {
		if !r.lenient || !slices.Contains(coreActions, r.Permission.Action) || !strings.HasPrefix(r.Permission.UID, "api::") || !c.Owns(r.Permission.UID) {
			continue
		}
		found := c.Match(r.Method, strings.Replace(r.Path, ":documentId", "x", 1))
		if found.Found {
			continue
		}
		gone := notFound()
		if len(found.Allowed) > 0 {
			gone = methodNotAllowed()
		}
		routes[i] = Route{Method: r.Method, Path: r.Path, Open: true, lenient: true, words: r.words, handler: func(*request) error { return gone }}
	}
	return routes
}

// isCoded reports whether the code has replaced or left out a route of a content type.
func isCoded(r Route, c Code) bool {
	if c == nil || !r.lenient || !slices.Contains(coreActions, r.Permission.Action) || !c.Owns(r.Permission.UID) {
		return false
	}
	found := c.Match(r.Method, strings.Replace(r.Path, ":documentId", "x", 1))
	return !found.Found || !found.Core
}

// A controller or a policy of the project may show a caller less of a type than its
// permissions do: only its own orders, for example. Quire's own ways to read the type would
// show the rest, and a batch would write without asking the policy. So they are closed for
// such types, except to callers who may do everything.

// codedReads returns the uids of the content types whose reads the code answers.
func codedReads(site *schema.Site, c Code) map[string]bool {
	coded := map[string]bool{}
	for t := range site.Served() {
		if c == nil {
			break
		}
		path := "/api/" + t.Route()
		for _, path := range []string{path, path + "/x"} {
			if r := c.Match(http.MethodGet, path); r.Found && !r.Core {
				coded[t.UID] = true
			}
		}
	}
	return coded
}

// bypassesCode reports whether a route would show the caller what the code answers
// otherwise.
func (r *Route) bypassesCode(x *request) bool {
	coded := x.site.codedReads
	if len(coded) == 0 || x.caller.Full() || x.caller.IsAdmin() {
		return false
	}
	if r.Path == "/api/_events" || r.Path == "/api/_changes" {
		return true // of all types
	}
	reads := r.Permission.Action == schema.Find || r.Permission.Action == schema.FindOne || r.Permission.Action == schema.ReadHistory
	return reads && !r.lenient && coded[r.Permission.UID]
}

// refusePart refuses a part of a batch that the code would answer.
func (x *request) refusePart() error {
	if x.site.code == nil || x.caller.Full() || x.caller.IsAdmin() {
		return nil
	}
	if r := x.site.code.Match(x.http.Method, x.http.URL.Path); r.Found && !r.Core {
		return &problem{http.StatusForbidden, "ForbiddenError", "The project's code answers this request; send it alone, not in a batch", none{}}
	}
	return nil
}

// passCode lets the code answer the request, and reports whether it does.
func (x *request) passCode() bool {
	c := x.site.code
	if c == nil || strings.HasPrefix(x.http.URL.Path, "/_") || strings.HasPrefix(x.http.URL.Path, "/api/_") {
		return false
	}
	route := c.Match(x.http.Method, x.http.URL.Path)
	for _, value := range route.Params {
		if strings.HasPrefix(value, "_") {
			return false // a word of Quire's own, which no documentId is
		}
	}
	if !route.Found && x.http.Method != http.MethodGet && x.http.Method != http.MethodHead && x.http.Method != http.MethodOptions {
		if known, _, _ := x.site.router.Lookup(x.http.Method, x.http.URL.Path); known == nil {
			x.fail(methodNotAllowed()) // as in Strapi, also if nothing has the path
			return true
		}
	}
	if !(route.Found && !route.Core || route.Middlewares && x.mayPassMiddlewares()) {
		return false
	}
	if route.Found && !route.Core {
		x.meter = x.server.metrics.Meter("any", route.Name)
	}
	if err := x.serveCode(c, route); err != nil {
		x.fail(err)
	}
	return true
}

// mayPassMiddlewares reports whether middlewares of the code see a request that the server
// answers: not a stream, an upload or a part of one, nor what is Quire's own. No header of the
// client decides that, except for the routes that take files or send streams: a middleware may
// be there to refuse requests.
func (x *request) mayPassMiddlewares() bool {
	path := x.http.URL.Path
	switch {
	case !strings.HasPrefix(path, "/api/"), strings.HasPrefix(path, "/api/_"), strings.HasPrefix(path, "/api/docs"), path == "/api/openapi.json", strings.HasPrefix(path, "/api/upload/_"):
		return false
	case path == "/api/upload":
		return !strings.HasPrefix(x.http.Header.Get("Content-Type"), "multipart/")
	case path == x.site.schema.Settings.GraphQL.Endpoint:
		return !strings.Contains(strings.Join(x.http.Header["Accept"], ","), eventStreamType)
	}
	return true
}

func (x *request) serveCode(c Code, route CodeRoute) error {
	own := route.Found && !route.Core
	refused := x.identify()
	switch {
	case refused == nil && own && !route.Open:
		refused = permitScope(x.caller, route.Scope)
	case refused != nil && own && route.Open: // a credential that is not asked for
		refused = nil
		fallthrough
	case x.caller == nil:
		x.setCaller(auth.Identity{Caller: x.site.auth.Public()})
	}
	if x.previewed() && own {
		refused = forbidden()
	}
	if x.http.Method == http.MethodGet {
		x.server.metrics.CountRead()
	} else if err := x.share.JoinWrites(); err != nil {
		return err
	}
	r := x.forCode()
	r.Route = route
	if refused != nil && own {
		p := explain(refused)
		if p == nil || p.Status != http.StatusUnauthorized && p.Status != http.StatusForbidden {
			return refused
		}
		r.Refused = p.Status
	}
	form, err := x.readCodeBody(r)
	defer form.drop(x.site.library)
	if err != nil {
		return err
	}
	var tags []string // of responses to reads that the code has seen
	r.Handle = func(ctx context.Context, method, target string, body []byte) *CodeResponse {
		answer, tag := x.handleAsIs(ctx, method, target, body, form)
		tags = append(tags, tag)
		return answer
	}
	x.http = x.http.WithContext(x.asCaller())
	answer, err := c.Serve(x.http.Context(), r)
	if err != nil {
		return err
	}
	return x.sendCode(answer, tags)
}

// permitScope refuses a caller without all of the permissions.
func permitScope(c *auth.Caller, scope []string) error {
	if !c.HasPermissions(scope) || len(scope) == 0 && !c.Full() {
		return forbidden()
	}
	return nil
}

// readCodeBody reads the body for the code. A form stays unread if the route refuses the caller,
// or if the server answers: its routes below the middlewares take no forms.
func (x *request) readCodeBody(r *CodeRequest) (form *codeForm, err error) {
	boundary := formBoundary(x.http.Header.Get("Content-Type"))
	if boundary == "" || x.part != nil {
		r.Body, r.Raw, err = readAny(x)
		return nil, err
	}
	if r.Refused != 0 || !r.Route.Found || r.Route.Core {
		return nil, nil
	}
	if form, err = x.readCodeForm(boundary); err == nil {
		r.Body, r.Files = form.fields(), form.files
	}
	return form, err
}

// readAny reads a body as JSON: as it is, a URL-encoded form as an object, a text as a text.
// Bodies of other types count as none.
func readAny(x *request) (value json.RawMessage, raw []byte, err error) {
	limit := x.site.schema.Settings.Limits.BodyBytes
	kind, data, err := openBody(x, limit)
	switch {
	case err != nil:
		return nil, nil, err
	case kind == jsonBody && !json.Valid(data):
		return nil, nil, invalid("The request body is not valid JSON")
	case kind == jsonBody:
		return data, data, nil
	case kind == formBody:
		tree, err := params.Parse(string(data), params.Limits{Depth: x.site.schema.Settings.Limits.Depth})
		if err != nil {
			return nil, nil, err
		}
		return json.RawMessage(valueOf(tree).JSON()), data, nil
	case x.part == nil && strings.HasPrefix(x.http.Header.Get("Content-Type"), "text/"):
		if data, err = readBody(x, limit); err == nil {
			value, err = json.Marshal(string(data))
		}
		return value, data, err
	}
	return nil, nil, nil
}

// notOfCode are the headers of a response that the server alone sets.
var notOfCode = map[string]bool{"Connection": true, "Content-Length": true, "Keep-Alive": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true}

// sendCode sends the response of the code. tags are those of the responses of the server that the
// code has seen, and may have changed.
func (x *request) sendCode(r *CodeResponse, tags []string) error {
	if r.Status < 200 || r.Status > 599 {
		return fmt.Errorf("the code answered with the status %d", r.Status)
	}
	if err := x.share.ReserveAnswer(int64(len(r.Body))); err != nil {
		return err
	}
	set := map[string]bool{}
	for _, h := range r.Headers {
		name := http.CanonicalHeaderKey(h[0])
		switch {
		case notOfCode[name]:
		case set[name]:
			x.Header().Add(name, h[1])
		default:
			x.Header().Set(name, h[1])
		}
		set[name] = true
	}
	if r.Failed {
		x.setRequestID()
	}
	if r.Status == http.StatusNoContent || r.Status == http.StatusNotModified {
		x.WriteHeader(r.Status)
		return nil
	}
	if tag := x.Header().Get("Etag"); tag != "" && slices.Contains(tags, tag) {
		x.tagged[0] = tagOfChanged(tag, r.Body)
		x.Header()["Etag"] = x.tagged[:]
		if held, ok := x.heldTag(); ok && r.Status == http.StatusOK {
			x.notModified(held)
			return nil
		}
	}
	x.send(r.Status, r.Body)
	return nil
}

// tagOfChanged returns the tag of a response that the code may have changed: what the code does
// depends on more than the tag of the server says. It begins with the version of the document, as
// that does.
func tagOfChanged(tag string, body []byte) string {
	var prefix []byte
	if version, _, found := strings.Cut(tag[1:], "."); found {
		prefix = []byte(version + ".")
	}
	return tagOf(prefix, append([]byte(tag), body...))
}

// handleAsIs answers a request of this process without the code, on behalf of the caller, and
// returns the tag of a read. The code sees all of its response, whatever the client has.
func (x *request) handleAsIs(ctx context.Context, method, target string, body []byte, form *codeForm) (answer *CodeResponse, tag string) {
	to, err := url.Parse(target)
	if err != nil {
		return &CodeResponse{Status: http.StatusBadRequest}, ""
	}
	r := x.requestFor(ctx, method, &url.URL{Path: to.Path, RawQuery: to.RawQuery}, "application/json", body, "Accept-Encoding", "Content-Encoding")
	if !isWrite(r) {
		r.Header.Del("If-None-Match")
	}
	if form != nil {
		form.asBody(r)
		defer r.Body.Close()
	}
	w := x.serveRequest(r)
	answer = &CodeResponse{Status: w.status, Body: w.body.Bytes()}
	for name, values := range w.header {
		for _, value := range values {
			answer.Headers = append(answer.Headers, [2]string{name, value})
		}
	}
	return answer, w.header.Get("Etag")
}
