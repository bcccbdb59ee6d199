//go:build cluster

package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"quire/store/cluster/member"
	"quire/test/program"
)

// A node asks the member that leads, from the start and after another one was asked, and the
// next one once that is gone.
func TestTheMemberThatLeadsIsAsked(t *testing.T) {
	endpoints, end := startMembers(t, 3)
	j, err := Open(Address{Endpoints: endpoints, Site: "guide"}, Options{Node: "one"})
	must(t, err)
	t.Cleanup(func() { j.Close() })
	beginEmpty(t, j)
	must(t, j.Check(t.Context()))
	first := j.asksLeader(t)
	j.to.Add(1) // as where that one has not answered for a while
	j.toLeader(t.Context())
	if again := j.asksLeader(t); again != first {
		t.Errorf("member %d is asked after %d", again, first)
	}
	end[first]()
	for ctx := t.Context(); ; j.toLeader(ctx) {
		if _, err := j.now(ctx); err != nil {
			continue // there is no other leader yet
		}
		if requested := j.to.Load(); j.leads(ctx, requested) && requested%3 != first {
			return
		}
	}
}

// asksLeader demands that the member that is asked leads, and returns which it is.
func (j *Journal) asksLeader(t *testing.T) uint64 {
	t.Helper()
	requested := j.to.Load()
	if !j.leads(t.Context(), requested) {
		t.Fatalf("the member %d is asked, and does not lead", requested%3)
	}
	return requested % 3
}

// startMembers starts an etcd of several members, each of which can be ended.
func startMembers(t *testing.T, n int) (endpoints []string, end []func()) {
	t.Helper()
	options, peers := make([]member.Options, n), make([]string, n)
	for i := range options {
		endpoints = append(endpoints, program.FreeAddress(t))
		options[i] = member.Options{Name: fmt.Sprint("m", i), Folder: t.TempDir(), Client: "http://" + endpoints[i], Peer: "http://" + program.FreeAddress(t)}
		peers[i] = options[i].Name + "=" + options[i].Peer
	}
	end = make([]func(), n)
	var all sync.WaitGroup
	for i, o := range options {
		o.Members = strings.Join(peers, ",")
		all.Go(func() {
			m, err := member.Start(context.Background(), o)
			if err != nil {
				t.Error(err)
				return
			}
			end[i] = sync.OnceFunc(m.Close)
			t.Cleanup(end[i])
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return endpoints, end
}
