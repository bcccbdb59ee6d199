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
	// Forward forwards a request to the node that writes, which answers it. If this node
	// has to answer itself, it returns false, and has read and written nothing. An error
	// other than context.Canceled and ErrNotForwarded means that the other node may have
	// carried out the request.
	Forward(w http.ResponseWriter, r *http.Request) (done bool, err error)

	// Forwarded reports whether a request with that context comes from another node.
	Forwarded(ctx context.Context) bool

	// Stale reports that the content of this node may be old, because it has received
	// nothing from the others for a while.
	Stale() bool

	// Live returns the number of nodes, including this one.
	Live() int
}

// ErrNotForwarded means that nothing of a request was sent to the node that writes.
var ErrNotForwarded error = unavailable("The request could not be passed on to the node that writes; nothing was stored")

// Headers with which clients of several nodes see no older content after newer content.
const (
	revisionHeader    = "Quire-Revision"     // in a response: the commit that it shows, or a later one
	minRevisionHeader = "Quire-Min-Revision" // in a request: the commit that the response must show
	staleHeader       = "Quire-Stale"        // in a response: true if it may be old
)

// How long a request waits for the writes of other nodes. It is shorter if this node has
// received nothing from them for a while, so that waiting requests do not take the places
// of others.
const (
	freshTime      = 3 * time.Second
	freshWriteTime = 2 * time.Second // for a write, before another node is tried
	staleTime      = 100 * time.Millisecond
)

// amongNodes runs before a request if several nodes share the site: another node may answer
// it, or this one waits for the writes of others. It reports whether the request has been
// answered.
func (x *request) amongNodes() (answered bool) {
	nodes := x.server.nodes
	if nodes == nil {
		return false
	}
	if c := x.server.copied(); c != nil {
		return x.onCopy(c)
	}
	var err error
	if x.isForWriter() && !nodes.Forwarded(x.http.Context()) {
		answered, err = x.writeAmong(nodes)
	} else {
		err = x.awaitOthers(freshTime)
	}
	if err != nil {
		x.fail(x.explainAway(err))
	}
	return answered || err != nil
}

// explainAway returns the problem of a request that waited for the writes of other nodes.
func (x *request) explainAway(err error) error {
	switch {
	case x.http.Context().Err() != nil || !errors.As(err, new(*store.JournalError)):
		return err
	case isWrite(x.http):
		return unavailable("This node does not hear of the others, and nothing was stored; try again, or ask another node")
	}
	return unavailable("This node does not hear of the others, and may not know all that was written; try again, or ask another node")
}

// writeAmong lets the node that writes answer, or waits until this one may. Earlier writes
// matter for a write as for a read, because they may end a session. If this node receives
// nothing from the others, one of them may have become the writer.
func (x *request) writeAmong(nodes Nodes) (answered bool, err error) {
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

// isWrite reports whether a request may change something. No route has other methods.
func isWrite(r *http.Request) bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}
	return false
}

// readsOfWriter are prefixes of reads that the node that writes answers: those that sign
// somebody in, because one node has to count the attempts, and those about uploads in
// pieces.
var readsOfWriter = []string{"/api/auth/", "/api/connect/", "/api/upload/_parts/"}

// OneNode is a mount with reads that only the node that writes answers, because they are
// about its memory or its own folder.
type OneNode interface{ AtWriter(r *http.Request) bool }

// isForWriter reports whether the node that writes answers the request.
func (x *request) isForWriter() bool {
	r := x.http
	if isWrite(r) {
		return true
	}
	if m := x.server.mountOf(r.URL.Path); m != nil {
		one, has := m.handler.(OneNode)
		return has && one.AtWriter(r)
	}
	return slices.ContainsFunc(readsOfWriter, func(begin string) bool { return strings.HasPrefix(r.URL.Path, begin) })
}

// forward lets the node that writes answer the request, while the body arrives.
func (x *request) forward(nodes Nodes) (done bool, err error) {
	body := &bodyOf{}
	err = x.share.Receive(true, func(b *edge.Body) (err error) {
		b.Stream()
		r := x.http
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
	case body.broken.Load(): // the other node ignores an incomplete body
		return true, invalid("The request body could not be read to its end")
	}
	x.server.log.Error("a request that was forwarded has no answer", "id", x.id[0], "error", err)
	if !isWrite(x.http) {
		return true, unavailable("The node that writes did not answer; try again")
	}
	return true, unavailable("The node that writes did not answer, and it is unknown whether this write was stored; look before you try again")
}

// bodyOf is a body that is read within the limits of its request.
type bodyOf struct {
	from   io.Reader
	whole  io.Closer
	broken atomic.Bool // it is incomplete
}

// Read reads the next bytes from the client.
func (b *bodyOf) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if err != nil && err != io.EOF {
		b.broken.Store(true)
	}
	return n, err
}

// Close skips the rest.
func (b *bodyOf) Close() error { return b.whole.Close() }

// awaitOthers waits until this node shows what the client must see: all earlier writes if
// the request has a credential or writes, and the revision that it names.
func (x *request) awaitOthers(within time.Duration) error {
	if x.server.nodes.Stale() {
		within = staleTime
	}
	ctx, cancel := context.WithTimeout(x.http.Context(), within)
	defer cancel()
	text := x.http.Header.Get(minRevisionHeader)
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
		return x.awaitVersion(ctx)
	}
	return nil
}

// awaitRevision waits until this node shows a commit that the client has seen. A node that
// is up to date refuses a later commit at once.
func (x *request) awaitRevision(ctx context.Context, revision uint64) error {
	if x.site.db.Reached() >= revision {
		return nil
	}
	if err := x.awaitFresh(ctx); err != nil {
		return err
	}
	if latest := x.site.db.Reached(); latest < revision {
		return &problem{http.StatusBadRequest, "ValidationError", fmt.Sprintf("%s names a commit that there is not: the last one is %d", minRevisionHeader, latest), none{}}
	}
	return nil
}

// reloadPoll is how often a request checks whether replaced content is served.
const reloadPoll = 5 * time.Millisecond

// awaitFresh waits for the writes of other nodes. A suspended data file is being read
// again, for example because its content was replaced. Meanwhile writes are refused.
func (x *request) awaitFresh(ctx context.Context) error {
	for {
		err := x.site.db.Fresh(ctx)
		if isWrite(x.http) || !errors.As(err, new(*store.SuspendedError)) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(reloadPoll):
		}
	}
}

// awaitVersion continues with the version of the site that shows the content of the data file. After
// the content was replaced, the former version is served until the new content has been
// read.
func (x *request) awaitVersion(ctx context.Context) error {
	for {
		x.site = x.server.current.Load()
		if x.site.lineage == x.site.db.Lineage() {
			return nil
		}
		select {
		case <-ctx.Done():
			return unavailable("The content was replaced and is being read; try again")
		case <-time.After(reloadPoll):
		}
	}
}

// wantsFresh reports whether a response must show all earlier writes. The site sets this
// for callers with a credential and for those without.
func (x *request) wantsFresh() bool {
	reads := &x.site.schema.Settings.Cluster.Linearizable
	_, credential := x.credential()
	_, _, preview, _ := params.Cut(x.http.URL.RawQuery, settings.TokenParameter) // it reads on behalf of its maker
	if credential || preview || x.http.Header.Get("Cookie") != "" && x.server.mountOf(x.http.URL.Path) != nil {
		return reads.Credential
	}
	return reads.Anonymous
}

// nameRevision adds to a response which commit it shows: the content is from that commit or
// an earlier one. A response of another node has that already.
func (x *request) nameRevision() {
	nodes := x.server.nodes
	if x.forwarded {
		if tail, err := x.tail(); err == nil {
			x.Header()[revisionHeader] = []string{strconv.FormatUint(tail.Last().Revision, 10)}
		}
	}
	if nodes == nil || x.within || x.passed || x.Header()[revisionHeader] != nil {
		return
	}
	h, stale := x.Header(), false
	if c := x.server.copied(); c == nil {
		stale = nodes.Stale()
	} else {
		if x.current.IsZero() { // it was refused before it could read
			x.current = c.Current(x.site.lineage)
		}
		behind := time.Since(x.current)
		h[lagHeader] = []string{strconv.FormatFloat(behind.Seconds(), 'f', 3, 64)}
		stale = behind > StaleAfter
	}
	shown := max(x.site.db.Reached(), x.site.index.Snapshot().Revision())
	h[revisionHeader] = []string{strconv.FormatUint(shown, 10)}
	if stale {
		h[staleHeader] = []string{"true"}
	}
}

// nodeConnections is how many connections other nodes may have open, each with many
// requests. Clients that are not nodes get at most a fourth of them.
const nodeConnections = 1024

// ServeNodes answers requests of other nodes at the listener until ctx is done, which is
// after Serve has ended. At the end it waits only for requests in progress. h handles the
// requests before Handler.
func (s *Server) ServeNodes(ctx context.Context, l net.Listener, config *tls.Config, h http.Handler) error {
	c := s.listenerConfig(h, nil)
	c.TLS, c.Connections, c.Proxies, c.Nodes = config, nodeConnections, nil, true
	return s.load.Serve(ctx, l, c)
}
