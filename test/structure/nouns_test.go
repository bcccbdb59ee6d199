package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostMeanings is how many packages may have a type of the same name. Two are often the
// two sides of one thing, such as a setting and its metrics.
const mostMeanings = 2

// fieldWords are nouns that mean the same to every Go programmer, or the same in every
// package of this program: what they belong to is in the name of the package.
var fieldWords = words(`
	accounts action addresserror attribute backup batch call change code compacted config connection count counts
	document encoder entry error failure fault field file folder form formaterror group history hook host identity instance
	kind limits line link links load locale log mail member memory meter migrated node notfounderror object op
	operation options outcome owner page person plan problem reader record refusederror report
	request role route row server service session setting source state step stoppable summary table target
	toolargeerror transfer unreachableerror value version writer
`)

// private are words with which this program once named many different things. They are
// no part of an identifier; comments may use them as in any other text.
var private = words(`arrival arrivals become bond book hire hold holder holders holding holdings house
	office question questions rise shelf studio told unmade visitor asked says`)

// privateFunctions are refused only as names of functions: rest is a usual name for what
// remains of a value.
var privateFunctions = words(`rest rested`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

var wordOfName = regexp.MustCompile(`[A-Z]+(?:[a-z]+)?|[a-z]+`)

// A reader who knows a noun from one package is not misled by another one.
func TestANounHasOneMeaning(t *testing.T) {
	atTheTop(t)
	meanings := map[string][]string{}
	for _, p := range listPackages(t) {
		for _, noun := range typesOf(t, p) {
			meanings[noun] = append(meanings[noun], strings.TrimPrefix(p.ImportPath, "quire/"))
		}
	}
	for _, noun := range slices.Sorted(maps.Keys(meanings)) {
		in := meanings[noun]
		switch {
		case len(in) > mostMeanings && !fieldWords[noun]:
			t.Errorf("%q is a type of %s: give it a name that says which, or add it to fieldWords if all mean the same", noun, strings.Join(in, ", "))
		case len(in) <= mostMeanings && fieldWords[noun]:
			t.Errorf("%q is in fieldWords, and needs not be", noun)
		}
	}
}

// typesOf returns the names of the types of a package, in small letters, each once.
func typesOf(t *testing.T, p listed) []string {
	t.Helper()
	nouns := map[string]bool{}
	for _, name := range p.GoFiles {
		ast.Inspect(parse(t, filepath.Join(p.Dir, name)), func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				nouns[strings.ToLower(spec.Name.Name)] = true
			}
			return true
		})
	}
	return slices.Sorted(maps.Keys(nouns))
}

// Identifiers are words that a newcomer knows.
func TestIdentifiersAreWordsOfTheField(t *testing.T) {
	atTheTop(t)
	for _, p := range listPackages(t) {
		for _, name := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			path := filepath.Join(p.Dir, name)
			for _, private := range privateNames(parse(t, path)) {
				t.Errorf("%s: %s; use a word that says what it is or does", path, private)
			}
		}
	}
}

// privateNames returns the identifiers that a file declares and that have a private word.
func privateNames(file *ast.File) (names []string) {
	eachIdentifier(file, func(ident *ast.Ident, function bool) {
		for _, word := range wordOfName.FindAllString(ident.Name, -1) {
			if word = strings.ToLower(word); private[word] || function && privateFunctions[strings.ToLower(ident.Name)] {
				names = append(names, ident.Name)
			}
		}
	})
	return names
}

// eachIdentifier calls fn for every identifier that a file declares, except tests, which are
// named as sentences.
func eachIdentifier(file *ast.File, fn func(ident *ast.Ident, function bool)) {
	each := func(list []*ast.Ident) {
		for _, ident := range list {
			fn(ident, false)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch d := n.(type) {
		case *ast.FuncDecl:
			if !strings.HasPrefix(d.Name.Name, "Test") && !strings.HasPrefix(d.Name.Name, "Benchmark") && !strings.HasPrefix(d.Name.Name, "Fuzz") {
				fn(d.Name, true)
			}
		case *ast.TypeSpec:
			fn(d.Name, false)
		case *ast.ValueSpec:
			each(d.Names)
		case *ast.Field:
			each(d.Names)
		case *ast.AssignStmt:
			if d.Tok == token.DEFINE {
				for _, e := range d.Lhs {
					if ident, ok := e.(*ast.Ident); ok {
						fn(ident, false)
					}
				}
			}
		case *ast.RangeStmt:
			if d.Tok == token.DEFINE {
				for _, e := range []ast.Expr{d.Key, d.Value} {
					if ident, ok := e.(*ast.Ident); ok {
						fn(ident, false)
					}
				}
			}
		}
		return true
	})
}

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	check(t, err)
	return file
}

// The rule finds what it is for.
func TestPrivateWordsAreFound(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
type bondMaker struct{ heldBook int }
func rest() { says := 1; for _, asked := range []int{says} { _ = asked } }
func remainder() (rest int) { return }
func TestABookIsRead() {}`, 0)
	check(t, err)
	if names, want := privateNames(file), []string{"bondMaker", "heldBook", "rest", "says", "asked"}; !slices.Equal(names, want) {
		t.Errorf("found %v, want %v", names, want)
	}
}
