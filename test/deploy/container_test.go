package deploy

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// container is one program of a file of deploy, as an engine would run it.
type container struct {
	host    string // by which others reach it
	image   string
	args    []string
	env     map[string]string
	folders []string          // in it
	mounts  map[string]string // what lies in a folder, such as a volume's name, by folder
}

// quireImage is what deploy/Dockerfile builds.
const quireImage = "quire-cluster"

// text reads a file of this repository.
func text(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile("../../" + path)
	check(t, err)
	return string(b)
}

// imageEnv is the environment that deploy/Dockerfile gives to the program.
func imageEnv(t testing.TB) map[string]string {
	t.Helper()
	env := map[string]string{}
	line := regexp.MustCompile(`(?m)^ENV (.*)$`).FindStringSubmatch(text(t, "deploy/Dockerfile"))
	if line == nil {
		t.Fatal("deploy/Dockerfile has no ENV")
	}
	for _, pair := range strings.Fields(line[1]) {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return env
}

// knowsEnv demands that programs read each variable that a file sets.
func knowsEnv(t *testing.T, names []string) {
	t.Helper()
	sources := ""
	for _, folder := range []string{"command", "app", "media/bucket"} {
		entries, err := os.ReadDir("../../" + folder)
		check(t, err)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
				sources += text(t, folder+"/"+e.Name())
			}
		}
	}
	ours := []string{"TMPDIR", "ROOT_ACCESS_KEY", "ROOT_SECRET_KEY"} // of Go and of versitygw
	for _, name := range slices.Sorted(slices.Values(names)) {
		if !slices.Contains(ours, name) && !strings.Contains(sources, `"`+name+`"`) {
			t.Errorf("the variable %s is read by no program", name)
		}
	}
}

// TestImages: what is built is what the tests of this repository are run with.
func TestImages(t *testing.T) {
	knowsEnv(t, slices.Collect(maps.Keys(imageEnv(t))))
	gateway := regexp.MustCompile(`github.com/versity/versitygw/cmd/versitygw@v[0-9.]+`)
	tested := gateway.FindString(text(t, ".ci/steps"))
	for _, path := range []string{"deploy/compose.cluster.yaml", "deploy/go.Dockerfile"} {
		if named := gateway.FindString(text(t, path)); named != tested || tested == "" {
			t.Errorf("%s names %q, and .ci/steps %q", path, named, tested)
		}
	}
	version := regexp.MustCompile(`(?m)^FROM .*golang:([0-9.]+) AS build$`)
	needs := regexp.MustCompile(`(?m)^go ([0-9]+\.[0-9]+)`).FindStringSubmatch(text(t, "go.mod"))[1]
	for _, path := range []string{"deploy/Dockerfile", "deploy/go.Dockerfile"} {
		if m := version.FindStringSubmatch(text(t, path)); m == nil || m[1] != needs {
			t.Errorf("%s builds with %q, and go.mod needs %s", path, m, needs)
		}
	}
}
