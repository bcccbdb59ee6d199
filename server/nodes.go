package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"quire/server/edge"
	"quire/store"
)

// Nodes are the nodes that share a site, as the server of one of them sees them.
type Nodes interface {
	// Forward has the node that writes answer a request. It reports false, and has
	// read and answered nothing, where this node is to answer itself. An error other
	// than context.Canceled means that the request may have been carried out there.
	Forward(w http.ResponseWriter, r *http.Request) (done bool, err error)

	// Forwarded reports whether a request with that context comes from another node.
	Forwarded(ctx context.Context) bool

	// Stale reports that what this node shows may be old: it has not heard of the
	// others for a while.
	Stale() bool
}

// The headers by which clients of several nodes see no former content after a later one.
const (
	revisionHeader    = "Quire-Revision"     // of an answer: the commit that it shows, or a later one
	minRevisionHeader = "Quire-Min-Revision" // of a request: the commit that its answer must show
	staleHeader       = "Quire-Stale"        // of an answer: true where it may be old
)

// freshTime is how long a read waits for what other nodes have written.
const freshTime = 3 * time.Second

// amongNodes does what comes before a request where several nodes share the site: another
// one may answer it, or this one waits for what others have written. It reports whether
// the request has been answered.
func (x *exchange) amongNodes() (answered bool) {
	nodes := x.server.nodes
	if nodes == nil {
		return false
	}
	if isWrite(x.request) && !nodes.Forwarded(x.request.Context()) {
		done, err := x.forward(nodes)
		if done || err != nil {
			if err != nil {
				x.fail(err)
			}
			return true
		}
	}
	if err := x.awaitOthers(); err != nil {
		x.fail(err)
		return true
	}
	return false
}

// isWrite reports whether a request may change something.
func isWrite(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return true
}

// forward has the node that writes answer the request, whose body arrives meanwhile.
func (x *exchange) forward(nodes Nodes) (done bool, err error) {
	err = x.share.Receive(true, func(b *edge.Body) (err error) {
		b.Stream()
		r := x.request
		if r.Body != nil && r.Body != http.NoBody {
			r = r.WithContext(r.Context())
			r.Body = bodyOf{b, x.request.Body}
		}
		done, err = nodes.Forward(x, r)
		return err
	})
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, edge.ErrCrowded):
		return done, err
	}
	x.server.log.Error("a write that was forwarded has no answer", "id", x.id[0], "error", err)
	return true, unavailable("The node that writes did not answer, and it is unknown whether this write was stored; look before you try again")
}

// bodyOf is a body that is read within the limits of its request.
type bodyOf struct {
	*edge.Body
	whole interface{ Close() error }
}

func (b bodyOf) Close() error { return b.whole.Close() }

// awaitOthers waits until this node shows what the client must see: all that was written
// before its request where it has a credential, and the revision that it names.
func (x *exchange) awaitOthers() error {
	ctx, cancel := context.WithTimeout(x.request.Context(), freshTime)
	defer cancel()
	text := x.request.Header.Get(minRevisionHeader)
	if text != "" {
		revision, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return &problem{http.StatusBadRequest, "ValidationError", minRevisionHeader + " must be the number that " + revisionHeader + " of a former answer was", none{}}
		}
		if err := x.edition.db.Await(ctx, revision); err != nil {
			return err
		}
	}
	fresh := !isWrite(x.request) && x.wantsFresh()
	if fresh {
		if err := x.awaitFresh(ctx); err != nil {
			return err
		}
	}
	if fresh || text != "" {
		return x.awaitEdition(ctx)
	}
	return nil
}

// editionLook is how often a request looks whether content that was replaced is served.
const editionLook = 5 * time.Millisecond

// awaitFresh waits for what other nodes have written. A data file that is suspended is
// being read anew, as where its content was replaced.
func (x *exchange) awaitFresh(ctx context.Context) error {
	for {
		err := x.edition.db.Fresh(ctx)
		if !errors.As(err, new(*store.SuspendedError)) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(editionLook):
		}
	}
}

// awaitEdition goes on with the edition that shows what the data file holds. Where the
// content was replaced, the former one is served until the other has been read.
func (x *exchange) awaitEdition(ctx context.Context) error {
	for {
		x.edition = x.server.current.Load()
		if x.edition.lineage == x.edition.db.Lineage() {
			return nil
		}
		select {
		case <-ctx.Done():
			return unavailable("The content was replaced and is being read; try again")
		case <-time.After(editionLook):
		}
	}
}

// wantsFresh reports whether an answer must show all that was written before: the site says
// so of callers with a credential and of those without.
func (x *exchange) wantsFresh() bool {
	reads := &x.edition.site.Settings.Cluster.Linearizable
	_, credential := x.credential()
	if credential || x.request.Header.Get("Cookie") != "" && x.server.mountOf(x.request.URL.Path) != nil {
		return reads.Credential
	}
	return reads.Anonymous
}

// nameRevision adds to an answer that begins which commit it shows: what was read is from
// then or before. An answer of another node has that already.
func (x *exchange) nameRevision() {
	nodes := x.server.nodes
	if nodes == nil || x.within || x.Header()[revisionHeader] != nil {
		return
	}
	h := x.Header()
	shown := max(x.edition.db.Reached(), x.edition.index.Snapshot().Revision())
	h[revisionHeader] = []string{strconv.FormatUint(shown, 10)}
	if nodes.Stale() {
		h[staleHeader] = []string{"true"}
	}
}

// everybody is all addresses: of nodes, none takes the place of another.
var everybody = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// ServeNodes answers what other nodes send to the listener, until ctx is done. h gets it
// before it reaches Handler.
func (s *Server) ServeNodes(ctx context.Context, l net.Listener, config *tls.Config, h http.Handler) error {
	c := s.listenerConfig(h, s.drain)
	c.TLS, c.Proxies = config, everybody
	return s.load.Serve(ctx, l, c)
}
