//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
)

// leaseTime is the time in seconds after which the keys of a node that is gone are free
// again.
const leaseTime = 10

// Freeze implements store.Journal. The key belongs to a lease, so that a node that dies
// during a freeze stops the writes of others only for some seconds.
func (j *Journal) Freeze(ctx context.Context) (release func(), err error) {
	if err := j.together(); err != nil {
		return nil, err
	}
	lease, err := j.grant(ctx)
	if err != nil {
		return nil, err
	}
	renewal, stop := context.WithCancel(context.WithoutCancel(ctx))
	release = func() {
		j.setFrozen(0)
		stop()
		j.revoke(context.WithoutCancel(ctx), lease)
	}
	if err := j.takeFreeze(ctx, lease); err != nil {
		release()
		return nil, err
	}
	go func() { _ = j.keep(renewal, lease) }() // when it is lost, switchTo fails
	j.setFrozen(lease)
	return release, nil
}

// takeFreeze stores the key. It may be sent twice: the lease says whose it is.
func (j *Journal) takeFreeze(ctx context.Context, lease clientv3.LeaseID) error {
	var answer *clientv3.TxnResponse
	err := j.again(ctx, func(ctx context.Context) (err error) {
		answer, err = j.etcd().Txn(ctx).
			If(clientv3.Compare(clientv3.CreateRevision(j.keys.freeze()), "=", 0)).
			Then(clientv3.OpPut(j.keys.freeze(), j.node, clientv3.WithLease(lease))).
			Else(clientv3.OpGet(j.keys.freeze())).
			Commit()
		return err
	})
	if err != nil || answer.Succeeded {
		return err
	}
	for _, kv := range answer.Responses[0].GetResponseRange().Kvs {
		if clientv3.LeaseID(kv.Lease) == lease {
			return nil
		}
	}
	return store.ErrFrozen
}

// grant returns a lease.
func (j *Journal) grant(ctx context.Context) (lease clientv3.LeaseID, err error) {
	err = j.again(ctx, func(ctx context.Context) error {
		granted, err := j.etcd().Grant(ctx, leaseTime)
		if err == nil {
			lease = granted.ID
		}
		return err
	})
	return lease, err
}

// revoke ends a lease, which expires by itself if that fails.
func (j *Journal) revoke(ctx context.Context, lease clientv3.LeaseID) {
	_ = j.within(ctx, func(ctx context.Context) error {
		_, err := j.etcd().Revoke(ctx, lease)
		return err
	})
}

// keep renews a lease until it is lost or ctx is done. It asks one member after the other,
// because waiting for a stopped one would lose the lease.
func (j *Journal) keep(ctx context.Context, lease clientv3.LeaseID) error {
	for {
		err := j.again(ctx, func(ctx context.Context) error {
			_, err := j.etcd().KeepAliveOnce(ctx, lease)
			return err
		})
		if ctx.Err() != nil || errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return err
		}
		sleep(ctx, leaseTime*time.Second/5)
	}
}

func (j *Journal) setFrozen(lease clientv3.LeaseID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.freezeLease = lease
}

// frozen returns the lease of this node's freeze, and takes a freeze if it has none.
func (j *Journal) frozen(ctx context.Context) (lease clientv3.LeaseID, release func(), err error) {
	j.mu.Lock()
	lease = j.freezeLease
	j.mu.Unlock()
	if lease != 0 {
		return lease, func() {}, nil
	}
	if release, err = j.Freeze(ctx); err != nil {
		return 0, nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.freezeLease, release, nil
}

// isFrozenBy is a condition that is true in etcd while the freeze is that of a lease. All
// writes to another generation depend on it: if a node was paused for longer than its
// lease, another one may have written to the same place, which may be served by now.
func (j *Journal) isFrozenBy(lease clientv3.LeaseID) clientv3.Cmp {
	return clientv3.Compare(clientv3.LeaseValue(j.keys.freeze()), "=", lease)
}

// whileFrozenBy is isHeldBy for any keys.
func (j *Journal) whileFrozenBy(lease clientv3.LeaseID) func(from, end string) clientv3.Cmp {
	return func(string, string) clientv3.Cmp { return j.isFrozenBy(lease) }
}

// errLostFreeze: the freeze is no longer this node's.
var errLostFreeze = fmt.Errorf("this node took too long to replace the content, and the others continued: %w", store.ErrBehind)

// Replace implements store.Journal. It writes the content of the data file as another
// generation; then one transaction makes that one current. The former generation stays
// until it is dropped.
func (j *Journal) Replace(ctx context.Context, with *store.DB) (b store.Batch, err error) {
	lease, release, err := j.frozen(ctx)
	if err != nil {
		return b, err
	}
	defer release()
	was, err := j.now(ctx)
	if err != nil {
		return b, err
	}
	generation, err := j.nextGeneration(ctx, was.head, lease)
	if err != nil {
		return b, err
	}
	own, err := j.push(ctx, generation, with, lease)
	if err != nil {
		return b, err
	}
	h := Head{
		Revision: max(was.head.Revision, own) + 1, Mark: newMark(), Lineage: newLineage(), Generation: generation, Newest: generation,
		Schema: was.head.Schema, Etcd: was.head.Etcd, Node: j.node, Time: later(was.head.Time),
	}
	if j.schema != "" {
		h.Schema = j.schema
	}
	now, err := j.switchTo(ctx, was, h, lease)
	if err != nil {
		return b, err
	}
	j.remember(now)
	return now.batch(), nil
}

// switchTo makes another generation current, if nobody has committed since and the freeze is
// still this node's. The head of the former one is stored. It returns the head at that
// time: others commit at once.
func (j *Journal) switchTo(ctx context.Context, was seen, h Head, lease clientv3.LeaseID, also ...clientv3.Op) (now seen, err error) {
	now = seen{head: h, text: h.text()}
	ops := append(also, clientv3.OpPut(j.keys.head(), now.text), clientv3.OpDelete(j.keys.freeze()))
	if h.Generation != was.head.Generation {
		ops = append(ops, clientv3.OpPut(j.keys.former(was.head.Generation), was.text), clientv3.OpDelete(j.keys.former(h.Generation)))
	}
	var answer *clientv3.TxnResponse
	err = j.again(ctx, func(ctx context.Context) (err error) {
		answer, err = j.etcd().Txn(ctx).
			If(
				clientv3.Compare(clientv3.ModRevision(j.keys.head()), "=", was.revision),
				j.isFrozenBy(lease),
			).
			Then(ops...).
			Else(clientv3.OpGet(j.keys.head())).
			Commit()
		return err
	})
	if err != nil {
		return now, err
	}
	if answer.Succeeded {
		now.revision = answer.Header.Revision
		return now, nil
	}
	for _, kv := range answer.Responses[0].GetResponseRange().Kvs {
		if string(kv.Value) == now.text { // by an earlier attempt without a response
			now.revision = kv.ModRevision
			return now, nil
		}
	}
	return now, errLostFreeze
}
