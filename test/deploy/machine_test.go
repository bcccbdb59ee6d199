package deploy

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// machine runs containers as processes: each host has an address of this machine, and each
// folder in a container is one below a root of its own.
type machine struct {
	t         *testing.T
	addresses map[string]string // of hosts
	root      string
}

func newMachine(t *testing.T, hosts []string) *machine {
	m := &machine{t: t, addresses: map[string]string{}, root: t.TempDir()}
	network := fmt.Sprintf("127.%d.%d", 16+rand.IntN(200), rand.IntN(256))
	for i, host := range hosts {
		m.addresses[host] = fmt.Sprintf("%s.%d", network, i+1)
	}
	return m
}

// hosted replaces hosts by their addresses.
func (m *machine) hosted(text string) string {
	for host, address := range m.addresses {
		text = regexp.MustCompile(`(^|[/,@="])`+regexp.QuoteMeta(host)+`:`).ReplaceAllString(text, "${1}"+address+":")
	}
	return text
}

// local is what an argument or a variable of a container says here.
func (m *machine) local(c container, text string) string {
	text = m.hosted(text)
	for _, folder := range c.folders {
		text = regexp.MustCompile(`(^|=)`+regexp.QuoteMeta(folder)+`(/|$)`).ReplaceAllString(text, "${1}"+m.folder(c, folder)+"${2}")
	}
	text = strings.ReplaceAll(text, "0.0.0.0", m.addresses[c.host])
	if strings.HasPrefix(text, ":") {
		text = m.addresses[c.host] + text
	}
	return text
}

func (m *machine) folder(c container, folder string) string {
	return filepath.Join(m.root, c.host) + folder
}

// command is a command of a container's program, with its environment and no other.
func (m *machine) command(c container, path string, args []string) *exec.Cmd {
	m.t.Helper()
	for _, folder := range c.folders {
		check(m.t, os.MkdirAll(m.folder(c, folder), 0o700))
	}
	if slices.Contains(c.folders, "/site") {
		m.copySite(m.folder(c, "/site"))
	}
	command := exec.Command(path)
	for _, arg := range args {
		command.Args = append(command.Args, m.local(c, arg))
	}
	command.Env = []string{}
	for name, value := range c.env {
		command.Env = append(command.Env, name+"="+m.local(c, value))
	}
	return command
}

// copySite copies the site that the files of deploy serve.
func (m *machine) copySite(to string) {
	m.t.Helper()
	check(m.t, os.RemoveAll(to))
	check(m.t, os.CopyFS(to, os.DirFS("../../deploy/site")))
	settings := strings.ReplaceAll(text(m.t, "deploy/site/site.json"), "//files:", "//"+m.addresses["files"]+":")
	check(m.t, os.WriteFile(filepath.Join(to, "site.json"), []byte(settings), 0o600))
}

// succeed runs a command in a container to its end, and returns what it printed, which has
// to begin or end with says.
func (m *machine) succeed(c container, args []string, says string) string {
	m.t.Helper()
	command := m.command(c, program(m.t), args)
	out, err := command.Output()
	printed := strings.TrimSpace(string(out))
	if err != nil || !strings.HasPrefix(printed, says) && !strings.HasSuffix(printed, says) {
		if exit, ok := err.(*exec.ExitError); ok {
			printed += "\n" + string(exit.Stderr)
		}
		m.t.Fatalf("%s: quire %s: %v\n%s", c.host, strings.Join(command.Args[1:], " "), err, printed)
	}
	return printed
}

// gateway starts the object store, whose program must be in PATH.
func (m *machine) gateway(c container) {
	m.t.Helper()
	command := m.command(c, "versitygw", c.args)
	check(m.t, command.Start())
	m.t.Cleanup(func() { _, _ = command.Process.Kill(), command.Wait() })
	m.awaitListener(m.addresses[c.host] + ":7070")
}

// awaitListener waits until somebody listens at an address.
func (m *machine) awaitListener(address string) {
	m.t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(end) {
			m.t.Fatal(err)
		}
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
