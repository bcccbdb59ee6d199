package structure

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Every module that is named in go.mod stands in the list of dependencies, with
// its version, and so does whatever they bring along.
func TestDependenciesAreListed(t *testing.T) {
	atTheTop(t)
	text, err := os.ReadFile("docs/dependencies.md")
	check(t, err)
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	check(t, err)
	var mod struct {
		Require []struct {
			Path, Version string
			Indirect      bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil || len(mod.Require) == 0 {
		t.Fatalf("go.mod names %d modules, %v", len(mod.Require), err)
	}
	for _, m := range mod.Require {
		row := "| " + m.Path + " | "
		if !m.Indirect {
			row += m.Version + " | "
		}
		if !strings.Contains(string(text), "\n"+row) {
			t.Errorf("docs/dependencies.md has no line that begins with %q", row)
		}
	}
}
