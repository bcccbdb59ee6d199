package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"quire/auth"
	"quire/documents"
	"quire/server/edge"
	"quire/server/metrics"
)

// request is one request and its response. The router passes it to the handlers as their
// ResponseWriter, so that they can use what earlier steps have found out.
type request struct {
	http.ResponseWriter
	server   *Server
	site     *siteVersion // at the start of the request
	http     *http.Request
	params   httprouter.Params
	caller   *auth.Caller
	identity auth.Identity // of the caller, once it is known
	call     documents.Call
	buffer   []byte  // reused by later requests
	pooled   *[]byte // where the buffer was; nil if it is new

	cached *cachedResponse // see responseCache.find; nil if nothing is to be stored

	id, tagged, length [1]string // as values of headers

	meter *metrics.Meter // of the route
	watch watch

	mounted   string        // the path of a request that a mount serves; empty for others
	forwarded bool          // whether a follower has forwarded it
	passed    bool          // whether the leader answers it
	within    bool          // whether it is a request of this process, see Server.ServeAs
	who       Authenticator // on whose behalf it is served; nil if the credential decides

	share *edge.Request // what it takes of the shared load
	own   edge.Request  // the same, except in parts of a batch
	part  *batchPart    // of a batch; nil for other requests
	due   time.Time     // deadline of its queries; zero before the first one

	current time.Time // what it reads has certainly all that the leader had then; zero if this server is no follower

	streamed time.Duration // start of a stream, after the request; 0 for other responses

	status int // 0 until the response has begun
	size   int // of the body sent, in bytes
}

// Header values that all responses share and nobody writes to.
var (
	jsonType = []string{"application/json; charset=utf-8"}
	anybody  = []string{"*"}
)

// WriteHeader sends the status line, and keeps the status for the log. A status below 200,
// which another node may send first, does not begin the response.
func (x *request) WriteHeader(status int) {
	if x.status == 0 && status >= http.StatusOK {
		x.nameRevision()
		x.status = status
		x.share.AbandonBody()
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body, and counts it for the log.
func (x *request) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.nameRevision()
		x.status = http.StatusOK
		x.share.AbandonBody()
	}
	n, err := x.share.Write(p)
	x.size += n
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (x *request) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// json sends a whole JSON body.
func (x *request) json(status int, body []byte) {
	if status == http.StatusOK && x.unchangedBody(body) {
		return
	}
	x.share.TrimAnswer(int64(cap(body)))
	x.addPlan()
	x.Header()["Content-Type"] = jsonType
	x.watch.lap()
	x.send(status, body)
	x.watch.write = x.watch.lap()
}

// answerEmpty sends 204 without a body.
func (x *request) answerEmpty() {
	x.dropTag()
	x.WriteHeader(http.StatusNoContent)
}

// credential returns the bearer credential of the request. As in Strapi, other schemes and
// an empty credential count as none.
func (x *request) credential() (bearer string, ok bool) {
	header := x.http.Header["Authorization"]
	if len(header) == 0 {
		return "", false
	}
	scheme, rest, _ := strings.Cut(header[0], " ")
	bearer = strings.TrimSpace(rest)
	return bearer, bearer != "" && strings.EqualFold(scheme, "bearer")
}

// identify finds out who is calling. The token of a preview link replaces any other
// credential, which must be valid anyway.
func (x *request) identify() error {
	if x.who != nil {
		identity, err := x.who()
		if err == nil {
			x.setCaller(identity)
		}
		return err
	}
	bearer, ok := x.credential()
	if !ok {
		bearer = ""
	}
	identity, err := x.site.identify(bearer)
	if err != nil {
		return err
	}
	x.setCaller(identity)
	return x.openPreview()
}

// setCaller makes the request one of a caller.
func (x *request) setCaller(i auth.Identity) {
	x.identity, x.caller = i, i.Caller
	x.call = documents.Call{
		Service: x.site.documents, Caller: i.Caller, Actor: i.Actor(), Budget: x,
		V4: x.http.Header.Get("Strapi-Response-Format") == "v4",
	}
}

// identify finds out whose credential it is; an empty one belongs to nobody.
func (e *siteVersion) identify(bearer string) (auth.Identity, error) {
	if bearer == "" {
		return auth.Identity{Caller: e.auth.Public()}, nil
	}
	return e.auth.Authenticate(bearer, e.accounts)
}
