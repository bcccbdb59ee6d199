//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
)

// An etcd that is restored from a snapshot lacks the commits since, and uses their
// revisions again. Clients may have seen them: what they store, an ETag, a version or a
// position in the log of changes, must not match what is written from then on. So a restore
// begins another lineage, with revisions far beyond all former ones. The first node to
// notice the restore begins it, before it shows or writes anything, and the others find it
// done. There are two signs of a restore:
//
//   - The snapshot was restored as another cluster of etcd, as it is under another initial
//     token or for members at other addresses. Each answer of etcd names its cluster, and the
//     head names the one that its lineage began in. So any node notices with its first call,
//     even one that has nothing of its own.
//   - A node has a commit that etcd has not. So it is also noticed where the cluster of etcd
//     has the same name as before, if a node has outlived the restore that is ahead of it.

// renewed returns the head after another lineage has begun, because etcd is another cluster
// than the one in which the lineage of was began.
func (j *Journal) renewed(ctx context.Context, was seen, etcd uint64) (seen, error) {
	for range tries {
		if err := j.renew(ctx, was, etcd); err != nil {
			return was, err
		}
		var err error
		if was, etcd, err = j.shown(ctx); err != nil || was.head.Etcd == etcd {
			return was, err
		}
	}
	return was, errors.New("the members of etcd that were named belong to different clusters; stop those of the former one")
}

// Renew implements store.Journal.
func (j *Journal) Renew(ctx context.Context, lineage uint64) error {
	was, etcd, err := j.shown(ctx)
	if err != nil {
		return err
	}
	for range tries {
		if was.head.Lineage != lineage {
			return nil
		}
		if err := j.renew(ctx, was, etcd); err != nil {
			return err
		}
		if was, etcd, err = j.shown(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("the nodes write so much that no other lineage could begin: %w", store.ErrBehind)
}

// renew begins another lineage after a head, unless the head has changed.
func (j *Journal) renew(ctx context.Context, was seen, etcd uint64) error {
	h := was.head
	h.Revision, h.Mark, h.After, h.Lineage = h.Revision+store.UnknownLead, newMark(), 0, newLineage()
	h.Etcd, h.Node, h.Time = etcd, j.node, later(h.Time)
	ops := append(j.anew(h), clientv3.OpPut(j.keys.head(), h.text()))
	return j.again(ctx, func(ctx context.Context) error {
		_, err := j.etcd().Txn(ctx).
			If(
				clientv3.Compare(clientv3.ModRevision(j.keys.head()), "=", was.revision),
				clientv3.Compare(clientv3.Value(j.keys.head()), "=", was.text),
			).
			Then(ops...).Commit()
		return err
	})
}

// anew returns the operations by which a former state of a generation becomes that of a
// head: the log begins after it, and passing records are removed.
func (j *Journal) anew(h Head) []clientv3.Op {
	ops := j.puts(h.Generation, store.LogAnew(h.Revision))
	for _, bucket := range j.passing {
		ops = append(ops, clientv3.OpDelete(j.keys.op(h.Generation, store.Op{Path: []string{"records", bucket}}), clientv3.WithPrefix()))
	}
	return ops
}
