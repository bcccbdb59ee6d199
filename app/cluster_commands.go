//go:build cluster

package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"quire/server"
	"quire/store"
	"quire/store/cluster"
)

// ClusterState is the state of a cluster.
type ClusterState struct {
	Revision    uint64              `json:"revision"`  // of the last commit
	Committed   time.Time           `json:"committed"` // when that was
	Schema      string              `json:"schema"`    // fingerprint of the schemas that the content is for
	Nodes       []ClusterNode       `json:"nodes"`
	Generations []ClusterGeneration `json:"generations"`
	Members     []ClusterMember     `json:"members"`
}

// ClusterNode is the state of a node, as other nodes see it and as it reports it.
type ClusterNode = cluster.NodeState

// ClusterMember is a member of etcd.
type ClusterMember = cluster.MemberState

// ClusterGeneration is one copy of the content in etcd.
type ClusterGeneration = cluster.Generation

// Beginning controls how a cluster is initialised. With Empty, no data file is needed. With
// IfMissing, a site that etcd already has is left unchanged.
type Beginning struct{ Empty, IfMissing bool }

// Begun is what was written to etcd. With Before, etcd had the site already.
type Begun struct {
	Values, Bytes int64
	Before        bool
}

// beginInterval is how often to check whether another program that initialises the site has
// finished.
const beginInterval = 200 * time.Millisecond

// BeginCluster writes the content of the data file to etcd. The data folder becomes that of
// a node, which loads the content from etcd. If several programs do this at the same time,
// one succeeds; with IfMissing, the others wait for it.
func (l Location) BeginCluster(ctx context.Context, how Joining, b Beginning) (done Begun, err error) {
	for {
		done, err = l.beginCluster(ctx, how, b)
		held := errors.Is(err, store.ErrFrozen)
		switch {
		case !b.IfMissing && held:
			return done, fmt.Errorf("another program puts content into etcd under that name, or broke off some seconds ago: %w", err)
		case !b.IfMissing, !held && !errors.As(err, new(*cluster.BegunError)):
			return done, err
		}
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-time.After(beginInterval):
		}
	}
}

func (l Location) beginCluster(ctx context.Context, how Joining, b Beginning) (done Begun, err error) {
	site, err := l.Load()
	if err != nil {
		return done, err
	}
	j, to, err := how.open(fingerprintOf(site))
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if b.IfMissing {
		if _, err = j.Head(ctx); !errors.As(err, new(*cluster.NotBegunError)) {
			return Begun{Before: err == nil}, err
		}
	}
	if err := l.standsAlone(); err != nil {
		return done, err
	}
	if err := j.Probe(ctx); err != nil {
		return done, err
	}
	done, err = l.putContent(ctx, j, b.Empty)
	if err != nil {
		return done, err
	}
	return done, l.writeNode(to, newNodeName())
}

// putContent writes the content of the data file to etcd. With empty, no data file is
// needed: an empty one is created for that moment only, because a data file would keep the
// folder from becoming that of a node if another program initialises the site.
func (l Location) putContent(ctx context.Context, j *cluster.Journal, empty bool) (done Begun, err error) {
	path := l.DataFile()
	if empty {
		if err := store.MakeFolder(l.DataFolder(), 0o700); err != nil {
			return done, &folderError{l.DataFolder(), err}
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			path += ".empty"
			defer os.Remove(path)
		}
	}
	db, err := store.Open(path, store.Options{Existing: !empty})
	if err != nil {
		return done, err
	}
	err = db.View(func(tx *store.Tx) error {
		return tx.Ops(func(o store.Op) error {
			done.Values, done.Bytes = done.Values+1, done.Bytes+int64(o.Size())
			return nil
		})
	})
	if err == nil {
		err = j.Begin(ctx, db)
	}
	return done, errors.Join(err, db.Close())
}

// open connects to etcd for a command.
func (j Joining) open(schema string) (*cluster.Journal, cluster.Address, error) {
	to, err := j.address()
	if err != nil {
		return nil, to, err
	}
	journal, err := cluster.Open(to, cluster.Options{Node: "command", Schema: schema, Passing: passing()})
	return journal, to, err
}

// JoinCluster turns the data folder into that of a node, and loads the content. It returns
// the name of the node.
func (l Location) JoinCluster(ctx context.Context, how Joining) (name string, err error) {
	if err := store.MakeFolder(l.DataFolder(), 0o700); err != nil {
		return "", &folderError{l.DataFolder(), err}
	}
	j, to, err := how.open("")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if err := j.Check(ctx); err != nil {
		return "", err
	}
	if name, err = l.joinAs(to, how.Name); err != nil {
		return "", err
	}
	db, err := store.Open(l.DataFile(), store.Options{Journal: j})
	if err != nil {
		return "", err
	}
	return name, db.Close()
}

// LeaveCluster turns the data folder of a node into that of a single server.
func (l Location) LeaveCluster(ctx context.Context, how Joining) (err error) {
	was, is, err := l.node()
	if err != nil {
		return err
	}
	if !is {
		return errors.New(l.DataFolder() + " is not that of a node")
	}
	j, to, err := how.open("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if !was.isOf(to) {
		return &NodeError{Folder: l.DataFolder(), Cluster: was.Cluster}
	}
	db, err := store.Open(l.DataFile(), store.Options{Existing: true}) // fails if another process has it open
	if err == nil {
		err = db.Close()
	}
	if err != nil && !errors.As(err, new(*store.AccessError)) {
		return err
	}
	return os.Remove(l.nodePath())
}

// ActivateSchemas makes the schemas of the site folder those of the cluster. It returns
// their fingerprint.
func (l Location) ActivateSchemas(ctx context.Context, how Joining) (schema string, err error) {
	site, err := l.Load()
	if err == nil {
		err = errors.Join(server.CheckSite(site)...)
	}
	if err != nil {
		return "", err
	}
	schema = fingerprintOf(site)
	j, _, err := how.open(schema)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if err := j.Check(ctx); err != nil {
		return "", err
	}
	return schema, j.Activate(ctx)
}

// GoBack makes all nodes serve a former copy of the content. It returns the fingerprint of
// the schemas of that copy.
func (l Location) GoBack(ctx context.Context, how Joining, generation uint64) (schema string, err error) {
	j, _, err := how.open("")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if err := j.CheckFormat(ctx); err != nil {
		return "", err
	}
	h, err := j.GoBack(ctx, generation)
	return h.Schema, err
}

// DropGeneration removes a former copy of the content from etcd.
func (l Location) DropGeneration(ctx context.Context, how Joining, number uint64) (err error) {
	j, _, err := how.open("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if err := j.CheckFormat(ctx); err != nil {
		return err
	}
	return j.Drop(ctx, number)
}

// ClusterStatus asks etcd and all nodes. If no majority of etcd responds, or etcd does not
// have the site, the state has only the members of etcd.
func (l Location) ClusterStatus(ctx context.Context, how Joining) (s ClusterState, err error) {
	j, _, err := how.open("")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	s.Members = j.Members(ctx)
	if err := j.CheckFormat(ctx); err != nil {
		return s, err
	}
	h, err := j.Head(ctx)
	if err != nil {
		return s, err
	}
	s.Revision, s.Committed, s.Schema = h.Revision, time.UnixMilli(h.Time), h.Schema
	if s.Generations, err = j.Generations(ctx); err != nil {
		return s, err
	}
	if s.Nodes, err = j.Nodes(ctx); err != nil {
		return s, err
	}
	return s, nil
}

// RemoveMember removes a member from etcd.
func (l Location) RemoveMember(ctx context.Context, how Joining, name string) (err error) {
	j, _, err := how.open("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	return j.RemoveMember(ctx, name)
}
