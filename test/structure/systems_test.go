package structure

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCompilesInOtherWays checks the types of the program as the compiler does for Windows and
// macOS, and with each tag that leaves something out. That takes a tenth of the time of compiling
// all that the program imports.
func TestCompilesInOtherWays(t *testing.T) {
	for name, way := range map[string]way{
		"windows": {"windows", "amd64", ""},
		"darwin":  {"darwin", "arm64", ""},
		"noadmin": {"linux", "amd64", "noadmin"},
		"nocode":  {"linux", "amd64", "nocode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, err := range typeErrors(t, way) {
				t.Error(err)
			}
		})
	}
}

// way is for what the program is compiled.
type way struct{ system, arch, tags string }

// imported are the packages that are checked so far, by the path in an import of one package.
type imported struct {
	checked map[string]*types.Package
	paths   map[string]string // of imports that mean another path
}

func (i imported) Import(path string) (*types.Package, error) {
	if other, ok := i.paths[path]; ok {
		path = other
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i.checked[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not checked before: " + path)
}

// typeErrors returns what is wrong in the packages of the program that is compiled in a way. Of
// packages of others it checks what they export.
func typeErrors(t *testing.T, w way) (errs []error) {
	list := exec.Command("go", "list", "-deps", "-tags", w.tags, "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "quire")
	list.Env = append(os.Environ(), "GOOS="+w.system, "GOARCH="+w.arch, "CGO_ENABLED=0")
	out, err := list.StdoutPipe()
	check(t, err)
	check(t, list.Start())
	checked := map[string]*types.Package{}
	for all := json.NewDecoder(out); ; {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
			ImportMap       map[string]string
			Module          *struct{ Main bool }
		}
		if err := all.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			check(t, err)
		}
		files := token.NewFileSet()
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			check(t, err)
			parsed = append(parsed, f)
		}
		ours := p.Module != nil && p.Module.Main
		config := types.Config{
			Importer:         imported{checked, p.ImportMap},
			IgnoreFuncBodies: !ours,
			Sizes:            types.SizesFor("gc", w.arch),
			Error: func(err error) {
				if ours {
					errs = append(errs, err)
				}
			},
		}
		checked[p.ImportPath], _ = config.Check(p.ImportPath, files, parsed, nil)
	}
	check(t, list.Wait())
	if checked["quire"] == nil {
		t.Error("go list does not name the program")
	}
	return errs
}
