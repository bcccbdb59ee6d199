//go:build cluster

package cluster

import (
	"context"
	"time"
)

// A node asks the member of etcd that leads, as long as that answers. Any other one asks the
// leader about each read that has to show all that was decided, and hands each commit on to
// it: that takes longer, and one more machine has work with it.

const (
	leaderInterval = 500 * time.Millisecond // between looks which member leads
	leaderTime     = 200 * time.Millisecond // for the answer of one
)

// keepToLeader goes back to the leader where another member was asked, until ctx is done.
func (j *Journal) keepToLeader(ctx context.Context) {
	every(ctx, leaderInterval, func() { j.toLeader(ctx) })
}

// toLeader has the member asked that says itself that it leads. Where none does, or may not
// be asked for its state, it stays the one that it was.
func (j *Journal) toLeader(ctx context.Context) {
	asked := j.to.Load()
	for i := range uint64(len(j.members)) {
		if j.leads(ctx, asked+i) {
			j.to.CompareAndSwap(asked, asked+i)
			return
		}
	}
}

// leads reports whether a member answers, and leads.
func (j *Journal) leads(ctx context.Context, counted uint64) bool {
	m := j.member(counted)
	ctx, cancel := context.WithTimeout(ctx, leaderTime)
	defer cancel()
	is, err := m.Status(ctx, m.Endpoints()[0])
	return err == nil && is.Leader == is.Header.MemberId
}
