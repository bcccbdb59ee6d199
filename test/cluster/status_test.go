//go:build cluster

package cluster

import (
	"maps"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// Status says which nodes and members do not answer, and fails where etcd cannot say what
// there is.
func TestStatusOfWhatIsGone(t *testing.T) {
	t.Parallel()
	s := begin(t, startMembers(t, 3), "guide", 2, layout{})
	s.members[2].kill()
	s.nodes[0].writeAtLast(s)
	s.nodes[1].kill()
	for end := time.Now().Add(settleTime); !s.listsTheDeadNode(); s.nodes[1].kill() { // its lease may end before a busy machine has looked
		if time.Now().After(end) {
			t.Fatalf("status says %+v", s.status())
		}
		s.nodes[1].restart(t)
	}
	if is := program.Succeed(t, "cluster", "status", s.cluster); !strings.Contains(is, "node-1 at") || !strings.Contains(is, "m2 at "+s.members[2].address+", does not answer: connect: connection refused") {
		t.Errorf("status says\n%s", is)
	}
	code, _, stderr := program.Run(t, "cluster", "status", strings.TrimSuffix(s.cluster, "guide")+"other")
	if code != 1 || !strings.Contains(stderr, `no site of the name "other"`) {
		t.Errorf("of a site that is not there: exit %d %s", code, stderr)
	}
	s.members[1].kill()
	code, stdout, stderr := program.Run(t, "cluster", "status", s.cluster)
	if code != 1 || strings.Count(stdout, "does not answer") != 2 || !strings.Contains(stdout, "m0 at") || !strings.Contains(stderr, "it answers, but a majority of the members does not") {
		t.Errorf("without a majority: exit %d\n%s%s", code, stdout, stderr)
	}
}

// listsTheDeadNode reports whether status lists both nodes, and says of the second one alone that
// it does not answer.
func (s *site) listsTheDeadNode() bool {
	problems := map[string]bool{}
	for _, n := range s.status().Nodes {
		problems[n.Name] = n.Problem != ""
	}
	return maps.Equal(problems, map[string]bool{"node-1": false, "node-2": true})
}
