//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"

	"quire/store"
)

const (
	pushOps   = 1000    // operations of one transaction of a push
	pushBytes = 1 << 20 // bytes of the same, except for a single larger value
	pushing   = 4       // transactions in progress at once
)

// Generation is one copy of the content in etcd.
type Generation struct {
	Number  uint64 `json:"number"`
	Values  int64  `json:"values"`  // number of values
	Current bool   `json:"current"` // the current generation
	Whole   bool   `json:"whole"`   // a complete state of the content; false if it is being loaded, or was interrupted
	Until   int64  `json:"until"`   // time of its last commit, milliseconds since 1970; 0 if it is not complete
	Schema  string `json:"schema"`  // fingerprint of its schemas; empty if it is not complete
}

// Generations lists the generations of the site in etcd, the oldest first.
func (j *Journal) Generations(ctx context.Context) (all []Generation, err error) {
	now, err := j.now(ctx)
	if err != nil {
		return nil, err
	}
	heads, err := j.formers(ctx)
	if err != nil {
		return nil, err
	}
	heads[now.head.Generation] = now.head
	from, end := j.keys.values(), clientv3.GetPrefixRangeEnd(j.keys.values())
	for {
		first, err := j.get(ctx, from, clientv3.WithRange(end), clientv3.WithLimit(1), clientv3.WithKeysOnly())
		if err != nil || len(first.Kvs) == 0 {
			return all, err
		}
		number, err := j.keys.generationOf(string(first.Kvs[0].Key))
		if err != nil {
			return nil, err
		}
		prefix := j.keys.generation(number)
		counted, err := j.get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			return nil, err
		}
		h, whole := heads[number]
		all = append(all, Generation{
			Number: number, Values: counted.Count, Current: number == now.head.Generation,
			Whole: whole, Until: h.Time, Schema: h.Schema,
		})
		from = clientv3.GetPrefixRangeEnd(prefix)
	}
}

// generationOf returns the generation of a value's key.
func (k keys) generationOf(name string) (uint64, error) {
	rest := strings.TrimPrefix(name, k.values())
	digits, _, found := strings.Cut(rest, "/")
	number, err := strconv.ParseUint(digits, 16, 64)
	if !found || err != nil {
		return 0, fmt.Errorf("%q: %w", name, errKey)
	}
	return number, nil
}

// get makes one attempt after the other, because a member that has stopped never responds.
func (j *Journal) get(ctx context.Context, key string, o ...clientv3.OpOption) (got *clientv3.GetResponse, err error) {
	err = j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd().Get(ctx, key, o...)
		return err
	})
	return got, err
}

// nextGeneration returns a new generation, to be written while a lease holds. It removes
// the remains of interrupted ones. Their numbers are not used again, nor is that of a
// former current one: somebody may still be removing it.
func (j *Journal) nextGeneration(ctx context.Context, now Head, lease clientv3.LeaseID) (next uint64, err error) {
	all, err := j.Generations(ctx)
	last := now.Newest
	for _, g := range all {
		last = max(last, g.Number)
		if err == nil && !g.Whole {
			err = j.clear(ctx, g.Number, j.whileFrozenBy(lease))
		}
	}
	return last + 1, err
}

// Drop removes a generation from etcd. It must not be the current one. The error is
// store.ErrFrozen while somebody replaces the content. It needs no space, and so takes no
// hold: it also works if etcd is full.
func (j *Journal) Drop(ctx context.Context, number uint64) error {
	now, err := j.forget(ctx, number)
	switch {
	case err != nil:
		return err
	case number == now.head.Generation:
		return fmt.Errorf("generation %d is the content that the cluster serves", number)
	}
	err = j.clear(ctx, number, func(from, end string) clientv3.Cmp { // what comes from now on belongs to another one
		return clientv3.Compare(clientv3.ModRevision(from), "<", now.revision+1).WithRange(end)
	})
	if errors.Is(err, store.ErrBehind) {
		return store.ErrFrozen
	}
	return err
}

// forget removes a generation from those that can be restored, and returns the head at that
// moment, with etcd's revision. While somebody has a freeze, and may be about to write the
// generation or to go back to it, the error is store.ErrFrozen.
func (j *Journal) forget(ctx context.Context, number uint64) (now seen, err error) {
	if _, err := j.now(ctx); err != nil {
		return now, err
	}
	var answer *clientv3.TxnResponse
	err = j.again(ctx, func(ctx context.Context) (err error) {
		answer, err = j.etcd().Txn(ctx).
			If(clientv3.Compare(clientv3.CreateRevision(j.keys.freeze()), "=", 0)).
			Then(clientv3.OpDelete(j.keys.former(number)), clientv3.OpGet(j.keys.head())).
			Commit()
		return err
	})
	switch {
	case err != nil:
		return now, err
	case !answer.Succeeded:
		return now, store.ErrFrozen
	}
	for _, kv := range answer.Responses[1].GetResponseRange().Kvs {
		return j.read(kv.Value, answer.Header.Revision)
	}
	return now, &NotBegunError{Site: j.keys.site}
}

// clear removes the values of a generation, some at a time: one deletion of all would block
// etcd. Each is done only while the condition on its keys is true.
func (j *Journal) clear(ctx context.Context, number uint64, while func(from, end string) clientv3.Cmp) error {
	prefix := j.keys.generation(number)
	for {
		some, err := j.get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithLimit(pushOps), clientv3.WithKeysOnly())
		if err != nil || len(some.Kvs) == 0 {
			return err
		}
		end := string(some.Kvs[len(some.Kvs)-1].Key) + "\x00"
		if err := j.change(ctx, while(prefix, end), clientv3.OpDelete(prefix, clientv3.WithRange(end))); err != nil {
			return err
		}
	}
}

// push writes the content of a data file to a generation while a lease holds. It returns
// the revision of the file's last commit.
func (j *Journal) push(ctx context.Context, generation uint64, from *store.DB, lease clientv3.LeaseID) (revision uint64, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(pushing)
	var ops []clientv3.Op
	size := 0
	flush := func() {
		some := ops
		ops, size = nil, 0
		group.Go(func() error { return j.change(ctx, j.isFrozenBy(lease), some...) })
	}
	err = from.View(func(tx *store.Tx) error {
		revision = tx.Revision()
		return tx.Ops(func(o store.Op) error {
			if len(ops) > 0 && (len(ops) == pushOps || size+o.Size() > pushBytes) {
				flush()
			}
			ops, size = append(ops, j.keys.put(generation, o)), size+o.Size()
			return ctx.Err()
		})
	})
	if len(ops) > 0 {
		flush()
	}
	if failed := group.Wait(); failed != nil {
		err = failed // the other error is a consequence of it
	}
	return revision, err
}

// change makes a change that nobody reads yet, or any more, so it may be repeated. The
// error is errLostHold if the condition is not true.
func (j *Journal) change(ctx context.Context, while clientv3.Cmp, ops ...clientv3.Op) error {
	var answer *clientv3.TxnResponse
	err := j.again(ctx, func(ctx context.Context) (err error) {
		answer, err = j.etcd().Txn(ctx).If(while).Then(ops...).Commit()
		return err
	})
	switch {
	case isFull(err):
		return fmt.Errorf("etcd has reached its quota: %w (%w)", err, store.ErrFull)
	case err == nil && !answer.Succeeded:
		return errLostFreeze
	}
	return err
}
