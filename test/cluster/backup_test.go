//go:build cluster

package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/gateway"
	"quire/test/program"
)

// A backup of a node that holds the files brings the site back under another name, as
// docs/cluster.md has it, when the bucket is empty.
func TestABackupOfANodeBeginsAnotherSite(t *testing.T) {
	t.Parallel()
	store := startStore(t)
	if store == nil {
		t.Skip("there is no versitygw; see the package test/gateway")
	}
	from := layout{upload: uploadOf(store, "guide")}
	members := startMembers(t, 1)
	s := begin(t, members, "guide", 2, from)
	h := newHistory(s)
	for i := range 3 {
		h.upload(s.nodes[i%2], fmt.Sprintf("file-%d.txt", i), strings.Repeat(fmt.Sprint(i), 1000))
	}
	dish := s.nodes[0].write(s, "POST", "/api/dishes", `{"data": {"name": "kept"}}`, 201)
	file := filepath.Join(t.TempDir(), "guide.tar.zst")
	s.nodes[1].hasHeard(s, dish)
	if out := program.Succeed(t, "backup", "--files", s.nodes[1].folder, file); !strings.Contains(out, "3 uploads were fetched from s3://guide/guide") {
		t.Fatal(out)
	}
	for _, n := range s.nodes {
		n.stop(t)
	}
	check(t, os.RemoveAll(filepath.Join(store.Folder, "guide")))

	folder, bucket := newFolder(t, from), "s3://"+gateway.Bucket+"/guide"
	if out := program.Succeed(t, "restore", file, folder); !strings.Contains(out, "quire media move --to "+bucket+" --remove") {
		t.Errorf("%s", out)
	}
	program.Succeed(t, "media", "move", "--to", bucket, "--remove", folder)
	s.cluster = addressOf([]string{members[0].address}, "guide-2")
	program.Succeed(t, "cluster", "init", s.cluster, folder)
	s.nodes = []*node{s.startNode("node-1", folder), s.startNode("node-2", newFolder(t, from))}
	for _, n := range s.nodes {
		n.await(t)
		n.hasHeard(s, dish)
	}
	h.judgeFiles()
}

// hasHeard demands that a node has a dish, by a read that waits for what was written.
func (n *node) hasHeard(s *site, dish string) {
	s.t.Helper()
	if status, text, err := n.send(s, "GET", "/api/dishes/"+dish, ""); err != nil || status != 200 {
		s.t.Fatalf("%s: %d %s, %v", n.name, status, text, err)
	}
}
