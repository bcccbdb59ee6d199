//go:build cluster

package cluster

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
)

// leaseTime is after how many seconds what a node that is gone has held is free again.
const leaseTime = 10

// Hold implements store.Journal. The key goes with a lease, so that a node that dies while
// it holds keeps the others from writing for some seconds and no longer.
func (j *Journal) Hold(ctx context.Context) (release func(), err error) {
	lease, err := j.etcd.Grant(ctx, leaseTime)
	if err != nil {
		return nil, err
	}
	holding, stop := context.WithCancel(context.WithoutCancel(ctx))
	release = func() {
		j.setHeld(0)
		stop()
		_ = within(context.WithoutCancel(ctx), func(ctx context.Context) error { _, err := j.etcd.Revoke(ctx, lease.ID); return err }) // or it ends by itself
	}
	answer, err := j.etcd.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(j.keys.hold()), "=", 0)).
		Then(clientv3.OpPut(j.keys.hold(), j.node, clientv3.WithLease(lease.ID))).
		Commit()
	switch {
	case err != nil:
		release()
		return nil, err
	case !answer.Succeeded:
		release()
		return nil, store.ErrHeld
	}
	if err := j.keep(holding, lease.ID); err != nil {
		release()
		return nil, err
	}
	j.setHeld(lease.ID)
	return release, nil
}

// keep renews a lease until ctx is done.
func (j *Journal) keep(ctx context.Context, lease clientv3.LeaseID) error {
	renewed, err := j.etcd.KeepAlive(ctx, lease)
	if err != nil {
		return err
	}
	go func() {
		for range renewed {
		}
	}()
	return nil
}

func (j *Journal) setHeld(lease clientv3.LeaseID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.held = lease
}

// holding returns the lease of this node's hold, and takes hold where it has none.
func (j *Journal) holding(ctx context.Context) (lease clientv3.LeaseID, release func(), err error) {
	j.mu.Lock()
	lease = j.held
	j.mu.Unlock()
	if lease != 0 {
		return lease, func() {}, nil
	}
	if release, err = j.Hold(ctx); err != nil {
		return 0, nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.held, release, nil
}

// Replace implements store.Journal. What the data file holds is written beside what there
// is, as another generation; then one transaction makes it the one that counts. The former
// generation stays until it is dropped.
func (j *Journal) Replace(ctx context.Context, with *store.DB) (revision, position uint64, err error) {
	lease, release, err := j.holding(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer release()
	was, err := j.now(ctx)
	if err != nil {
		return 0, 0, err
	}
	generation, err := j.nextGeneration(ctx, was.head.Generation)
	if err != nil {
		return 0, 0, err
	}
	own, err := j.push(ctx, generation, with)
	if err != nil {
		return 0, 0, err
	}
	h := Head{
		Revision: max(was.head.Revision, own) + 1, Mark: newMark(), Lineage: newLineage(), Generation: generation,
		Schema: was.head.Schema, Node: j.node, Time: time.Now().UnixMilli(),
	}
	if j.schema != "" {
		h.Schema = j.schema
	}
	now, err := j.switchTo(ctx, was, h, lease)
	if err != nil {
		return 0, 0, err
	}
	j.remember(now)
	return h.Revision, now.position(), nil
}

// switchTo makes another generation the one that counts, if nobody has committed since and
// the hold is still this node's. It returns the head as it was then: others commit at once.
func (j *Journal) switchTo(ctx context.Context, was seen, h Head, lease clientv3.LeaseID) (now seen, err error) {
	now = seen{head: h, text: h.text()}
	answer, err := j.etcd.Txn(ctx).
		If(
			clientv3.Compare(clientv3.ModRevision(j.keys.head()), "=", was.revision),
			clientv3.Compare(clientv3.LeaseValue(j.keys.hold()), "=", lease),
		).
		Then(clientv3.OpPut(j.keys.head(), now.text), clientv3.OpDelete(j.keys.hold())).
		Commit()
	if err != nil {
		return now, err
	}
	if !answer.Succeeded {
		return now, fmt.Errorf("this node took too long to replace the content, and the others went on: %w", store.ErrBehind)
	}
	now.revision = answer.Header.Revision
	return now, nil
}
