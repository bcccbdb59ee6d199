//go:build cluster

package cluster

import (
	"context"
	"time"
)

// A node uses the leading member of etcd while it responds. Any other member asks the
// leader about each linearizable read, and passes each commit on to it: that takes longer,
// and costs work on one more machine.

const leaderInterval = 500 * time.Millisecond // between checks which member leads

var leaderTime = 200 * time.Millisecond // for one response; longer in tests

// keepToLeader returns to the leader after another member was used, until ctx is done.
func (j *Journal) keepToLeader(ctx context.Context) {
	every(ctx, leaderInterval, func() { j.toLeader(ctx) })
}

// toLeader uses the member that says that it leads. If none does, or their state may not be
// read, the current one stays.
func (j *Journal) toLeader(ctx context.Context) {
	current := j.to.Load()
	for i := range uint64(len(j.members)) {
		if j.leads(ctx, current+i) {
			j.to.CompareAndSwap(current, current+i)
			return
		}
	}
}

// leads reports whether a member responds, and leads.
func (j *Journal) leads(ctx context.Context, counted uint64) bool {
	m := j.member(counted)
	ctx, cancel := context.WithTimeout(ctx, leaderTime)
	defer cancel()
	is, err := m.Status(ctx, m.Endpoints()[0])
	return err == nil && is.Leader == is.Header.MemberId
}
