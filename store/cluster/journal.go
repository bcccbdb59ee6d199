//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
)

const (
	// tryTime is the maximum time of one call to etcd before it is retried with another
	// member: a stopped one keeps its connections.
	tryTime = time.Second

	// tries is the number of attempts.
	tries = 4

	// pause is the wait before a retry.
	pause = 50 * time.Millisecond
)

// Journal is the history of a site's commits that etcd keeps.
type Journal struct {
	members []*clientv3.Client // one for each address
	to      atomic.Uint64      // the current member, counting on
	address Address
	heard   atomic.Int64 // time of the last response, nanoseconds since 1970
	keys    keys
	node    string // the name of this node
	schema  string // fingerprint of the schemas of this node; empty to commit with any

	passing []string // see Options

	apart atomic.Bool // see StayApart

	mu          sync.Mutex
	last        seen             // the last head that this node has seen
	freezeLease clientv3.LeaseID // of this node's freeze; 0 for none
}

// seen is a head, and the revision of etcd at which it was stored.
type seen struct {
	revision int64
	head     Head
	text     string
}

func (s seen) position() uint64 { return position(s.revision, s.head.Mark) }

// batch returns the batch of the head, without operations.
func (s seen) batch() store.Batch {
	return store.Batch{Position: s.position(), Revision: s.head.Revision, Time: s.head.Time}
}

// NotBegunError: etcd does not have the site.
type NotBegunError struct{ Site string }

func (e *NotBegunError) Error() string {
	return fmt.Sprintf("etcd holds no site of the name %q; `quire cluster init` puts one there", e.Site)
}

// OtherSchemasError: the content is for other schemas than those of this node.
type OtherSchemasError struct{ Content, Node string }

func (e *OtherSchemasError) Error() string {
	return fmt.Sprintf("the cluster's content is for the schemas %.12s, and this node has %.12s; `quire cluster activate` makes them those of the cluster", e.Content, e.Node)
}

// Head returns the head of the last commit. It includes everything that was decided before
// the call.
func (j *Journal) Head(ctx context.Context) (Head, error) {
	now, err := j.now(ctx)
	return now.head, err
}

// now reads the head. The error is a *NotBegunError if there is none.
func (j *Journal) now(ctx context.Context) (seen, error) {
	s, etcd, err := j.shown(ctx)
	if err != nil || s.head.Etcd == etcd {
		return s, err
	}
	return j.renewed(ctx, s, etcd)
}

// shown returns the head in etcd, and the id of that etcd cluster.
func (j *Journal) shown(ctx context.Context) (s seen, etcd uint64, err error) {
	if err := j.together(); err != nil {
		return s, 0, err
	}
	var got *clientv3.GetResponse
	err = j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd().Get(ctx, j.keys.head())
		return err
	})
	if err != nil {
		return s, 0, fmt.Errorf("etcd cannot be reached: %w", err)
	}
	etcd = got.Header.ClusterId
	if len(got.Kvs) == 0 {
		return s, etcd, &NotBegunError{Site: j.keys.site}
	}
	s, err = j.read(got.Kvs[0].Value, got.Kvs[0].ModRevision)
	return s, etcd, err
}

func (j *Journal) read(value []byte, revision int64) (s seen, err error) {
	h, err := parseHead(value)
	return seen{revision: revision, head: h, text: string(value)}, err
}

// again calls fn, which must be repeatable, until it has a response.
func (j *Journal) again(ctx context.Context, fn func(context.Context) error) error {
	return j.patiently(ctx, func(ctx context.Context) error { return within(ctx, fn) })
}

// patiently is again for calls that may take etcd longer than one attempt.
func (j *Journal) patiently(ctx context.Context, fn func(context.Context) error) (err error) {
	for range tries {
		if err = j.once(ctx, fn); err == nil || ctx.Err() != nil || !worthAnother(err) {
			break
		}
		sleep(ctx, pause)
	}
	return errors.Join(ctx.Err(), err)
}

// within is once with the time of one attempt.
func (j *Journal) within(ctx context.Context, fn func(context.Context) error) error {
	return j.once(ctx, func(ctx context.Context) error { return within(ctx, fn) })
}

// once calls fn. If there is no response, another member is used from then on.
func (j *Journal) once(ctx context.Context, fn func(context.Context) error) error {
	current := j.to.Load()
	err := fn(ctx)
	if err == nil {
		j.heard.Store(time.Now().UnixNano())
	}
	if err != nil && worthAnother(err) && ctx.Err() == nil {
		j.to.CompareAndSwap(current, current+1)
	}
	return err
}

// silence returns the time since etcd responded last.
func (j *Journal) silence() time.Duration { return time.Since(time.Unix(0, j.heard.Load())) }

// within calls fn with the time of one attempt.
func within(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	return fn(ctx)
}

// every calls fn at intervals, until ctx is done.
func every(ctx context.Context, interval time.Duration, fn func()) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			fn()
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// etcd returns the connection to the current member. It changes if that did not respond: a
// stopped one keeps its connections, and a client of several members would continue to use
// it in turn.
func (j *Journal) etcd() *clientv3.Client { return j.member(j.to.Load()) }

func (j *Journal) member(counted uint64) *clientv3.Client {
	return j.members[counted%uint64(len(j.members))]
}

// remember stores the head that this node has seen, unless it has seen a later one.
func (j *Journal) remember(s seen) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.revision >= j.last.revision || s.head.Lineage != j.last.head.Lineage {
		j.last = s
	}
}

// resume forgets what this node has seen after a head from which it goes on.
func (j *Journal) resume(from seen) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = from
}

// lastSeen returns the last head that this node has seen.
func (j *Journal) lastSeen() seen {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// at returns the head at a position. It asks etcd unless this node has just seen it.
func (j *Journal) at(ctx context.Context, position uint64) (s seen, err error) {
	if s = j.lastSeen(); s.revision != 0 && s.position() == position {
		return s, nil
	}
	if s, err = j.now(ctx); err != nil {
		return s, err
	}
	j.remember(s)
	if s.position() != position {
		return s, store.ErrBehind
	}
	return s, nil
}

// Lineage implements store.Journal.
func (j *Journal) Lineage(ctx context.Context) (uint64, error) {
	now, err := j.now(ctx)
	return now.head.Lineage, err
}

// Fresh implements store.Journal.
func (j *Journal) Fresh(ctx context.Context) (uint64, error) {
	now, err := j.now(ctx)
	if err != nil {
		return 0, err
	}
	return now.position(), nil
}
