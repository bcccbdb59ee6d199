//go:build cluster

package cluster

// lines are those of a node.
type lines struct {
	toMembers []*line // in the order of the members
	fromNodes *line   // by which other nodes reach it
}

// openLines opens the lines of a node that listens for other nodes at an address.
func openLines(s *site, listens string) (l lines) {
	for _, m := range s.members {
		l.toMembers = append(l.toMembers, openLine(s.t, m.address))
	}
	l.fromNodes = openLine(s.t, listens)
	return l
}

// cluster is the address of the site as this node reaches it.
func (l lines) cluster(s *site) string {
	endpoints := make([]string, len(l.toMembers))
	for i, to := range l.toMembers {
		endpoints[i] = to.address
	}
	return addressOf(endpoints, s.name)
}

// troubled has the lines to all members have a trouble.
func (l lines) troubled(is trouble) {
	for _, to := range l.toMembers {
		to.set("", is)
	}
}

// healed ends the troubles of all lines of the site.
func (s *site) healed() {
	for _, n := range s.nodes {
		n.fromNodes.heal()
		for _, to := range n.toMembers {
			to.heal()
		}
	}
	for _, m := range s.members {
		m.line.heal()
	}
}

// isolate has what a member sends to the others, or they to it, in trouble. A member gets
// most of what it hears in answer to a request of its own.
func (s *site) isolate(m *member, hears, message condition) {
	m.line.set("", trouble{there: hears, back: message})
	for _, other := range s.members {
		if other != m {
			other.line.set(m.line.address, trouble{there: message, back: hears})
		}
	}
}
