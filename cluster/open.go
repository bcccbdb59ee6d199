//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Options of a Journal.
type Options struct {
	Node   string // the name of this node, unique in the cluster
	Schema string // fingerprint of the node's schemas; empty to commit whatever they are
}

// Open connects to etcd. Nothing is asked yet, so it does not fail where etcd cannot be
// reached.
func Open(a Address, o Options) (*Journal, error) {
	j := &Journal{keys: keys{a.Site}, node: o.Node, schema: o.Schema}
	for _, endpoint := range a.Endpoints {
		to, err := a.dial(endpoint)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("etcd at %s: %w", endpoint, err), j.Close())
		}
		j.members = append(j.members, to)
	}
	j.to.Store(rand.Uint64N(uint64(len(j.members))))
	return j, nil
}

// Close ends the connections to etcd.
func (j *Journal) Close() (err error) {
	for _, m := range j.members {
		err = errors.Join(err, m.Close())
	}
	return err
}

// FormatError: the keys of the site are of another version of Quire.
type FormatError struct{ Site, Format string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("etcd holds the site %q in the format %q, and this program knows %s; use the version of Quire that the other nodes have", e.Site, e.Format, format)
}

// Check reads what must be as this program expects it: the format and the limits of etcd.
func (j *Journal) Check(ctx context.Context) error {
	var got *clientv3.GetResponse
	err := j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd().Get(ctx, j.keys.format())
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("etcd cannot be reached: %w", err)
	case len(got.Kvs) == 0:
		return &NotBegunError{Site: j.keys.site}
	case string(got.Kvs[0].Value) != format:
		return &FormatError{Site: j.keys.site, Format: string(got.Kvs[0].Value)}
	}
	return j.Probe(ctx)
}
