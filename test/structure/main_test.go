package structure

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMain runs the tests at the top of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// A newcomer finds one Go file at the top: where the program begins.
func TestOneFileAtTheTop(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) != 1 || files[0] != "main.go" {
		t.Errorf("at the top are %v, %v; the other files belong into a package", files, err)
	}
}
