package structure

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const guide = "docs/developers.md"

var (
	codeSpan   = regexp.MustCompile("`([^`\n]+)`")
	pathSpan   = regexp.MustCompile(`^[a-z]+(/[a-z0-9_]+)+(\.go)?$|^[a-z_]+\.go$`)
	packageRow = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| [^|]+ \\|$")
)

// A newcomer finds every file and package that the developers' guide names.
func TestTheGuideNamesWhatExists(t *testing.T) {
	atTheTop(t)
	text := readGuide(t)
	named := 0
	for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
		path := span[1]
		if !pathSpan.MatchString(path) || path == "doc.go" || path == "testdata/fuzz" { // of any package
			continue
		}
		named++
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s names %s, which does not exist", guide, path)
		}
	}
	if named < 50 {
		t.Errorf("%s names %d files and packages; are its code spans still read?", guide, named)
	}
}

// The table of the guide has every package, and imports point down it.
func TestTheGuideListsThePackages(t *testing.T) {
	atTheTop(t)
	var rows []string
	_, section, _ := strings.Cut(readGuide(t), "\n## The packages\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range packageRow.FindAllStringSubmatch(section, -1) {
		rows = append(rows, "quire/"+row[1])
	}
	all := listPackages(t)
	for _, p := range all {
		at := slices.Index(rows, p.ImportPath)
		if at < 0 && p.ImportPath != "quire" {
			t.Errorf("the table of packages in %s lacks %s", guide, p.ImportPath)
		}
		for _, path := range p.Imports {
			if to := slices.Index(rows, path); to >= 0 && to < at {
				t.Errorf("%s imports %s, which stands above it in the table of packages in %s", p.ImportPath, path, guide)
			}
		}
	}
	for _, row := range rows {
		if !slices.ContainsFunc(all, func(p listed) bool { return p.ImportPath == row }) {
			t.Errorf("the table of packages in %s has %s, which is no package", guide, strings.TrimPrefix(row, "quire/"))
		}
	}
}

// Each package opens with a doc.go, and has its comment there alone.
func TestEachPackageHasADoc(t *testing.T) {
	atTheTop(t)
	for _, p := range listPackages(t) {
		if p.ImportPath == "quire" { // it is main.go
			continue
		}
		if !slices.Contains(p.GoFiles, "doc.go") {
			t.Errorf("%s has no doc.go", p.ImportPath)
		}
		for _, name := range p.GoFiles {
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if (tree.Doc != nil) != (name == "doc.go") {
				t.Errorf("%s: the comment of the package belongs into doc.go, and only there", filepath.Join(p.ImportPath, name))
			}
		}
	}
}

func readGuide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
