//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
)

// Options of a Journal.
type Options struct {
	Node   string // the name of this node, unique in the cluster
	Schema string // fingerprint of the node's schemas; empty to commit with any

	// Passing are the buckets of records that must not be restored when the site goes back
	// to a former state, for example sessions: they may have ended since.
	Passing []string
}

// Open connects to etcd. It sends no request yet, so it does not fail if etcd cannot be
// reached.
func Open(a Address, o Options) (*Journal, error) {
	j := &Journal{address: a, keys: keys{a.Site}, node: o.Node, schema: o.Schema, passing: o.Passing}
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
	return fmt.Sprintf("etcd holds the site %q in the format %.20q, and this program knows %s; use the version of Quire that the other nodes have", e.Site, e.Format, format)
}

// Check checks the format of the keys and the limits of etcd. If they are right, the
// journal is no longer apart. The errors are those of Reach, a *NotBegunError, a
// *FormatError and a *LimitError.
func (j *Journal) Check(ctx context.Context) error {
	if err := j.CheckFormat(ctx); err != nil {
		return err
	}
	if err := j.Probe(ctx); err != nil {
		return err
	}
	j.toLeader(ctx)
	j.apart.Store(false)
	return nil
}

// CheckFormat returns a *FormatError if this program does not know the format of the site's
// keys, and must neither read nor write them, and a *NotBegunError if there are none.
func (j *Journal) CheckFormat(ctx context.Context) error {
	stored, err := j.storedFormat(ctx)
	switch {
	case err != nil:
		return err
	case stored == "":
		return &NotBegunError{Site: j.keys.site}
	case stored != format:
		return &FormatError{Site: j.keys.site, Format: stored}
	}
	return nil
}

// StayApart prevents all requests to etcd before a Check succeeds: the content of etcd may
// be of another version of Quire by then.
func (j *Journal) StayApart() { j.apart.Store(true) }

// Apart reports whether requests are prevented.
func (j *Journal) Apart() bool { return j.apart.Load() }

var errApart = errors.New("etcd was not reached when this node started")

func (j *Journal) together() error {
	if j.apart.Load() {
		return errApart
	}
	return nil
}
