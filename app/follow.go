package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"quire/server"
	"quire/store"
	"quire/store/follow"
)

// Following says which server this one follows. The zero value means none.
type Following struct {
	Leader string        // its address, such as https://guide.example.org
	Token  string        // a token of it that may follow
	MaxLag time.Duration // how far behind this server may be and still answer reads; 0 for no limit
}

// FollowToken returns the token for the leader, from the environment.
func FollowToken() (string, error) { return secretFrom("QUIRE_FOLLOW_TOKEN") }

// copyPart is the part of a server that follows another one. It is empty for other servers.
type copyPart struct {
	journal *follow.Feed
	forward *follow.Forwarder
	maxLag  time.Duration
	files   chan fileChange
}

// follows reports whether this server follows another one.
func (a *App) follows() bool { return a.copy.journal != nil }

// isReplica reports whether the data file is that of a follower, or of a node of a cluster.
func (a *App) isReplica() bool { return a.follows() || a.isNode() }

// reachTime is the time in which a leader must respond before a new follower can start.
const reachTime = 10 * time.Second

// openData opens the data file: that of the leader, of a follower, or of a node.
func (a *App) openData(o Options) (*store.DB, error) {
	r, err := a.at.role()
	if err != nil {
		return nil, err
	}
	switch how := o.Following; {
	case r.Promoted != nil && (how.Leader == "" || how.Leader == r.Promoted.From):
		if how.Leader != "" {
			a.log.Warn("this server was promoted, and is the leader now; leave out --follow", "former", how.Leader, "epoch", r.Epoch)
		}
		a.leading.epoch.Store(r.Epoch)
		return a.openPromoted(r, o.Joining)
	case how.Leader == "":
		a.leading.epoch.Store(r.Epoch)
		return a.openOwn(o.Joining)
	case o.Joining.Cluster != "":
		return nil, errors.New("a server cannot follow another one and be a node of a cluster; leave out --follow or --cluster")
	case r.Fenced != nil:
		return nil, a.at.fencedError(r)
	default:
		return a.openCopy(how, r)
	}
}

// openCopy opens the data file as a copy of the leader's.
func (a *App) openCopy(how Following, r role) (*store.DB, error) {
	leader, err := follow.NewLeader(how.Leader, how.Token)
	if err != nil {
		return nil, err
	}
	if n, is, err := a.at.node(); is || err != nil {
		return nil, cmp.Or(err, error(&NodeError{Folder: a.at.DataFolder(), Cluster: n.Cluster}))
	}
	if r.Follows == "" && a.at.HasData() {
		return nil, fmt.Errorf("%s holds the content of a site by itself, which following would replace; give another folder with --data", a.at.DataFile())
	}
	lineage, at, when := store.ReplicaAt(a.at.DataFile(), a.at.Wait)
	journal := follow.NewFeed(leader, follow.Options{Lineage: lineage, At: at, Time: when, Epoch: r.Epoch, Reported: a.reportLeader})
	ctx, cancel := context.WithTimeout(context.Background(), reachTime)
	defer cancel()
	state, err := leader.State(ctx)
	refused := new(follow.RefusalError)
	apart := err != nil
	switch {
	case errors.As(err, &refused), err != nil && lineage == 0:
		return nil, err
	case apart:
		a.log.Error("the leader cannot be reached; this server answers reads from its own copy", "error", err)
	case state.Epoch < r.Epoch:
		return nil, &follow.SupersededError{Address: leader.String(), Epoch: state.Epoch, Now: r.Epoch}
	default:
		r.Epoch, r.Stream = state.Epoch, cmp.Or(state.Stream, r.Stream)
	}
	r.Follows, r.Promoted = how.Leader, nil
	if err := a.at.setRole(r); err != nil {
		return nil, err
	}
	db, err := store.Open(a.at.DataFile(), store.Options{Timeout: a.at.Wait, Journal: journal, Apart: apart, LostTrack: a.requestReopen})
	if err != nil {
		return nil, err
	}
	a.leading.epoch.Store(r.Epoch)
	a.copy = copyPart{journal: journal, forward: follow.NewForwarder(journal, a.awaitShown), maxLag: how.MaxLag, files: make(chan fileChange, mostWanted)}
	return db, nil
}

// awaitShown waits until this server shows a commit of the leader. While it loads the leader's
// data file, it still shows the former content.
func (a *App) awaitShown(ctx context.Context, revision uint64) error {
	for {
		err := a.db.Await(ctx, revision)
		switch {
		case err == nil && a.server.Lineage() == a.db.Lineage():
			return nil
		case err != nil && !errors.As(err, new(*store.SuspendedError)):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(loadPoll):
		}
	}
}

// loadPoll is how often a write asks whether what was loaded is shown.
const loadPoll = 5 * time.Millisecond

// reportLeader logs whether the leader can be followed.
func (a *App) reportLeader(err error) {
	switch {
	case err == nil:
		a.log.Warn("this server follows the leader")
	case errors.Is(err, store.ErrCompacted):
		a.log.Warn("the leader no longer has what came after this copy; its data file is loaded")
	default:
		a.log.Error("the leader cannot be followed; reads are answered from this copy, and writes are refused", "error", err)
	}
}

// lag returns how far the served content is behind that of the leader.
func (a *App) lag() time.Duration {
	return time.Since(a.copy.journal.Current(a.server.Lineage()))
}

// peers returns the other servers of the site, for the server.
func (a *App) peers() server.Nodes {
	if a.follows() {
		return leader{a}
	}
	return a.nodes()
}

// leader is the server that this one follows. It implements [server.Copy].
type leader struct{ app *App }

var _ server.Copy = leader{}

// Forward implements [server.Nodes].
func (l leader) Forward(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	err = l.app.copy.forward.Forward(w, r, l.Passes()) // reads here must not go back later
	if errors.Is(err, follow.ErrNotForwarded) {
		err = errors.Join(server.ErrNotForwarded, err)
	}
	return true, err
}

// Forwarded implements [server.Nodes].
func (leader) Forwarded(context.Context) bool { return false }

// Stale implements [server.Nodes].
func (l leader) Stale() bool { return l.app.lag() > server.StaleAfter }

// Live implements [server.Nodes]: each server counts by itself what its clients send.
func (leader) Live() int { return 1 }

// Current implements [server.Copy].
func (l leader) Current(lineage uint64) time.Time { return l.app.copy.journal.Current(lineage) }

// TooFar implements [server.Copy].
func (l leader) TooFar(behind time.Duration) bool {
	most := l.app.copy.maxLag
	return most > 0 && behind > most
}

// Passes implements [server.Copy].
func (l leader) Passes() bool { return l.app.schemasDiffer() }

// Unready implements [server.Copy].
func (l leader) Unready() string {
	switch {
	case l.Passes():
		return "The site folder of this server is not that of the leader; requests are passed on"
	case l.TooFar(l.app.lag()):
		return "This server is too far behind the leader"
	}
	return ""
}

// schemasDiffer reports whether the leader has other schemas or settings than this server.
func (a *App) schemasDiffer() bool {
	state, _ := a.copy.journal.Known()
	served := a.schemas.Load()
	return state.Schema != "" && served != nil && state.Schema != *served
}

// watchLeader logs when the schemas of the leader become others, and when they are the same
// again. It records which stream the leader has.
func (a *App) watchLeader(ctx context.Context) {
	ticks := time.NewTicker(watchInterval)
	defer ticks.Stop()
	differed, stream := false, ""
	for a.follows() {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		differs := a.schemasDiffer()
		state, _ := a.copy.journal.Known()
		if state.Stream != "" && state.Stream != stream {
			stream = state.Stream
			a.noteStreamOf(state)
		}
		switch {
		case differs && !differed:
			a.log.Error("the leader has another site folder than this server; all requests are passed on to it until both are the same", "leader", state.Schema, "here", fingerprintOf(a.serving().site))
		case differed && !differs:
			a.log.Warn("the leader has the same site folder as this server again")
		}
		differed = differs
	}
}
