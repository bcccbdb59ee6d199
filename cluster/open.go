//go:build cluster

package cluster

import (
	"context"
	"fmt"

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
	etcd, err := a.dial()
	if err != nil {
		return nil, fmt.Errorf("etcd at %s: %w", a, err)
	}
	return &Journal{etcd: etcd, keys: keys{a.Site}, node: o.Node, schema: o.Schema}, nil
}

// Close ends the connection to etcd.
func (j *Journal) Close() error { return j.etcd.Close() }

// FormatError: the keys of the site are of another version of Quire.
type FormatError struct{ Site, Format string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("etcd holds the site %q in the format %q, and this program knows %s; use the version of Quire that the other nodes have", e.Site, e.Format, format)
}

// Check reads what must be as this program expects it: the format and the limits of etcd.
func (j *Journal) Check(ctx context.Context) error {
	var got *clientv3.GetResponse
	err := j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd.Get(ctx, j.keys.format())
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
