//go:build cluster

package cluster

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// writes returns the node to which this one forwards writes, and false if it must commit
// them itself. After other schemas were activated, a node that has them replaces the one
// that wrote before.
func (n *Node) writes(ctx context.Context) (Member, bool) {
	v := n.seen.Load()
	to, known := v.members[v.writer]
	own, fits := v.writer == n.self.Name, n.fits(v)
	switch {
	case own && fits && !n.cutOff():
		return Member{}, false
	case !own && known && to.Schema == v.schema && n.calls.answers(to):
		return to, true
	case own, !fits, n.cutOff():
		return n.someoneFit(v)
	}
	if n.takeOver(ctx, v.writer) {
		n.log.Info("this node is now the one that writes", "before", v.writer)
		return Member{}, false
	}
	if err := n.look(ctx); err != nil {
		return Member{}, false
	}
	v = n.seen.Load()
	to, known = v.members[v.writer]
	return to, known && v.writer != n.self.Name
}

// someoneFit returns a node that has the schemas of the content, and reaches etcd. It
// commits the writes that it receives.
func (n *Node) someoneFit(v *clusterView) (Member, bool) {
	for _, m := range v.members {
		if m.Schema == v.schema && m.Name != n.self.Name && m.Name != v.writer && n.calls.answers(m) {
			return m, true
		}
	}
	return Member{}, false
}

// takeOver makes this node the writing node, if that is still the one with the name from,
// or none.
func (n *Node) takeOver(ctx context.Context, from string) bool {
	key := n.Journal.keys.writer()
	is := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
	if from != "" {
		is = clientv3.Compare(clientv3.Value(key), "=", from)
	}
	done := false
	err := n.Journal.within(ctx, func(ctx context.Context) error {
		answer, err := n.Journal.etcd().Txn(ctx).If(is).Then(clientv3.OpPut(key, n.self.Name)).Commit()
		done = err == nil && answer.Succeeded
		return err
	})
	if err != nil || !done {
		return false
	}
	n.change(func(v *clusterView) { v.writer = n.self.Name })
	return true
}
