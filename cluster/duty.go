//go:build cluster

package cluster

import (
	"context"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// OnDuty calls do whenever this node is the one that does what one does for all. do gets a
// context that ends when another node may be that, or when ctx is done; OnDuty returns
// when do has returned then.
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

// takeDuty takes the duties if nobody has them. The key goes with the node's lease.
func (n *Node) takeDuty(ctx context.Context) (taken bool) {
	if n.seen.Load().duty != "" {
		return false
	}
	key, lease := n.Journal.keys.duty(), clientv3.LeaseID(n.lease.Load())
	_ = n.Journal.within(ctx, func(ctx context.Context) error { // it is tried again
		answer, err := n.Journal.etcd().Txn(ctx).
			If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, n.self.Name, clientv3.WithLease(lease))).
			Commit()
		taken = err == nil && answer.Succeeded
		return err
	})
	if taken {
		n.change(func(v *view) { v.duty = n.self.Name })
	}
	return taken
}

// whileOnDuty calls do until the duties are another's. Who has not heard of etcd for as
// long as half a lease gives them up: another node may have them when the lease is over.
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
	n.log.Warn("another node sends webhooks and mail, and makes backups, for the cluster")
	off()
	doing.Wait()
}

func (n *Node) onDuty() bool {
	return n.Journal.silence() < leaseTime*time.Second/2 && n.seen.Load().duty == n.self.Name
}
