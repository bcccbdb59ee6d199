//go:build cluster

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
)

// Difference is a value that differs between a data file and etcd.
type Difference struct {
	Path   []string // of the buckets
	Key    []byte
	InFile bool // the file has one
	InEtcd bool // etcd has one
}

// PastError: a data file cannot be compared, because etcd no longer has the state of its
// commit.
type PastError struct{ Err error }

func (e *PastError) Error() string {
	return "the commit that the data file is at cannot be compared with etcd: " + e.Err.Error()
}

func (e *PastError) Unwrap() error { return e.Err }

// compareKeys is how many keys of a data file are looked up in etcd at a time.
const compareKeys = 500

// Compare calls fn for each value in which a data file differs from the state of etcd at
// the commit of the file, however many have come since. It reads one side after the other
// and keeps little in memory. The error is a *PastError if etcd no longer has that commit,
// otherwise fn's.
func (j *Journal) Compare(ctx context.Context, file *store.Tx, fn func(Difference) error) error {
	at, err := j.trace(ctx, file.Position())
	switch {
	case errors.Is(err, store.ErrCompacted):
		return &PastError{err}
	case err != nil:
		return err
	}
	same := 0
	err = j.stream(ctx, at, func(o store.Op) error {
		stored, err := file.OpValue(o.Path, o.Key)
		switch {
		case err != nil:
			return err
		case stored != nil:
			same++
		}
		if stored == nil || !bytes.Equal(stored, o.Value) {
			return fn(Difference{o.Path, o.Key, stored != nil, true})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return j.compareRest(ctx, at, file, same, fn)
}

// compareRest calls fn for the values of a file that etcd does not have. It looks for them
// only if the file has more values than the common ones.
func (j *Journal) compareRest(ctx context.Context, at seen, file *store.Tx, both int, fn func(Difference) error) error {
	all := 0
	if err := file.Ops(func(store.Op) error { all++; return nil }); err != nil || all == both {
		return err
	}
	var some []store.Op
	flush := func() error {
		missing, err := j.missing(ctx, at, some)
		some = some[:0]
		for _, o := range missing {
			if err == nil {
				err = fn(Difference{o.Path, o.Key, true, false})
			}
		}
		return err
	}
	err := file.Ops(func(o store.Op) error {
		if some = append(some, store.Op{Path: o.Path, Key: o.Key}); len(some) < compareKeys {
			return nil
		}
		return flush()
	})
	return errors.Join(err, flush())
}

// missing returns the operations whose values etcd did not have at a head.
func (j *Journal) missing(ctx context.Context, at seen, ops []store.Op) (missing []store.Op, err error) {
	if len(ops) == 0 {
		return nil, nil
	}
	compared := make([]clientv3.Op, len(ops))
	for i, o := range ops {
		compared[i] = clientv3.OpGet(j.keys.op(at.head.Generation, o), clientv3.WithRev(at.revision), clientv3.WithCountOnly())
	}
	err = j.again(ctx, func(ctx context.Context) error {
		answer, err := j.etcd().Txn(ctx).Then(compared...).Commit()
		if err != nil {
			return err
		}
		missing = nil
		for i, r := range answer.Responses {
			if r.GetResponseRange().Count == 0 {
				missing = append(missing, ops[i])
			}
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("etcd cannot be compared: %w", err)
	}
	return missing, err
}
