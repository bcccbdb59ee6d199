//go:build cluster

package cluster

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/program"
)

// Once an import has replaced the content through one node, every node shows the new
// content to whoever has a credential, and anonymous readers are answered all the time.
func TestAnImportIsSeenEverywhereAtOnce(t *testing.T) {
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
