//go:build cluster

package cluster

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/test/program"
)

// etcdutl is the tool of etcd that restores snapshots, of the version that go.mod names:
//
//	cd $(mktemp -d) && go mod init x && go get go.etcd.io/etcd/etcdutl/v3@v3.7.3
//	go build -o etcdutl go.etcd.io/etcd/etcdutl/v3
func etcdutl(t *testing.T) string {
	t.Helper()
	return program.Find(t, "etcdutl")
}

// After etcd was restored from a snapshot, all nodes show what was in it, and nothing that
// a client has kept of what was lost passes for what is written from then on: no ETag, no
// version of a document, no place in the log of changes. That holds while nodes are ahead
// of the snapshot, under the former name of the cluster of etcd or another one, with
// revisions that go on far ahead, and where no node is left that knows of anything.
func TestEtcdIsRestoredFromASnapshot(t *testing.T) {
	t.Parallel()
	tool := etcdutl(t)
	for name, c := range map[string]struct {
		flags []string
		empty bool // no node has anything left
	}{
		"of the same name":         {nil, false},
		"of another name":          {[]string{"--initial-cluster-token", "restored"}, false},
		"with revisions far ahead": {[]string{"--bump-revision", "1000000000", "--mark-compacted"}, false},
		"without any node":         {[]string{"--initial-cluster-token", "restored"}, true},
	} {
		t.Run(name, func(t *testing.T) { testRestored(t, tool, c.flags, c.empty) })
	}
}

func testRestored(t *testing.T, tool string, flags []string, empty bool) {
	s := begin(t, startMembers(t, 3), "guide", 2, layout{})
	n := s.nodes[0]
	dish := "/api/dishes/" + n.write(s, "POST", "/api/dishes", `{"data": {"name": "Kept", "price": 1}}`, 201)
	snapshot := s.members[0].snapshot(t)
	n.write(s, "PUT", dish, `{"data": {"price": 2}}`, 200)
	lost := n.ask(s, dish, "", "")
	list := n.ask(s, "/api/dishes", "", "")
	since := n.ask(s, "/api/_changes?types=dishes", "", "").since
	s.settled()
	for _, m := range s.members {
		m.kill()
	}
	if empty {
		for _, n := range s.nodes {
			n.kill()
			check(t, os.Remove(filepath.Join(n.folder, "data", "quire.db")))
		}
	}
	for _, m := range s.members {
		m.restore(t, tool, snapshot, flags)
	}
	for _, m := range s.members {
		m.launch(t)
	}
	for _, m := range s.members {
		m.await(t)
	}
	if empty {
		for _, n := range s.nodes {
			n.restart(t)
		}
	}
	for _, n := range s.nodes {
		n.until(s, dish, `"price":1`)
	}
	n.write(s, "PUT", dish, `{"data": {"price": 3}}`, 200) // the first since, as that of 2 was
	for _, n := range s.nodes {
		for path, tag := range map[string]string{dish: lost.tag, "/api/dishes": list.tag} {
			if a := n.ask(s, path, "If-None-Match", tag); a.status != 200 || !strings.Contains(a.text, `"price":3`) {
				t.Errorf("who has kept %s from before the restore gets %d %s", path, a.status, a.text)
			}
		}
		if a := n.ask(s, "/api/_changes?types=dishes&since="+since, "", ""); a.status != 410 {
			t.Errorf("who has a copy from before the restore gets %d %s", a.status, a.text)
		}
		if now := n.ask(s, dish, "", ""); now.version == lost.version {
			t.Errorf("version %s of the document was given out twice", now.version)
		}
	}
	s.endAlike()
}

// kept is an answer, and what a client keeps of it.
type kept struct {
	status                    int
	text, tag, version, since string
}

// ask reads with full access, and a header.
func (n *node) ask(s *site, path, header, value string) (a kept) {
	s.t.Helper()
	r, err := http.NewRequest("GET", n.URL+path, nil)
	check(s.t, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	if header != "" {
		r.Header.Set(header, value)
	}
	answer, err := straight.RoundTrip(r)
	check(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(s.t, err)
	var body struct{ Meta struct{ Since string } }
	_ = json.Unmarshal(text, &body) // an answer of 304 has none
	return kept{answer.StatusCode, string(text), answer.Header.Get("Etag"), answer.Header.Get("Quire-Version"), body.Meta.Since}
}

// until waits until a node shows something.
func (n *node) until(s *site, path, want string) {
	s.t.Helper()
	var a kept
	for end := time.Now().Add(settleTime); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if a = n.ask(s, path, "", ""); a.status == 200 && strings.Contains(a.text, want) {
			return
		}
	}
	s.t.Fatalf("%s shows %d %s, not %s", n.name, a.status, a.text, want)
}

// snapshot saves what a member of etcd has, as `etcdctl snapshot save` does.
func (m *member) snapshot(t *testing.T) (path string) {
	t.Helper()
	to, err := clientv3.New(clientv3.Config{Endpoints: []string{m.address}})
	check(t, err)
	defer to.Close()
	_, err = to.Get(t.Context(), "any") // returns when this member has everything that was decided
	check(t, err)
	from, err := to.Snapshot(t.Context())
	check(t, err)
	defer from.Close()
	path = filepath.Join(t.TempDir(), "snapshot.db")
	file, err := os.Create(path)
	check(t, err)
	defer file.Close()
	_, err = io.Copy(file, from)
	check(t, err)
	return path
}

// restore puts a snapshot into the place of what the member has.
func (m *member) restore(t *testing.T, tool, snapshot string, flags []string) {
	t.Helper()
	check(t, os.RemoveAll(m.flag("--data")))
	args := append([]string{"snapshot", "restore", snapshot, "--name", m.flag("--name"), "--data-dir", m.flag("--data"),
		"--initial-advertise-peer-urls", m.flag("--peer"), "--initial-cluster", m.flag("--members")}, flags...)
	if text, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
		t.Fatalf("etcdutl %s: %v\n%s", strings.Join(args, " "), err, text)
	}
}

// flag is the value of one that the member was started with.
func (m *member) flag(name string) string {
	for i, a := range m.args {
		if a == name {
			return m.args[i+1]
		}
	}
	return ""
}
