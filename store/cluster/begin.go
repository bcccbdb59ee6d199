//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"quire/store"
)

// format is the version of the layout of keys that this program reads and writes.
const format = "3"

// BegunError: etcd already has a site of that name.
type BegunError struct{ Site string }

func (e *BegunError) Error() string {
	return fmt.Sprintf("etcd holds a site of the name %q already; `quire cluster status` shows it", e.Site)
}

// Begin puts the content of a data file into etcd, as the content of a site that has none
// there. The error is store.ErrFrozen while another node does so, and a *BegunError once it
// has.
func (j *Journal) Begin(ctx context.Context, from *store.DB) error {
	const first = 1
	lease, release, err := j.frozen(ctx)
	if err != nil {
		return err
	}
	defer release()
	_, etcd, err := j.shown(ctx)
	if !errors.As(err, new(*NotBegunError)) {
		if err == nil {
			err = &BegunError{Site: j.keys.site}
		}
		return err
	}
	if err := j.clear(ctx, first, j.whileFrozenBy(lease)); err != nil { // remains of an earlier interrupted attempt
		return err
	}
	revision, err := j.push(ctx, first, from, lease)
	if err != nil {
		return err
	}
	authority, err := newAuthority()
	if err != nil {
		return err
	}
	h := Head{Revision: revision + 1, Mark: newMark(), Lineage: newLineage(), Generation: first, Newest: first, Schema: j.schema, Etcd: etcd, Node: j.node, Time: time.Now().UnixMilli()}
	return j.putFirst(ctx, authority, h.text(), lease)
}

// putFirst stores the first head. An attempt without a response may already have stored it.
func (j *Journal) putFirst(ctx context.Context, authority, head string, lease clientv3.LeaseID) error {
	var answer *clientv3.TxnResponse
	err := j.again(ctx, func(ctx context.Context) (err error) {
		answer, err = j.etcd().Txn(ctx).
			If(clientv3.Compare(clientv3.CreateRevision(j.keys.head()), "=", 0), j.isFrozenBy(lease)).
			Then(
				clientv3.OpPut(j.keys.format(), format),
				clientv3.OpPut(j.keys.authority(), authority),
				clientv3.OpPut(j.keys.head(), head),
			).
			Else(clientv3.OpGet(j.keys.head())).
			Commit()
		return err
	})
	if err != nil || answer.Succeeded {
		return err
	}
	heads := answer.Responses[0].GetResponseRange().Kvs
	switch {
	case len(heads) == 0:
		return errLostFreeze
	case string(heads[0].Value) == head:
		return nil
	}
	return &BegunError{Site: j.keys.site}
}

// activations is how often Activate retries if the nodes commit meanwhile or etcd does not
// respond.
const activations = 100

// Activate makes the schemas of this node those of the cluster, while the nodes continue to
// write. The error is store.ErrFrozen while somebody replaces the content.
func (j *Journal) Activate(ctx context.Context) (err error) {
	for range activations {
		was, err := j.now(ctx)
		if err != nil || was.head.Schema == j.schema {
			return err
		}
		switch done, err := j.activate(ctx, was); {
		case done:
			return nil
		case err == nil: // others committed meanwhile
		case errors.Is(err, store.ErrFrozen), !worthAnother(err):
			return err
		default:
			sleep(ctx, pause)
		}
	}
	return errors.New("the nodes write so much that the schemas could not be activated; try again")
}

// activate makes the schemas those of the cluster if the head has not changed.
func (j *Journal) activate(ctx context.Context, was seen) (done bool, err error) {
	h := was.head
	h.Revision, h.Mark, h.After = h.Revision+1, newMark(), was.position()
	h.Schema, h.Node, h.Time = j.schema, j.node, later(was.head.Time)
	answer, err := j.decide(ctx, j.follows(was), []clientv3.Op{clientv3.OpPut(j.keys.head(), h.text())})
	if err != nil || answer.Succeeded {
		return err == nil, err
	}
	if len(answer.Responses[1].GetResponseRange().Kvs) > 0 {
		return false, store.ErrFrozen
	}
	return false, nil
}

// LimitError: a limit of etcd is lower than the size of a commit of Quire.
type LimitError struct{ Setting, Limit string }

func (e *LimitError) Error() string {
	return fmt.Sprintf("etcd takes less at once than Quire writes; start its members with --%s %s", e.Setting, e.Limit)
}

// overheadBytes is the difference between the maximum size of a message and
// --max-request-bytes.
const overheadBytes = 512 << 10

// Probe checks whether etcd accepts transactions as large as Quire's, with transactions
// whose condition is never true. They would only read, but the same limits apply. So only
// one member answers, and nothing is written to any disk.
func (j *Journal) Probe(ctx context.Context) error {
	never := clientv3.Compare(clientv3.CreateRevision(j.keys.head()), "<", 0)
	ops := make([]clientv3.Op, store.MaxOps+1)
	for i := range ops {
		ops[i] = clientv3.OpGet(fmt.Sprintf("%sprobe/%d", j.keys.top(), i), clientv3.WithSerializable())
	}
	large := clientv3.OpGet(j.keys.top()+strings.Repeat("x", store.MaxBytes+overheadBytes), clientv3.WithSerializable())
	for _, c := range []struct {
		ops []clientv3.Op
		err *LimitError
	}{
		{ops, &LimitError{"max-txn-ops", fmt.Sprint(store.MaxOps + 1)}},
		{[]clientv3.Op{large}, &LimitError{"max-request-bytes", fmt.Sprint(maxMessage)}},
	} {
		err := j.patiently(ctx, func(ctx context.Context) error {
			_, err := j.etcd().Txn(ctx).If(never).Then(c.ops...).Commit()
			return err
		})
		switch {
		case errors.Is(err, rpctypes.ErrTooManyOps), isTooLarge(err):
			return c.err
		case err != nil:
			return j.explain(ctx, err)
		}
	}
	return nil
}

// isTooLarge reports whether etcd, or its transport, has refused a message because of its
// size.
func isTooLarge(err error) bool {
	return errors.Is(err, rpctypes.ErrRequestTooLarge) || status.Code(err) == codes.ResourceExhausted
}
