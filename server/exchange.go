package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"quire/auth"
	"quire/server/edge"
	"quire/server/metrics"
)

// exchange is one request and its answer. The router hands it to the handlers as
// their ResponseWriter, so that what was learnt on the way travels with it.
type exchange struct {
	http.ResponseWriter
	server   *Server
	edition  *edition // that the request began with
	request  *http.Request
	params   httprouter.Params
	drafts   *Route // the route, where the caller may write drafts with it and no more
	caller   *auth.Caller
	identity auth.Identity // of the caller, once it is known
	buffer   []byte        // reused from one exchange to the next

	id    [1]string      // as the value of a header
	meter *metrics.Meter // of the route
	watch watch

	mounted string        // the path of a request that a mount answers; empty for others
	within  bool          // it is a request of this process, see Server.ServeAs
	who     Authenticator // in whose name it is served; nil where its credential says so

	share *edge.Request // what it takes of what all requests share
	own   edge.Request  // which is this, but in parts of a batch
	part  *part         // of a batch, when that is what this is
	due   time.Time     // when its queries are given up; zero before the first of them

	streamed time.Duration // when a stream began, after the request; 0 for other answers

	status int // 0 until the answer has begun
	size   int // of the body sent, in bytes
}

// Header values that are shared by all answers and never written to.
var (
	jsonType = []string{"application/json; charset=utf-8"}
	anybody  = []string{"*"}
)

// WriteHeader sends the status line, and keeps the status for the log. One below 200, which
// another node may send ahead, is none of an answer.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= http.StatusOK {
		x.nameRevision()
		x.status = status
		x.share.AbandonBody()
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body, and counts it for the log.
func (x *exchange) Write(p []byte) (int, error) {
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
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// json answers with a whole JSON body.
func (x *exchange) json(status int, body []byte) {
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

// answerEmpty answers 204: no body, not even an empty one.
func (x *exchange) answerEmpty() {
	x.dropTag()
	x.WriteHeader(http.StatusNoContent)
}

// credential returns the bearer credential of the request. Other schemes and an
// empty credential count as none, as they do in Strapi.
func (x *exchange) credential() (bearer string, ok bool) {
	header := x.request.Header["Authorization"]
	if len(header) == 0 {
		return "", false
	}
	scheme, rest, _ := strings.Cut(header[0], " ")
	bearer = strings.TrimSpace(rest)
	return bearer, bearer != "" && strings.EqualFold(scheme, "bearer")
}

// identify finds out who is calling. A preview link that is shown takes the place of any
// other credential, which must be valid all the same.
func (x *exchange) identify() (err error) {
	if x.who != nil {
		x.identity, err = x.who()
		x.caller = x.identity.Caller
		return err
	}
	bearer, ok := x.credential()
	if !ok {
		bearer = ""
	}
	x.identity, err = x.edition.identify(bearer)
	x.caller = x.identity.Caller
	if err != nil {
		return err
	}
	return x.openPreview()
}

// identify finds out whose credential it is; an empty one is nobody's.
func (e *edition) identify(bearer string) (auth.Identity, error) {
	if bearer == "" {
		return auth.Identity{Caller: e.auth.Public()}, nil
	}
	return e.auth.Authenticate(bearer, e.accounts)
}
