//go:build !cluster

package app

import (
	"context"
	"errors"

	"quire/app/inspect"
	"quire/server"
	"quire/store"
)

// nodePart is empty, because the program was built without the tag cluster.
type nodePart struct{}

func (nodePart) joined() bool { return false }

var errWithout = errors.New("this program was built without the tag cluster")

// openOwn opens the data file, which only this server uses.
func (a *App) openOwn(how Joining) (*store.DB, error) {
	if how.Cluster != "" {
		return nil, errWithout
	}
	return a.at.openAlone(store.Options{Timeout: a.at.Wait})
}

func (a *App) joinCluster() error                { return nil }
func (a *App) serveNodes(context.Context)        {}
func (a *App) keepJoining(context.Context)       {}
func (a *App) leaveCluster()                     {}
func (a *App) nodes() server.Nodes               { return nil }
func (a *App) closeJournal() error               { return nil }
func (a *App) isNode() bool                      { return a.node.joined() }
func (a *App) fitsCluster(context.Context) error { return nil }

// onDuty runs the duties, because there is only one server.
func (a *App) onDuty(ctx context.Context, do func(context.Context)) { do(ctx) }

// CheckReplica returns an error, because there are no nodes.
func (Location) CheckReplica(context.Context, Joining, *inspect.Report) error { return errWithout }
