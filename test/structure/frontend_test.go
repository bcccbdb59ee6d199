package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// importOf finds the file that a module imports: at once, when it is needed, or for its types.
var importOf = regexp.MustCompile(`(?m)^(?:import|export) (?:[^"';]*? from )?"(\.[^"]+)"|import\("(\.[^"]+)"\)`)

// A module of the admin can be read, tested and loaded with what it imports and without
// those that import it: no imports lead back to where they began.
func TestFrontEndHasNoCycles(t *testing.T) {
	atTheTop(t)
	imports := importsOfFrontEnd(t)
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(path []string, file string)
	visit = func(path []string, file string) {
		path = append(path, file)
		switch state[file] {
		case open:
			t.Errorf("imports lead back to where they began:\n  %s", strings.Join(path[slices.Index(path, file):], "\n  "))
		case done:
			return
		default:
			state[file] = open
			for _, next := range imports[file] {
				visit(path, next)
			}
		}
		state[file] = done
	}
	for file := range imports {
		visit(nil, file)
	}
}

// importsOfFrontEnd gives the modules of the admin, by path, with those that each imports.
func importsOfFrontEnd(t *testing.T) map[string][]string {
	sources := map[string]string{}
	err := filepath.WalkDir("admin/web/src", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(filepath.Ext(path), ".ts") {
			return err
		}
		source, err := os.ReadFile(path)
		sources[filepath.ToSlash(path)] = string(source)
		return err
	})
	check(t, err)
	imports := map[string][]string{}
	for path, source := range sources {
		imports[path] = nil
		for _, found := range importOf.FindAllStringSubmatch(source, -1) {
			to := filepath.ToSlash(filepath.Join(filepath.Dir(path), found[1]+found[2]))
			if strings.HasPrefix(to, "examples/") {
				continue // sent to others as text
			}
			for _, file := range []string{to + ".ts", to + ".tsx"} {
				if _, ok := sources[file]; ok {
					to = file
				}
			}
			if _, ok := sources[to]; !ok {
				t.Errorf("%s imports %s, which is no module of the front end", path, found[1]+found[2])
			}
			imports[path] = append(imports[path], to)
		}
	}
	return imports
}
