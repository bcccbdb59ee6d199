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

// TestFiguresOfRequests measures creates and reads, and when the others see a commit.
func TestFiguresOfRequests(t *testing.T) {
	program.NeedLong(t)
	members := startMembers(t, 3)
	s := begin(t, members, "guide", 3, layout{})
	here := begin(t, members, "local", 3, layout{reads: `{"reads": {"credential": "local"}}`})
	for range 10 { // as many as a page shows
		here.nodes[0].create(here, "first")
	}
	s.nodes[0].create(s, "first")
	writer := s.writer()
	for range 2 {
		for _, clients := range []int{1, 16, 64} {
			measure(t, fmt.Sprintf("creates through the node that writes, %d clients", clients), clients, func(int) bool { return writer.create(s, "a") })
			measure(t, fmt.Sprintf("creates over all nodes, %d clients", clients), clients, func(client int) bool { return s.nodes[client%3].create(s, "b") })
		}
		measure(t, "linearizable reads of a node that does not write, 16 clients", 16, func(int) bool { return s.otherThan(writer).get(s.token, "") })
		measure(t, "local reads of such a node, 16 clients", 16, func(int) bool { return here.nodes[2].get(here.token, "") })
	}
	other := s.otherThan(writer)
	stop, half := make(chan struct{}), sync.WaitGroup{}
	for range 8 { // with pauses: about half of what 16 clients do
		half.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					writer.create(s, "c")
				}
			}
		})
	}
	measure(t, "until another node shows a commit, at half load, with the request", 1, func(int) bool {
		return other.get(s.token, writer.revision(s.token))
	})
	close(stop)
	half.Wait()
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

// measure has clients do something again and again, and logs how often and how long.
func measure(t *testing.T, what string, clients int, do func(client int) bool) {
	t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var failed atomic.Int64
	end := time.Now().Add(measuring)
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for time.Now().Before(end) {
				began := time.Now()
				if !do(client) {
					failed.Add(1)
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	t.Logf("%s: %.0f/s, p50 %v, p99 %v, %d failed", what, float64(len(took))/measuring.Seconds(),
		took[len(took)/2].Round(100*time.Microsecond), took[len(took)*99/100].Round(100*time.Microsecond), failed.Load())
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
