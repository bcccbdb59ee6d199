//go:build cluster

package cluster

import (
	"crypto/rand"
	"testing"
	"time"
)

// While the node that writes answers nobody, the others write; it has what they wrote when
// it goes on.
func TestTheWriterIsPaused(t *testing.T) {
	t.Parallel()
	s := start(t, 3, 1)
	s.nodes[0].live(s, "before")
	paused := s.writer()
	paused.pause()
	other := s.otherThan(paused)
	other.writeAtLast(s)
	other.live(s, "meanwhile")
	paused.resume()
	paused.writeAtLast(s)
	s.endAlike()
}

// The nodes go on without one of three members of etcd, whether it is gone or answers
// nobody.
func TestAMemberFails(t *testing.T) {
	t.Parallel()
	s := start(t, 2, 3)
	for _, m := range s.members {
		m.kill()
		s.nodes[0].writeAtLast(s)
		s.nodes[1].live(s, "without "+m.address)
		m.restart(t)
		m.pause()
		s.nodes[0].writeAtLast(s)
		s.nodes[1].live(s, "while nobody hears "+m.address)
		m.resume()
	}
	s.endAlike()
}

// writer is the node that writes.
func (s *site) writer() *node {
	s.t.Helper()
	for _, n := range s.status().Nodes {
		for _, known := range s.nodes {
			if n.Writes && n.Name == known.name {
				return known
			}
		}
	}
	s.t.Fatal("no node writes")
	return nil
}

func (s *site) otherThan(one *node) *node {
	if s.nodes[0] == one {
		return s.nodes[1]
	}
	return s.nodes[0]
}

// writeAtLast tries to write until it is answered.
func (n *node) writeAtLast(s *site) {
	s.t.Helper()
	for end := time.Now().Add(settleTime); ; {
		status, text, err := n.send(s, "POST", "/api/dishes", `{"data": {"name": "`+rand.Text()+`"}}`)
		switch {
		case status == 201:
			return
		case err != nil || status != 503 || time.Now().After(end):
			s.t.Fatalf("a write at %s: %d %s, %v", n.name, status, text, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
