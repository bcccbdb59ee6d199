//go:build cluster

package cluster

import (
	"context"
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

// nextGeneration is one that is higher than all that there are. What broke off while it was
// written is removed.
func (j *Journal) nextGeneration(ctx context.Context, current uint64) (next uint64, err error) {
	all, err := j.Generations(ctx)
	next = current
	for _, g := range all {
		switch {
		case err != nil:
		case g.Whole:
			next = max(next, g.Number)
		default:
			err = j.clear(ctx, g.Number)
		}
	}
	return next + 1, err
}

// Drop removes a generation from etcd. It must not be the one that counts.
func (j *Journal) Drop(ctx context.Context, number uint64) error {
	now, err := j.now(ctx)
	switch {
	case err != nil:
		return err
	case number == now.head.Generation:
		return fmt.Errorf("generation %d is the content that the cluster serves", number)
	}
	err = j.again(ctx, func(ctx context.Context) error {
		_, err := j.etcd().Delete(ctx, j.keys.former(number))
		return err
	})
	if err != nil {
		return err
	}
	return j.clear(ctx, number)
}

// clear removes the values of a generation, some at a time: one deletion of all would keep
// etcd from everything else.
func (j *Journal) clear(ctx context.Context, number uint64) error {
	prefix := j.keys.generation(number)
	end := clientv3.GetPrefixRangeEnd(prefix)
	for {
		some, err := j.get(ctx, prefix, clientv3.WithRange(end), clientv3.WithLimit(pushOps), clientv3.WithKeysOnly())
		if err != nil || len(some.Kvs) == 0 {
			return err
		}
		last := string(some.Kvs[len(some.Kvs)-1].Key)
		err = j.again(ctx, func(ctx context.Context) error {
			_, err := j.etcd().Delete(ctx, prefix, clientv3.WithRange(last+"\x00"))
			return err
		})
		if err != nil {
			return err
		}
	}
}

// push writes all that a data file holds to a generation. It returns the revision of the
// file's last commit.
func (j *Journal) push(ctx context.Context, generation uint64, from *store.DB) (revision uint64, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(pushing)
	var ops []clientv3.Op
	size := 0
	flush := func() {
		some := ops
		ops, size = nil, 0
		group.Go(func() error { return j.pushSome(ctx, some) })
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

// pushSome stores values that nobody reads yet, so it may be done twice.
func (j *Journal) pushSome(ctx context.Context, ops []clientv3.Op) error {
	return j.again(ctx, func(ctx context.Context) error {
		_, err := j.etcd().Txn(ctx).Then(ops...).Commit()
		if isFull(err) {
			return fmt.Errorf("etcd has reached its quota: %w (%w)", err, store.ErrFull)
		}
		return err
	})
}
