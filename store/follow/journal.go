package follow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"quire/store"
)

// Feed is the leader's data file as a follower sees it: it implements [store.Journal],
// and refuses what a follower would write.
type Feed struct {
	leader *Leader

	mu       sync.Mutex
	lineage  uint64               // of this follower; another one after each image
	at       store.CommitID       // the leader's name of the last commit that the file has
	next     store.CommitID       // the name of the batch that is being adopted, or was
	state    State                // the last one of the leader; zero before the first
	current  map[uint64]time.Time // when the content of a lineage certainly had everything
	heard    time.Time            // when the leader sent the last frame
	problem  error                // why the leader cannot be followed now; nil if it can
	reported func(error)          // called with each change of problem
}

// Options of a Feed.
type Options struct {
	Lineage  uint64         // that the file has as a replica; 0 for none
	At       store.CommitID // the leader's name of the last commit of the file
	Time     time.Time      // of the last commit of the file
	Epoch    uint64         // of the content of the file
	Reported func(error)    // called if the leader cannot be followed, and with nil if it can again; it must not block
}

// NewFeed returns the journal of a follower.
func NewFeed(l *Leader, o Options) *Feed {
	j := &Feed{leader: l, lineage: o.Lineage, at: o.At, reported: o.Reported, state: State{Epoch: o.Epoch}, current: map[uint64]time.Time{}}
	if j.lineage == 0 {
		j.lineage = newLineage()
	}
	if now := time.Now(); o.Time.Before(now) {
		j.isCurrent(o.Time)
	} else { // the clocks differ
		j.isCurrent(now)
	}
	return j
}

func newLineage() uint64 { return rand.Uint64() | 1 }

// Leader returns the server that is followed.
func (j *Feed) Leader() *Leader { return j.leader }

// ErrFollower: a follower does not write.
var ErrFollower = &store.RefusedError{Err: store.ErrCopy}

// Lineage implements [store.Journal].
func (j *Feed) Lineage(context.Context) (uint64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lineage, nil
}

// Propose implements [store.Journal]: it refuses.
func (j *Feed) Propose(context.Context, store.Batch) (uint64, error) { return 0, ErrFollower }

// Freeze implements [store.Journal]: it refuses.
func (j *Feed) Freeze(context.Context) (func(), error) { return nil, ErrFollower }

// Replace implements [store.Journal]: it refuses.
func (j *Feed) Replace(context.Context, *store.DB) (store.Batch, error) {
	return store.Batch{}, ErrFollower
}

// Renew implements [store.Journal]. The leader has gone back to a former state, and the
// follower loads it.
func (j *Feed) Renew(_ context.Context, lineage uint64) error {
	if now, _ := j.Lineage(context.Background()); now == lineage {
		_ = j.gone()
	}
	return nil
}

// Load implements [store.Journal]. The store uses Image instead.
func (j *Feed) Load(context.Context, func(store.Op) error) (store.Batch, error) {
	return store.Batch{}, errors.New("a follower loads an image")
}

// Fresh implements [store.Journal].
func (j *Feed) Fresh(ctx context.Context) (uint64, error) {
	begun := time.Now()
	s, err := j.leader.State(ctx)
	if err != nil {
		return 0, err
	}
	if err := j.note(s); err != nil {
		return 0, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.Revision == j.at.Revision && s.Lineage == j.at.Lineage {
		j.isCurrent(begun)
	}
	return s.Revision, nil
}

// SupersededError: the leader is of an earlier epoch than the content of the follower, so
// another server has taken its place.
type SupersededError struct {
	Address    string
	Epoch, Now uint64
}

func (e *SupersededError) Error() string {
	return fmt.Sprintf("the server at %s is the leader of epoch %d, and this content is of epoch %d: another server has been promoted since; follow that one", e.Address, e.Epoch, e.Now)
}

// note records the state of the leader. It refuses one that has been superseded.
func (j *Feed) note(s State) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.Epoch < j.state.Epoch {
		return &SupersededError{j.leader.String(), s.Epoch, j.state.Epoch}
	}
	j.state = s
	return nil
}

// isCurrent records that the file had everything at that time. mu must be held.
func (j *Feed) isCurrent(at time.Time) {
	if at.After(j.current[j.lineage]) {
		j.current[j.lineage] = at
	}
}

// silence is how long a leader may be silent before the connection is given up.
const silence = 5 * time.Second

// HeartbeatInterval is how often a leader sends its state.
const HeartbeatInterval = 250 * time.Millisecond

// Follow implements [store.Journal]. It returns when the connection ends, and the store
// calls it again.
func (j *Feed) Follow(ctx context.Context, after uint64, fn func(store.Batch) error) error {
	err := j.follow(ctx, after, fn)
	if ctx.Err() == nil {
		j.report(err)
	}
	if errors.As(err, new(*RefusalError)) || errors.As(err, new(*SupersededError)) {
		select { // somebody has to do something about it
		case <-ctx.Done():
		case <-time.After(refusedPause):
		}
	}
	return err
}

// refusedPause is the time after which a leader that has refused is asked again.
const refusedPause = 2 * time.Second

func (j *Feed) follow(ctx context.Context, after uint64, fn func(store.Batch) error) error {
	j.mu.Lock()
	if j.next.Revision == after {
		j.at = j.next // whoever adopted it has stopped there
	}
	at, lineage := j.at, j.lineage
	j.mu.Unlock()
	if at.Revision != after {
		return j.gone()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begun := time.Now()
	response, err := j.leader.send(ctx, http.MethodGet, BatchesPath, url.Values{"lineage": {number(at.Lineage)}, "revision": {number(at.Revision)}}, nil)
	if refused := new(RefusalError); errors.As(err, &refused) && refused.Status == http.StatusGone {
		return j.gone()
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	late := time.AfterFunc(silence, cancel)
	defer late.Stop()
	s := &connection{journal: j, begun: begun, at: at, lineage: lineage, adopt: fn}
	r := bufio.NewReaderSize(response.Body, 64<<10)
	for {
		b, state, err := readFrame(r)
		if err != nil {
			return fmt.Errorf("the leader at %s sends no more: %w", j.leader, err)
		}
		late.Stop()
		if err := s.take(b, state); err != nil {
			return err
		}
		late.Reset(silence)
	}
}

// gone gives the follower another lineage, because it can only go on with an image.
func (j *Feed) gone() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lineage = newLineage()
	return store.ErrCompacted
}

// report notes whether the leader can be followed.
func (j *Feed) report(err error) {
	j.mu.Lock()
	before := j.problem
	j.problem = err
	j.mu.Unlock()
	if j.reported != nil && (err == nil) != (before == nil) {
		j.reported(err)
	}
}

// connection is one connection on which batches arrive.
type connection struct {
	journal *Feed
	lineage uint64 // of the follower
	adopt   func(store.Batch) error
	at      store.CommitID // the last commit that arrived

	begun time.Time // when the connection was requested
	first int64     // uptime of the leader in its first state
}

// take adopts a batch, or learns from a state that the file has everything.
func (s *connection) take(b *store.Batch, state *State) error {
	j := s.journal
	if b != nil {
		s.at = store.CommitID{Lineage: b.Lineage, Revision: b.Revision}
		j.mu.Lock()
		j.next = s.at
		j.mu.Unlock()
		if err := s.adopt(*b); err != nil {
			return err
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.lineage == s.lineage && s.at.Revision > j.at.Revision {
			j.at = s.at
		}
		return nil
	}
	if err := j.note(*state); err != nil {
		return err
	}
	if s.first == 0 {
		s.first = state.Uptime
		j.report(nil)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.heard = time.Now()
	if s.at == (store.CommitID{Lineage: state.Lineage, Revision: state.Revision}) {
		// The first state was sent after the connection was requested. So this one was sent
		// later than then plus what the leader's clock says has passed.
		j.isCurrent(s.begun.Add(time.Duration(state.Uptime - s.first)))
	}
	return nil
}

// Current returns when the content of a lineage certainly had everything that the leader had
// stored: while an image is being read, the server still shows the former content. It is when
// the leader sent its state, however long that took to arrive, so the truth is never earlier.
// Until the leader is reached, it is the time of the last commit, by the leader's clock.
func (j *Feed) Current(lineage uint64) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.current[lineage]
}

// Known returns the last state of the leader, and why it cannot be followed at the moment.
func (j *Feed) Known() (State, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state, j.problem
}

// At returns the leader's name of the last commit that the file has.
func (j *Feed) At() store.CommitID {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.at
}
