package app

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"quire/auth"
	"quire/server"
	"quire/store/follow"
	"quire/transfer/backup"
)

// leadingPart is the part of a server that may have followers.
type leadingPart struct {
	epoch  atomic.Uint64
	fenced chan *FencedError // gets one value if another server becomes the leader
	duties context.Context   // of a leader, until it is fenced
	end    context.CancelFunc
}

// asLeader returns what the server needs to have followers; nil if it can have none.
func (a *App) asLeader() *server.Leading {
	if a.isReplica() || a.past != nil {
		return nil
	}
	return &server.Leading{
		Epoch:  a.leading.epoch.Load,
		Schema: func() string { return *a.schemas.Load() },
		Stream: a.streamID,
		Folder: a.at.DataFolder(),
		Fence:  a.fence,

		Site:    a.servedFiles,
		Receive: a.receivePush,
		Streams: a.storedStream,
	}
}

// nameSchemas records which schemas and settings are served.
func (a *App) nameSchemas() {
	mark := fingerprintOf(a.site)
	a.schemas.Store(&mark)
}

// beginLeading begins to collect what followers need, if a token may follow: otherwise nobody
// does, and it costs nothing.
func (a *App) beginLeading() {
	if a.isReplica() || a.past != nil {
		return
	}
	if err := errors.Join(server.SweepImages(a.at.DataFolder()), backup.Sweep(a.at.DataFolder(), time.Now().Add(-forgotten))); err != nil {
		a.log.Warn("cannot remove what an earlier server has left of images and pushes", "error", err)
	}
	tokens, err := a.auth.Tokens()
	if err == nil && slices.ContainsFunc(tokens, func(t auth.TokenInfo) bool { return slices.Contains(t.Permissions, auth.ReadFollow.String()) }) {
		_, err = a.db.Tail(follow.TailBytes)
	}
	if err != nil {
		a.log.Warn("followers cannot go on from what they have", "error", err)
	}
}

// fence makes this server refuse all writes, because another one is the leader from an epoch
// on, and has it stop. It returns when the last write has ended.
func (a *App) fence(ctx context.Context, f follow.Fencing) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	r, err := a.at.role()
	if err != nil {
		return err
	}
	if f.Lineage != 0 {
		r.Since = f.Commit()
	}
	if r.Fenced != nil {
		return a.at.setRole(r)
	}
	if err := noteSite(ctx, a.db, "site.fence", map[string]string{"epoch": strconv.FormatUint(f.Epoch, 10), "leader": f.Leader}); err != nil {
		return err
	}
	r.Fenced, r.Promoted = &f, nil
	refusal := &FencedError{Folder: a.at.DataFolder(), Epoch: f.Epoch, Leader: f.Leader}
	a.leading.end()
	a.db.Refuse(refusal)
	if a.server != nil {
		a.server.Drain()
	}
	if err := a.at.setRole(r); err != nil {
		return err
	}
	a.log.Error("another server is the leader now; this one takes no writes any more, and stops", "epoch", f.Epoch, "leader", f.Leader)
	a.leading.fenced <- refusal
	return nil
}

// untilFenced returns duties that also end if another server becomes the leader.
func (a *App) untilFenced(do func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(a.leading.duties, cancel)()
		do(ctx)
	}
}

// endFollowersTime is how long a server that stops sends followers its last commits.
const endFollowersTime = 2 * time.Second

// fencedDelay is how long a server that was fenced goes on answering reads, so that followers
// get the last commits.
const fencedDelay = 5 * time.Second
