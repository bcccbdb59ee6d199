//go:build cluster

package app

import (
	"context"
	"errors"
	"time"

	"quire/store"
	"quire/store/cluster"
)

// A node joins the others when it starts. If etcd cannot be reached or is full, the node
// serves the content of its data file, and joins as soon as possible.

// joinInterval is how often a node retries to join.
const joinInterval = time.Second

// joinCluster registers this node with the others if etcd can be reached.
func (a *App) joinCluster() error {
	if !a.isNode() {
		return nil
	}
	if a.node.journal.Apart() {
		a.log.Error("etcd cannot be reached; this node serves its own copy of the content, and accepts no writes until then")
		return nil
	}
	err := a.join(context.Background())
	switch {
	case errors.As(err, new(*cluster.UnreachableError)):
		a.log.Error("etcd cannot be reached any more; this node serves its own copy of the content", "error", err)
		return nil
	case errors.Is(err, store.ErrFull):
		a.log.Error("this node cannot join the others until etcd has space; it serves its content, and accepts no writes", "error", err)
		return nil
	}
	return err
}

// join registers this node with the others.
func (a *App) join(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	if a.node.journal.Apart() {
		if err := a.node.journal.Check(ctx); err != nil {
			return err
		}
	}
	n, err := cluster.Join(ctx, a.node.journal, a.node.member, a.log)
	if err != nil {
		return err
	}
	a.node.node.Store(n)
	close(a.node.joined)
	return nil
}

// keepJoining retries to join until it succeeds or ctx is done.
func (a *App) keepJoining(ctx context.Context) {
	ticks := time.NewTicker(joinInterval)
	defer ticks.Stop()
	said := ""
	for a.isNode() && a.node.node.Load() == nil {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		switch err := a.join(ctx); {
		case err == nil:
			a.log.Warn("etcd can be reached; this node is one of the cluster")
			a.makeRoles()
		case err.Error() != said && ctx.Err() == nil:
			said = err.Error()
			a.log.Error("this node cannot join the others yet", "error", err)
		}
	}
}

// makeRoles creates the roles that the site needs and that could not be written before.
func (a *App) makeRoles() {
	a.changing.Lock()
	defer a.changing.Unlock()
	a.makeRolesLocked()
}

// awaitNode waits until this node has joined. It returns nil if ctx is done first, or if
// this server is not a node.
func (a *App) awaitNode(ctx context.Context) *cluster.Node {
	if !a.isNode() {
		return nil
	}
	select {
	case <-ctx.Done():
	case <-a.node.joined:
	}
	return a.node.node.Load()
}
