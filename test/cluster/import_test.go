//go:build cluster

package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// An owner imports in the admin, with each request at another node, and all nodes show what
// came of it.
func TestImportInTheAdmin(t *testing.T) {
	t.Parallel()
	s := start(t, 3, 1)
	const marker = "Made before the import"
	s.nodes[1].write(s, "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": %q}}`, marker), 201)
	owner := s.signInToAdmin()
	for range s.nodes { // what is a node's own says whose it is
		if status := string(owner.ask("GET", "/status", nil, 200)); !strings.Contains(status, fmt.Sprintf(`"node":%q`, owner.last().name)) {
			t.Errorf("the status of %s is %s", owner.last().name, status)
		}
	}
	file, err := os.ReadFile(filepath.Join(testdata, "export", "guide.tar.gz"))
	check(t, err)
	owner.ask("POST", "/transfer/file?name=guide.tar.gz", file, 201)
	owner.ask("POST", "/transfer/plan", []byte(`{"existing": "replace"}`), 202)
	plan := owner.transferred()
	owner.ask("POST", "/transfer/import", fmt.Appendf(nil, `{"planned": %q, "site": %q, "password": %q}`, plan.Job.StartedAt, plan.Site, adminPassword), 202)
	done := owner.transferred()
	for _, n := range s.nodes {
		status, text, err := n.send(s, "GET", "/api/dishes?pagination[pageSize]=100", "")
		if err != nil || status != 200 || strings.Contains(string(text), marker) || !strings.Contains(string(text), `"documentId"`) {
			t.Errorf("after the import %s answers %d %.200s, %v", n.name, status, text, err)
		}
	}
	for range s.nodes {
		list := string(owner.ask("GET", "/backups", nil, 200))
		if !strings.Contains(list, done.Job.Saved) || !strings.Contains(list, fmt.Sprintf(`"node":%q`, s.writer().name)) {
			t.Errorf("the backup %s that was made before is not in %s", done.Job.Saved, list)
		}
	}
}

// owner is a page of the admin, whose requests go to one node after the other.
type owner struct {
	site      *site
	cookie    string
	requested int
}

const adminPassword = "a long enough password"

// signInToAdmin makes an account of the admin, and signs in.
func (s *site) signInToAdmin() *owner {
	s.t.Helper()
	c := program.New(s.t, "admin", "create", "--name", "Ana", "--email", "ana@example.org", "--password-stdin", s.nodes[0].folder)
	c.Stdin = strings.NewReader(adminPassword)
	if text, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	o := &owner{site: s}
	o.ask("POST", "/session", fmt.Appendf(nil, `{"email": "ana@example.org", "password": %q}`, adminPassword), 200)
	return o
}

// ask sends a request that must be answered with a status to the next node.
func (o *owner) ask(method, path string, body []byte, want int) (text []byte) {
	t := o.site.t
	t.Helper()
	o.requested++
	n := o.last()
	r, err := http.NewRequest(method, n.URL+"/admin/api/v1"+path, bytes.NewReader(body))
	check(t, err)
	r.Header.Set("X-Quire-Admin", "1")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Cookie", o.cookie)
	answer, err := straight.RoundTrip(r)
	check(t, err)
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != want {
		t.Fatalf("%s %s at %s: %d %s, %v", method, path, n.name, answer.StatusCode, text, err)
	}
	for _, c := range answer.Cookies() {
		o.cookie = c.Name + "=" + c.Value
	}
	return text
}

// last is the node that was asked last.
func (o *owner) last() *node { return o.site.nodes[o.requested%len(o.site.nodes)] }

// transfer is what the admin says of an import.
type transfer struct {
	Job struct {
		Running                           bool
		Problem, Detail, StartedAt, Saved string
	}
	Site string
}

// transferred waits until what is under way has ended, without a problem.
func (o *owner) transferred() transfer {
	o.site.t.Helper()
	for end := time.Now().Add(settleTime); ; time.Sleep(50 * time.Millisecond) {
		var now struct{ Data transfer }
		check(o.site.t, json.Unmarshal(o.ask("GET", "/transfer", nil, 200), &now))
		switch job := now.Data.Job; {
		case job.Problem != "", time.Now().After(end):
			o.site.t.Fatalf("%+v", job)
		case !job.Running:
			return now.Data
		}
	}
}
