package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// soaked tells the test binary to be quire instead of running tests.
const soaked = "QUIRE_SOAKED"

// TestSoakedProgram is no test: it is quire, with the command line after "--", and
// tells on file 3 what is in its memory each time that it reads a line from
// standard input.
func TestSoakedProgram(t *testing.T) {
	if os.Getenv(soaked) == "" {
		t.Skip("this is the program that TestSoak starts")
	}
	go tellInside(os.Stdin, os.NewFile(3, "answers"))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	_, args, _ := strings.Cut(strings.Join(os.Args, "\n"), "\n--\n")
	os.Exit(run(ctx, strings.Split(args, "\n"), os.Stdout, os.Stderr))
}

// inside is what only the program itself knows of its memory.
type inside struct {
	Goroutines int
	Heap       uint64 // what lives, in bytes, when it was asked to settle
	Stacks     string // of all goroutines, when it was asked to settle
}

// tellInside answers "now", and "settle" after the garbage is gone.
func tellInside(questions io.Reader, answers io.Writer) {
	for lines := bufio.NewScanner(questions); lines.Scan(); {
		answer := inside{Goroutines: runtime.NumGoroutine()}
		if lines.Text() == "settle" {
			debug.FreeOSMemory() // which collects the garbage, and empties half of each pool
			debug.FreeOSMemory()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			var stacks bytes.Buffer
			pprof.Lookup("goroutine").WriteTo(&stacks, 1)
			answer.Heap, answer.Stacks = m.HeapAlloc, stacks.String()
		}
		json.NewEncoder(answers).Encode(answer)
	}
}

// soakedProgram is quire in a process of its own, as TestSoak sees it.
type soakedProgram struct {
	*exec.Cmd
	url       string
	mu        sync.Mutex // one question at a time
	questions io.WriteCloser
	answers   *json.Decoder
	log       *soakLog
}

func startSoaked(t *testing.T, site string) *soakedProgram {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestSoakedProgram$", "-test.timeout=0", "--", "serve", "--listen", "127.0.0.1:0", site)
	c.Env = append(os.Environ(), soaked+"=1")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.ExtraFiles = []*os.File{writer}
	questions, err := c.StdinPipe()
	stdout, err2 := c.StdoutPipe()
	stderr, err3 := c.StderrPipe()
	if err := errors.Join(err, err2, err3, c.Start()); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	t.Cleanup(func() { c.Process.Kill(); reader.Close() })
	p := &soakedProgram{Cmd: c, questions: questions, answers: json.NewDecoder(reader), log: readSoakLog(stderr)}
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("quire says nothing: %v\n%s", err, p.log.wait())
	}
	fmt.Sscanf(line, "Quire listens at %s", &p.url)
	go io.Copy(io.Discard, lines)
	return p
}

// ask has the program look into itself.
func (p *soakedProgram) ask(question string) (answer inside, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err = fmt.Fprintln(p.questions, question); err == nil {
		err = p.answers.Decode(&answer)
	}
	return answer, err
}

// end stops the program as an operator would, and demands a clean end.
func (p *soakedProgram) end(t *testing.T) {
	t.Helper()
	p.Process.Signal(syscall.SIGTERM)
	tail := p.log.wait()
	if err := p.Wait(); err != nil {
		t.Errorf("the program ends with %v\n%s", err, tail)
	}
}

// outside is what the system knows of a program, all but the last in bytes.
type outside struct {
	Resident  int64 // of its own: what is resident without pages of files, which the system takes back at will
	WithFiles int64 // resident, pages of the data file included
	Peak      int64 // the most that was ever resident
	Files     int   // open ones: files, connections
}

// look asks the system. It fails where there is no /proc.
func (p *soakedProgram) look() (o outside, err error) {
	folder := fmt.Sprintf("/proc/%d/", p.Process.Pid)
	status, err := os.ReadFile(folder + "status")
	if err != nil {
		return o, err
	}
	for line := range strings.Lines(string(status)) {
		var name string
		var kilobytes int64
		fmt.Sscanf(line, "%s %d kB", &name, &kilobytes)
		switch name {
		case "RssAnon:":
			o.Resident = kilobytes << 10
		case "VmRSS:":
			o.WithFiles = kilobytes << 10
		case "VmHWM:":
			o.Peak = kilobytes << 10
		}
	}
	open, err := os.ReadDir(folder + "fd")
	o.Files = len(open)
	if errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return o, err
}

// soakLog keeps of a log what is neither a request nor news.
type soakLog struct {
	mu    sync.Mutex
	said  map[string]int // how often, by level and message
	lines []string       // the first few
	ended chan struct{}
}

func readSoakLog(r io.Reader) *soakLog {
	l := &soakLog{said: map[string]int{}, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		defer io.Copy(io.Discard, r) // after a line that is too long, too
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			if !bytes.Contains(lines.Bytes(), []byte(`"level":"INFO"`)) {
				l.keep(lines.Text())
			}
		}
	}()
	return l
}

func (l *soakLog) keep(line string) {
	var parts struct{ Level, Msg string }
	if json.Unmarshal([]byte(line), &parts) != nil {
		parts.Level, parts.Msg = "NONE", "not a line of the log"
	}
	message, _, _ := strings.Cut(parts.Msg, ":")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said[parts.Level+" "+message]++
	if len(l.lines) < 200 && parts.Level != "WARN" {
		l.lines = append(l.lines, line)
	}
}

// wait returns what was kept, once the program has ended.
func (l *soakLog) wait() string {
	<-l.ended
	return strings.Join(l.lines, "\n")
}
