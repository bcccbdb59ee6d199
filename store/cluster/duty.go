//go:build cluster

package cluster

import (
	"context"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// OnDuty calls do while this node has the duties that one node has for all. The context of
// do ends when another node may have them, or when ctx is done; OnDuty returns after do has
// returned.
func (n *Node) OnDuty(ctx context.Context, do func(context.Context)) {
	ticks := time.NewTicker(lookInterval)
	defer ticks.Stop()
	for {
		if n.takeDuty(ctx) {
			n.log.Info("this node sends webhooks and mail, and makes backups, for the cluster")
			n.whileOnDuty(ctx, do)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
}

// takeDuty takes the duties if nobody has them and this node may write content. It reports
// whether this node has them: it may have given them up for a while, or have taken them
// without getting the response. Their key belongs to the node's lease, by which it
// recognizes its own.
func (n *Node) takeDuty(ctx context.Context) (taken bool) {
	switch v := n.seen.Load(); {
	case v.duty != "" && v.duty != n.self.Name:
		return false
	case !n.fits(v):
		if v.duty != "" {
			n.leaveDuty(ctx)
		}
		return false
	}
	key, lease := n.Journal.keys.duty(), clientv3.LeaseID(n.lease.Load())
	var answer *clientv3.TxnResponse
	err := n.Journal.within(ctx, func(ctx context.Context) (err error) {
		answer, err = n.Journal.etcd().Txn(ctx).
			If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, n.self.Name, clientv3.WithLease(lease))).
			Else(clientv3.OpGet(key)).
			Commit()
		return err
	})
	if err != nil { // retried
		return false
	}
	if taken = answer.Succeeded; !taken {
		for _, kv := range answer.Responses[0].GetResponseRange().Kvs {
			taken = clientv3.LeaseID(kv.Lease) == lease
		}
	}
	if taken {
		n.change(func(v *clusterView) { v.duty = n.self.Name })
	}
	return taken
}

// whileOnDuty calls do until another node has the duties. A node without a response from
// etcd for half a lease gives them up: another node may have them when the lease expires.
// Until then, this node takes them again when etcd responds.
func (n *Node) whileOnDuty(ctx context.Context, do func(context.Context)) {
	on, off := context.WithCancel(ctx)
	defer off()
	var doing sync.WaitGroup
	doing.Go(func() { do(on) })
	ticks := time.NewTicker(lookInterval)
	defer ticks.Stop()
	for n.onDuty() {
		select {
		case <-ctx.Done():
			off()
			doing.Wait()
			return
		case <-ticks.C:
		}
	}
	n.log.Warn("this node no longer sends webhooks and mail, and makes no backups, for the cluster")
	off()
	doing.Wait()
}

// leaveDuty lets another node take the duties before the lease of this one expires.
func (n *Node) leaveDuty(ctx context.Context) {
	key, lease := n.Journal.keys.duty(), clientv3.LeaseID(n.lease.Load())
	_ = n.Journal.within(ctx, func(ctx context.Context) error { // retried
		_, err := n.Journal.etcd().Txn(ctx).If(clientv3.Compare(clientv3.LeaseValue(key), "=", lease)).Then(clientv3.OpDelete(key)).Commit()
		return err
	})
}

func (n *Node) onDuty() bool {
	v := n.seen.Load()
	return n.Journal.silence() < leaseTime*time.Second/2 && v.duty == n.self.Name && n.fits(v)
}

// fits reports whether the content is for the schemas of this node.
func (n *Node) fits(v *clusterView) bool { return v.schema == n.self.Schema }
