package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing/iotest"
	"testing/synctest"
	"time"

	"quire/store"
	"quire/store/follow"
)

// tailBytes is how much a leader keeps for followers: what some dozens of steps write.
const tailBytes = 64 << 10

// line is what a follower reaches its leader over. It stands in for HTTP.
type line struct {
	follower *node
	streams  []func() // end those that are open

	struck bool          // by any fault, until it is reset
	cut    bool          // nothing comes through
	former bool          // it leads to the former leader
	slow   time.Duration // of each message
	plan   string        // what happens to the next batch or image
}

// source is a server that somebody follows.
type source struct {
	db      *store.DB
	started time.Time
	epoch   uint64
}

// acked is a revision that was the last one at a time.
type acked struct {
	at       time.Time
	revision uint64
}

// strike begins a fault, in one of some steps.
func (l *line) strike() {
	w := l.follower.world
	if w.random.IntN(12) > 0 {
		return
	}
	l.reset()
	fault := w.one("cut line", "slow line", "former leader", "torn message", "damaged message")
	w.count(fault)
	l.struck = true
	switch fault {
	case "cut line":
		l.cut = true
		l.hangUp()
	case "slow line":
		l.slow = time.Duration(1+w.random.IntN(7000)) * time.Millisecond
	case "former leader":
		l.former = w.former != nil
		l.hangUp()
	default:
		l.plan = fault
	}
}

// reset ends all faults.
func (l *line) reset() {
	if l.former {
		l.hangUp()
	}
	l.struck, l.cut, l.former, l.slow, l.plan = false, false, false, 0, ""
}

func (l *line) hangUp() {
	for _, end := range l.streams {
		end()
	}
	l.streams = nil
}

// hangUp ends the connections of a node, as the end of its process does.
func (n *node) hangUp() {
	for _, other := range n.nodes {
		if other.line != nil && (n == other || n == n.leader) {
			other.line.hangUp()
		}
	}
}

// RoundTrip implements [http.RoundTripper]: it answers as the leader does.
func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	w := l.follower.world
	from := &source{w.leader.db, w.leader.started, w.epoch}
	if l.former {
		from = w.former
	}
	if l.cut {
		return nil, errLine
	}
	tail, err := from.db.Tail(tailBytes)
	must(err)
	state := func(last store.CommitID) follow.State {
		return follow.State{Lineage: last.Lineage, Revision: last.Revision, Uptime: int64(time.Since(from.started)), Epoch: from.epoch}
	}
	response := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}
	switch r.URL.Path {
	case follow.StatePath:
		text, err := json.Marshal(state(tail.Last()))
		must(err)
		response.Body = io.NopCloser(bytes.NewReader(text))
	case follow.BatchesPath:
		var after store.CommitID
		_, err := fmt.Sscan(r.URL.Query().Get("lineage"), &after.Lineage)
		must(err)
		_, err = fmt.Sscan(r.URL.Query().Get("revision"), &after.Revision)
		must(err)
		if _, _, err := tail.After(after); err != nil {
			response.StatusCode = http.StatusGone
			break
		}
		response.Body = l.stream(r.Context(), &follow.BatchSender{Tail: tail, After: after, State: state, May: func() bool { return true }})
	case follow.ImagePath:
		response.Body = l.image(from.db, response.Header)
	}
	return response, nil
}

// arriving is the body of a response. Whoever sends it learns that the other end is closed.
type arriving struct {
	*io.PipeReader
	end func()
}

func (b *arriving) Close() error {
	b.end()
	return b.PipeReader.Close()
}

// stream sends batches until the request, or the line, ends.
func (l *line) stream(ctx context.Context, s *follow.BatchSender) io.ReadCloser {
	out, in := io.Pipe()
	left := make(chan struct{})
	end := sync.OnceFunc(func() {
		close(left)
		in.CloseWithError(errLine)
	})
	context.AfterFunc(ctx, end)
	l.streams = append(l.streams, end)
	s.Left, s.Send = left, func(frame []byte) error { return l.send(in, frame) }
	go func() {
		defer end()
		s.Run()
	}()
	return &arriving{out, end}
}

// send sends a message, as a line with faults does.
func (l *line) send(to io.Writer, frame []byte) error {
	if l.slow > 0 {
		time.Sleep(l.slow)
	}
	plan := ""
	if frame[0] == 'b' { // a batch
		plan, l.plan = l.plan, ""
	}
	switch plan {
	case "torn message":
		_, err := to.Write(frame[:len(frame)/2])
		return errors.Join(err, errLine)
	case "damaged message":
		frame = bytes.Clone(frame)
		frame[len(frame)/2] ^= 1
	}
	_, err := to.Write(frame)
	return err
}

// image sends the data file.
func (l *line) image(db *store.DB, h http.Header) io.ReadCloser {
	var file, sent bytes.Buffer
	must(db.View(func(tx *store.Tx) error {
		h.Set(follow.ImageLineage, strconv.FormatUint(tx.CommitID().Lineage, 10))
		h.Set(follow.ImageRevision, strconv.FormatUint(tx.CommitID().Revision, 10))
		_, err := tx.WriteTo(&file)
		return err
	}))
	h.Set(follow.ImageSize, strconv.Itoa(file.Len()))
	must(follow.WriteImage(&sent, &file))
	plan, text := l.plan, sent.Bytes()
	l.follower.count("image")
	switch l.plan = ""; plan {
	case "torn message":
		return io.NopCloser(io.MultiReader(bytes.NewReader(text[:len(text)/2]), iotest.ErrReader(errLine)))
	case "damaged message":
		text[len(text)/2] ^= 1
	}
	return io.NopCloser(bytes.NewReader(text))
}

// follow returns the journal of a follower that starts, and whether its leader cannot be
// reached.
func (n *node) follow() (j store.Journal, apart bool) {
	leader, err := follow.NewLeader("http://leader", "")
	must(err)
	(*seam[*http.Client](leader, "client")).Transport = n.line
	lineage, at, when := store.ReplicaAt(n.path, 0)
	if lineage == 0 || n.line.former {
		n.line.reset() // such a follower does not start
	}
	n.feed = follow.NewFeed(leader, follow.Options{Lineage: lineage, At: at, Time: when, Epoch: n.epoch})
	_, err = leader.State(context.Background())
	return n.feed, err != nil
}

// followStep does one step of a leader or of one of its followers.
func (w *world) followStep() {
	f := w.leader
	for f == w.leader {
		f = w.nodes[w.random.IntN(len(w.nodes))]
	}
	f.line.strike()
	switch dice := w.random.IntN(60); {
	case dice < 30:
		w.leader.step()
	case dice < 51:
		f.readCopy()
	case dice < 57:
		w.note("time passes")
		if w.pass(time.Duration(w.random.IntN(3000)) * time.Millisecond); f.lost {
			f.reopen()
		}
	case dice < 59:
		f.catchUp()
	default:
		f.disturbCopy()
	}
	synctest.Wait()
	w.acked = append(w.acked, acked{time.Now(), w.last})
}

// pass lets time pass, and what is on its way arrive.
func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// readCopy reads from a follower: it never goes back, and is not further behind than it says.
func (n *node) readCopy() {
	revision, lag := n.revision(), n.feed.Current(n.lineage)
	n.note("read a copy at %d", revision)
	s := n.states[revision]
	switch {
	case n.stale || s != nil && s.shape != n.served: // in the latter case, requests are passed on
		return
	case s == nil || revision < n.seen:
		n.fail("a follower shows revision %d after %d", revision, n.seen)
	}
	n.seen = revision
	for _, a := range n.acked {
		if n.lineage == n.db.Lineage() && a.at.Before(lag) && revision < a.revision {
			n.fail("a follower at revision %d says that it has everything of a time when there was %d", revision, a.revision)
		}
	}
	n.read()
}

// catchUp ends the faults of the line: then a follower has everything.
func (n *node) catchUp() {
	n.note("catch up")
	n.line.reset()
	for range 2 { // an image may come first, or a leader that was replaced
		n.pass(10 * time.Second)
		if n.lost || n.index.Snapshot().Site() != n.site {
			n.reopen()
		}
	}
	if n.pass(time.Second); n.lost || n.stale || n.revision() != n.last {
		n.fail("a follower has revision %d, lost %t, stale %t; the leader has %d", n.revision(), n.lost, n.stale, n.last)
	}
	n.seen = n.last
	n.check()
}

// disturbCopy kills a follower, damages its file, or makes it the leader.
func (n *node) disturbCopy() {
	fault := n.one("kill of a follower", "lost copy", "damaged copy", "promotion", "lost leader")
	s := n.states[n.revision()]
	if fault == "lost leader" && (n.stale || s == nil || s.shape != n.state.shape) { // first, the content would have to be migrated
		return
	}
	n.note("%s", fault)
	n.count(fault)
	switch fault {
	case "promotion":
		n.promote(false)
		return
	case "lost leader":
		n.promote(true)
		return
	case "lost copy":
		n.frozen = map[string][]byte{}
	case "damaged copy":
		content, err := os.ReadFile(n.path)
		must(err)
		n.frozen = map[string][]byte{n.path: content[:os.Getpagesize()+n.random.IntN(os.Getpagesize())]}
	}
	n.restart(false)
}

// promote makes a follower the leader. If the former one is not lost, it refuses writes first,
// and nothing is lost.
func (n *node) promote(lost bool) {
	old := n.leader
	if !lost {
		n.catchUp()
		old.db.Refuse(errors.New("another server is the leader"))
		must(n.db.Await(context.Background(), n.last))
	}
	revision := n.revision()
	state := n.states[revision]
	for _, other := range []*node{old, n} {
		other.hangUp()
		must(other.writer.Close())
	}
	must(n.db.Close())
	if lost {
		must(store.Succeed(n.path, ""))
	}
	if n.former != nil {
		must(n.former.db.Close())
	}
	n.world.former = &source{old.db, old.started, n.epoch}
	n.disk, old.disk = old.disk, nil
	*n.disk = disk{path: n.path, fired: n.disk.fired, plans: n.disk.plans, chance: n.disk.chance, rate: n.disk.rate, leaves: n.disk.leaves}
	n.line, old.line, old.lineage = nil, &line{follower: old}, 0
	old.path = filepath.Join(n.folder, fmt.Sprint("quire", n.number, ".db"))
	n.world.leader, n.lost = n, false
	n.epoch++
	n.goBack(revision)
	n.open()
	n.world.last, n.world.state = n.revision(), state
	n.states[n.last] = state
	n.check()
	for _, other := range n.nodes {
		switch {
		case other == old:
			old.open()
		case other != n:
			other.restart(false)
		}
	}
}
