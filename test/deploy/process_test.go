package deploy

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// built is the program with the tag cluster, in a folder that TestMain removes.
var built struct {
	once   sync.Once
	folder string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built.folder)
	os.Exit(code)
}

// program is the path of the program with the tag cluster: QUIRE_FOR_CLUSTER, or the first test that
// asks has it built.
func program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("QUIRE_FOR_CLUSTER"); path != "" {
		return path
	}
	built.once.Do(func() {
		if built.folder, built.err = os.MkdirTemp("", "quire-deploy-"); built.err != nil {
			return
		}
		build := exec.Command("go", "build", "-C", "../..", "-tags", "cluster", "-o", filepath.Join(built.folder, "quire"), ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
		var out []byte
		if out, built.err = build.CombinedOutput(); built.err != nil {
			t.Logf("%s", out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.folder, "quire")
}

// process is a container that runs.
type process struct {
	container
	t      *testing.T
	URL    string
	says   string   // once it answers
	health []string // command that asks it for its health

	command *exec.Cmd
	lines   *bufio.Scanner
	log     *bytes.Buffer // to be read once it has ended
}

// start starts the program of a container, and does not wait until it answers.
func (m *machine) start(c container, says string) *process {
	m.t.Helper()
	if c.image != quireImage {
		m.t.Fatalf("%s has the image %s", c.host, c.image)
	}
	p := &process{container: c, t: m.t, URL: "http://" + m.addresses[c.host], says: says, log: new(bytes.Buffer)}
	p.command = m.command(c, program(m.t), c.args)
	p.command.Stderr = p.log
	out, err := p.command.StdoutPipe()
	if err == nil {
		err = p.command.Start()
	}
	check(m.t, err)
	p.lines = bufio.NewScanner(out)
	m.t.Cleanup(p.kill)
	return p
}

// await waits until the program says that it answers.
func (p *process) await() {
	p.t.Helper()
	for p.lines.Scan() {
		if strings.Contains(p.lines.Text(), p.says) {
			return
		}
	}
	p.kill()
	p.t.Fatalf("%s has ended: quire %s\n%s", p.host, strings.Join(p.command.Args[1:], " "), p.log)
}

// kill ends the program as a container that is killed.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// stop has programs end in order, all at once.
func (s *site) stop() {
	s.t.Helper()
	for _, n := range s.nodes {
		_ = n.command.Process.Signal(syscall.SIGTERM)
	}
	for _, n := range s.nodes {
		for n.lines.Scan() { // to its end
		}
		if err := n.command.Wait(); err != nil {
			s.t.Errorf("%s: %v\n%s", n.host, err, n.log)
		}
		if strings.Contains(n.log.String(), `"level":"WARN"`) && !s.troubled {
			s.t.Errorf("%s warned of\n%s", n.host, n.log)
		}
	}
}
