package command

import (
	"bytes"
	"os"
	"path"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// shown is a command of quire that a page shows.
type shown struct {
	page string
	line int // in the page
	args []string
	env  []string // variables for this command
}

func (s shown) String() string { return "quire " + strings.Join(s.args, " ") }

// shownIn returns the commands of quire in the shell scripts of a page.
func shownIn(t *testing.T, page string) []shown {
	t.Helper()
	content, err := os.ReadFile("../" + page)
	requireNil(t, err)
	var all []shown
	var script bytes.Buffer
	in, first := false, 0
	for i, line := range strings.Split(string(content), "\n") {
		switch fence := strings.TrimSpace(line); {
		case !in && fence == "```sh":
			in, first = true, i+1
			script.Reset()
		case in && fence == "```":
			in = false
			all = append(all, shownInScript(t, page, first, typed(script.String()))...)
		case in:
			script.WriteString(line + "\n")
		}
	}
	return all
}

// shownInScript returns the commands of quire in a script, which must have at least
// one.
func shownInScript(t *testing.T, page string, first int, script string) (all []shown) {
	t.Helper()
	parsed, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), page)
	if err != nil {
		t.Errorf("%s, in the script at line %d: %v", page, first, err)
		return nil
	}
	variables := &expand.Config{Env: expand.ListEnviron("TOKEN=token", "DELIVERY=1"), CmdSubst: nil}
	syntax.Walk(parsed, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || path.Base(call.Args[0].Lit()) != "quire" {
			return true
		}
		s := shown{page: page, line: first + int(call.Pos().Line())}
		for _, a := range call.Assigns {
			value, err := expand.Literal(variables, a.Value)
			if err != nil {
				t.Errorf("%s:%d: %v", page, s.line, err)
			}
			s.env = append(s.env, a.Name.Value+"="+value)
		}
		for _, w := range call.Args[1:] {
			word, err := expand.Literal(variables, w)
			if err != nil {
				t.Errorf("%s:%d: %v", page, s.line, err)
			}
			s.args = append(s.args, word)
		}
		all = append(all, s)
		return true
	})
	return all
}

// typed returns what a reader types. If some lines begin with a prompt, the others are
// output.
func typed(script string) string {
	if !strings.HasPrefix(script, "$ ") && !strings.Contains(script, "\n$ ") {
		return script
	}
	var lines strings.Builder
	for line := range strings.Lines(script) {
		if rest, prompt := strings.CutPrefix(line, "$ "); prompt {
			lines.WriteString(rest)
		} else {
			lines.WriteString("\n") // keeps the line numbers
		}
	}
	return lines.String()
}
