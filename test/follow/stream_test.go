package follow

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"quire/test/program"
)

// streams gives both sites a stream to one folder, and starts the leader with it.
func (p *pair) streams() {
	p.t.Helper()
	p.streamTo(map[string]any{"folder": filepath.Join(p.t.TempDir(), "target")})
}

// streamTo is streams to some other target.
func (p *pair) streamTo(target map[string]any) {
	p.t.Helper()
	for _, site := range []string{p.site, p.copy} {
		name := filepath.Join(site, "site.json")
		text, err := os.ReadFile(name)
		check(p.t, err)
		var settings map[string]any
		check(p.t, json.Unmarshal(text, &settings))
		settings["backup"] = map[string]any{"stream": target}
		text, err = json.Marshal(settings)
		check(p.t, err)
		check(p.t, os.WriteFile(name, text, 0o600))
	}
	p.leader.Signal(syscall.SIGTERM)
	check(p.t, p.leader.Wait())
	p.startLeader()
}

// awaitSent waits until a server of a site has sent everything.
func (p *pair) awaitSent(site string) {
	p.t.Helper()
	var out string
	defer func() {
		if p.t.Failed() {
			p.t.Log(out)
		}
	}()
	await(p.t, "the stream of "+site+" has everything", func() bool {
		var s struct {
			Content struct{ Revision uint64 }
			Stream  *struct{ Sent uint64 }
		}
		out = program.Succeed(p.t, "status", "--json", site)
		check(p.t, json.Unmarshal([]byte(out), &s))
		return s.Stream != nil && s.Stream.Sent == s.Content.Revision
	})
}

// A leader that cannot be reached by its follower is fenced by the target of its stream, and
// lists what only it has. What it has sent and the follower lacks is not passed over silently.
// The stream of the new leader continues that of the former one, without what only that has.
func TestALeaderIsFencedByItsStream(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	p.streams()
	p.startFollower()
	shared := p.newCook(p.at, "on both")
	p.line.setCut(true)
	alone := p.newCook(p.address, "only there")
	p.awaitSent(p.site)
	code, _, stderr := program.Run(t, "promote", p.copy)
	if code == 0 || !strings.Contains(stderr, "its stream was ended") || !strings.Contains(stderr, "has commits up to revision") {
		t.Fatalf("a follower that lacks what was sent becomes the leader: %d %s", code, stderr)
	}
	p.awaitEnd("only here are the commits") // although nobody reaches it
	if out := program.Succeed(t, "promote", "--force", p.copy); !strings.Contains(out, "its stream was ended") {
		t.Errorf("promote prints %s", out)
	}
	await(t, "the new leader takes writes", func() bool {
		a, err := p.ask("POST", p.at, "/api/cooks", p.token, `{"data": {"name": "at the new leader"}}`)
		return err == nil && a.status == 201
	})
	last := p.newCook(p.at, "the last")
	p.awaitSent(p.copy)
	if out := program.Succeed(t, "promote", "--lost", p.site); !strings.Contains(out, alone) || !strings.Contains(out, "1 change of") {
		t.Errorf("only the former leader has %s, and it lists %s", alone, out)
	}
	p.requireRestored(map[string]bool{shared: true, alone: false, last: true}, "latest")
	var list struct {
		Ranges []struct{ Of, To string }
	}
	check(t, json.Unmarshal([]byte(program.Succeed(t, "restore", "--list", "--json", p.copy)), &list))
	if len(list.Ranges) < 2 || list.Ranges[0].Of == list.Ranges[len(list.Ranges)-1].Of {
		t.Fatalf("there can be restored: %+v", list)
	}
	p.requireRestored(map[string]bool{shared: true, alone: false, last: false}, list.Ranges[0].To)
}

// requireRestored restores a moment on a third machine, and demands which documents are there.
func (p *pair) requireRestored(want map[string]bool, at string) {
	p.t.Helper()
	site := filepath.Join(p.t.TempDir(), "restored")
	check(p.t, os.CopyFS(site, os.DirFS(p.site))) // whose server has ended
	check(p.t, os.RemoveAll(filepath.Join(site, "data")))
	program.Succeed(p.t, "restore", "--at", at, site)
	edit(p.t, filepath.Join(site, "site.json"), "target", "other")
	address := program.FreeAddress(p.t)
	s := program.Start(p.t, program.New(p.t, "serve", "--listen", address, site))
	for id, there := range want {
		if p.has(address, id) != there {
			p.t.Errorf("as of %s, %s is there: %v", at, id, !there)
		}
	}
	s.Signal(syscall.SIGTERM)
	check(p.t, s.Wait())
}

// A leader that was killed is replaced without force if the target has its stream: its end is
// certain. When it comes back it writes nothing.
func TestAKilledLeaderIsReplacedByTheTarget(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	p.streams()
	p.startFollower()
	p.newCook(p.at, "on both")
	p.awaitSent(p.site)
	p.leader.Kill()
	if out := program.Succeed(t, "promote", p.copy); !strings.Contains(out, "its stream was ended") {
		t.Errorf("promote prints %s", out)
	}
	p.line.setCut(true) // the new leader cannot tell the former one
	await(t, "the new leader takes writes", func() bool {
		a, err := p.ask("POST", p.at, "/api/cooks", p.token, `{"data": {"name": "at the new leader"}}`)
		return err == nil && a.status == 201
	})
	program.Succeed(t, "backup", filepath.Join(t.TempDir(), "backup.tar.zst"), p.copy) // which checks the data file
	p.startLeader()
	if a, err := p.ask("POST", p.address, "/api/cooks", p.token, `{"data": {"name": "at the former leader"}}`); err == nil && a.status < 400 {
		t.Errorf("the former leader writes: %d %s", a.status, a.body)
	}
	p.awaitEnd("is the leader since epoch 2")
	if out := program.Succeed(t, "promote", "--lost", p.site); !strings.Contains(out, "0 changes of content") {
		t.Errorf("only the former leader has %s", out)
	}
}
