//go:build cluster

package cluster

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quire/test/program"
)

// The tests of this file measure, and demand nothing of what they measure:
//
//	go test -tags cluster ./test/cluster -run Figures -long -v

// measuring is how long each figure is measured.
const measuring = 10 * time.Second

// bio makes a document about 2 KB large.
var bio = strings.Repeat("Cooks what the day brings. ", 75)

// TestFiguresOfReads compares reads that show all that any node has written with those of
// what a node has, of the same content.
func TestFiguresOfReads(t *testing.T) {
	program.NeedLong(t)
	members := startMembers(t, 3)
	s := begin(t, members, "guide", 3, layout{})
	here := begin(t, members, "local", 3, layout{reads: `{"reads": {"credential": "local"}}`})
	for range 10 { // as many as a page shows
		s.nodes[0].create(s, "first")
		here.nodes[0].create(here, "first")
	}
	s.settled()
	here.settled()
	other, local := s.otherThan(s.writer()), here.otherThan(here.writer())
	for _, clients := range []int{1, 16, 64} {
		compare(t, clients, "linearizable reads of a node that does not write", func(int) bool { return other.get(s.token, "") },
			"local ones", func(int) bool { return local.get(here.token, "") })
	}
}

// TestFiguresOfCreates measures creates by one node and by all.
func TestFiguresOfCreates(t *testing.T) {
	program.NeedLong(t)
	s := begin(t, startMembers(t, 3), "guide", 3, layout{})
	s.nodes[0].create(s, "first")
	writer := s.writer()
	for _, clients := range []int{1, 16, 64} {
		compare(t, clients, "creates over all nodes", func(client int) bool { return s.nodes[client%3].create(s, "a") },
			"creates through the node that writes", func(int) bool { return writer.create(s, "b") })
	}
}

// TestFiguresOfVisibility measures when all nodes show a commit that was answered, while
// other clients create about half as many documents as they could.
func TestFiguresOfVisibility(t *testing.T) {
	program.NeedLong(t)
	s := begin(t, startMembers(t, 3), "guide", 3, layout{reads: `{"reads": {"credential": "local"}}`})
	s.nodes[0].create(s, "first")
	writer := s.writer()
	most := repeat(64, measuring/4, func(int) bool { return writer.create(s, "a") })
	pause := 64 * 2 * most.during / time.Duration(len(most.took)) // between the creates of one of 64 clients
	stop, half := make(chan struct{}), sync.WaitGroup{}
	for range 64 {
		half.Go(func() {
			ticks := time.NewTicker(pause)
			defer ticks.Stop()
			for {
				select {
				case <-stop:
					return
				case <-ticks.C:
					writer.create(s, "b")
				}
			}
		})
	}
	seen := times{during: measuring}
	for end := time.Now().Add(measuring); time.Now().Before(end); {
		writer.create(s, "c")
		seen.took = append(seen.took, s.untilShown(writer))
	}
	close(stop)
	half.Wait()
	t.Logf("creates: %v; until all nodes show one that was answered, at half of that: %v", most, seen)
}

// untilShown is how long it takes until all nodes show what one does.
func (s *site) untilShown(from *node) time.Duration {
	began := time.Now()
	revision := from.revision(s.token)
	var all sync.WaitGroup
	for _, n := range s.nodes {
		if n != from {
			all.Go(func() { n.get(s.token, revision) })
		}
	}
	all.Wait()
	return time.Since(began)
}

// TestFiguresOfNodes measures how soon nodes serve 100,000 documents.
func TestFiguresOfNodes(t *testing.T) {
	program.NeedLong(t)
	const documents = 100_000
	lines := filepath.Join(t.TempDir(), "chefs.jsonl")
	file, err := os.Create(lines)
	check(t, err)
	w := bufio.NewWriter(file)
	for i := range documents {
		fmt.Fprintf(w, `{"type": "api::chef.chef", "data": {"name": "Chef %d", "bio": %q}}`+"\n", i, bio)
	}
	check(t, w.Flush())
	check(t, file.Close())
	members := startMembers(t, 3)
	began := time.Now()
	s := begin(t, members, "guide", 1, layout{archive: lines})
	t.Logf("import, init and the first node: %v", time.Since(began).Round(time.Millisecond))
	folder := newFolder(t, layout{})
	began = time.Now()
	n := s.startNode("joins", folder)
	n.await(t)
	t.Logf("a new node serves %d documents after %v", documents, time.Since(began).Round(time.Millisecond))
	s.nodes = append(s.nodes, n)
	s.settled()
	n.stop(t)
	began = time.Now()
	n.restart(t)
	t.Logf("a node that was stopped serves again after %v", time.Since(began).Round(time.Millisecond))
	n.kill()
	began = time.Now()
	n.restart(t)
	t.Logf("a node that was killed serves again after %v", time.Since(began).Round(time.Millisecond))
}

// compare has clients do one thing and another in turn, so that what else the machine does
// slows both, and logs how often and the ratio.
func compare(t *testing.T, clients int, what string, do func(client int) bool, than string, other func(client int) bool) {
	t.Helper()
	const turns = 10
	var ratios []float64
	var all, others times
	for range turns {
		one := repeat(clients, measuring/turns, do)
		two := repeat(clients, measuring/turns, other)
		ratios = append(ratios, float64(len(one.took))/float64(len(two.took)))
		all.add(one)
		others.add(two)
	}
	slices.Sort(ratios)
	t.Logf("%s, %d clients: %v; %s: %v; ratio: median %.2f of %.2f to %.2f", what, clients, all, than, others,
		ratios[turns/2], ratios[0], ratios[turns-1])
}

// times are how long each of many things took.
type times struct {
	took   []time.Duration
	during time.Duration
	failed int64
}

func (s *times) add(more times) {
	s.took = append(s.took, more.took...)
	s.during += more.during
	s.failed += more.failed
}

func (s times) String() string {
	took := slices.Sorted(slices.Values(s.took))
	return fmt.Sprintf("%.0f/s, p50 %v, p99 %v, %d failed", float64(len(took))/s.during.Seconds(),
		took[len(took)/2].Round(100*time.Microsecond), took[len(took)*99/100].Round(100*time.Microsecond), s.failed)
}

// repeat has clients do something again and again.
func repeat(clients int, during time.Duration, do func(client int) bool) times {
	var mu sync.Mutex
	s := times{during: during}
	end := time.Now().Add(during)
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			var own times
			for time.Now().Before(end) {
				began := time.Now()
				if !do(client) {
					own.failed++
				}
				own.took = append(own.took, time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			s.add(own)
		})
	}
	all.Wait()
	return s
}

// made counts the documents of all measurements, each of which has a name of its own.
var made atomic.Int64

// create makes a document of about 2 KB, as a draft and published.
func (n *node) create(s *site, name string) bool {
	status, _, err := n.send(s, "POST", "/api/chefs", fmt.Sprintf(`{"data": {"name": "%s %d", "bio": %q}}`, name, made.Add(1), bio))
	return err == nil && status == 201
}

// get reads a page of documents, at a revision or a later one.
func (n *node) get(token, revision string) bool {
	r, err := http.NewRequest("GET", n.URL+"/api/chefs?pagination[pageSize]=10&fields[0]=name", nil)
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if revision != "" {
		r.Header.Set("Quire-Min-Revision", revision)
	}
	answer, err := straight.RoundTrip(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body) // it is used again
	return answer.StatusCode == http.StatusOK
}
