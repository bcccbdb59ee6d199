//go:build cluster

package cluster

import (
	"fmt"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// A node that hears of nobody while etcd forgets what was before loads everything when it
// goes on, while the others write.
func TestANodeIsAwayWhileEtcdIsCompacted(t *testing.T) {
	t.Parallel()
	s := start(t, 3, 1)
	s.nodes[0].live(s, "before")
	writer := s.writer()
	away := s.otherThan(writer)
	away.pause()
	writer.live(s, "meanwhile")
	s.members[0].compact(t)
	var all sync.WaitGroup
	for client := range 3 {
		all.Go(func() { writer.live(s, fmt.Sprint("while it loads ", client)) })
	}
	away.resume()
	all.Wait()
	away.writeAtLast(s)
	s.endAlike()
}

// compact has etcd forget all former values.
func (m *member) compact(t *testing.T) {
	t.Helper()
	to, err := clientv3.New(clientv3.Config{Endpoints: []string{m.address}})
	check(t, err)
	defer to.Close()
	now, err := to.Get(t.Context(), "now")
	check(t, err)
	_, err = to.Compact(t.Context(), now.Header.Revision, clientv3.WithCompactPhysical())
	check(t, err)
}
