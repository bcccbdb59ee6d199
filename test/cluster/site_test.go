//go:build cluster

package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"quire/test/gateway"
	"quire/test/program"
)

// testdata is the folder with the site and the suites.
const testdata = "../../testdata"

// site is testdata/site with several nodes.
type site struct {
	t        *testing.T
	name     string // in etcd
	cluster  string // etcd://HOST:PORT,…/NAME
	nodes    []*node
	members  []*member
	token    string // full access
	readonly string // a token that may read
	onLines  bool   // nodes reach each other and etcd by lines
	program  string // of nodes to start; empty for the one of these tests
}

// node is a program that serves the site.
type node struct {
	process
	name   string
	folder string       // of the site, a copy of its own, with its data
	URL    string       // the same after a restart
	lines               // by which others reach it, and it reaches etcd
	writes acks         // of probes
	reads  acks         // of probes with a credential
	downs  atomic.Int64 // how often it went or came back: it is down where that is odd
}

// start starts etcd, and a site with so many nodes.
func start(t *testing.T, nodes, members int) *site {
	t.Helper()
	return begin(t, startMembers(t, members), "guide", nodes, layout{upload: uploadOf(startStore(t), "guide")})
}

// startStore starts an object store, if there is one; else nodes keep files in folders of
// their own, and others do not find them.
func startStore(t *testing.T) *gateway.Store {
	t.Helper()
	if _, found := program.Found(t, gateway.Program); !found {
		return nil
	}
	return gateway.Start(t)
}

// uploadOf is what site.json says of files that are in a store.
func uploadOf(store *gateway.Store, prefix string) (upload string) {
	if store == nil {
		return "{}"
	}
	return fmt.Sprintf(`{"storage": {"bucket": "s3://%s/%s", "endpoint": "http://%s", "pathStyle": true, "use": "bucket"}}`, gateway.Bucket, prefix, store.Address)
}

// layout is what a site begins with.
type layout struct {
	upload  string // what its site.json says of files; empty for nothing
	reads   string // what it says of reads of nodes; empty for linearizable ones
	auth    string // what it says of signing in; empty for what the site has
	archive string // the path of its content; empty for none
	lines   bool   // nodes reach each other and etcd by lines
	program string // that begins the site and serves it; empty for the one of these tests

	settings map[string]any // of its site.json, beside these
}

// begin begins a site of that name in etcd, and starts its nodes.
func begin(t *testing.T, members []*member, name string, nodes int, from layout) *site {
	t.Helper()
	s := &site{t: t, name: name, members: members, onLines: from.lines, program: from.program}
	endpoints := make([]string, len(members))
	for i, m := range members {
		endpoints[i] = m.address
	}
	s.cluster = addressOf(endpoints, name)
	folder := newFolder(t, from)
	if from.archive != "" {
		if code, stdout, stderr := program.Run(t, "import", folder, from.archive); code != 0 {
			t.Fatalf("import: exit %d\n%s%s", code, stdout, stderr)
		}
	}
	s.token = program.NewToken(t, folder, "full", "full-access")
	s.readonly = program.NewToken(t, folder, "readonly", "read-only")
	if out, err := (&process{program: from.program, args: []string{"cluster", "init", s.cluster, folder}}).command(t).CombinedOutput(); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	for i := range nodes {
		if i > 0 || from.lines { // the first knows etcd by the addresses of init
			folder = newFolder(t, from)
		}
		s.nodes = append(s.nodes, s.startNode(fmt.Sprint("node-", i+1), folder))
	}
	for _, n := range s.nodes {
		n.await(t)
	}
	return s
}

// newFolder copies the site. What is read without a credential shows what all nodes have
// written, as the suites expect it.
func newFolder(t *testing.T, from layout) string {
	t.Helper()
	folder := program.CopySite(t, filepath.Join(testdata, "site"))
	path := filepath.Join(folder, "site.json")
	text, err := os.ReadFile(path)
	check(t, err)
	var settings map[string]json.RawMessage
	check(t, json.Unmarshal(text, &settings))
	settings["cluster"] = json.RawMessage(cmp.Or(from.reads, `{"reads": {"anonymous": "linearizable"}}`))
	settings["upload"] = json.RawMessage(cmp.Or(from.upload, "{}"))
	for key, value := range from.settings {
		settings[key], err = json.Marshal(value)
		check(t, err)
	}
	if from.auth != "" {
		settings["auth"] = json.RawMessage(from.auth)
	}
	text, err = json.Marshal(settings)
	check(t, err)
	check(t, os.WriteFile(path, text, 0o600))
	return folder
}

// startNode starts a node, and does not wait until it answers.
func (s *site) startNode(name, folder string) *node {
	s.t.Helper()
	address := program.FreeAddress(s.t)
	n := &node{name: name, folder: folder, URL: "http://" + address}
	n.message, n.program = "Quire listens at", s.program
	n.args = []string{"serve", "--listen", address, "--node", name}
	to := s.cluster
	if s.onLines {
		inner := program.FreeAddress(s.t)
		n.lines = openLines(s, inner)
		n.args = append(n.args, "--node-listen", inner, "--node-address", n.fromNodes.address)
		to = n.cluster(s)
	}
	n.args = append(n.args, "--cluster", to, folder)
	n.launch(s.t)
	return n
}

// addressOf is that of a site of that name in etcd.
func addressOf(endpoints []string, name string) string {
	return "etcd://" + strings.Join(endpoints, ",") + "/" + name
}
