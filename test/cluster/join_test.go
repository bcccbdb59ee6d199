//go:build cluster

package cluster

import (
	"os"
	"slices"
	"strings"
	"testing"

	"quire/test/program"
)

// A fourth member joins three; one that is dead is taken out, and a new one takes its place.
// Clients notice nothing, and the new members are as good as the first ones.
func TestMembersJoinAndGo(t *testing.T) {
	t.Parallel()
	s := begin(t, startMembers(t, 3), "guide", 2, layout{})
	s.nodes[0].live(s, "of three")
	fourth := s.joinMember("m3")
	s.nodes[1].live(s, "of four")
	dead := s.members[0]
	dead.kill()
	s.nodes[0].writeAtLast(s)
	s.refuseRemoval("m1", "it answers, and m0 does not")
	program.Succeed(t, "cluster", "remove", s.cluster, "--member", "m0")
	s.refuseRemoval("m9", `etcd has no member "m9"`)
	s.joinMember("m4")
	if is := program.Succeed(t, "cluster", "status", s.cluster); strings.Contains(is, "m0") || !strings.Contains(is, "m4 at") || !strings.Contains(is, "is not in the address of the cluster") {
		t.Errorf("status says\n%s", is)
	}
	fourth.kill()
	fourth.restart(t) // with the flags that it joined with
	program.Succeed(t, "cluster", "remove", s.cluster, "--member", "m1")
	if err := s.members[1].server.Wait(); err == nil || !strings.Contains(s.members[1].server.Log.String(), "was removed from etcd") {
		t.Errorf("the member that was taken out: %v\n%s", err, s.members[1].server.Log)
	}
	s.members[1].ended = true
	s.nodes[0].writeAtLast(s)
	others := "etcd://" + s.members[2].address + "," + fourth.address + "/guide"
	for _, n := range s.nodes {
		n.stop(t)
		n.args[slices.Index(n.args, s.cluster)] = others
		n.restart(t)
	}
	s.cluster = others
	s.nodes[1].live(s, "of the last three")
	s.endAlike()
}

// A member whose data is gone does not come back under its name before it was taken out, and
// one that holds everything cannot be.
func TestAMemberThatLostItsDataIsTakenOutFirst(t *testing.T) {
	t.Parallel()
	s := &site{t: t, members: startMembers(t, 1)}
	s.cluster = "etcd://" + s.members[0].address + "/guide"
	s.refuseRemoval("m0", "it is the only one")
	s.joinMember("m1")
	lost := s.joinMember("m2")
	lost.kill()
	check(t, os.RemoveAll(lost.folder()))
	if code, _, stderr := program.Run(t, lost.args...); code != 1 || !strings.Contains(stderr, "take it out first: quire cluster remove CLUSTER --member m2") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
	program.Succeed(t, "cluster", "remove", s.cluster, "--member", "m2")
	lost.restart(t)
}

// folder is that of the member's data.
func (m *member) folder() string {
	for i, arg := range m.args {
		if arg == "--data" {
			return m.args[i+1]
		}
	}
	return ""
}

// joinMember starts a member that adds itself to the others.
func (s *site) joinMember(name string) *member {
	s.t.Helper()
	hosts, _, _ := strings.Cut(strings.TrimPrefix(s.cluster, "etcd://"), "/")
	m := newMember(s.t, name)
	m.args = append(m.args, "--peer", m.peer, "--join", hosts)
	m.restart(s.t)
	return m
}

// refuseRemoval demands that a member cannot be taken out, and why.
func (s *site) refuseRemoval(name, message string) {
	s.t.Helper()
	code, stdout, stderr := program.Run(s.t, "cluster", "remove", s.cluster, "--member", name)
	if code != 1 || !strings.Contains(stderr, message) {
		s.t.Errorf("taking %s out: exit %d\n%s%s", name, code, stdout, stderr)
	}
}
