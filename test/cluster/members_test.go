//go:build cluster

package cluster

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"quire/test/program"
)

func TestMain(m *testing.M) { program.Main(m) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// process is a node or a member, which is started again as it was.
type process struct {
	program string // that runs, empty for the one of these tests
	args    []string
	message string // what it says once it answers, followed by a URL
	server  *program.Server
	ended   bool // by the test
}

// launch starts the process and does not wait until it answers.
func (p *process) launch(t testing.TB) {
	t.Helper()
	p.server, p.ended = program.Launch(t, p.command(t)), false
	t.Cleanup(func() { p.sound(t) })
}

func (p *process) command(t testing.TB) *exec.Cmd {
	if p.program != "" {
		return exec.Command(p.program, p.args...)
	}
	return program.New(t, p.args...)
}

// sound demands that the process has not ended by itself, and ends it.
func (p *process) sound(t testing.TB) {
	t.Helper()
	if p.ended {
		return
	}
	p.kill()
	if by, ok := p.server.ProcessState.Sys().(syscall.WaitStatus); !ok || by.Signal() != syscall.SIGKILL {
		t.Errorf("quire %s has ended by itself, %v\n%s", strings.Join(p.args, " "), p.server.ProcessState, p.server.Log)
	}
}

// await waits until the process says that it answers.
func (p *process) await(t testing.TB) {
	t.Helper()
	if url := ""; !p.server.ScanLine(p.message+" %s", &url) {
		p.sound(t)
		t.FailNow()
	}
}

// restart starts a process again that was killed or stopped.
func (p *process) restart(t testing.TB) {
	t.Helper()
	p.launch(t)
	p.await(t)
}

// kill ends the process as a power cut of the machine would not: what it wrote is there.
func (p *process) kill() {
	p.server.Kill()
	p.ended = true
}

// pause has the process answer nobody, with its connections open.
func (p *process) pause() { p.server.Signal(syscall.SIGSTOP) }

func (p *process) resume() { p.server.Signal(syscall.SIGCONT) }

// stop ends the process in order.
func (p *process) stop(t testing.TB) {
	t.Helper()
	p.ended = true
	p.server.Signal(syscall.SIGTERM)
	if err := p.server.Wait(); err != nil {
		t.Errorf("quire %s: %v\n%s", strings.Join(p.args, " "), err, p.server.Log)
	}
}

// member is a member of etcd.
type member struct {
	process
	address string // for clients, HOST:PORT
	peer    string // URL for other members
	line    *line  // that the other members reach it by; nil for none
}

// startMembers starts etcd with so many members.
func startMembers(t testing.TB, n int) []*member {
	t.Helper()
	return launchMembers(t, newMembers(t, n))
}

// startMembersOnLines starts etcd with members that reach each other by lines.
func startMembersOnLines(t testing.TB, n int) []*member {
	t.Helper()
	members := newMembers(t, n)
	for _, m := range members {
		m.args = append(m.args, "--peer-listen", m.peer)
		m.line = openLine(t, strings.TrimPrefix(m.peer, "http://"))
		m.line.nameOf = memberCalling
		m.peer = "http://" + m.line.address
	}
	return launchMembers(t, members)
}

func newMembers(t testing.TB, n int) (members []*member) {
	t.Helper()
	for i := range n {
		members = append(members, newMember(t, fmt.Sprint("m", i)))
	}
	return members
}

// newMember is a member that has not been started.
func newMember(t testing.TB, name string) *member {
	t.Helper()
	m := &member{address: program.FreeAddress(t), peer: "http://" + program.FreeAddress(t)}
	m.message = "The member " + name + " of etcd answers at"
	m.args = []string{"cluster", "member", "--name", name, "--data", filepath.Join(t.TempDir(), name), "--client", "http://" + m.address}
	return m
}

func launchMembers(t testing.TB, members []*member) []*member {
	t.Helper()
	all := make([]string, len(members))
	for i, m := range members {
		all[i] = fmt.Sprintf("m%d=%s", i, m.peer)
	}
	for _, m := range members {
		m.args = append(m.args, "--peer", m.peer, "--members", strings.Join(all, ","))
		m.launch(t)
	}
	for _, m := range members {
		m.await(t)
	}
	return members
}

// memberCalling returns the address of the member that calls another one. Members say so
// in each request.
func memberCalling(first []byte) string {
	_, rest, _ := strings.Cut(string(first), "\r\nX-Peerurls: http://")
	address, _, _ := strings.Cut(rest, "\r\n")
	return address
}
