package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// testdata/node.txt has expressions, each followed by what Node answers. QUIRE_RECORD=1
// writes the answers of the Node that is installed.
const recorded = "testdata/node.txt"

// shown makes a text of what a function returns or throws.
const shown = `const show = async (fn) => { try { const value = await fn(); return JSON.stringify(value) ?? "undefined" } catch (e) { return "throws " + e.name + (e.code ? " " + e.code : "") } };
`

func TestModulesAnswerAsNodeDoes(t *testing.T) {
	text, err := os.ReadFile(recorded)
	check(t, err)
	var expressions, answers []string
	var code strings.Builder
	code.WriteString("const all = [")
	for line := range strings.SplitSeq(string(text), "\n") {
		if answer, found := strings.CutPrefix(line, "  = "); found {
			answers = append(answers, answer)
		} else if line != "" {
			expressions = append(expressions, line)
			fmt.Fprintf(&code, "async () => (%s),\n", line)
		}
	}
	code.WriteString("];\n" + shown)
	if os.Getenv("QUIRE_RECORD") != "" {
		answers = record(t, code.String(), expressions)
	}
	e := start(t, code.String()+"__quire.run = (i) => show(all[i]);", Options{})
	for i, expression := range expressions {
		var got string
		check(t, json.Unmarshal([]byte(answer(t, e, "run", fmt.Sprint(i))), &got))
		if got != answers[i] {
			t.Errorf("%s\n  is   %s\n  want %s", expression, got, answers[i])
		}
	}
}

func record(t *testing.T, code string, expressions []string) (answers []string) {
	out, err := exec.Command("node", "-e", code+"(async () => { const out = []; for (const fn of all) out.push(await show(fn)); console.log(JSON.stringify(out)) })()").Output()
	if err == nil {
		err = json.Unmarshal(out, &answers)
	}
	check(t, err)
	var text strings.Builder
	for i, e := range expressions {
		fmt.Fprintf(&text, "%s\n  = %s\n", e, answers[i])
	}
	check(t, os.WriteFile(recorded, []byte(text.String()), 0o644))
	return answers
}
