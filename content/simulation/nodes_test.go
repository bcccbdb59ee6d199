package simulation

import (
	"context"
	"errors"
	"os"
	"testing/synctest"

	"quire/store"
	"quire/store/storetest"
)

// errLine is the error of a line that is cut.
var errLine = errors.New("the line is cut")

// link is what a node has to the journal that all nodes share: requests and answers get lost
// or are late, and what others have written comes late, twice, or not before the line is
// there again.
type link struct {
	*storetest.Memory
	node *node

	plan  string        // what happens to the next proposal
	open  chan struct{} // closed while messages come through
	cut   bool          // nothing comes through
	twice bool          // each message comes twice
}

// faults of a proposal, and of the line from then on.
var lineFaults = []string{"lost request", "lost answer", "late request", "refused", "slow line", "cut line", "repeated messages"}

func newLink(m *storetest.Memory, n *node) *link {
	l := &link{Memory: m, node: n}
	l.reset()
	return l
}

// reset ends all faults.
func (l *link) reset() {
	if l.plan, l.cut, l.twice = "", false, false; l.open == nil {
		l.open = make(chan struct{})
		close(l.open)
	}
	select {
	case <-l.open:
	default:
		close(l.open)
	}
}

// strike begins a fault, in one of some steps.
func (l *link) strike() {
	if l.node.random.IntN(12) > 0 {
		return
	}
	l.reset()
	fault := l.node.one(lineFaults...)
	l.node.count(fault)
	switch fault {
	case "slow line":
		l.open = make(chan struct{})
	case "cut line":
		l.cut = true
	case "repeated messages":
		l.twice = true
	default:
		l.plan = fault
	}
}

// Propose implements store.Journal.
func (l *link) Propose(ctx context.Context, b store.Batch) (uint64, error) {
	plan := l.plan
	l.plan = ""
	switch {
	case l.cut || plan == "refused":
		return 0, &store.RefusedError{Err: errLine}
	case plan == "lost request":
		return 0, storetest.ErrLost
	case plan == "late request":
		l.node.overtaken()
	}
	position, err := l.Memory.Propose(ctx, b)
	if err == nil && plan == "lost answer" {
		return 0, storetest.ErrLost
	}
	return position, err
}

// Follow implements store.Journal.
func (l *link) Follow(ctx context.Context, after uint64, fn func(store.Batch) error) error {
	return l.Memory.Follow(ctx, after, func(b store.Batch) error {
		select {
		case <-l.open:
		case <-ctx.Done():
			return ctx.Err()
		}
		if l.cut {
			return errLine
		}
		if l.twice {
			if err := fn(b); err != nil {
				return err
			}
		}
		return fn(b)
	})
}

// Fresh implements store.Journal.
func (l *link) Fresh(ctx context.Context) (uint64, error) {
	if l.cut {
		return 0, errLine
	}
	return l.Memory.Fresh(ctx)
}

// overtaken has another node write before the proposal of this one arrives.
func (n *node) overtaken() {
	for _, other := range n.nodes {
		if other != n && !other.lost && !other.journal.cut {
			other.fresh()
			other.alone(other.plan())
			return
		}
	}
}

// nodeStep does one step on a node of several.
func (n *node) nodeStep() {
	if n.journal.strike(); n.random.IntN(40) == 0 {
		n.disturb()
	}
	if n.lost {
		n.reopen()
	}
	if n.random.IntN(2) == 0 {
		n.alone(n.plan()) // perhaps on what others have changed meanwhile
	} else {
		n.step()
	}
	synctest.Wait() // the others have what comes through
}

// disturb kills the process, takes its file away, or makes the journal forget.
func (n *node) disturb() {
	switch fault := n.one("kill", "lost file", "short journal"); fault {
	case "short journal":
		n.count(fault)
		n.journal.Compact()
	default:
		n.count(fault)
		n.restart(false)
		n.fresh()
		if fault == "lost file" {
			must(n.writer.Close())
			must(n.db.Close())
			must(os.Remove(n.path))
			n.open()
		}
		n.check()
	}
}
