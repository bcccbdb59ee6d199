//go:build cluster

package cluster

import (
	"context"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store/cluster/member"
)

// servant is a node that says when it begins and ends to do what one does for all.
type servant struct {
	*peer
	began, ended chan bool
}

// serves has a node do what one does for all, whenever it is that one.
func serves(t *testing.T, p *peer) servant {
	s := servant{p, make(chan bool, 1), make(chan bool, 1)}
	go p.OnDuty(t.Context(), func(ctx context.Context) {
		s.began <- true
		<-ctx.Done()
		s.ended <- true
	})
	return s
}

// A node that did not hear of etcd for a while, or had no answer when it took the duties, has
// them again as long as its lease is not over: nobody else can take them.
func TestANodeTakesItsDutiesAgain(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one, two := joinPeer(t, endpoint, "guide", "one", nil), joinPeer(t, endpoint, "guide", "two", nil)
	one.stop() // it looks no more, so that it hears of etcd by the duties alone
	one.running.Wait()
	kept, err := one.Journal.etcd().KeepAlive(t.Context(), clientv3.LeaseID(one.lease.Load()))
	must(t, err)
	go func() {
		for range kept { // however long this takes
		}
	}()
	s := serves(t, one)
	<-s.began
	for range 2 {
		one.Journal.heard.Store(time.Now().Add(-leaseTime * time.Second).UnixNano())
		<-s.ended
		two.lookNow(t)
		two.change(func(v *clusterView) { v.duty = "" }) // as if its view were old
		if two.takeDuty(t.Context()) {
			t.Error("two nodes have the duties")
		}
		<-s.began
	}
	one.Journal.heard.Store(0)
	<-s.ended
}

// The duties are with a node that has the schemas which the content is for: no other one can
// publish at a time, or say which webhooks were sent.
func TestTheDutiesFollowTheSchemas(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	beginEmpty(t, openJournal(t, endpoint, "guide"))
	one := serves(t, joinPeer(t, endpoint, "guide", "one", nil))
	<-one.began
	changed := openJournal(t, endpoint, "guide")
	changed.schema = "changed"
	must(t, changed.Activate(t.Context()))
	two := serves(t, joinPeer(t, endpoint, "guide", "two", nil))
	<-one.ended
	<-two.began
	one.lookNow(t)
	if has := one.seen.Load().duty; has != "two" {
		t.Errorf("%q has the duties", has)
	}
	two.Close()
	three := serves(t, joinPeer(t, endpoint, "guide", "three", nil))
	<-three.began
}
