//go:build cluster

package cluster

import (
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"quire/test/program"
)

// endAlike demands that the nodes show the same commit, find nothing wrong with their
// data, and have the same values in their data files. It ends the nodes.
func (s *site) endAlike() {
	s.t.Helper()
	s.settled()
	for _, n := range s.nodes {
		if code, stdout, stderr := program.Run(s.t, "check", n.folder); code != 0 {
			s.t.Errorf("check of %s: exit %d\n%s%s", n.name, code, stdout, stderr)
		}
	}
	s.atOneRevision()
	values := s.killed()
	if len(values[0]) < 5 {
		s.t.Errorf("only %d values were compared", len(values[0]))
	}
	for i, n := range s.nodes[1:] {
		for _, row := range different(values[0], values[i+1]) {
			s.t.Errorf("%s and %s: %s", s.nodes[0].name, n.name, row)
		}
	}
}

// atOneRevision waits until quire cluster status shows all nodes at the last commit.
func (s *site) atOneRevision() {
	s.t.Helper()
	for end := time.Now().Add(settleTime); ; {
		is := s.status()
		at, writers := 0, 0
		for _, n := range is.Nodes {
			if n.Problem == "" && n.Revision == is.Revision {
				at++
			}
			if n.Writes {
				writers++
			}
		}
		if at == len(s.nodes) && writers <= 1 {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("%d of %d nodes are at the last commit, and %d write: %+v", at, len(s.nodes), writers, is)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// killed ends all nodes at one commit, and returns the values of each. A node that commits
// something of its own just then, such as when a token was used, has the others behind:
// then they go on, and are killed again.
func (s *site) killed() (values []map[string]string) {
	s.t.Helper()
	for range 5 {
		values = nil
		revisions := map[uint64]bool{}
		for _, n := range s.nodes {
			n.kill()
		}
		for _, n := range s.nodes {
			revision, all := n.values(s)
			revisions[revision] = true
			values = append(values, all)
		}
		if len(revisions) == 1 {
			return values
		}
		s.again()
		s.settled()
	}
	s.t.Fatal("the nodes do not come to rest")
	return nil
}

// again starts all nodes again that were killed.
func (s *site) again() {
	s.t.Helper()
	for _, n := range s.nodes {
		n.launch(s.t)
	}
	for _, n := range s.nodes {
		n.await(s.t)
	}
}

// values are what the data file of a node holds, by the path of each value, and its
// revision. What is in "meta" is the file's own; so is which records of the log are in a
// bucket of their own.
func (n *node) values(s *site) (revision uint64, all map[string]string) {
	s.t.Helper()
	db, err := bbolt.Open(filepath.Join(n.folder, "data", "quire.db"), 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Minute})
	check(s.t, err)
	defer db.Close()
	all = map[string]string{}
	check(s.t, db.View(func(tx *bbolt.Tx) error {
		revision = binary.BigEndian.Uint64(tx.Bucket([]byte("meta")).Get([]byte("revision")))
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			switch string(name) {
			case "meta":
				return nil
			case "fresh":
				name = []byte("records/log")
			}
			return valuesIn(b, string(name), all)
		})
	}))
	return revision, all
}

func valuesIn(b *bbolt.Bucket, path string, all map[string]string) error {
	return b.ForEach(func(key, value []byte) error {
		if value == nil {
			return valuesIn(b.Bucket(key), path+"/"+string(key), all)
		}
		all[fmt.Sprintf("%s/%q", path, key)] = string(value)
		return nil
	})
}

// different lists the values that are not the same.
func different(a, b map[string]string) (rows []string) {
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, path := range slices.Sorted(maps.Keys(both)) {
		if one, other := a[path], b[path]; one != other {
			rows = append(rows, fmt.Sprintf("%s: %q and %q", path, one, other))
		}
	}
	return rows
}
