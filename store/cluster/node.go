//go:build cluster

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Member is one node as shown to the others.
type Member struct {
	Name    string `json:"name"`
	Address string `json:"address"` // HOST:PORT for other nodes
	Version string `json:"version"` // of the program
	Schema  string `json:"schema"`  // fingerprint of its schemas
	Started int64  `json:"started"` // milliseconds since 1970
}

// clusterView is what a node knows about the others.
type clusterView struct {
	members map[string]Member
	writer  string // the name of the writing node; empty for none yet
	duty    string // the name of the node with the duties
	schema  string // of the content
}

// lookInterval is how often a node reads the state of the others.
const lookInterval = 500 * time.Millisecond

// Node is this node among the others. It lives from Join to Close.
type Node struct {
	Journal *Journal
	self    Member
	id      identity
	log     *slog.Logger

	seen    atomic.Pointer[clusterView]
	calls   *caller
	stop    context.CancelFunc
	running sync.WaitGroup
	lease   atomic.Int64 // of the keys of this node
}

// Join registers this node. Its name must be unique: the error is a *NameError if another
// node with that name responds, store.ErrFull if etcd has no space for its key, otherwise
// as of Reach.
func Join(ctx context.Context, j *Journal, self Member, log *slog.Logger) (*Node, error) {
	id, err := j.identify(ctx)
	if err != nil {
		return nil, j.explain(ctx, err)
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	n := &Node{Journal: j, self: self, id: id, log: log, stop: stop}
	n.calls = &caller{node: n, under: map[*underway]struct{}{}, transport: newTransport(n.id)}
	n.seen.Store(&clusterView{})
	err = n.claimName(ctx)
	if err == nil {
		err = errors.Join(n.announce(life), n.look(ctx))
	}
	if err != nil {
		stop()
		return nil, j.explain(ctx, err)
	}
	n.running.Go(func() { n.keepAnnounced(life) })
	n.running.Go(func() { n.keepLooking(life) })
	n.running.Go(func() { n.calls.keepAsking(life) })
	n.running.Go(func() { j.keepToLeader(life) })
	return n, nil
}

// NameError: another node has the name of this one.
type NameError struct{ Name, Address string }

func (e *NameError) Error() string {
	return fmt.Sprintf("a node at %s is called %s, too; give this one another name with --node, or another data folder if that is a copy", e.Address, e.Name)
}

// claimName returns a *NameError if another node has the name of this one and responds. If
// it does not respond, it was this node before a restart.
func (n *Node) claimName(ctx context.Context) error {
	if err := n.look(ctx); err != nil {
		return err
	}
	former, known := n.seen.Load().members[n.self.Name]
	if !known || former.Address == n.self.Address {
		return nil
	}
	var s State
	if askState(ctx, n.calls.transport, former, &s) == nil && s.Name == n.self.Name {
		return &NameError{former.Name, former.Address}
	}
	return nil
}

// Close unregisters this node at once.
func (n *Node) Close() {
	n.stop()
	n.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), tryTime)
	defer cancel()
	_, _ = n.Journal.etcd().Txn(ctx).
		If(clientv3.Compare(clientv3.Value(n.Journal.keys.writer()), "=", n.self.Name)).
		Then(clientv3.OpDelete(n.Journal.keys.writer())).Commit() // or another node takes it over
	n.Journal.revoke(ctx, clientv3.LeaseID(n.lease.Load()))
	n.calls.transport.CloseIdleConnections()
}

// announce stores the key of this node, with a lease that it renews until ctx is done.
func (n *Node) announce(ctx context.Context) error {
	lease, err := n.Journal.grant(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(n.self)
	if err != nil {
		return err
	}
	err = n.Journal.again(ctx, func(ctx context.Context) error {
		_, err := n.Journal.etcd().Put(ctx, n.Journal.keys.nodes()+n.self.Name, string(text), clientv3.WithLease(lease))
		return err
	})
	if err != nil {
		return err
	}
	n.lease.Store(int64(lease))
	return nil
}

// keepAnnounced renews the lease of this node, and registers the node again if it was cut
// off from etcd for too long.
func (n *Node) keepAnnounced(ctx context.Context) {
	for ctx.Err() == nil {
		_ = n.Journal.keep(ctx, clientv3.LeaseID(n.lease.Load())) // it returns when the lease is lost
		sleep(ctx, lookInterval)
		if ctx.Err() == nil {
			if err := n.announce(ctx); err != nil {
				n.log.Warn("this node cannot be announced to the others", "error", err)
			}
		}
	}
}

func (n *Node) keepLooking(ctx context.Context) {
	every(ctx, lookInterval, func() { _ = n.look(ctx) }) // if it fails, the former view stays
}

// look reads the members, the writing node, and the schemas of the content.
func (n *Node) look(ctx context.Context) error {
	j := n.Journal
	var got *clientv3.TxnResponse
	err := j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd().Txn(ctx).Then(
			clientv3.OpGet(j.keys.nodes(), clientv3.WithPrefix()),
			clientv3.OpGet(j.keys.writer()),
			clientv3.OpGet(j.keys.duty()),
			clientv3.OpGet(j.keys.head()),
		).Commit()
		return err
	})
	if err != nil {
		return err
	}
	v := &clusterView{members: map[string]Member{}}
	for _, kv := range got.Responses[0].GetResponseRange().Kvs {
		var m Member
		if err := json.Unmarshal(kv.Value, &m); err != nil {
			return fmt.Errorf("the key %q in etcd is no node: %w", kv.Key, err)
		}
		v.members[strings.TrimPrefix(string(kv.Key), j.keys.nodes())] = m
	}
	for i, name := range []*string{&v.writer, &v.duty} {
		for _, kv := range got.Responses[1+i].GetResponseRange().Kvs {
			*name = string(kv.Value)
		}
	}
	for _, kv := range got.Responses[3].GetResponseRange().Kvs {
		h, err := parseHead(kv.Value)
		if err != nil {
			return err
		}
		v.schema = h.Schema
	}
	n.seen.Store(v)
	return nil
}

// change records a change by this node, which it need not read again.
func (n *Node) change(fn func(*clusterView)) {
	for {
		was := n.seen.Load()
		now := *was
		fn(&now)
		if n.seen.CompareAndSwap(was, &now) {
			return
		}
	}
}

// staleAfter is the time without a response of etcd after which a node reports that its
// content may be old.
const staleAfter = 3 * time.Second

// Stale reports whether this node has had no response from etcd for a while.
func (n *Node) Stale() bool { return n.Journal.silence() > staleAfter }

// cutOffAfter is the same for a node that is asked to write: another one may reach etcd. It
// is longer than the time to detect that one member does not respond.
var cutOffAfter = 1500 * time.Millisecond

func (n *Node) cutOff() bool { return n.Journal.silence() > cutOffAfter }

// Live returns the number of nodes, including this one.
func (n *Node) Live() int { return max(1, len(n.seen.Load().members)) }
