//go:build cluster

package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/program"
)

// Once an import has replaced the content through one node, every node shows the new
// content to whoever has a credential, and anonymous readers are answered all the time.
func TestAnImportIsSeenEverywhereAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, 3, 1)
	stop, ended := make(chan struct{}), make(chan string, 1)
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if status, text, err := s.nodes[1].send(&site{t: t}, "GET", "/_health", ""); err != nil || status != 204 {
				ended <- fmt.Sprintf("%d %s, %v", status, text, err)
				return
			}
		}
	}()
	archive := filepath.Join(testdata, "export", "guide.tar.gz")
	for round := range 3 {
		marker := fmt.Sprintf("Made before import %d", round)
		s.nodes[2].write(s, "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": %q}}`, marker), 201)
		program.Run(t, "import", "--replace", s.nodes[0].folder, archive)
		for _, n := range s.nodes {
			status, text, err := n.send(s, "GET", "/api/dishes?pagination[pageSize]=100", "")
			if err != nil || status != 200 || strings.Contains(string(text), marker) || !strings.Contains(string(text), `"documentId"`) {
				t.Errorf("after import %d %s answers %d %.200s, %v", round, n.name, status, text, err)
			}
		}
	}
	close(stop)
	if failed, is := <-ended; is {
		t.Errorf("a read meanwhile: %s", failed)
	}
	s.atOneRevision() // files of an archive lie with the node that has imported it, unless there is a bucket
}

// An import at a node whose site folder is not that of the cluster is refused with what to
// do, and changes nothing: it would make that folder the cluster's.
func TestAnImportAtANodeWithAnotherFolder(t *testing.T) {
	t.Parallel()
	s := begin(t, startMembers(t, 1), "guide", 2, layout{})
	made := s.nodes[0].write(s, "POST", "/api/dishes", `{"data": {"name": "Stays"}}`, 201)
	n := s.nodes[1]
	n.stop(t)
	other, err := os.ReadFile(filepath.Join(newFolder(t, layout{reads: `{"reads": {"credential": "local"}}`}), "site.json"))
	check(t, err)
	check(t, os.WriteFile(filepath.Join(n.folder, "site.json"), other, 0o600))
	n.restart(t)
	code, _, stderr := program.Run(t, "import", "--replace", n.folder, filepath.Join(testdata, "export", "guide.tar.gz"))
	if code == 0 || !strings.Contains(stderr, "quire cluster activate") {
		t.Errorf("the import ends with %d %s", code, stderr)
	}
	for _, n := range s.nodes {
		n.until(s, "/api/dishes/"+made, "Stays")
	}
	if text := program.Succeed(t, "cluster", "status", s.cluster); strings.Contains(text, "generation  2") {
		t.Errorf("another generation is there:\n%s", text)
	}
}
