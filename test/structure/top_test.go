package structure

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// atTheTop runs a test at the top of the repository. It is called within each test: only
// then does `go test` see which files the test reads, and runs it again when they change.
func atTheTop(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

// isMade reports whether tools write in folders of this name. Tests do not look into them:
// what is there is not of the repository, and can go while a test runs.
func isMade(folder string) bool {
	hidden := len(folder) > 1 && folder[0] == '.'
	return hidden || slices.Contains([]string{"node_modules", "dist", "generated", "screenshots"}, folder)
}

// A newcomer finds one Go file at the top: where the program begins.
func TestOneFileAtTheTop(t *testing.T) {
	atTheTop(t)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) != 1 || files[0] != "main.go" {
		t.Errorf("at the top are %v, %v; the other files belong into a package", files, err)
	}
}

// top is every entry at the top of the repository: what is added there by accident is
// refused.
var top = []string{
	".ci", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md", "go.mod", "go.sum", "main.go",
	"admin", "app", "auth", "code", "command", "content", "deploy", "docs", "documents", "examples", "index", "media", "notify", "query",
	"schema", "server", "store", "test", "testdata", "transfer",
}

func TestTheTopIsNamed(t *testing.T) {
	atTheTop(t)
	out, err := exec.Command("git", "ls-tree", "--name-only", "HEAD").Output()
	if err != nil {
		t.Skip("this is not a clone:", err)
	}
	entries := strings.Fields(string(out))
	for _, name := range entries {
		if !slices.Contains(top, name) {
			t.Errorf("%s at the top is not in the list; remove it, or name it", name)
		}
	}
	for _, name := range top {
		if !slices.Contains(entries, name) {
			t.Errorf("the list names %s, which is not at the top", name)
		}
	}
}
