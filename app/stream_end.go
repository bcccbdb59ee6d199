package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"quire/store/follow"
	"quire/transfer/stream"
)

// A promoted server ends the stream of the former leader, which then writes no more, and
// continues it with one of its own; see stream.Takeover.

const (
	endedTime  = 3 * time.Second  // that a start waits to learn from the target whether this server was replaced
	endPause   = 30 * time.Second // in which a former leader that was fenced sends its last commits
	endAgain   = time.Hour        // after which a promoted server looks whether the end is still there
	endRetry   = time.Minute
	mostEnding = 30 * time.Second // that a promotion waits for the target
)

// errNoSharedStream: the former leader has no stream that this server knows.
var errNoSharedStream = errors.New("this server does not know a stream of the leader")

// endFormer ends the stream of the former leader, for a server that has its commits up to the
// one in f. It returns the last commit in the stream.
func (a *App) endFormer(ctx context.Context, former string, f follow.Fencing) (last uint64, err error) {
	of := a.streamSettings()
	if former == "" || !of.InUse() {
		return 0, errNoSharedStream
	}
	target, err := a.at.streamTarget(&of)
	if err != nil {
		return 0, err
	}
	c, err := stream.Load(ctx, target, former)
	if err != nil {
		return 0, err
	}
	if c.Key, err = streamKey(&of, "", former); err != nil {
		return 0, err
	}
	own, err := a.at.ownID()
	if err != nil {
		return 0, err
	}
	id, err := c.Finish(ctx, a.at.DataFolder(), stream.Takeover{Epoch: f.Epoch, Leader: f.Leader, Stream: own, Has: *f.Commit()})
	return id.Revision, err
}

// endByTarget fences a leader that cannot be reached by ending its stream. failed says why it
// cannot be reached.
func (a *App) endByTarget(ctx context.Context, done *Promoted, former string, f follow.Fencing, failed error) error {
	ctx, cancel := context.WithTimeout(ctx, mostEnding)
	defer cancel()
	var err error
	switch done.Streamed, err = a.endFormer(ctx, former, f); {
	case errors.Is(err, errNoSharedStream):
		return failed
	case err != nil:
		return fmt.Errorf("%w; and its stream cannot be ended: %w", failed, err)
	}
	done.Ended = true
	if done.Streamed > f.Revision {
		return fmt.Errorf("%w; its stream was ended, so that it takes no writes any more, but has commits up to revision %d, and this server only up to %d", failed, done.Streamed, f.Revision)
	}
	return nil
}

// keepFormerEnded ends the stream of the former leader, and looks now and then whether the end
// is still there, until ctx is done.
func (a *App) keepFormerEnded(ctx context.Context) {
	r, err := a.at.role()
	if err != nil || r.Promoted == nil || r.Promoted.Stream == "" {
		return
	}
	said := ""
	for pause := endPause; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = endAgain
		if _, err := a.endFormer(ctx, r.Promoted.Stream, r.Promoted.At); err != nil && ctx.Err() == nil {
			if text := err.Error(); text != said {
				said = text
				a.log.Error("the stream of the former leader cannot be ended", "error", err)
			}
			pause = endRetry
		}
	}
}

// askIfReplaced fences this server before it is served if the target says that another one has
// taken its place. A target that does not answer soon is asked again by the sender.
func (a *App) askIfReplaced(sender *stream.Sender) {
	ctx, cancel := context.WithTimeout(context.Background(), endedTime)
	defer cancel()
	if end, err := sender.Ended(ctx); err == nil && end != nil {
		a.replaced(*end)
	}
}

// replaced fences this server, because another one has ended its stream.
func (a *App) replaced(e stream.Takeover) {
	if e.Epoch <= a.leading.epoch.Load() {
		a.log.Error("a server of an earlier epoch has ended the stream of this one; remove the folder stream in the data folder to begin a new one in another target", "epoch", e.Epoch, "leader", e.Leader)
		return
	}
	f := follow.Fencing{Epoch: e.Epoch, Leader: e.Leader, Lineage: e.Has.Lineage, Revision: e.Has.Revision}
	if err := a.fence(context.Background(), f); err != nil {
		a.log.Error("another server is the leader now, and this one cannot record that", "error", err)
	}
}

// continues returns the stream that the one of this server continues; nil for none.
func (r role) continues() *stream.Branch {
	if r.Promoted == nil || r.Promoted.Stream == "" {
		return nil
	}
	return &stream.Branch{Stream: r.Promoted.Stream, Has: *r.Promoted.At.Commit()}
}

// streamID is the id of the stream of this server; empty for none.
func (a *App) streamID() string {
	s := &a.streaming
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sender == nil {
		return ""
	}
	return s.sender.ID
}

// noteStreamOf records the stream of the leader, which a promotion ends.
func (a *App) noteStreamOf(leader follow.State) {
	a.changing.Lock()
	defer a.changing.Unlock()
	r, err := a.at.role()
	if err == nil && leader.Stream != "" && r.Follows != "" && r.Stream != leader.Stream {
		r.Stream = leader.Stream
		err = a.at.setRole(r)
	}
	if err != nil {
		a.log.Error("the stream of the leader cannot be recorded", "error", err)
	}
}
