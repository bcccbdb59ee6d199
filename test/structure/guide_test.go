package structure

import (
	"go/ast"
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

// The sentence about HTTP in the guide names the packages below the server that use it.
func TestTheGuideNamesWhatUsesHTTP(t *testing.T) {
	atTheTop(t)
	_, sentence, found := strings.Cut(readGuide(t), "Below `server`, only these packages use HTTP: ")
	sentence, _, _ = strings.Cut(sentence, ".")
	if !found {
		t.Fatalf("%s has no sentence about HTTP", guide)
	}
	above := []string{"command", "app", "app/control", "app/listen", "admin", "admin/web", "server"}
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "quire/")
		if strings.HasPrefix(name, "test/") || strings.HasPrefix(name, "examples/") || slices.Contains(above, name) {
			continue
		}
		uses, named := slices.Contains(p.Imports, "net/http"), strings.Contains(sentence, "`"+name+"`")
		if uses != named {
			t.Errorf("%s: imports net/http %v, named by %s %v", name, uses, guide, named)
		}
	}
}

// declared matches a file with a name that the guide says is in it: "`name` in `file.go`",
// "`file.go`, `name`" and "`name` of `file.go`".
var declared = regexp.MustCompile("`(\\w+)` (?:in|of) `([\\w/-]+\\.(?:go|tsx?))`|`([\\w/-]+\\.(?:go|tsx?))`, `(\\w+)`")

const frontEnd = "admin/web/src/" // the guide names its files by their paths below it

// What the guide says is in a file is declared there.
func TestTheGuideNamesWhatIsDeclared(t *testing.T) {
	atTheTop(t)
	pairs := 0
	for _, m := range declared.FindAllStringSubmatch(readGuide(t), -1) {
		name, path := m[1]+m[4], m[2]+m[3]
		pairs++
		if !strings.HasSuffix(path, ".go") {
			if !declaresScript(t, frontEnd+path, name) {
				t.Errorf("%s says that %s is in %s", guide, name, path)
			}
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", guide, err)
			continue
		}
		if !declares(tree, name) {
			t.Errorf("%s says that %s is in %s", guide, name, path)
		}
	}
	if pairs < 100 {
		t.Errorf("%s names %d declarations; are they still read?", guide, pairs)
	}
}

// The table of the front end in the guide has every folder.
func TestTheGuideListsTheFrontEnd(t *testing.T) {
	atTheTop(t)
	_, table, _ := strings.Cut(readGuide(t), "| folder of `admin/web/src` |")
	table, _, _ = strings.Cut(table, "\n\n")
	all, err := os.ReadDir(frontEnd)
	check(t, err)
	for _, folder := range all {
		if folder.IsDir() && !regexp.MustCompile("(?m)^\\|[^|]*`"+folder.Name()+"`").MatchString(table) {
			t.Errorf("the table of the front end in %s lacks %s", guide, folder.Name())
		}
	}
}

// declaresScript reports whether a file of the front end declares a function, class, constant
// or method of that name.
func declaresScript(t *testing.T, path, name string) bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%s: %v", guide, err)
		return false
	}
	return regexp.MustCompile(`(?m)\b(?:function|class|const) ` + name + `\b|^  (?:async )?#?` + name + `(?:<\w+>)?\(`).Match(text)
}

// declares reports whether a file declares a function, method, type, variable or constant
// of that name.
func declares(tree *ast.File, name string) (found bool) {
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			found = found || n.Name.Name == name
			return false
		case *ast.TypeSpec:
			found = found || n.Name.Name == name
		case *ast.ValueSpec:
			found = found || slices.ContainsFunc(n.Names, func(i *ast.Ident) bool { return i.Name == name })
		}
		return true
	})
	return found
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
			check(t, err)
			if (tree.Doc != nil) != (name == "doc.go") {
				t.Errorf("%s: the comment of the package belongs into doc.go, and only there", filepath.Join(p.ImportPath, name))
			}
		}
	}
}

func readGuide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(guide)
	check(t, err)
	return string(text)
}
