//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"quire/store"
)

// Propose implements store.Journal. A batch goes to etcd as one transaction, which does
// nothing unless the head is the one that the proposer has seen. So it may be repeated if
// there was no response: if it was stored, the head is its own.
func (j *Journal) Propose(ctx context.Context, b store.Batch) (uint64, error) {
	was, err := j.at(ctx, b.Position)
	if err != nil {
		return 0, surely(err)
	}
	if b.Revision != was.head.Revision+1 {
		return 0, store.ErrBehind
	}
	if err := j.fits(was.head, b); err != nil {
		if now, unread := j.now(ctx); unread == nil && now.revision != was.revision {
			err = store.ErrBehind // other schemas may have been activated
		}
		return 0, surely(err)
	}
	next := was.head
	next.Revision, next.Mark, next.After, next.Node, next.Time = b.Revision, newMark(), was.position(), j.node, b.Time
	text := next.text()
	ops := append(j.puts(next.Generation, b.Ops), clientv3.OpPut(j.keys.head(), text))
	return j.send(ctx, was, seen{head: next, text: text}, ops)
}

// surely marks an error before which nothing was sent.
func surely(err error) error {
	if errors.Is(err, store.ErrBehind) {
		return err
	}
	return &store.RefusedError{Err: err}
}

// fits refuses content of a node with other schemas. Sessions and other records do not
// depend on them.
func (j *Journal) fits(h Head, b store.Batch) error {
	if j.schema == "" || j.schema == h.Schema {
		return nil
	}
	for _, o := range b.Ops {
		if o.Path[0] == "content" {
			return &OtherSchemasError{Content: h.Schema, Node: j.schema}
		}
	}
	return nil
}

// puts returns each key once, as etcd requires, with its last value.
func (j *Journal) puts(generation uint64, ops []store.Op) []clientv3.Op {
	last := make(map[string]int, len(ops))
	puts := make([]clientv3.Op, 0, len(ops)+1)
	for _, o := range ops {
		name := j.keys.op(generation, o)
		if at, again := last[name]; again {
			puts[at] = j.keys.put(generation, o)
			continue
		}
		last[name] = len(puts)
		puts = append(puts, j.keys.put(generation, o))
	}
	return puts
}

// send sends the transaction, and repeats requests until the outcome is known.
func (j *Journal) send(ctx context.Context, was, next seen, ops []clientv3.Op) (uint64, error) {
	txn := j.follows(was)
	var unknown error
	for range tries {
		answer, err := j.decide(ctx, txn, ops)
		switch {
		case err == nil && answer.Succeeded:
			next.revision = answer.Header.Revision
			j.remember(next)
			if answer.Header.ClusterId != next.head.Etcd {
				_, _ = j.now(ctx) // which begins another lineage, or the next who asks does
			}
			return next.position(), nil
		case err == nil:
			return j.judge(answer, was, next, unknown)
		case isFull(err) && unknown == nil:
			return j.judgeFull(ctx, was, next, err)
		case !worthAnother(err) && unknown == nil:
			return 0, surely(err)
		}
		unknown = err
		if ctx.Err() != nil {
			break
		}
		sleep(ctx, pause)
	}
	return 0, fmt.Errorf("etcd did not answer: %w", unknown)
}

// follows is a condition that is true in etcd while a commit may come after a head.
func (j *Journal) follows(was seen) []clientv3.Cmp {
	return []clientv3.Cmp{
		clientv3.Compare(clientv3.ModRevision(j.keys.head()), "=", was.revision),
		clientv3.Compare(clientv3.Value(j.keys.head()), "=", was.text),
		clientv3.Compare(clientv3.CreateRevision(j.keys.freeze()), "=", 0),
	}
}

func (j *Journal) decide(ctx context.Context, txn []clientv3.Cmp, ops []clientv3.Op) (answer *clientv3.TxnResponse, err error) {
	err = j.within(ctx, func(ctx context.Context) (err error) {
		answer, err = j.etcd().Txn(ctx).If(txn...).Then(ops...).Else(
			clientv3.OpGet(j.keys.head()), clientv3.OpGet(j.keys.freeze(), clientv3.WithKeysOnly())).Commit()
		return err
	})
	return answer, err
}

// judge explains a transaction that etcd has not done: the head is another one, or commits
// are on hold. The head may be the batch's own, from an attempt without a response.
func (j *Journal) judge(answer *clientv3.TxnResponse, was, next seen, unknown error) (uint64, error) {
	heads := answer.Responses[0].GetResponseRange().Kvs
	if len(heads) == 0 {
		return 0, &store.RefusedError{Err: &NotBegunError{Site: j.keys.site}}
	}
	now, err := j.read(heads[0].Value, heads[0].ModRevision)
	switch {
	case err != nil:
		return 0, fmt.Errorf("the outcome is not known: %w", err)
	case now.text == next.text:
		j.remember(now)
		return now.position(), nil
	case unknown != nil && now.text == was.text:
		return 0, fmt.Errorf("commits are on hold since etcd did not answer: %w", unknown)
	case unknown != nil && (now.head.Lineage != was.head.Lineage || now.head.Revision > next.head.Revision):
		return 0, fmt.Errorf("others have committed since etcd did not answer: %w", unknown)
	case now.text == was.text:
		return 0, store.ErrFrozen
	}
	j.remember(now)
	return 0, store.ErrBehind
}

// judgeFull explains the error of an etcd without space: etcd also returns it for a
// transaction that it has done, if that one reached the quota.
func (j *Journal) judgeFull(ctx context.Context, was, next seen, full error) (uint64, error) {
	now, err := j.now(ctx)
	switch {
	case err != nil:
		return 0, fmt.Errorf("the outcome is not known: %w (%w)", full, err)
	case now.text == next.text:
		j.remember(now)
		return now.position(), nil
	case now.head.Lineage != was.head.Lineage || now.head.Revision > next.head.Revision:
		return 0, fmt.Errorf("others have committed since etcd had no space: %w", full)
	}
	return 0, &store.RefusedError{Err: fmt.Errorf("etcd has reached its quota: %w (%w)", full, store.ErrFull)}
}

// worthAnother reports whether another attempt may get a response.
func worthAnother(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var refused rpctypes.EtcdError
	code := codes.Unknown
	if errors.As(err, &refused) {
		code = refused.Code()
	} else if s, ok := status.FromError(err); ok {
		code = s.Code()
	}
	switch code {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unknown, codes.Internal, codes.Aborted:
		return true
	}
	return false
}

func isFull(err error) bool { return errors.Is(err, rpctypes.ErrNoSpace) }
