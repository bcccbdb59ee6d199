package follow

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quire/test/program"
)

// register is a document that one writer counts up, so that the order of its values is known.
type register struct {
	id string

	mu      sync.Mutex
	stored  []time.Time // by value: when it was acknowledged; zero for a write in doubt
	highest int         // that a read at the follower has shown
}

// newValue returns the next value.
func (r *register) newValue() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stored = append(r.stored, time.Time{})
	return len(r.stored) - 1
}

func (r *register) acknowledge(value int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stored[value] = time.Now()
}

// seen returns the highest value that a read has shown.
func (r *register) seen() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.highest
}

// check checks a value that a read has shown. It must be one that was written, at least that
// one, and nothing that was acknowledged before the moment may be missing.
func (r *register) check(value, least int, moment time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := len(r.stored) - 1; n > least; n-- {
		if at := r.stored[n]; !at.IsZero() && at.Before(moment) {
			least = n
		}
	}
	if value < least || value >= len(r.stored) {
		return fmt.Errorf("%s shows %d, where it must show %d to %d", r.id, value, least, len(r.stored)-1)
	}
	r.highest = max(r.highest, value)
	return nil
}

// trial has clients that write to a leader and its follower, and check what the follower
// promises with each read.
type trial struct {
	*pair
	registers     []*register
	stop          atomic.Bool
	clients       sync.WaitGroup
	reads, writes atomic.Int64
}

// count writes the next value of a register. If it goes through the follower, the client reads
// its own write there.
func (tr *trial) count(r *register, through bool) {
	at, value := tr.address, r.newValue()
	if through {
		at = tr.at
	}
	a, err := tr.ask("PUT", at, "/api/cooks/"+r.id, tr.token, fmt.Sprintf(`{"data": {"name": "%d"}}`, value))
	if err != nil || a.status != 200 {
		time.Sleep(5 * time.Millisecond) // a server is down; the write is in doubt
		return
	}
	r.acknowledge(value)
	tr.writes.Add(1)
	if through && a.header.Get("Quire-Stale") == "" {
		tr.read(r, value)
	}
}

// read reads a register at the follower. It must show at least the value, what an earlier read
// has shown, and everything that was acknowledged before the lag that the response names.
func (tr *trial) read(r *register, least int) {
	least, begun := max(least, r.seen()), time.Now()
	a, err := tr.ask("GET", tr.at, "/api/cooks/"+r.id, tr.token, "")
	if err != nil || a.status != 200 {
		time.Sleep(5 * time.Millisecond) // the follower is down
		return
	}
	var shown struct{ Data struct{ Name string } }
	err = json.Unmarshal([]byte(a.body), &shown)
	value, bad := strconv.Atoi(shown.Data.Name)
	if err != nil || bad != nil {
		tr.t.Errorf("a read shows %s", a.body)
		return
	}
	tr.reads.Add(1)
	behind := max(0, a.lag()) // a promoted server has none
	if err := r.check(value, least, begun.Add(-time.Duration(behind*float64(time.Second)))); err != nil {
		tr.t.Errorf("with a lag of %.3f s, %v", a.lag(), err)
	}
}

// begin starts a writer of each register, and two readers.
func (tr *trial) begin(random *rand.Rand) {
	for _, r := range tr.registers {
		own := rand.New(rand.NewPCG(random.Uint64(), 1))
		tr.clients.Go(func() {
			for !tr.stop.Load() {
				tr.count(r, own.IntN(2) == 0)
			}
		})
	}
	for range 2 {
		own := rand.New(rand.NewPCG(random.Uint64(), 2))
		tr.clients.Go(func() {
			for !tr.stop.Load() {
				tr.read(tr.registers[own.IntN(len(tr.registers))], 0)
			}
		})
	}
}

// progress waits until clients have read and written so often again.
func (tr *trial) progress(n int64) {
	tr.t.Helper()
	reads, writes := tr.reads.Load()+n, tr.writes.Load()+n/2
	await(tr.t, "clients read and write", func() bool { return tr.reads.Load() >= reads && tr.writes.Load() >= writes })
}

// What a follower promises holds while it and its leader are killed, and their line is slow or
// cut: reads never go back, are not older than the lag that they name, and show clients what
// they wrote through it. After a promotion, nothing is missing.
func TestGuarantees(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 3, 200)
	random := rand.New(rand.NewPCG(seed, 3))
	tr := &trial{pair: newPair(t, nil)}
	tr.startFollower()
	for range 3 {
		r := &register{id: tr.newCook(tr.address, "0"), stored: []time.Time{time.Now()}}
		tr.registers = append(tr.registers, r)
	}
	tr.awaitDocument(tr.at, tr.registers[2].id)
	tr.begin(random)
	for range rounds {
		tr.progress(20)
		switch random.IntN(4) {
		case 0:
			tr.leader.Kill()
			tr.startLeader()
		case 1:
			tr.follower.Kill()
			tr.startFollower()
		case 2:
			tr.line.setCut(true)
			time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond) // in which reads are behind
			tr.line.setCut(false)
		default:
			tr.line.delay.Store(random.Int64N(int64(400 * time.Millisecond)))
			tr.progress(10)
			tr.line.delay.Store(0)
		}
	}
	tr.progress(20)
	program.Succeed(t, "promote", tr.copy)
	tr.stop.Store(true)
	tr.clients.Wait()
	await(t, "the new leader answers", func() bool {
		a, err := tr.ask("GET", tr.at, "/_ready", "", "")
		return err == nil && a.status == 204 && a.lag() < 0
	})
	for _, r := range tr.registers {
		tr.read(r, 0)
	}
	t.Logf("%d reads, %d writes", tr.reads.Load(), tr.writes.Load())
}
