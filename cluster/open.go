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
	Schema string // fingerprint of the node's schemas; empty to commit whatever they are

	// Passing are the buckets of records that do not outlast going back to a former state,
	// such as sessions: those that have ended since are not to come back.
	Passing []string
}

// Open connects to etcd. Nothing is asked yet, so it does not fail where etcd cannot be
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

// Check reads what must be as this program expects it: the format and the limits of etcd.
// Once that is so, the journal is not apart any more. The errors are those of Reach, a
// *NotBegunError, a *FormatError and a *LimitError.
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

// CheckFormat is a *FormatError where this program does not know the keys of the site, and
// must neither read nor write them. It is a *NotBegunError where there are none.
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

// StayApart has the journal ask etcd for nothing before a Check that succeeds: what etcd
// holds by then may be of another version of Quire.
func (j *Journal) StayApart() { j.apart.Store(true) }

// Apart reports whether it does so.
func (j *Journal) Apart() bool { return j.apart.Load() }

var errApart = errors.New("etcd was not reached when this node started")

func (j *Journal) together() error {
	if j.apart.Load() {
		return errApart
	}
	return nil
}
