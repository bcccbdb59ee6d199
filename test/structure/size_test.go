package structure

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The bounds of a file and of a function, in lines. A shorter file belongs into its
// neighbour, a longer function hides its steps. A function may be so long that an algorithm
// stands in one piece.
const (
	shortestFile    = 40
	longestFunction = 80
)

// shortFiles are the files that stand alone although they are short. Those of one
// system and doc.go need no line here.
var shortFiles = map[string]string{
	"admin/web/carried.go":       "the one that a build tag leaves out",
	"main.go":                    "the one file at the top",
	"app/templates/templates.go": "the one file of its package, beside the sites that it embeds",
}

func TestFilesAndFunctionsHaveTheirSize(t *testing.T) {
	atTheTop(t)
	for _, p := range listPackages(t) {
		for _, name := range p.GoFiles {
			checkSize(t, p.Dir, name)
		}
	}
}

func checkSize(t *testing.T, dir, name string) {
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	check(t, err)
	top, err := os.Getwd()
	check(t, err)
	file, _ := filepath.Rel(top, path)
	lines := bytes.Count(text, []byte("\n"))
	if _, alone := shortFiles[filepath.ToSlash(file)]; lines < shortestFile && !alone && name != "doc.go" && !ofOneSystem(name, text) {
		t.Errorf("%s has %d lines; a file of less than %d belongs into its neighbour", file, lines, shortestFile)
	}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	check(t, err)
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; n > longestFunction {
			t.Errorf("%s: %s has %d lines; a function of more than %d hides its steps", file, f.Name.Name, n, longestFunction)
		}
	}
}

var systemFile = regexp.MustCompile(`_(linux|darwin|windows|unix|other)\.go$`)

// ofOneSystem reports whether a file is built for some systems only.
func ofOneSystem(name string, text []byte) bool {
	return systemFile.MatchString(name) || strings.HasPrefix(string(text), "//go:build ")
}

// A name in the table of short files that is gone would let a new short file pass.
func TestShortFilesAreShort(t *testing.T) {
	atTheTop(t)
	for file := range shortFiles {
		text, err := os.ReadFile(file)
		if err != nil || bytes.Count(text, []byte("\n")) >= shortestFile {
			t.Errorf("%s is not a short file any more, %v", file, err)
		}
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
