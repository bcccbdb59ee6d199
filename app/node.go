package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"quire/store"
)

// Joining says which cluster a server is a node of, and how other nodes reach it. The zero
// value means no cluster.
type Joining struct {
	Cluster   string // etcd://HOST:PORT,HOST:PORT/SITE
	Name      string // of the node; if empty, the name that the data folder has
	Listen    string // address at which other nodes reach it, HOST:PORT
	Advertise string // the same address as other nodes see it; empty for Listen

	CA, Certificate, Key string // files for etcd, in PEM
	User, Password       string // for etcd
}

// nodeFile is what the data folder of a node records about the node. Data that is written
// there without the cluster would be lost.
type nodeFile struct {
	Cluster string `json:"cluster"`
	Name    string `json:"name"`
}

func (l Location) nodePath() string { return filepath.Join(l.DataFolder(), "node.json") }

// node returns the record about the node in the data folder; false if there is none.
func (l Location) node() (n nodeFile, is bool, err error) {
	text, err := os.ReadFile(l.nodePath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n, false, nil
	case l.isClosed():
		return n, false, nil // opening the data file reports that
	case err != nil:
		return n, false, err
	}
	if err := json.Unmarshal(text, &n); err != nil || n.Cluster == "" || n.Name == "" {
		return n, false, fmt.Errorf("%s cannot be read; it says which cluster the data folder belongs to: take the folder away, and the node loads the content again", l.nodePath())
	}
	return n, true, nil
}

// isClosed reports whether this user may not enter the data folder.
func (l Location) isClosed() bool {
	_, err := os.Stat(l.DataFile())
	return errors.Is(err, fs.ErrPermission)
}

// NodeError reports that the data folder belongs to a node of a cluster, so that data
// written there would be lost.
type NodeError struct{ Folder, Cluster string }

func (e *NodeError) Error() string {
	return fmt.Sprintf("%s belongs to a node of the cluster %s, whose content etcd has; run the command while the node is served, or take the folder out of the cluster with `quire cluster leave`", e.Folder, e.Cluster)
}

// standsAlone returns an error if the data folder belongs to a node of a cluster, to a
// follower or to a former leader.
func (l Location) standsAlone() error {
	n, is, err := l.node()
	if is {
		return &NodeError{Folder: l.DataFolder(), Cluster: n.Cluster}
	}
	return errors.Join(err, l.mayWrite())
}

// openAlone opens the data file. That of a node can only be read.
func (l Location) openAlone(o store.Options) (*store.DB, error) {
	if !o.ReadOnly {
		if err := l.standsAlone(); err != nil {
			return nil, err
		}
	}
	if o.Existing {
		if err := l.requireData(); err != nil {
			return nil, err
		}
	}
	return store.Open(l.DataFile(), o)
}
