//go:build cluster

package cluster

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"

	"quire/test/program"
)

// fault is one thing that fails by itself. begin returns the node that is gone or silent
// for everybody, if there is one, and what ends the fault.
type fault struct {
	name  string
	begin func(h *history, by *rand.Rand) (gone *node, end func())
}

// isSlow reports whether few requests are answered while the fault lasts.
func (f fault) isSlow() bool { return strings.Contains(f.name, "slow") }

// ways are in which lines between two are cut.
var ways = []struct {
	name string
	is   trouble
}{
	{"both ways", cut},
	{"one way, there", cutThere},
	{"one way, back", cutBack},
	{"and stand still", still},
}

// faults lists all of them.
func faults() (all []fault) {
	all = append(all,
		fault{"a node is killed", func(h *history, _ *rand.Rand) (*node, func()) { return h.killNode(h.site.otherThan(h.site.writer())) }},
		fault{"a node stands still", func(h *history, _ *rand.Rand) (*node, func()) { return h.pauseNode(h.site.otherThan(h.site.writer())) }},
		fault{"the writer is killed", func(h *history, _ *rand.Rand) (*node, func()) { return h.killNode(h.site.writer()) }},
		fault{"the writer stands still", func(h *history, _ *rand.Rand) (*node, func()) { return h.pauseNode(h.site.writer()) }},
	)
	for _, which := range []string{"a member of etcd", "the leader of etcd"} {
		leads := which == "the leader of etcd"
		all = append(all,
			fault{which + " is killed", func(h *history, _ *rand.Rand) (*node, func()) { return h.killMember(h.site.member(leads)) }},
			fault{which + " stands still", func(h *history, _ *rand.Rand) (*node, func()) { return h.pauseMember(h.site.member(leads)) }},
		)
		for _, way := range ways {
			all = append(all, fault{which + " is cut off from the others: " + way.name, func(h *history, _ *rand.Rand) (*node, func()) {
				h.site.isolate(h.site.member(leads), way.is.there, way.is.back)
				return nil, h.site.healed
			}})
		}
	}
	for _, way := range ways {
		all = append(all, cutFaults(way.name, way.is)...)
	}
	return append(all, slowFaults()...)
}

// cutFaults are those of lines of nodes.
func cutFaults(how string, is trouble) []fault {
	return []fault{
		{"the writer is cut off from etcd: " + how, func(h *history, _ *rand.Rand) (*node, func()) {
			h.site.writer().troubled(is)
			return nil, h.site.healed
		}},
		{"a node is cut off from etcd: " + how, func(h *history, _ *rand.Rand) (*node, func()) {
			h.site.otherThan(h.site.writer()).troubled(is)
			return nil, h.site.healed
		}},
		{"the writer is cut off from one member of etcd: " + how, func(h *history, by *rand.Rand) (*node, func()) {
			h.site.writer().toMembers[by.IntN(len(h.site.members))].set("", is)
			return nil, h.site.healed
		}},
		{"the writer is cut off from the other nodes: " + how, func(h *history, _ *rand.Rand) (*node, func()) {
			h.site.writer().fromNodes.set("", is)
			return nil, h.site.healed
		}},
	}
}

// slowFaults delay what is sent by 50 to 300 ms each way.
func slowFaults() []fault {
	delay := func(by *rand.Rand) trouble { return slow(time.Duration(50+by.IntN(251)) * time.Millisecond) }
	return []fault{
		{"etcd is slow for all nodes", func(h *history, by *rand.Rand) (*node, func()) {
			is := delay(by)
			for _, n := range h.site.nodes {
				n.troubled(is)
			}
			return nil, h.site.healed
		}},
		{"etcd is slow for the writer", func(h *history, by *rand.Rand) (*node, func()) {
			h.site.writer().troubled(delay(by))
			return nil, h.site.healed
		}},
		{"members of etcd are slow to each other", func(h *history, by *rand.Rand) (*node, func()) {
			is := delay(by)
			for _, m := range h.site.members {
				m.line.set("", is)
			}
			return nil, h.site.healed
		}},
		{"nodes are slow to each other", func(h *history, by *rand.Rand) (*node, func()) {
			is := delay(by)
			for _, n := range h.site.nodes {
				n.fromNodes.set("", is)
			}
			return nil, h.site.healed
		}},
	}
}

// fileFaults are those of the object store.
func fileFaults() (all []fault) {
	all = append(all, fault{"the object store is killed", func(h *history, _ *rand.Rand) (*node, func()) {
		h.store.Kill()
		return nil, func() { h.store.Restart(h.site.t) }
	}})
	for _, way := range ways {
		all = append(all, fault{"the object store is cut off: " + way.name, func(h *history, _ *rand.Rand) (*node, func()) {
			h.store.line.set("", way.is)
			return nil, h.store.line.heal
		}})
	}
	return append(all, fault{"the object store is slow", func(h *history, by *rand.Rand) (*node, func()) {
		h.store.line.set("", slow(time.Duration(50+by.IntN(251))*time.Millisecond))
		return nil, h.store.line.heal
	}})
}

func (h *history) killNode(n *node) (*node, func()) {
	n.downs.Add(1)
	n.kill()
	return n, func() {
		n.restart(h.site.t)
		n.downs.Add(1)
	}
}

func (h *history) pauseNode(n *node) (*node, func()) {
	n.downs.Add(1)
	n.pause()
	return n, func() {
		n.resume()
		n.downs.Add(1)
	}
}

func (h *history) killMember(m *member) (*node, func()) {
	m.kill()
	return nil, func() { m.restart(h.site.t) }
}

func (h *history) pauseMember(m *member) (*node, func()) {
	m.pause()
	return nil, m.resume
}

// member is the one that leads etcd, or another one.
func (s *site) member(leads bool) *member {
	s.t.Helper()
	var is struct {
		Members []struct {
			Endpoint string
			Leader   bool
		}
	}
	check(s.t, json.Unmarshal([]byte(program.Succeed(s.t, "cluster", "status", "--json", s.cluster)), &is))
	for i, m := range is.Members {
		if m.Leader == leads && strings.HasSuffix(m.Endpoint, s.members[i].address) {
			return s.members[i]
		}
	}
	s.t.Fatalf("of the members none leads etcd: %+v", is.Members)
	return nil
}
