package structure

import (
	"path/filepath"
	"testing"
)

// atTheTop runs a test at the top of the repository. It is called within each test: only
// then does `go test` see which files the test reads, and runs it again when they change.
func atTheTop(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

// A newcomer finds one Go file at the top: where the program begins.
func TestOneFileAtTheTop(t *testing.T) {
	atTheTop(t)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) != 1 || files[0] != "main.go" {
		t.Errorf("at the top are %v, %v; the other files belong into a package", files, err)
	}
}
