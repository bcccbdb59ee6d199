package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A command that waits for standard input ends when it is stopped, even if no input comes.
// It leaves no temporary file behind.
func TestStoppedWhileReading(t *testing.T) {
	site, temporary := newGuide(t), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, args := range []string{
		"import - " + site, "import --csv --type cuisine - " + site,
		"user create --username ana --email ana@example.org --password-stdin " + site,
	} {
		ctx, stop := context.WithCancel(t.Context())
		nothing, write := io.Pipe()
		root := newRoot()
		root.SetArgs(strings.Fields(args))
		root.SetIn(stopping{nothing, stop})
		root.SetOut(io.Discard)
		var stderr bytes.Buffer
		root.SetErr(&stderr)
		if err := root.ExecuteContext(ctx); err == nil || !strings.Contains(err.Error(), "canceled") {
			t.Errorf("quire %s: %v", args, err)
		}
		write.Close()
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// stopping stops a command when it begins to read.
type stopping struct {
	io.Reader
	stop func()
}

func (s stopping) Read(p []byte) (int, error) {
	s.stop()
	return s.Reader.Read(p)
}

// A line without an end is not a password.
func TestLongPassword(t *testing.T) {
	for text, want := range map[string]string{
		"secret\r\nmore": "", strings.Repeat("a", longestLine-1) + "\nmore": "too long", strings.Repeat("a", 2*longestLine): "too long", "\n": "holds no password",
	} {
		password, err := firstLine(strings.NewReader(text))
		switch {
		case want == "" && (err != nil || password != "secret"):
			t.Errorf("%q, %v", password, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%.20q: %.20q, %v", text, password, err)
		}
	}
}

// A command that cannot notice the first Ctrl-C, for example because it opens a pipe that
// nobody writes to, ends with another Ctrl-C.
func TestInterruptAgain(t *testing.T) {
	if args := os.Getenv("QUIRE_ARGS"); args != "" {
		fmt.Println("begun")
		os.Exit(Main(strings.Fields(args)))
	}
	site, pipe := newGuide(t), filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip("no pipes here:", err)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestInterruptAgain$")
	c.Env = append(os.Environ(), "QUIRE_ARGS=import "+pipe+" "+site)
	stdout, err := c.StdoutPipe()
	requireNil(t, err)
	requireNil(t, c.Start())
	_, err = stdout.Read(make([]byte, len("begun")))
	requireNil(t, err)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for range 3600 {
		select {
		case err := <-ended:
			if err == nil {
				t.Error("it succeeded")
			}
			return
		case <-time.After(50 * time.Millisecond):
			c.Process.Signal(os.Interrupt)
		}
	}
	c.Process.Kill()
	t.Error("it does not end")
}
