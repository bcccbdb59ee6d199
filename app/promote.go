package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"quire/store"
	"quire/store/follow"
)

// Promoting is how a follower is to become the leader.
type Promoting struct {
	Force bool `json:"force"` // also if the leader cannot be fenced
}

// Promoted is the result of a promotion.
type Promoted struct {
	Epoch    uint64  `json:"epoch,string"`
	Former   string  `json:"former"`          // the address of the former leader
	Fenced   bool    `json:"fenced"`          // whether the former leader has confirmed that it writes no more
	Ended    bool    `json:"ended"`           // whether its stream was ended, so that it writes no more when it reaches the target
	Streamed uint64  `json:"streamed,string"` // the last commit in its stream, if it was ended
	Revision uint64  `json:"revision,string"` // the last commit that this server has
	Lag      float64 `json:"lag"`             // seconds; what the former leader wrote within them may be missing, unless it is fenced
}

// Promote makes a running follower the leader.
func (l Location) Promote(ctx context.Context, how Promoting) (done Promoted, err error) {
	done, _, err = callAs(ctx, l, promoteCommand, how, func() (Promoted, error) {
		if err := l.requireData(); err != nil {
			return done, err
		}
		r, err := l.role()
		switch {
		case err != nil:
			return done, err
		case r.Follows == "":
			return done, fmt.Errorf("%s is not that of a follower", l.DataFolder())
		}
		return done, errors.New("no server is running there; start the follower with `quire serve --follow`, and promote it while it runs")
	})
	return done, err
}

// errPromoted ends Serve because this server is the leader from now on, and has to be opened
// again as one.
var errPromoted = errors.New("this server was promoted")

// IsPromoted reports whether Serve has ended because the server is the leader from now on.
// It has to be opened again, without following anybody.
func IsPromoted(err error) bool { return errors.Is(err, errPromoted) }

// catchUpTime is how long a promotion waits for the last commits of a leader that it has
// fenced.
const catchUpTime = 30 * time.Second

// promote makes this follower the leader: it fences the leader, has all that the leader had
// if that succeeds, and records that it leads. The server then starts anew.
func (a *App) promote(ctx context.Context, how Promoting) (done Promoted, err error) {
	if !a.follows() {
		return done, errors.New("this server does not follow another one")
	}
	a.changing.Lock()
	defer a.changing.Unlock()
	if a.isPromoted() {
		return done, errors.New("this server is being promoted already")
	}
	r, err := a.at.role()
	if err != nil {
		return done, err
	}
	journal := a.copy.journal
	former := journal.Leader()
	done = Promoted{Epoch: a.leading.epoch.Load() + 1, Former: former.String(), Lag: a.lag().Seconds()}
	last, err := former.Fence(ctx, follow.Fencing{Epoch: done.Epoch, Leader: a.address})
	switch {
	case err == nil:
		if err = a.awaitLast(ctx, last.Revision); err != nil && !how.Force {
			return done, fmt.Errorf("the leader takes no writes any more, but its last commits do not arrive: %w; try again, or promote with --force what is here", err)
		}
		done.Fenced = err == nil
	default:
		at := journal.At()
		err = a.endByTarget(ctx, &done, r.Stream, follow.Fencing{Epoch: done.Epoch, Leader: a.address, Lineage: at.Lineage, Revision: at.Revision}, err)
		if err != nil && !how.Force {
			return done, fmt.Errorf("%w. If that server is stopped for good, or cannot be reached by anybody, promote with --force; what it wrote in the last %.1f seconds may be missing", err, done.Lag)
		}
	}
	if err := a.lead(ctx, &done, r); err != nil {
		return done, err
	}
	a.log.Warn("this server becomes the leader", "epoch", done.Epoch, "former", done.Former, "fenced", done.Fenced, "revision", done.Revision)
	close(a.promoted)
	return done, nil
}

// lead records that this server is the leader, with what it has now. The former one is to learn
// that too.
func (a *App) lead(ctx context.Context, done *Promoted, before role) error {
	former := a.copy.journal.Leader()
	a.db.Refuse(errPromoted) // what the former leader still writes
	at := a.copy.journal.At()
	done.Revision = at.Revision
	p := &promotion{From: former.String(), At: follow.Fencing{Epoch: done.Epoch, Leader: a.address, Lineage: at.Lineage, Revision: at.Revision}, Stream: before.Stream, Token: former.Token(), Gap: !done.Fenced}
	if err := a.at.setRole(role{Epoch: done.Epoch, Promoted: p}); err != nil {
		a.db.Refuse(nil)
		return err
	}
	if _, err := former.Fence(ctx, p.At); err != nil { // which fenceFormer repeats
		return nil
	}
	p.Token = ""
	return a.at.setRole(role{Epoch: done.Epoch, Promoted: p})
}

// openPromoted opens the data file of a server that was promoted. If the former leader may have
// committed more than this server has, revisions continue far beyond those that it has used:
// clients that have seen one of them must not take another state for it.
func (a *App) openPromoted(r role, joining Joining) (*store.DB, error) {
	if r.Promoted.Gap {
		if err := store.Succeed(a.at.DataFile(), ""); err != nil {
			return nil, err
		}
		r.Promoted.Gap = false
		if err := a.at.setRole(r); err != nil {
			return nil, err
		}
	}
	return a.openOwn(joining)
}

// isPromoted reports whether this server is the leader as soon as it has been opened again.
func (a *App) isPromoted() bool {
	select {
	case <-a.promoted:
		return true
	default:
		return false
	}
}

// awaitLast waits until the data file has the last commit of the leader.
func (a *App) awaitLast(ctx context.Context, revision uint64) error {
	ctx, cancel := context.WithTimeout(ctx, catchUpTime)
	defer cancel()
	return a.db.Await(ctx, revision)
}

// untilReplaced returns a context that ends when this server has become the leader, or when
// another one has.
func (a *App) untilReplaced(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-ctx.Done():
		case <-a.promoted:
			cancel(errPromoted)
		case refusal := <-a.leading.fenced:
			select {
			case <-ctx.Done():
			case <-time.After(fencedDelay):
			}
			cancel(refusal)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// tellInterval is how often a leader that was promoted by force tries to fence the former
// one.
const tellInterval = time.Second

// fenceFormer fences the former leader as soon as it can be reached, until ctx is done.
func (a *App) fenceFormer(ctx context.Context) {
	r, err := a.at.role()
	if err != nil || r.Promoted == nil || r.Promoted.Token == "" {
		return
	}
	former, err := follow.NewLeader(r.Promoted.From, r.Promoted.Token)
	if err != nil {
		a.log.Error("the former leader cannot be fenced", "error", err)
		return
	}
	said := ""
	for {
		last, err := former.Fence(ctx, r.Promoted.At)
		if err == nil {
			a.log.Warn("the former leader is fenced: it takes no writes any more", "former", former.String(), "revision", last.Revision)
			r.Promoted.Token = ""
			if err := a.at.setRole(r); err != nil {
				a.log.Error("it cannot be recorded that the former leader is fenced", "error", err)
			}
			return
		}
		if text := err.Error(); errors.As(err, new(*follow.RefusalError)) && text != said {
			said = text
			a.log.Error("the former leader answers, but cannot be fenced; stop it", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(tellInterval):
		}
	}
}
