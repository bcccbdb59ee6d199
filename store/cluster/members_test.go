//go:build cluster

package cluster

import (
	"context"
	"errors"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// No member is taken out where the others would not go on, or where another one should be.
func TestWhichMembersCanBeTakenOut(t *testing.T) {
	up := func(name string) MemberState { return MemberState{Name: name, id: 1} }
	down := func(name string) MemberState { return MemberState{Name: name, id: 1, Problem: "no answer"} }
	learner := MemberState{Name: "new", id: 1, Learner: true, Problem: "no answer"}
	unknown := MemberState{Endpoint: "10.0.0.9:2379", Problem: "no answer"} // of the address alone
	for _, c := range []struct {
		what    string
		members []MemberState // of which the first one is to go
		refused bool
	}{
		{"the only one", []MemberState{up("a")}, true},
		{"the only one beside one that has no vote", []MemberState{up("a"), learner}, true},
		{"one of two", []MemberState{up("a"), up("b")}, false},
		{"the dead one of two, which have no majority", []MemberState{down("a"), up("b")}, false},
		{"the live one of two", []MemberState{up("a"), down("b")}, true},
		{"the dead one of three", []MemberState{down("a"), up("b"), up("c")}, false},
		{"one of three, another of which is dead", []MemberState{up("a"), down("b"), up("c")}, true},
		{"one dead of two of three", []MemberState{down("a"), down("b"), up("c")}, true},
		{"one that does not learn to the end", []MemberState{learner, up("a"), down("b"), up("c")}, false},
		{"one where the address names what is none", []MemberState{up("a"), up("b"), up("c"), unknown}, false},
	} {
		if err := enoughWithout(c.members, 0); (err != nil) != c.refused || err != nil && !errors.As(err, new(*QuorumError)) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// A member that is removed while it leads gives no response: etcd elects another leader first.
// That the removal had none does not mean that it failed.
func TestARemovalWithoutAResponseIsTriedAgain(t *testing.T) {
	for err, later := range map[error]bool{
		nil:                                false,
		rpctypes.ErrUnhealthy:              true,
		rpctypes.ErrNoLeader:               true,
		context.DeadlineExceeded:           true,
		rpctypes.ErrPermissionDenied:       false,
		rpctypes.ErrMemberNotEnoughStarted: false,
	} {
		if got := isForLater(err); got != later {
			t.Errorf("%v: tried again: %t", err, got)
		}
	}
}
