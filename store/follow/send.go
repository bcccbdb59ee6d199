package follow

import (
	"time"

	"quire/store"
)

// BatchSender sends the batches of a leader to a follower.
type BatchSender struct {
	Tail  *store.Tail
	After store.CommitID                  // the last commit that the follower has
	State func(last store.CommitID) State // of the leader
	May   func() bool                     // reports whether the follower may still have more
	Send  func(frame []byte) error        // fails if the follower has left
	Left  <-chan struct{}                 // closed when the follower has left
}

// maxKeptBuffer limits the memory of an idle stream.
const maxKeptBuffer = 1 << 20

// Run sends batches, and the state of the leader at first and four times a second, until the
// follower leaves, may have no more, or is too far behind.
func (s *BatchSender) Run() {
	var beat time.Time
	var buffer []byte
	for {
		if now := time.Now(); !now.Before(beat) { // also while much is written
			if !s.May() || s.sendState() != nil {
				return
			}
			beat = now.Add(HeartbeatInterval)
		}
		batches, changed, err := s.Tail.After(s.After)
		if err != nil {
			return
		}
		for _, b := range batches {
			if buffer = AppendBatch(buffer[:0], b); s.Send(buffer) != nil {
				return
			}
			s.After = store.CommitID{Lineage: b.Lineage, Revision: b.Revision}
		}
		if cap(buffer) > maxKeptBuffer {
			buffer = nil
		}
		select {
		case <-s.Left:
			return
		case <-changed:
		case <-time.After(time.Until(beat)):
		}
	}
}

func (s *BatchSender) sendState() error {
	return s.Send(AppendState(nil, s.State(s.Tail.Last())))
}
