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

// Joining says which cluster a server is a node of, and how the others reach it. The zero
// value is none.
type Joining struct {
	Cluster   string // etcd://HOST:PORT,HOST:PORT/SITE
	Name      string // of the node; empty for one that the data folder keeps
	Listen    string // address that other nodes reach it at, HOST:PORT
	Advertise string // the same as the others know it; empty for Listen

	CA, Certificate, Key string // files for etcd, in PEM
	User, Password       string // for etcd
}

// nodeFile is what the data folder of a node says of it. What is written there without the
// cluster would be lost.
type nodeFile struct {
	Cluster string `json:"cluster"`
	Name    string `json:"name"`
}

func (l Location) nodePath() string { return filepath.Join(l.DataFolder(), "node.json") }

// node returns what the data folder says of the node that it is of; false for none.
func (l Location) node() (n nodeFile, is bool, err error) {
	text, err := os.ReadFile(l.nodePath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n, false, nil
	case l.isClosed():
		return n, false, nil // whoever opens the data file reports that
	case err != nil:
		return n, false, err
	}
	if err := json.Unmarshal(text, &n); err != nil || n.Cluster == "" || n.Name == "" {
		return n, false, fmt.Errorf("%s cannot be read; it says which cluster the data folder belongs to: take the folder away, and the node loads the content again", l.nodePath())
	}
	return n, true, nil
}

// isClosed reports whether the data folder does not let this user in.
func (l Location) isClosed() bool {
	_, err := os.Stat(l.DataFile())
	return errors.Is(err, fs.ErrPermission)
}

// NodeError: the data folder belongs to a node of a cluster, and what would be written
// there would be lost.
type NodeError struct{ Folder, Cluster string }

func (e *NodeError) Error() string {
	return fmt.Sprintf("%s belongs to a node of the cluster %s, whose content etcd has; run the command while the node is served, or take the folder out of the cluster with `quire cluster leave`", e.Folder, e.Cluster)
}

// standsAlone is a *NodeError where the data folder belongs to a node of a cluster.
func (l Location) standsAlone() error {
	n, is, err := l.node()
	if is {
		err = &NodeError{Folder: l.DataFolder(), Cluster: n.Cluster}
	}
	return err
}

// openAlone opens the data file. That of a node can be read alone.
func (l Location) openAlone(o store.Options) (*store.DB, error) {
	if !o.ReadOnly {
		if err := l.standsAlone(); err != nil {
			return nil, err
		}
	}
	return store.Open(l.DataFile(), o)
}
