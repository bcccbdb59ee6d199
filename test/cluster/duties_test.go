//go:build cluster

package cluster

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"quire/test/program"
)

// The node with the duties is killed or stands still, or etcd does, at any moment while
// clients write and much is due to be published. Each change that was acknowledged arrives at
// a webhook, and once where nothing failed; what is due is published once, as a whole.
//
//	go test -tags cluster ./test/cluster -run Duties -rounds 50 -v
func TestDutiesPassOn(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 1, 50)
	random := rand.New(rand.NewPCG(seed, 1))
	w := startWork(t)
	for range rounds {
		w.calm()
		w.during(func() {
			due := w.plan(random)
			w.fail(due.Add(time.Duration(random.IntN(801)-400)*time.Millisecond), random)
		})
	}
	w.judge()
	w.site.endAlike()
}

// work is what the node with the duties has to do.
type work struct {
	site  *site
	hook  *receiver
	id    string // of the webhook
	round int
	plans []*planned
	order []int // of the failures to come

	mu    sync.Mutex
	acked map[happening]bool // whether nothing failed when it was sent
	half  []string           // releases that were seen as such
}

func startWork(t *testing.T) *work {
	t.Helper()
	hook := newReceiver(t)
	s := begin(t, startMembers(t, 3), "guide", 3, layout{settings: hook.settings("entry.create", "entry.publish", "entry.unpublish")})
	w := &work{site: s, hook: hook, acked: map[happening]bool{}}
	var list struct{ Data []struct{ ID string } }
	w.read("/api/_webhooks", &list)
	w.id = list.Data[0].ID
	return w
}

// calm has every node create something while nothing fails, and waits until the node with the
// duties has noted that it has sent that: the failure to come has it send none of it again. If
// the machine is so busy that a node gives the duties up, it was not calm.
func (w *work) calm() {
	t := w.site.t
	t.Helper()
	w.round++
	w.awaitDuty(nil)
	w.site.settled()
	before, names := w.givenUp(), []string{}
	for i, n := range w.site.nodes {
		for k := range 5 {
			name := fmt.Sprintf("Calm %d %d %d", w.round, i, k)
			n.write(w.site, "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": %q}}`, name), 201)
			names = append(names, name)
			w.ack("entry.create", name, false)
			w.ack("entry.publish", name, false)
		}
	}
	w.awaitArrived()
	last := w.site.nodes[0].write(w.site, "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Calm %d at last"}}`, w.round), 201)
	w.await("the place of the webhook is stored", func() bool {
		var tried struct{ Data []struct{ DocumentID string } }
		w.read("/api/_webhooks/"+w.id+"/attempts", &tried)
		for _, a := range tried.Data {
			if a.DocumentID == last {
				return true
			}
		}
		return false
	})
	for _, name := range names {
		w.ack("entry.create", name, w.givenUp() == before)
		w.ack("entry.publish", name, w.givenUp() == before)
	}
}

// givenUp is how often nodes have given the duties up since they were started.
func (w *work) givenUp() (times int) {
	for _, n := range w.site.nodes {
		times += n.server.Log.Times(givesUp)
	}
	return times
}

// during lets clients create and publish at all nodes while something is done, and waits until
// all has arrived and been published.
func (w *work) during(do func()) {
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for i, n := range w.site.nodes {
		clients.Go(func() { w.client(i, n, stop) })
		clients.Go(func() { w.watch(n, stop) })
	}
	do()
	close(stop)
	clients.Wait()
	w.site.settled()
	w.awaitDone()
	w.awaitArrived()
}

// client creates and publishes dishes at a node until stop is closed.
func (w *work) client(number int, n *node, stop <-chan struct{}) {
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-ticks.C:
		}
		name := fmt.Sprintf("Dish %d %d %d", w.round, number, i)
		id, status := w.try(n, "/api/dishes?status=draft", fmt.Sprintf(`{"data": {"name": %q}}`, name))
		if status != 201 {
			continue
		}
		w.ack("entry.create", name, false)
		if _, status := w.try(n, "/api/dishes/"+id+"/actions/publish", ""); status == 200 {
			w.ack("entry.publish", name, false)
		}
	}
}

func (w *work) ack(event, name string, calm bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acked[happening{event, name}] = calm
}

// fail has something fail at a moment, until the duties are done by a node.
func (w *work) fail(at time.Time, random *rand.Rand) {
	one := w.awaitDuty(nil)
	if len(w.order) == 0 { // each comes before one comes again
		w.order = random.Perm(len(failures))
	}
	which := failures[w.order[0]]
	w.order = w.order[1:]
	<-time.After(time.Until(at))
	begun := time.Now()
	which.do(w, one)
	w.awaitDone()
	w.site.t.Logf("round %d: %s; all was done after %.1f s", w.round, which.name, time.Since(begun).Seconds())
}

// failures are what becomes of the node with the duties.
var failures = []struct {
	name string
	do   func(w *work, one *node)
}{
	{"it is killed, and started when another one has the duties", func(w *work, one *node) {
		one.kill()
		w.awaitDuty(one)
		one.restart(w.site.t)
	}},
	{"it is killed, and started at once", func(w *work, one *node) {
		one.kill()
		one.restart(w.site.t)
	}},
	{"it stands still until another one has the duties", func(w *work, one *node) {
		before := one.server.Log.Times(givesUp)
		one.pause()
		w.awaitDuty(one)
		one.resume()
		w.await("it knows that another one has the duties", func() bool { return one.server.Log.Times(givesUp) > before })
	}},
	{"etcd stands still until it gives the duties up", func(w *work, one *node) {
		before := one.server.Log.Times(givesUp)
		for _, m := range w.site.members[:2] {
			m.pause()
		}
		w.await("it gives the duties up", func() bool { return one.server.Log.Times(givesUp) > before })
		for _, m := range w.site.members[:2] {
			m.resume()
		}
	}},
}

const givesUp = "WARN this node no longer sends webhooks and mail, and makes no backups, for the cluster"
