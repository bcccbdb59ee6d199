//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
)

// stallCheck is how often a watch is checked for missing changes: a member that has
// stopped, or is cut off from the others, sends nothing and no error.
const stallCheck = time.Second

// errStalled ends a watch that has sent nothing although there is more.
var errStalled = errors.New("the watch does not show what etcd has")

// Follow implements store.Journal.
func (j *Journal) Follow(ctx context.Context, after uint64, fn func(store.Batch) error) error {
	from, err := j.trace(ctx, after)
	if err != nil {
		return err
	}
	j.resume(from)
	f := &follower{journal: j, lineage: from.head.Lineage, generation: from.head.Generation, pass: fn}
	f.at.Store(after)
	for {
		err := f.watch(ctx)
		if !errors.Is(err, errStalled) {
			return err
		}
		sleep(ctx, pause) // a member without a leader ends each watch at once
	}
}

// trace returns the head at a position. The error is ErrWentBack if etcd does not have that
// commit, and ErrCompacted if it no longer has what came after.
func (j *Journal) trace(ctx context.Context, after uint64) (s seen, err error) {
	if err := j.together(); err != nil {
		return s, err
	}
	var got *clientv3.GetResponse
	err = j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd().Get(ctx, j.keys.head(), clientv3.WithRev(etcdRevision(after)))
		return err
	})
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return s, store.ErrCompacted
	case errors.Is(err, rpctypes.ErrFutureRev):
		return s, store.ErrWentBack
	case err != nil:
		return s, err
	case len(got.Kvs) == 0:
		return s, store.ErrWentBack
	}
	if s, err = j.read(got.Kvs[0].Value, got.Kvs[0].ModRevision); err != nil {
		return s, err
	}
	now, err := j.now(ctx)
	if err != nil {
		return s, err
	}
	switch {
	case s.position() != after:
		return s, store.ErrWentBack
	case now.head.Lineage != s.head.Lineage:
		return s, store.ErrCompacted
	}
	return s, nil
}

// follower passes on the batches of one lineage.
type follower struct {
	journal    *Journal
	lineage    uint64
	generation uint64
	at         atomic.Uint64 // the position of the last batch passed on
	pass       func(store.Batch) error
}

// watch passes batches on until ctx is done, fn fails, or the watch stalls. Its range ends
// before the next generations, because one of them may be loading.
func (f *follower) watch(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go f.guardAgainstStalls(ctx, cancel)
	k := f.journal.keys
	end := clientv3.GetPrefixRangeEnd(k.generation(f.generation))
	current := f.journal.to.Load()
	changes := f.journal.etcd().Watch(clientv3.WithRequireLeader(ctx), k.head(),
		clientv3.WithRange(end), clientv3.WithRev(etcdRevision(f.at.Load())+1))
	for answer := range changes {
		if err := f.take(answer); err != nil {
			return err
		}
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errStalled) {
		return cause
	}
	f.journal.to.CompareAndSwap(current, current+1)
	return errStalled
}

// guardAgainstStalls ends a watch that sends nothing for a while although there is more,
// and the watch of an etcd that has lost commits that were seen, because it was restored
// from a snapshot. If the last revision that was seen is now that of another commit, the
// watch, which begins after it, would never show that commit. It would not show either that a
// commit of this node is gone that the watch had not passed on yet.
func (f *follower) guardAgainstStalls(ctx context.Context, cancel context.CancelCauseFunc) {
	ticks := time.NewTicker(stallCheck)
	defer ticks.Stop()
	last, lacking := uint64(0), uint64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		now := f.at.Load()
		if lacking > now && now == last {
			cancel(errStalled)
			return
		}
		last = now
		known := f.journal.lastSeen()
		head, err := f.journal.now(ctx)
		there := head.position()
		switch {
		case err != nil:
			continue
		case there != now && etcdRevision(there) <= etcdRevision(now),
			head.head.Lineage == known.head.Lineage && head.revision < known.revision:
			cancel(store.ErrWentBack)
			return
		}
		lacking = there
	}
}

// take passes on the content of one response of the watch.
func (f *follower) take(answer clientv3.WatchResponse) error {
	switch err := answer.Err(); {
	case errors.Is(err, rpctypes.ErrCompacted):
		return store.ErrCompacted
	case err != nil:
		return errStalled // for example a member that lost its leader
	}
	for events := answer.Events; len(events) > 0; {
		n := 1
		for n < len(events) && events[n].Kv.ModRevision == events[0].Kv.ModRevision {
			n++
		}
		if err := f.takeOne(events[:n]); err != nil {
			return err
		}
		events = events[n:]
	}
	return nil
}

// takeOne passes on the commit in the events of one revision of etcd. Events without a head
// are not a commit: they remove a former generation.
func (f *follower) takeOne(events []*clientv3.Event) error {
	var next seen
	var ops []store.Op
	for _, e := range events {
		if string(e.Kv.Key) == f.journal.keys.head() {
			var err error
			if next, err = f.journal.read(e.Kv.Value, e.Kv.ModRevision); err != nil {
				return err
			}
			continue
		}
		o, err := f.journal.keys.parse(f.generation, e.Kv.Key)
		if err != nil {
			continue // of another generation
		}
		if e.Type == mvccpb.Event_PUT {
			o.Value = append([]byte{}, e.Kv.Value...)
		}
		ops = append(ops, o)
	}
	if next.revision == 0 {
		return nil
	}
	if next.head.Lineage != f.lineage || next.head.Generation != f.generation {
		return fmt.Errorf("the content was replaced: %w", store.ErrCompacted)
	}
	if next.head.After != f.at.Load() {
		return store.ErrWentBack
	}
	b := next.batch()
	b.Ops = ops
	if err := f.pass(b); err != nil {
		return err
	}
	f.journal.remember(next)
	f.at.Store(next.position())
	return nil
}
