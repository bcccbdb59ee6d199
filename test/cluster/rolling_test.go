//go:build cluster

package cluster

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quire/test/program"
)

// from is what TestTheProgramIsExchanged begins with:
//
//	go test -tags cluster ./test/cluster -run Exchanged -long -from 7616171
var from = flag.String("from", "", "revision of the program that nodes have before another takes its place; the last tag without it")

// The nodes get another version of the program, one after another. Somebody who asks another
// node where one does not answer is never refused a read, and no acknowledged write is lost.
func TestTheProgramIsExchanged(t *testing.T) {
	program.NeedLong(t)
	t.Parallel()
	former := buildFormer(t)
	s := begin(t, startMembers(t, 3), "guide", 3, layout{program: former, reads: `{"reads": {"anonymous": "local"}}`})
	end := s.underLoad()
	for _, n := range s.nodes {
		n.stop(t)
		n.program = ""
		n.restart(t)
		n.writeAtLast(s)
		t.Logf("with %s exchanged:\n%s", n.name, program.Succeed(t, "cluster", "status", s.cluster))
	}
	end()
	s.endAlike()
}

// buildFormer builds the program of an earlier revision.
func buildFormer(t *testing.T) (path string) {
	t.Helper()
	revision := *from
	if revision == "" {
		tag, err := exec.Command("git", "describe", "--tags", "--abbrev=0").Output()
		if err != nil {
			t.Skip("the repository has no tag, and -from names no revision to begin with")
		}
		revision = strings.TrimSpace(string(tag))
	}
	folder := t.TempDir()
	archive := exec.Command("git", "archive", "--output", filepath.Join(folder, "source.tar"), revision)
	archive.Dir = filepath.Join("..", "..")
	runs(t, archive)
	unpack := exec.Command("tar", "-xf", "source.tar")
	unpack.Dir = folder
	runs(t, unpack)
	build := exec.Command("go", "build", "-tags", "cluster", "-buildvcs=false", "-o", "former", ".")
	build.Dir, build.Env = folder, append(os.Environ(), "CGO_ENABLED=0")
	runs(t, build)
	return filepath.Join(folder, "former")
}

func runs(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
}

// The nodes get a changed site folder in the three steps of the documentation, and clients
// read and write all the time.
func TestTheSiteFolderIsExchanged(t *testing.T) {
	t.Parallel()
	s := begin(t, startMembers(t, 1), "guide", 3, layout{reads: `{"reads": {"anonymous": "local"}}`})
	s.nodes[0].write(s, "POST", "/api/dishes", `{"data": {"name": "Borshch"}}`, 201)
	end := s.underLoad()
	for _, n := range s.nodes[1:] {
		n.stop(t)
		n.changeFolder(t)
		n.restart(t)
		n.writeAtLast(s)
	}
	program.Succeed(t, "cluster", "activate", s.cluster, s.nodes[1].folder)
	for _, n := range s.nodes {
		n.writeAtLast(s)
	}
	s.nodes[0].stop(t)
	s.nodes[0].changeFolder(t)
	s.nodes[0].restart(t)
	for _, n := range s.nodes {
		n.write(s, "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "With a note by %s", "note": "%s"}}`, n.name, n.name), 201)
		n.write(s, "POST", "/api/notes", `{"data": {"text": "of a type that is new"}}`, 201)
	}
	end()
	s.endAlike()
}

// changeFolder adds an attribute and a type to the site of a node.
func (n *node) changeFolder(t *testing.T) {
	t.Helper()
	path := filepath.Join(n.folder, "src", "api", "dish", "content-types", "dish", "schema.json")
	text, err := os.ReadFile(path)
	check(t, err)
	changed := strings.Replace(string(text), `"attributes": {`, `"attributes": { "note": { "type": "string", "default": "none" },`, 1)
	check(t, os.WriteFile(path, []byte(changed), 0o600))
	path = filepath.Join(n.folder, "src", "api", "note", "content-types", "note", "schema.json")
	check(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check(t, os.WriteFile(path, []byte(`{"kind": "collectionType", "collectionName": "notes",
		"info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
		"options": {"draftAndPublish": false}, "attributes": {"text": {"type": "string"}}}`), 0o600))
}

// underLoad has clients read and write until end is called, which demands that no read was
// refused and that each acknowledged write is there.
func (s *site) underLoad() (end func()) {
	stop := make(chan struct{})
	var clients sync.WaitGroup
	var reads, writes, refused, without atomic.Int64
	var stored sync.Map
	again := func(do func(i int)) {
		clients.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					do(i)
				}
			}
		})
	}
	again(func(i int) {
		reads.Add(1)
		if status := s.readSomewhere(i); status != http.StatusOK {
			s.t.Errorf("a read: %d", status)
		}
	})
	for id, n := range s.nodes {
		again(func(i int) {
			name := fmt.Sprintf("Load %d %d", id, i)
			status, text, err := n.send(s, "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": %q}}`, name))
			switch {
			case err == nil && status == 201:
				writes.Add(1)
				stored.Store(name, true)
			case err == nil && status != 503:
				s.t.Errorf("a write: %d %s", status, text)
			case err == nil:
				refused.Add(1)
			default:
				without.Add(1)
				time.Sleep(20 * time.Millisecond) // before a node that is gone is asked again
			}
		})
	}
	halt := sync.OnceFunc(func() { close(stop); clients.Wait() })
	s.t.Cleanup(halt) // before the nodes are ended
	return func() {
		halt()
		s.t.Logf("%d reads, %d writes, %d refused, %d without an answer", reads.Load(), writes.Load(), refused.Load(), without.Load())
		if reads.Load() == 0 || writes.Load() == 0 {
			s.t.Error("there was no load")
		}
		s.requireStored(&stored)
	}
}

// readSomewhere reads without a credential, at another node where one does not answer.
func (s *site) readSomewhere(first int) (status int) {
	for i := range s.nodes {
		answer, err := straight.RoundTrip(mustRequest(s.nodes[(first+i)%len(s.nodes)].URL + "/api/dishes?pagination[pageSize]=1"))
		if err != nil {
			continue // it is being restarted, and a load balancer knows that
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		return answer.StatusCode
	}
	return 0
}

func mustRequest(url string) *http.Request {
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		panic(err)
	}
	return r
}

// requireStored demands that the dishes of these names are there.
func (s *site) requireStored(names *sync.Map) {
	s.t.Helper()
	there := program.Export(s.t, s.nodes[0].folder)
	names.Range(func(name, _ any) bool {
		if !strings.Contains(there, fmt.Sprintf("%q", name)) {
			s.t.Errorf("%q was acknowledged, and is not there", name)
		}
		return true
	})
}
