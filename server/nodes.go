package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"quire/query/params"
	"quire/schema/settings"
	"quire/server/edge"
	"quire/store"
)

// Nodes are the nodes that share a site, as the server of one of them sees them.
type Nodes interface {
	// Forward has the node that writes answer a request. It reports false, and has
	// read and answered nothing, where this node is to answer itself. An error other
	// than context.Canceled and ErrNotForwarded means that the request may have been
	// carried out there.
	Forward(w http.ResponseWriter, r *http.Request) (done bool, err error)

	// Forwarded reports whether a request with that context comes from another node.
	Forwarded(ctx context.Context) bool

	// Stale reports that what this node shows may be old: it has not heard of the
	// others for a while.
	Stale() bool

	// Live is how many nodes there are, this one too.
	Live() int
}

// ErrNotForwarded: the node that writes was sent nothing of a request.
var ErrNotForwarded error = unavailable("The request could not be passed on to the node that writes; nothing was stored")

// The headers by which clients of several nodes see no former content after a later one.
const (
	revisionHeader    = "Quire-Revision"     // of an answer: the commit that it shows, or a later one
	minRevisionHeader = "Quire-Min-Revision" // of a request: the commit that its answer must show
	staleHeader       = "Quire-Stale"        // of an answer: true where it may be old
)

// How long a request waits for what other nodes have written: less where this node has not
// heard of them for a while, or those who wait would leave no place for those who need not.
const (
	freshTime      = 3 * time.Second
	freshWriteTime = 2 * time.Second // for a write, before it is tried with another node
	staleTime      = 100 * time.Millisecond
)

// amongNodes does what comes before a request where several nodes share the site: another
// one may answer it, or this one waits for what others have written. It reports whether
// the request has been answered.
func (x *exchange) amongNodes() (answered bool) {
	nodes := x.server.nodes
	if nodes == nil {
		return false
	}
	var err error
	if x.isForWriter() && !nodes.Forwarded(x.request.Context()) {
		answered, err = x.writeAmong(nodes)
	} else {
		err = x.awaitOthers(freshTime)
	}
	if err != nil {
		x.fail(x.explainAway(err))
	}
	return answered || err != nil
}

// explainAway is an error of a request that waited for what other nodes have written, as its
// client sees it.
func (x *exchange) explainAway(err error) error {
	switch {
	case x.request.Context().Err() != nil || !errors.As(err, new(*store.JournalError)):
		return err
	case isWrite(x.request):
		return unavailable("This node does not hear of the others, and nothing was stored; try again, or ask another node")
	}
	return unavailable("This node does not hear of the others, and may not know all that was written; try again, or ask another node")
}

// writeAmong has the node that writes answer, or waits until this one may. What was written
// before counts for a write as for a read: it may end a session. Where this node does not
// hear of the others, one of them may have taken its place meanwhile.
func (x *exchange) writeAmong(nodes Nodes) (answered bool, err error) {
	for range 2 {
		if answered, err = x.forward(nodes); answered || err != nil {
			return answered, err
		}
		if err = x.awaitOthers(freshWriteTime); !errors.As(err, new(*store.JournalError)) {
			return false, err
		}
	}
	return false, err
}

// isWrite reports whether a request may change something. No route has another method.
func isWrite(r *http.Request) bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}
	return false
}

// readsOfWriter begin the paths of reads that the node that writes answers: those that sign
// somebody in, whose tries one node has to count, and those about what came in parts.
var readsOfWriter = []string{"/api/auth/", "/api/connect/", "/api/upload/_parts/"}

// OneNode is a mount with reads that one of several nodes answers, the one that writes:
// they are about what that keeps in its memory or in its own folder.
type OneNode interface{ AtWriter(r *http.Request) bool }

// isForWriter reports whether the node that writes is to answer the request.
func (x *exchange) isForWriter() bool {
	r := x.request
	if isWrite(r) {
		return true
	}
	if m := x.server.mountOf(r.URL.Path); m != nil {
		one, has := m.handler.(OneNode)
		return has && one.AtWriter(r)
	}
	return slices.ContainsFunc(readsOfWriter, func(begin string) bool { return strings.HasPrefix(r.URL.Path, begin) })
}

// forward has the node that writes answer the request, whose body arrives meanwhile.
func (x *exchange) forward(nodes Nodes) (done bool, err error) {
	body := &bodyOf{}
	err = x.share.Receive(true, func(b *edge.Body) (err error) {
		b.Stream()
		r := x.request
		if r.Body != nil && r.Body != http.NoBody {
			body.from, body.whole = b, r.Body
			r = r.WithContext(r.Context())
			r.Body = body
		}
		done, err = nodes.Forward(x.share.Patient(x), r)
		return err
	})
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, edge.ErrCrowded):
		return done, err
	case errors.Is(err, ErrNotForwarded):
		x.server.log.Error("a request could not be forwarded", "id", x.id[0], "error", err)
		return true, ErrNotForwarded
	case body.broken.Load(): // the other node does nothing with a part of one
		return true, invalid("The request body could not be read to its end")
	}
	x.server.log.Error("a request that was forwarded has no answer", "id", x.id[0], "error", err)
	if !isWrite(x.request) {
		return true, unavailable("The node that writes did not answer; try again")
	}
	return true, unavailable("The node that writes did not answer, and it is unknown whether this write was stored; look before you try again")
}

// bodyOf is a body that is read within the limits of its request.
type bodyOf struct {
	from   io.Reader
	whole  io.Closer
	broken atomic.Bool // it came to no end
}

// Read reads what the client sends next.
func (b *bodyOf) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if err != nil && err != io.EOF {
		b.broken.Store(true)
	}
	return n, err
}

// Close gives up the rest.
func (b *bodyOf) Close() error { return b.whole.Close() }

// awaitOthers waits until this node shows what the client must see: all that was written
// before its request where it has a credential or writes, and the revision that it names.
func (x *exchange) awaitOthers(within time.Duration) error {
	if x.server.nodes.Stale() {
		within = staleTime
	}
	ctx, cancel := context.WithTimeout(x.request.Context(), within)
	defer cancel()
	text := x.request.Header.Get(minRevisionHeader)
	if text != "" {
		revision, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return &problem{http.StatusBadRequest, "ValidationError", minRevisionHeader + " must be the number that " + revisionHeader + " of a former answer was", none{}}
		}
		if err := x.awaitRevision(ctx, revision); err != nil {
			return err
		}
	}
	fresh := x.isForWriter() || x.wantsFresh()
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

// awaitRevision waits until this node shows a commit that the client has seen. A node that
// has all there is refuses a later one at once.
func (x *exchange) awaitRevision(ctx context.Context, revision uint64) error {
	if x.edition.db.Reached() >= revision {
		return nil
	}
	if err := x.awaitFresh(ctx); err != nil {
		return err
	}
	if latest := x.edition.db.Reached(); latest < revision {
		return &problem{http.StatusBadRequest, "ValidationError", fmt.Sprintf("%s names a commit that there is not: the last one is %d", minRevisionHeader, latest), none{}}
	}
	return nil
}

// editionLook is how often a request looks whether content that was replaced is served.
const editionLook = 5 * time.Millisecond

// awaitFresh waits for what other nodes have written. A data file that is suspended is
// being read anew, as where its content was replaced; a write is not taken meanwhile.
func (x *exchange) awaitFresh(ctx context.Context) error {
	for {
		err := x.edition.db.Fresh(ctx)
		if isWrite(x.request) || !errors.As(err, new(*store.SuspendedError)) {
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
	_, _, preview, _ := params.Cut(x.request.URL.RawQuery, settings.TokenParameter) // it reads in the name of its maker
	if credential || preview || x.request.Header.Get("Cookie") != "" && x.server.mountOf(x.request.URL.Path) != nil {
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

// nodeConnections is how many connections other nodes may have open, each with many
// requests. Whoever reaches the port and is no node takes a fourth of them at most.
const nodeConnections = 1024

// ServeNodes answers what other nodes send to the listener, until ctx is done, which is
// after Serve has ended: nothing is waited for but what is under way. h gets it before it
// reaches Handler.
func (s *Server) ServeNodes(ctx context.Context, l net.Listener, config *tls.Config, h http.Handler) error {
	c := s.listenerConfig(h, nil)
	c.TLS, c.Connections, c.Proxies, c.Nodes = config, nodeConnections, nil, true
	return s.load.Serve(ctx, l, c)
}
