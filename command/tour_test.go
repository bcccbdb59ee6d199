package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	outside "quire/test/program"
)

// demoLines starts a demo, and reads its whole output.
func demoLines(t *testing.T) (p *program, lines []string) {
	t.Helper()
	p = begin(t, "demo", "--listen", "127.0.0.1:0", filepath.Join(t.TempDir(), "try"))
	for line := range p.stdout {
		if strings.HasPrefix(line, "Stop with") {
			return p, lines
		}
		lines = append(lines, line)
	}
	t.Fatal("it ends")
	return nil, nil
}

// tokenIn returns the token that a demo prints.
func tokenIn(t *testing.T, lines []string) string {
	t.Helper()
	for _, line := range lines {
		if _, token, found := strings.Cut(line, "TOKEN="); found {
			return token
		}
	}
	t.Fatal("no token is printed")
	return ""
}

// shell runs a script with the token of a demo.
func shell(t *testing.T, token, script string) string {
	t.Helper()
	for _, name := range []string{"sh", "curl"} {
		outside.Find(t, name)
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", script)
	c.Env = append(os.Environ(), "TOKEN="+token)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// Everything that a demo suggests works, in that order.
func TestDemoCanBeTried(t *testing.T) {
	p, lines := demoLines(t)
	defer p.end()
	text := strings.ReplaceAll(strings.Join(lines, "\n"), "\\\n", " ")
	tried := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, p.url+"/admin"):
			continue // a page
		case strings.HasPrefix(line, p.url):
			line = "curl -g '" + line + "'"
		case !strings.HasPrefix(line, "curl "):
			continue
		}
		tried++
		if out := shell(t, tokenIn(t, lines), strings.Replace(line, "curl ", "curl -s ", 1)); !strings.HasPrefix(out, `{"data":`) || strings.Contains(out, `"error":`) {
			t.Errorf("%s: %s", line, out)
		}
	}
	if tried < 14 {
		t.Errorf("only %d lines are to be tried", tried)
	}
}

// step is some commands of the tour, and their output.
type step struct{ commands, prints string }

// stepsOf returns the shell blocks of a page that use a demo, at $B: the commands and, in
// comments, their output.
func stepsOf(page string) (steps []step) {
	s := step{}
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page, -1) {
		if !strings.Contains(block[1], "B=") && !strings.Contains(block[1], "$B/") {
			continue
		}
		for line := range strings.Lines(block[1]) {
			printed, isComment := strings.CutPrefix(line, "# ")
			switch {
			case isComment:
				s.prints += printed
			case s.prints != "":
				steps, s = append(steps, s), step{commands: line}
			default:
				s.commands += line
			}
		}
	}
	return append(steps, s)
}

// The pages that use a demo show its real output.
func TestPagesOfTheDemo(t *testing.T) {
	for name, least := range map[string]int{"tour.md": 18, "lifecycle.md": 9, "sync.md": 4, "preview.md": 6} {
		t.Run(name, func(t *testing.T) {
			page, err := os.ReadFile("../docs/" + name)
			requireNil(t, err)
			p, lines := demoLines(t)
			defer p.end()
			steps := stepsOf(strings.NewReplacer("TOKEN=…\n", "", "http://127.0.0.1:1337", p.url).Replace(string(page)))
			if len(steps) < least {
				t.Errorf("only %d steps", len(steps))
			}
			follow(t, tokenIn(t, lines), steps)
		})
	}
}

// follow runs steps one after the other, and requires the shown output of each.
func follow(t *testing.T, token string, steps []step) {
	t.Helper()
	const mark = "---8<---"
	script := ""
	for _, s := range steps {
		script += s.commands + "echo '" + mark + "'\n"
	}
	outputs := strings.Split(shell(t, token, script), mark+"\n")
	if len(outputs) != len(steps)+1 {
		t.Fatalf("%d steps print %q", len(steps), outputs)
	}
	for i, s := range steps {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(s.prints)), "…", ".*")
		if got := strings.TrimSpace(outputs[i]); s.prints == "" || !regexp.MustCompile(`^`+pattern+`$`).MatchString(got) {
			t.Errorf("%sprints\n%s\nand the page says\n%s", s.commands, got, s.prints)
		}
	}
}
