//go:build cluster

package cluster

import (
	"strings"
	"testing"

	"quire/test/program"
)

// Status says which nodes and members do not answer, and fails where etcd cannot say what
// there is.
func TestStatusOfWhatIsGone(t *testing.T) {
	s := begin(t, startMembers(t, 3), "guide", 2, layout{})
	s.nodes[1].kill()
	s.members[2].kill()
	s.nodes[0].writeAtLast(s)
	is := program.Succeed(t, "cluster", "status", s.cluster)
	for _, line := range []string{"node-1 at", "node-2 at", "m2 at " + s.members[2].address + ", does not answer: connect: connection refused"} {
		if !strings.Contains(is, line) {
			t.Errorf("status does not say %q:\n%s", line, is)
		}
	}
	for _, n := range s.status().Nodes {
		if (n.Problem == "") != (n.Name == "node-1") {
			t.Errorf("the node %s: %q", n.Name, n.Problem)
		}
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
