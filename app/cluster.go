//go:build cluster

package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"quire/server"
	"quire/store"
	"quire/store/cluster"
)

// nodePart is the part of a server that is a node of a cluster. It is empty for other
// servers.
type nodePart struct {
	journal  *cluster.Journal
	listener net.Listener // for the other nodes
	member   cluster.Member

	node   atomic.Pointer[cluster.Node] // nil until it has joined
	joined chan struct{}                // closed then
}

// openTime is the time in which etcd must respond before a node can start.
const openTime = 30 * time.Second

// address returns the address of etcd.
func (j Joining) address() (cluster.Address, error) {
	a, err := cluster.ParseAddress(j.Cluster)
	a.CA, a.Certificate, a.Key, a.User, a.Password = j.CA, j.Certificate, j.Key, j.User, j.Password
	return a, err
}

// openOwn opens the data file: that of this server alone, or a replica of the cluster's
// content.
func (a *App) openOwn(how Joining) (*store.DB, error) {
	if how.Cluster == "" {
		return a.at.openAlone(store.Options{Timeout: a.at.Wait})
	}
	to, err := how.address()
	if err != nil {
		return nil, err
	}
	name, err := a.at.joinAs(to, how.Name)
	if err != nil {
		return nil, err
	}
	a.node.member = cluster.Member{Name: name, Address: how.Advertise, Version: Version(), Schema: fingerprintOf(a.site), Started: time.Now().UnixMilli()}
	if a.node.journal, err = cluster.Open(to, cluster.Options{Node: name, Schema: a.node.member.Schema, Passing: passing()}); err != nil {
		return nil, err
	}
	a.node.joined = make(chan struct{})
	unreachable, err := a.checkJournal()
	if err != nil {
		return nil, errors.Join(err, a.node.journal.Close())
	}
	if a.node.listener, err = net.Listen("tcp", how.Listen); err != nil {
		return nil, errors.Join(fmt.Errorf("nothing can listen for the other nodes: %w", err), a.node.journal.Close())
	}
	if how.Advertise == "" {
		a.node.member.Address = a.node.listener.Addr().String()
	}
	db, err := store.Open(a.at.DataFile(), store.Options{
		Timeout: a.at.Wait, Journal: a.node.journal, Apart: unreachable != nil, LostTrack: a.requestReopen})
	if errors.Is(err, store.ErrNoReplica) {
		err = fmt.Errorf("%w; %s has not all of the content, so it cannot be served before etcd answers: start the members of etcd, or correct --cluster", unreachable, a.at.DataFile())
	}
	if err != nil {
		return nil, errors.Join(err, a.node.listener.Close(), a.node.journal.Close())
	}
	return db, nil
}

// checkJournal checks that this program can work with the data in etcd. If etcd cannot be
// reached, the journal stays apart, and unreachable is the reason.
func (a *App) checkJournal() (unreachable *cluster.UnreachableError, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), openTime)
	defer cancel()
	err = a.node.journal.Check(ctx)
	if errors.As(err, &unreachable) {
		a.node.journal.StayApart()
		return unreachable, nil
	}
	return nil, err
}

// joinAs records in the data folder which cluster it belongs to, and returns the name
// of the node. An existing data file must be a replica already, because its content would
// be replaced.
func (l Location) joinAs(to cluster.Address, name string) (string, error) {
	was, is, err := l.node()
	switch {
	case err != nil:
		return "", err
	case is && !was.isOf(to):
		return "", &NodeError{Folder: l.DataFolder(), Cluster: was.Cluster}
	case is && (name == "" || name == was.Name) && was.Cluster == to.String():
		return was.Name, nil
	case !is:
		if _, err := os.Stat(l.DataFile()); err == nil {
			return "", fmt.Errorf("%s holds the content of a site by itself, which joining would replace; `quire cluster init` puts it into the cluster, or give another folder with --data", l.DataFile())
		}
	}
	if name == "" {
		name = cmp.Or(was.Name, newNodeName())
	}
	return name, l.writeNode(to, name)
}

// isOf reports whether the node belongs to the site at an address. The members of etcd may
// have changed.
func (n nodeFile) isOf(to cluster.Address) bool {
	was, err := cluster.ParseAddress(n.Cluster)
	return err == nil && was.Site == to.Site
}

func (l Location) writeNode(of cluster.Address, name string) error {
	text, err := json.Marshal(nodeFile{Cluster: of.String(), Name: name})
	if err != nil {
		return err
	}
	return store.ReplaceFile(l.nodePath(), append(text, '\n'), 0o600)
}

// newNodeName returns the name of the machine with a suffix that makes it unique.
func newNodeName() string {
	host, _ := os.Hostname() // without a host name, the suffix is enough
	host, _, _ = strings.Cut(strings.ToLower(host), ".")
	return strings.Trim(host+"-"+strings.ToLower(rand.Text()[:6]), "-")
}

// fitsCluster returns an error if this node's schemas are not those of the cluster. An
// operation that replaces all content would otherwise change the schemas of the cluster.
func (a *App) fitsCluster(ctx context.Context) error {
	if a.node.journal == nil {
		return nil
	}
	return a.node.journal.Fits(ctx)
}

// isNode reports whether this server is a node of a cluster.
func (a *App) isNode() bool { return a.node.journal != nil }

// nodes returns the other nodes, for the server.
func (a *App) nodes() server.Nodes {
	if !a.isNode() {
		return nil
	}
	return others{&a.node}
}

// others are the nodes that a server forwards requests to. Until this node has joined them,
// it answers requests itself, and its content may be out of date.
type others struct{ part *nodePart }

// Forward implements server.Nodes.
func (o others) Forward(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	n := o.part.node.Load()
	if n == nil {
		return false, nil
	}
	if done, err = n.Forward(w, r); errors.Is(err, cluster.ErrNotForwarded) {
		err = errors.Join(server.ErrNotForwarded, err)
	}
	return done, err
}

// Forwarded implements server.Nodes.
func (others) Forwarded(ctx context.Context) bool { return cluster.Forwarded(ctx) }

// Stale implements server.Nodes.
func (o others) Stale() bool {
	n := o.part.node.Load()
	return n == nil || n.Stale()
}

// Live implements server.Nodes.
func (o others) Live() int {
	if n := o.part.node.Load(); n != nil {
		return n.Live()
	}
	return 1
}

// serveNodes answers requests of other nodes, and requests that they forward, until ctx is
// done.
func (a *App) serveNodes(ctx context.Context) {
	n := a.awaitNode(ctx)
	if n == nil {
		return
	}
	handler, config := n.Serving(a.server.Handler(), a.nodeState)
	if err := a.server.ServeNodes(ctx, a.node.listener, config, handler); err != nil && !errors.Is(err, http.ErrServerClosed) {
		a.log.Error("other nodes cannot reach this one any more", "error", err)
	}
}

// nodeState returns the state that this node reports to others.
func (a *App) nodeState() cluster.State {
	s := cluster.State{Suspended: a.db.Suspended()}
	_ = a.db.View(func(tx *store.Tx) error { s.Revision = tx.Revision(); return nil }) // 0 while it cannot be read
	return s
}

// onDuty runs the duties in this node while no other node has them.
func (a *App) onDuty(ctx context.Context, do func(context.Context)) {
	if !a.isNode() {
		do(ctx)
		return
	}
	if n := a.awaitNode(ctx); n != nil {
		n.OnDuty(ctx, do)
	}
}

// leaveCluster reports to the other nodes that this node stops.
func (a *App) leaveCluster() {
	if n := a.node.node.Load(); n != nil {
		n.Close()
	}
}

// closeJournal closes the connection to etcd and the listener for other nodes.
func (a *App) closeJournal() error {
	if a.node.journal == nil {
		return nil
	}
	err := a.node.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil // serveNodes closes it if it ran
	}
	return errors.Join(err, a.node.journal.Close())
}
