package follow

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"quire/test/ledger"
	"quire/test/program"
)

// A leader that can be reached hands over while clients write, and nothing that it has
// acknowledged is lost. It ends, and does not start again.
func TestAPromotionLosesNothing(t *testing.T) {
	t.Parallel()
	seed, _ := program.Chance(t, 1, 1)
	tr := ledger.New(t, seed, 4)
	p := newPair(t, tr.Main)
	p.startFollower()
	tr.Main.URL = "http://" + p.at
	tr.Share()
	written := tr.Begin(math.MaxInt)
	for range 60 {
		<-written
	}
	ended := make(chan struct{})
	go func() {
		for range written { // until each writer has a write with an unknown outcome, or is stopped
		}
		close(ended)
	}()
	out := program.Succeed(t, "promote", p.copy)
	if !strings.Contains(out, "leader of epoch 2") || !strings.Contains(out, "nothing is lost") {
		t.Errorf("promote prints %s", out)
	}
	if a, err := p.ask("GET", p.address, "/_ready", "", ""); err == nil && a.status != 503 { // no answer: it has ended
		t.Errorf("the former leader says that it is ready: %d", a.status)
	}
	await(t, "the new leader answers", func() bool {
		a, err := p.ask("GET", p.at, "/_ready", "", "")
		return err == nil && a.status == 204 && a.lag() < 0
	})
	p.follower.Signal(syscall.SIGTERM) // so that the writers end
	<-ended
	check(t, p.follower.Wait())
	p.awaitEnd("nothing that the leader does not have")
	p.startFollower() // still with --follow: it stays the leader
	tr.Recover()
	tr.Finish()
}

// awaitEnd waits until the former leader has ended by itself with a reason, and demands that
// it does not start again.
func (p *pair) awaitEnd(reason string) {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.leader.Wait() }()
	select {
	case err := <-done:
		if said := p.leader.Log.String(); err == nil || !strings.Contains(said, "takes no writes any more") {
			p.t.Errorf("the former leader ends with %v\n%s", err, said)
		}
	case <-time.After(3 * time.Minute):
		p.t.Fatal("the former leader does not end")
	}
	code, _, stderr := program.Run(p.t, "serve", "--listen", p.address, p.site)
	if code == 0 || !strings.Contains(stderr, "is the leader since epoch 2") || !strings.Contains(stderr, reason) {
		p.t.Errorf("the former leader starts: %d %s", code, stderr)
	}
	code, _, stderr = program.Run(p.t, "token", "create", "--name", "late", "--type", "read-only", p.site)
	if code == 0 || !strings.Contains(stderr, "takes no writes any more") {
		p.t.Errorf("a command writes to the data of the former leader: %d %s", code, stderr)
	}
}

// A leader that cannot be reached is replaced only by force. When it is back, it is fenced
// within seconds, and lists what only it has: no more and no less.
func TestAFormerLeaderIsFenced(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	p.startFollower()
	shared := p.newCook(p.at, "on both")
	p.line.setCut(true)
	alone := []string{p.newCook(p.address, "only there"), p.newCook(p.address, "only there, too")}
	known := p.must(200, "GET", p.address, "/api/cooks/"+alone[1], "").header.Get("Quire-Version")
	code, _, stderr := program.Run(t, "promote", p.copy)
	if code == 0 || !strings.Contains(stderr, "--force") || strings.Contains(stderr, p.follow) {
		t.Fatalf("a follower replaces a leader that it cannot reach: %d %s", code, stderr)
	}
	p.must(200, "GET", p.at, "/api/cooks/"+shared, "")
	out := program.Succeed(t, "promote", "--force", p.copy)
	if !strings.Contains(out, "was not reached") {
		t.Errorf("promote prints %s", out)
	}
	p.follower.Kill() // what it has said is true from then on
	p.startFollower()
	a := p.must(201, "POST", p.at, "/api/cooks", `{"data": {"name": "at the new leader"}}`)
	was, err := strconv.ParseUint(known, 10, 64)
	check(t, err)
	if now, err := strconv.ParseUint(a.header.Get("Quire-Version"), 10, 64); err != nil || now <= was {
		t.Errorf("the new leader uses the version %d, and the former one has used %d, %v", now, was, err)
	}
	alone = append(alone, p.newCook(p.address, "two leaders")) // nobody has stopped the former one
	p.line.setCut(false)
	p.awaitEnd("only here are the commits")
	var own struct{ Changes []struct{ DocumentID string } }
	check(t, json.Unmarshal([]byte(program.Succeed(t, "promote", "--lost", "--json", p.site)), &own))
	listed := map[string]bool{}
	for _, c := range own.Changes {
		listed[c.DocumentID] = true
	}
	if len(listed) != len(alone) || listed[shared] {
		t.Errorf("only the former leader has %v, and it lists %v", alone, own.Changes)
	}
	for _, id := range alone {
		if !listed[id] || p.has(p.at, id) {
			t.Errorf("%s is listed: %v; the new leader has it: %v", id, listed[id], p.has(p.at, id))
		}
	}
	p.rejoin(shared)
}

// rejoin makes the former leader a follower of the new one, with a new data folder.
func (p *pair) rejoin(id string) {
	p.t.Helper()
	p.site, p.copy = p.copy, p.site
	p.address, p.at = p.at, p.address
	leader := p.address
	p.line.to.Store(&leader)
	s, listens := program.Try(p.t, p.followCommand())
	if listens || !strings.Contains(s.Log.String(), "takes no writes any more") {
		p.t.Errorf("the data of a former leader becomes that of a follower: %v %s", listens, s.Log)
	}
	check(p.t, os.Rename(filepath.Join(p.copy, "data"), filepath.Join(p.copy, "former")))
	p.startFollower()
	p.awaitDocument(p.at, id)
	p.awaitDocument(p.at, p.newCook(p.at, "through the former leader"))
}

// A follower and a leader that are killed at any moment lose nothing that was acknowledged
// to a client of the follower, and what a reader sees at the follower never goes back.
func TestKilled(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 2, 60)
	tr := ledger.New(t, seed, 4)
	p := newPair(t, tr.Main)
	p.startFollower()
	tr.Main.URL = "http://" + p.at
	tr.Share()
	r := p.startReader()
	for round := range rounds {
		written := tr.Begin(40)
		for range 30 {
			<-written
		}
		killed := []**program.Server{&p.leader, &p.follower}[(round+int(seed%2))%2]
		(*killed).Kill()
		for range written { // until nobody writes any more
		}
		if killed == &p.leader {
			p.startLeader()
			tr.Recover()
			continue
		}
		images := p.images()
		r.awaitLeader() // what the follower has forwarded may still be carried out
		p.startFollower()
		tr.Recover()
		if n := p.images(); n != images {
			t.Errorf("the follower has loaded %d images after it was killed", n-images)
		}
	}
	r.end()
	tr.Finish()
}

// images returns how many images followers have loaded from the leader.
func (p *pair) images() int {
	p.t.Helper()
	return strings.Count(program.Succeed(p.t, "audit", "--action", "data.image", p.site), `"data.image"`)
}

// reader reads one document at the follower all the time, while its leader counts it up.
type reader struct {
	p       *pair
	stop    atomic.Bool
	writes  sync.Mutex // held while the leader counts
	ended   chan struct{}
	written chan struct{}
}

func (p *pair) startReader() *reader {
	p.t.Helper()
	r := &reader{p: p, ended: make(chan struct{}), written: make(chan struct{})}
	const address = "/api/imprint" // which the ledger does not write
	p.must(200, "PUT", p.at, address, `{"data": {"publisher": "00000000"}}`)
	go func() {
		defer close(r.written)
		for n := 1; !r.stop.Load(); n++ {
			text, _ := json.Marshal(map[string]any{"data": map[string]string{"publisher": counted(n)}})
			r.writes.Lock()
			_, _ = p.ask("PUT", p.address, address, p.token, string(text)) // the leader may be down
			r.writes.Unlock()
		}
	}()
	go func() {
		defer close(r.ended)
		last := ""
		for !r.stop.Load() {
			a, err := p.ask("GET", p.at, address, p.token, "")
			if err != nil || a.status != 200 {
				continue // the follower is down
			}
			var shown struct{ Data struct{ Publisher string } }
			if err := json.Unmarshal([]byte(a.body), &shown); err != nil || shown.Data.Publisher < last {
				p.t.Errorf("a reader sees %q after %q, %v", shown.Data.Publisher, last, err)
			}
			last = shown.Data.Publisher
		}
	}()
	return r
}

// counted returns a number with as many digits as any other.
func counted(n int) string {
	text := []byte("00000000")
	for i := len(text) - 1; n > 0; i, n = i-1, n/10 {
		text[i] = byte('0' + n%10)
	}
	return string(text)
}

// awaitLeader waits until the leader answers nothing but the question whether it does.
func (r *reader) awaitLeader() {
	r.p.t.Helper()
	r.writes.Lock()
	defer r.writes.Unlock()
	await(r.p.t, "the leader has answered everything", func() bool {
		return strings.Contains(r.p.must(200, "GET", r.p.address, "/metrics", "").body, "\nquire_http_requests_in_flight 1\n")
	})
}

// end stops the reader.
func (r *reader) end() {
	r.stop.Store(true)
	<-r.ended
	<-r.written
}
