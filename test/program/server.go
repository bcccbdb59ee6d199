package program

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Server is a program that serves a site.
type Server struct {
	*exec.Cmd
	URL     string // its address
	Metrics string // address of its metrics, empty without --metrics
	Log     *Log   // of its standard error, nil if the command has its own

	lines *bufio.Reader // of its standard output
}

// Serve starts the program on a site and waits until it prints its address.
func Serve(t testing.TB, site string, flags ...string) *Server {
	t.Helper()
	return Start(t, ServeCommand(t, site, flags...))
}

// ServeCommand returns the command that Serve starts.
func ServeCommand(t testing.TB, site string, flags ...string) *exec.Cmd {
	t.Helper()
	return New(t, append(append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...), site)...)
}

// Start starts a command that serves, and waits until it prints its address.
func Start(t testing.TB, c *exec.Cmd) *Server {
	t.Helper()
	s, listens := Try(t, c)
	if !listens {
		t.Fatalf("%v says nothing on standard output, and\n%s", c, s.Log)
	}
	return s
}

// Try starts a command that serves, and reports whether it printed its address. If not, it
// has ended.
func Try(t testing.TB, c *exec.Cmd) (s *Server, listens bool) {
	t.Helper()
	s = Launch(t, c)
	if !s.ScanLine("Quire listens at %s", &s.URL) || slices.Contains(c.Args, "--metrics") && !s.ScanLine("Metrics are at %s", &s.Metrics) {
		s.Wait()
		return s, false
	}
	go io.Copy(io.Discard, s.lines)
	return s, true
}

// Launch starts a command and does not wait for its output. It is killed when the test
// ends.
func Launch(t testing.TB, c *exec.Cmd) *Server {
	t.Helper()
	s := &Server{Cmd: c}
	if c.Stderr == nil {
		s.Log = &Log{said: map[string]int{}}
		c.Stderr = s.Log
	}
	stdout, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.clean(t) }) // also if the test is aborted
	s.lines = bufio.NewReader(stdout)
	return s
}

// ScanLine waits for a line of this form on standard output and reads the value in it. It
// reports false if the program ends without one.
func (s *Server) ScanLine(form string, value *string) bool {
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return false
		}
		if n, _ := fmt.Sscanf(line, form, value); n == 1 {
			return true
		}
	}
}

// FreeAddress returns an address of this machine at which nothing listens. Its port is
// outside the range that systems give to connections, so it stays free. No other test gets
// it before this one ends: the port of UDP with the same number is held until then.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		held, err := net.ListenPacket("udp", address)
		if err != nil {
			continue // another test has it
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			held.Close()
			continue // something listens there
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { held.Close() })
		return address
	}
	t.Fatal("no port is free")
	return ""
}

// Signal sends a signal, unless the program has ended.
func (s *Server) Signal(sig os.Signal) { s.Process.Signal(sig) }

// Kill kills the program as a power failure would, and waits until it has ended.
func (s *Server) Kill() {
	s.Process.Kill()
	s.Wait()
}

// clean kills the program if it still runs, and fails the test for messages that no program
// may log.
func (s *Server) clean(t testing.TB) {
	s.Kill()
	if s.Log == nil {
		return
	}
	if said := s.Log.String(); strings.Contains(said, "DATA RACE") || strings.Contains(said, "panic: ") {
		t.Errorf("the program says\n%s", said)
	}
}
