package follow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"quire/test/ledger"
	"quire/test/program"
)

func TestMain(m *testing.M) { program.Main(m) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pair is a leader and a follower of it, which reaches it over a line.
type pair struct {
	t        *testing.T
	site     string // of the leader
	copy     string // the same schemas, with the data of the follower
	token    string // of full access
	follow   string // may follow and fence
	line     *line
	address  string // of the leader
	at       string // address of the follower
	leader   *program.Server
	follower *program.Server
}

// newPair makes both sites, and starts the leader. The ledger is optional.
func newPair(t *testing.T, of *ledger.Peer) *pair {
	t.Helper()
	p := &pair{t: t, address: program.FreeAddress(t), at: program.FreeAddress(t)}
	if of == nil {
		of = ledger.NewPeer(t)
	}
	p.site, p.token = of.Site, of.Token
	p.follow = p.newToken("follower", "plugin::quire.follow.read", "plugin::quire.follow.fence")
	p.copy = filepath.Join(t.TempDir(), "copy")
	check(t, os.CopyFS(p.copy, os.DirFS(p.site)))
	check(t, os.RemoveAll(filepath.Join(p.copy, "data")))
	p.line = openLine(t)
	address := p.address // which rejoin changes
	p.line.to.Store(&address)
	p.startLeader()
	return p
}

func (p *pair) newToken(name string, permissions ...string) string {
	p.t.Helper()
	args := []string{"token", "create", "--name", name, "--type", "custom"}
	for _, permission := range permissions {
		args = append(args, "--permission", permission)
	}
	return strings.TrimSpace(program.Succeed(p.t, append(args, p.site)...))
}

func (p *pair) startLeader() {
	p.t.Helper()
	p.leader = program.Start(p.t, program.New(p.t, "serve", "--listen", p.address, p.site))
}

// followCommand is the command of the follower.
func (p *pair) followCommand(flags ...string) *exec.Cmd {
	args := append([]string{"serve", "--listen", p.at, "--follow", p.line.URL}, flags...)
	c := program.New(p.t, append(args, p.copy)...)
	c.Env = append(os.Environ(), "QUIRE_FOLLOW_TOKEN="+p.follow)
	return c
}

func (p *pair) startFollower(flags ...string) {
	p.t.Helper()
	p.follower = program.Start(p.t, p.followCommand(flags...))
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request to an address, with a token unless it is empty.
func (p *pair) ask(method, at, path, token, body string) (answer, error) {
	r, err := http.NewRequest(method, "http://"+at+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text)}, err
}

// must sends a request with full access that has to be answered with a status.
func (p *pair) must(status int, method, at, path, body string) answer {
	p.t.Helper()
	a, err := p.ask(method, at, path, p.token, body)
	if err != nil || a.status != status {
		p.t.Fatalf("%s %s at %s: %d %s, %v", method, path, at, a.status, a.body, err)
	}
	return a
}

// newCook creates a document, and returns its id.
func (p *pair) newCook(at, name string) (id string) {
	p.t.Helper()
	var made struct{ Data struct{ DocumentID string } }
	check(p.t, json.Unmarshal([]byte(p.must(201, "POST", at, "/api/cooks", fmt.Sprintf(`{"data": {"name": %q}}`, name)).body), &made))
	return made.Data.DocumentID
}

// has reports whether a server shows a document.
func (p *pair) has(at, id string) bool {
	a, err := p.ask("GET", at, "/api/cooks/"+id, p.token, "")
	return err == nil && a.status == 200
}

// lag returns the lag that a response has.
func (a answer) lag() float64 {
	seconds, err := strconv.ParseFloat(a.header.Get("Quire-Lag"), 64)
	if err != nil {
		return -1
	}
	return seconds
}

// await waits for a condition.
func await(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !there(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not happen that %s", what)
		}
	}
}

// awaitDocument waits until a server shows a document.
func (p *pair) awaitDocument(at, id string) {
	p.t.Helper()
	await(p.t, "a follower shows "+id, func() bool { return p.has(at, id) })
}

// edit replaces text in a file of a site.
func edit(t *testing.T, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(name)
	check(t, err)
	if !bytes.Contains(text, []byte(from)) {
		t.Fatalf("%s has no %q", name, from)
	}
	check(t, os.WriteFile(name, bytes.Replace(text, []byte(from), []byte(to), 1), 0o600))
}
