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
	pushOps   = 1000    // of one transaction of a push, at most
	pushBytes = 1 << 20 // of the same, but for one value that is larger
	pushing   = 4       // transactions under way at once
)

// Generation is one copy of the content in etcd.
type Generation struct {
	Number  uint64 `json:"number"`
	Values  int64  `json:"values"`  // how many it has
	Current bool   `json:"current"` // it is the one that counts
	Whole   bool   `json:"whole"`   // it is the content of some time; false for what is being loaded, or broke off
	Until   int64  `json:"until"`   // when its last commit was, milliseconds since 1970; 0 where it is not whole
	Schema  string `json:"schema"`  // fingerprint of the schemas that it is for; empty where it is not whole
}

// Generations lists what etcd has of the site, the oldest first.
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

// generationOf is that of a value's key.
func (k keys) generationOf(name string) (uint64, error) {
	rest := strings.TrimPrefix(name, k.values())
	digits, _, found := strings.Cut(rest, "/")
	number, err := strconv.ParseUint(digits, 16, 64)
	if !found || err != nil {
		return 0, fmt.Errorf("%q: %w", name, errKey)
	}
	return number, nil
}

// get is one try after the other, as a member that has stopped never answers.
func (j *Journal) get(ctx context.Context, key string, o ...clientv3.OpOption) (got *clientv3.GetResponse, err error) {
	err = j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd().Get(ctx, key, o...)
		return err
	})
	return got, err
}

// nextGeneration is one that there never was, to be written while a lease holds. What broke
// off while it was written is removed. Its number is not taken again, and that of one that
// counted never is: somebody may still be removing it.
func (j *Journal) nextGeneration(ctx context.Context, now Head, lease clientv3.LeaseID) (next uint64, err error) {
	all, err := j.Generations(ctx)
	last := now.Newest
	for _, g := range all {
		last = max(last, g.Number)
		if err == nil && !g.Whole {
			err = j.clear(ctx, g.Number, j.whileHeld(lease))
		}
	}
	return last + 1, err
}

// Drop removes a generation from etcd. It must not be the one that counts. The error is
// store.ErrHeld while somebody replaces the content. It takes no room, and so no hold: it is
// for an etcd that is full, too.
func (j *Journal) Drop(ctx context.Context, number uint64) error {
	now, err := j.forget(ctx, number)
	switch {
	case err != nil:
		return err
	case number == now.head.Generation:
		return fmt.Errorf("generation %d is the content that the cluster serves", number)
	}
	err = j.clear(ctx, number, func(from, end string) clientv3.Cmp { // what comes from now on is another one's
		return clientv3.Compare(clientv3.ModRevision(from), "<", now.revision+1).WithRange(end)
	})
	if errors.Is(err, store.ErrBehind) {
		return store.ErrHeld
	}
	return err
}

// forget makes a generation none to go back to, and returns the head as it was then, with
// etcd's revision of that moment. While somebody holds, who may be about to write the
// generation or to go back to it, the error is store.ErrHeld.
func (j *Journal) forget(ctx context.Context, number uint64) (now seen, err error) {
	if _, err := j.now(ctx); err != nil {
		return now, err
	}
	var answer *clientv3.TxnResponse
	err = j.again(ctx, func(ctx context.Context) (err error) {
		answer, err = j.etcd().Txn(ctx).
			If(clientv3.Compare(clientv3.CreateRevision(j.keys.hold()), "=", 0)).
			Then(clientv3.OpDelete(j.keys.former(number)), clientv3.OpGet(j.keys.head())).
			Commit()
		return err
	})
	switch {
	case err != nil:
		return now, err
	case !answer.Succeeded:
		return now, store.ErrHeld
	}
	for _, kv := range answer.Responses[1].GetResponseRange().Kvs {
		return j.read(kv.Value, answer.Header.Revision)
	}
	return now, &NotBegunError{Site: j.keys.site}
}

// clear removes the values of a generation, some at a time: one deletion of all would keep etcd
// from everything else. Each is done only while what is said of its keys is true.
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

// push writes all that a data file holds to a generation while a lease holds. It returns the
// revision of the file's last commit.
func (j *Journal) push(ctx context.Context, generation uint64, from *store.DB, lease clientv3.LeaseID) (revision uint64, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(pushing)
	var ops []clientv3.Op
	size := 0
	flush := func() {
		some := ops
		ops, size = nil, 0
		group.Go(func() error { return j.change(ctx, j.isHeldBy(lease), some...) })
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
		err = failed // of which the other is a consequence
	}
	return revision, err
}

// change does what nobody reads yet or any more, so it may be done twice. It is errLostHold
// where what is said of etcd is not true.
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
		return errLostHold
	}
	return err
}
