//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
)

// loadTries is how often a load begins again, for example because its member has stopped.
const loadTries = 3

// Load implements store.Journal. It streams the values at one revision of etcd, whatever is
// written meanwhile.
func (j *Journal) Load(ctx context.Context, fn func(store.Op) error) (last store.Batch, err error) {
	for range loadTries {
		now, err := j.now(ctx)
		if err != nil {
			return last, err
		}
		begun := false
		err = j.stream(ctx, now, func(o store.Op) error { begun = true; return fn(o) })
		switch {
		case err == nil:
			j.remember(now)
			return now.batch(), nil
		case begun || !worthAnother(err) && !errors.Is(err, rpctypes.ErrCompacted):
			return last, err
		}
	}
	return last, errors.New("etcd did not show its content")
}

// stream calls fn for the values of a generation.
func (j *Journal) stream(ctx context.Context, at seen, fn func(store.Op) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	prefix := j.keys.generation(at.head.Generation)
	parts, err := j.etcd().GetStream(ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(at.revision))
	if err != nil {
		return err
	}
	for part := range parts {
		if err := part.Err(); err != nil {
			return err
		}
		for _, kv := range part.Kvs {
			if err := j.show(at.head.Generation, kv, fn); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (j *Journal) show(generation uint64, kv *mvccpb.KeyValue, fn func(store.Op) error) error {
	o, err := j.keys.parse(generation, kv.Key)
	if err != nil {
		return fmt.Errorf("etcd has data that is not the site's content: %w", err)
	}
	o.Value = kv.Value
	if o.Value == nil {
		o.Value = []byte{}
	}
	return fn(o)
}
