package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"
)

// built is the program, and a folder that Main removes. Both are there after Path.
var built struct {
	once    sync.Once
	program string
	folder  string
	err     error
}

// Main runs the tests of a package that drives the program, and cleans up after
// them. Call it from TestMain.
func Main(m *testing.M) {
	if race() {
		os.Setenv("GORACE", "halt_on_error=1 "+os.Getenv("GORACE"))
	}
	code := m.Run()
	os.RemoveAll(built.folder)
	os.Exit(code)
}

// Path returns the path of the program. The first test that calls it builds the program;
// all tests of a run share it. It is built like the tests: with the race detector if they
// run under it, and with their build tags. Without the race detector, QUIRE names one that is
// built already, and QUIRE_FOR_CLUSTER one with the tag cluster. With -short, the test is skipped.
func Path(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the program")
	}
	built.once.Do(build)
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.program
}

func build() {
	if built.folder, built.err = os.MkdirTemp("", "quire-test-"); built.err != nil {
		return
	}
	tags := setting("-tags")
	variable := map[string]string{"": "QUIRE", "cluster": "QUIRE_FOR_CLUSTER"}[tags]
	if built.program = os.Getenv(variable); built.program != "" && !race() {
		return
	}
	built.program = filepath.Join(built.folder, "bin", "quire")
	args, cgo := []string{"build", "-o", built.program}, "CGO_ENABLED=0"
	if race() {
		args, cgo = append(args, "-race"), "CGO_ENABLED=1"
	}
	if tags != "" {
		args = append(args, "-tags", tags)
	}
	c := exec.Command("go", append(args, "quire")...)
	c.Env = append(os.Environ(), cgo)
	if out, err := c.CombinedOutput(); err != nil {
		built.err = fmt.Errorf("%v: %w\n%s", c, err, out)
	}
}

// race reports whether the race detector runs.
func race() bool { return setting("-race") == "true" }

// setting returns a build setting of the tests.
func setting(key string) string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
