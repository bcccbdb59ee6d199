package follow

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/test/gateway"
	"quire/test/program"
)

// pairWrite is a transaction that makes two documents with its name.
type pairWrite struct{ sent, stored time.Time } // stored is zero for a write in doubt

// lane is a client that writes one transaction after the other, until one has no answer: that
// one may be carried out later, so another lane goes on.
type lane struct {
	name   string
	writes []pairWrite
}

// tally knows what clients have sent, and what was acknowledged.
type tally struct {
	*pair
	store *gateway.Store
	mu    sync.Mutex
	lanes []*lane
}

func (l *tally) newLane() *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	made := &lane{name: fmt.Sprintf("lane%d", len(l.lanes))}
	l.lanes = append(l.lanes, made)
	return made
}

// write sends the next transaction of a lane. It reports whether that was acknowledged.
func (l *tally) write(to *lane, at string) bool {
	name := fmt.Sprintf("%s-%d", to.name, len(to.writes))
	one := fmt.Sprintf(`{"method": "POST", "url": "/api/%%s", "body": {"data": {"name": %q}}}`, name)
	body := `{"requests": [` + fmt.Sprintf(one, "cuisines") + ", " + fmt.Sprintf(one, "cooks") + "]}"
	to.writes = append(to.writes, pairWrite{sent: time.Now()})
	a, err := l.ask("POST", at, "/api/_batch", l.token, body)
	if err != nil || a.status != 200 {
		return false
	}
	to.writes[len(to.writes)-1].stored = time.Now()
	return true
}

// begin starts two clients of each server. stop ends them.
func (l *tally) begin() (stop func()) {
	var clients sync.WaitGroup
	ended := make(chan struct{})
	for n := range 4 {
		at := []string{l.address, l.at}[n%2]
		clients.Go(func() {
			to := l.newLane()
			for {
				select {
				case <-ended:
					return
				default:
				}
				if !l.write(to, at) {
					time.Sleep(20 * time.Millisecond) // a server is down
					to = l.newLane()
				}
			}
		})
	}
	return func() {
		close(ended)
		clients.Wait()
	}
}

// state is how many transactions of each lane are there, by its name.
type state map[string]int

// read reads the content of a site that no server uses. Transactions must be complete, and those
// of a lane must be the first ones.
func (l *tally) read(site string) state {
	l.t.Helper()
	found := map[string]int{} // documents by name
	lines := bufio.NewScanner(strings.NewReader(program.Succeed(l.t, "export", "--ndjson", "-", site)))
	for lines.Scan() {
		var line struct {
			Type, DocumentID string
			Data             struct{ Name string }
		}
		check(l.t, json.Unmarshal(lines.Bytes(), &line))
		if strings.HasPrefix(line.Data.Name, "lane") {
			found[line.Data.Name]++
		}
	}
	there := state{}
	for name, documents := range found {
		lane, _, _ := strings.Cut(name, "-")
		there[lane]++
		if documents != 2 {
			l.t.Errorf("of %s there are %d documents, not 2", name, documents)
		}
	}
	for lane, n := range there {
		for i := range n {
			if found[fmt.Sprintf("%s-%d", lane, i)] == 0 {
				l.t.Errorf("of %s there are %d transactions without %d", lane, n, i)
			}
		}
	}
	return there
}

// restored restores a moment from the stream alone, and reads it.
func (l *tally) restored(at string) state {
	l.t.Helper()
	folder := filepath.Join(l.t.TempDir(), "site")
	check(l.t, os.CopyFS(filepath.Join(folder, "src"), os.DirFS(filepath.Join(l.copy, "src"))))
	settings, err := os.ReadFile(filepath.Join(l.copy, "site.json"))
	check(l.t, err)
	check(l.t, os.WriteFile(filepath.Join(folder, "site.json"), settings, 0o600))
	defer os.RemoveAll(folder)
	program.Succeed(l.t, "restore", "--at", at, folder)
	return l.read(folder)
}

// requireAt compares a state with the tally: everything that was acknowledged before a moment
// is there, and nothing that was sent after it.
func (l *tally) requireAt(there state, from, to time.Time, what string) {
	l.t.Helper()
	for _, of := range l.lanes {
		least, most := 0, 0
		for i, w := range of.writes {
			if !w.stored.IsZero() && w.stored.Before(from) {
				least = i + 1
			}
			if w.sent.Before(to) {
				most = i + 1
			}
		}
		if n := there[of.name]; n < least || n > most {
			l.t.Errorf("%s: there are %d transactions of %s, where there must be %d to %d", what, n, of.name, least, most)
		}
	}
}

// unsent returns the age of the oldest acknowledged transaction that a state lacks.
func (l *tally) unsent(there state, now time.Time) (age time.Duration) {
	for _, of := range l.lanes {
		for i, w := range of.writes {
			if i >= there[of.name] && !w.stored.IsZero() {
				age = max(age, now.Sub(w.stored))
			}
		}
	}
	return age
}

// newTally starts a leader with a stream in an object store, and a follower.
func newTally(t *testing.T) *tally {
	t.Helper()
	l := &tally{store: gateway.Start(t), pair: newPair(t, nil)}
	l.streamTo(map[string]any{"bucket": "s3://" + gateway.Bucket + "/stream", "endpoint": "http://" + l.store.Address, "pathStyle": true})
	l.startFollower()
	l.awaitDocument(l.at, l.newCook(l.address, "the first"))
	l.awaitSent(l.site)
	return l
}

// killLeader kills the leader, restores the end of the stream as if its disk was lost, and
// starts it again. It returns the age of the oldest transaction that would have been lost.
func (l *tally) killLeader() time.Duration {
	l.leader.Kill()
	killed := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	there := l.restored("latest")
	l.requireAt(there, time.Time{}, killed, "the stream alone")
	l.startLeader()
	return l.unsent(there, killed)
}

// The leader, its follower and the object store with its stream are killed at any moment while
// clients write. No acknowledged transaction is missing afterwards, none is there in part, and
// none that nobody has sent. Then moments of the past are restored from the stream, and have
// what the tally says.
func TestKilledLeaderFollowerAndTarget(t *testing.T) {
	seed, rounds := program.Chance(t, 2, 200)
	random := rand.New(rand.NewPCG(seed, 4))
	l := newTally(t)
	begun := time.Now()
	var oldest, behind []time.Duration // without and with a kill of the target just before
	var victims []int
	for round := range rounds {
		stop := l.begin()
		time.Sleep(time.Duration(100+random.IntN(500)) * time.Millisecond) // in which clients write
		if round%3 == 0 {
			victims = append(victims, random.Perm(3)...)
		}
		victim := victims[round]
		switch victim {
		case 0:
			l.leader.Kill()
		case 1:
			l.follower.Kill()
		case 2:
			l.store.Kill()
			time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond) // in which commits wait
		}
		stop()
		switch victim {
		case 0:
			age := l.killLeader()
			if round > 0 && victims[round-1] == 2 {
				behind = append(behind, age)
			} else {
				oldest = append(oldest, age)
			}
		case 1:
			l.startFollower()
		case 2:
			l.store.Restart(t)
		}
	}
	l.awaitDocument(l.at, l.newCook(l.address, "the last"))
	l.awaitSent(l.site)
	ended := time.Now()
	for _, s := range []*program.Server{l.follower, l.leader} {
		s.Kill()
	}
	last := l.read(l.site)
	l.requireAt(last, ended, ended, "the leader")
	l.requireSame(last, l.read(l.copy), "the follower")
	l.requireSame(last, l.restored("latest"), "the end of the stream")
	program.Succeed(t, "restore", "--check", l.site)
	l.requireMoments(random, begun, ended, min(2*rounds, 100))
	writes := 0
	for _, n := range last {
		writes += n
	}
	t.Logf("%d kills, %d transactions; the oldest that a lost disk would have lost: %s; if the target was killed just before: %s", rounds, writes, spread(oldest), spread(behind))
}

// spread describes some times.
func spread(ages []time.Duration) string {
	if len(ages) == 0 {
		return "none"
	}
	slices.Sort(ages)
	return fmt.Sprintf("%d times, median %v, at most %v", len(ages), ages[len(ages)/2], ages[len(ages)-1])
}

func (l *tally) requireSame(want, got state, what string) {
	l.t.Helper()
	for _, of := range l.lanes {
		if want[of.name] != got[of.name] {
			l.t.Errorf("%s has %d transactions of %s, and the leader %d", what, got[of.name], of.name, want[of.name])
		}
	}
}

// requireMoments restores moments, the earliest first. None has less than the one before it.
func (l *tally) requireMoments(random *rand.Rand, begun, ended time.Time, n int) {
	l.t.Helper()
	var moments []time.Time
	for range n {
		moments = append(moments, begun.Add(time.Duration(random.Int64N(int64(ended.Sub(begun))))).Truncate(time.Millisecond))
	}
	slices.SortFunc(moments, func(a, b time.Time) int { return cmp.Compare(a.UnixNano(), b.UnixNano()) })
	before := state{}
	for _, at := range moments {
		name := at.UTC().Format(time.RFC3339Nano)
		there := l.restored(name)
		l.requireAt(there, at, at.Add(time.Millisecond), name)
		for lane, n := range before {
			if there[lane] < n {
				l.t.Errorf("%s: there are %d transactions of %s, and there were %d", name, there[lane], lane, n)
			}
		}
		before = there
	}
}
