package structure

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// bounds are parts of docs/security.md, with constants of the program in the place of
// numbers: {package.constant}.
const boundsFile = "test/structure/testdata/bounds.txt"

var constantIn = regexp.MustCompile(`\{([a-z/]+)\.(\w+)\}`)

// Each bound of docs/security.md that is a constant has its number.
func TestBoundsAreThoseOfTheProgram(t *testing.T) {
	atTheTop(t)
	page, err := os.ReadFile("docs/security.md")
	check(t, err)
	list, err := os.ReadFile(boundsFile)
	check(t, err)
	all, packages := 0, constants{}
	for line := range strings.Lines(string(list)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		pattern, last := "", 0
		for _, m := range constantIn.FindAllStringSubmatchIndex(line, -1) {
			all++
			n, lasts := packages.value(t, line[m[2]:m[3]], line[m[4]:m[5]])
			pattern += regexp.QuoteMeta(line[last:m[0]]) + "(?:" + strings.Join(written(n, lasts), "|") + ")"
			last = m[1]
		}
		pattern += regexp.QuoteMeta(line[last:])
		if !regexp.MustCompile(pattern).Match(page) {
			t.Errorf("docs/security.md does not have %q, which is %s", line, pattern)
		}
	}
	if all < 200 {
		t.Errorf("%s has %d constants; is it still read?", boundsFile, all)
	}
}

// written are the ways to write a number, or a time, in the page.
func written(n int64, lasts bool) (ways []string) {
	if lasts {
		for _, unit := range []struct {
			name, one string
			of        time.Duration
		}{{"millisecond", "a", time.Millisecond}, {"second", "a", time.Second}, {"minute", "a", time.Minute}, {"hour", "an", time.Hour}, {"day", "a", 24 * time.Hour}, {"week", "a", 7 * 24 * time.Hour}, {"year", "a", 365 * 24 * time.Hour}} {
			switch {
			case n == int64(unit.of):
				ways = append(ways, unit.one+" "+unit.name, "1 "+unit.name)
			case n%int64(unit.of) == 0:
				ways = append(ways, fmt.Sprintf("%s %ss", withCommas(n/int64(unit.of)), unit.name), withCommas(n/int64(unit.of)))
			}
		}
		return ways
	}
	ways = []string{withCommas(n) + `\b`}
	for _, unit := range []struct {
		name string
		of   int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"GB", 1_000_000_000}} {
		if n > 0 && n%unit.of == 0 {
			ways = append(ways, withCommas(n/unit.of)+" "+unit.name)
		}
	}
	return ways
}

func withCommas(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// constants are the files of packages, by their paths.
type constants map[string][]*ast.File

// value is the value of a constant, and whether it is a time.
func (c constants) value(t *testing.T, path, name string) (n int64, lasts bool) {
	t.Helper()
	if c[path] == nil {
		names, _ := filepath.Glob(path + "/*.go")
		for _, file := range names {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			check(t, err)
			c[path] = append(c[path], tree)
		}
	}
	for _, tree := range c[path] {
		for _, d := range tree.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				for i, ident := range spec.Names {
					if ident.Name == name && i < len(spec.Values) {
						return c.eval(t, path, tree, spec.Values[i])
					}
				}
			}
		}
	}
	t.Fatalf("%s has no constant %s", path, name)
	return 0, false
}

var times = map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}

// eval is the value of the expression of a constant.
func (c constants) eval(t *testing.T, path string, in *ast.File, e ast.Expr) (n int64, lasts bool) {
	t.Helper()
	switch e := e.(type) {
	case *ast.BasicLit:
		if f, err := strconv.ParseFloat(strings.ReplaceAll(e.Value, "_", ""), 64); err == nil {
			return int64(f), false
		}
	case *ast.ParenExpr:
		return c.eval(t, path, in, e.X)
	case *ast.Ident:
		return c.value(t, path, e.Name)
	case *ast.SelectorExpr:
		of := e.X.(*ast.Ident).Name
		if d, ok := times[e.Sel.Name]; ok && of == "time" {
			return int64(d), true
		}
		for _, i := range in.Imports {
			if to, _ := strconv.Unquote(i.Path.Value); strings.HasSuffix(to, "/"+of) {
				return c.value(t, strings.TrimPrefix(to, "quire/"), e.Sel.Name)
			}
		}
	case *ast.BinaryExpr:
		x, xLasts := c.eval(t, path, in, e.X)
		y, yLasts := c.eval(t, path, in, e.Y)
		do := map[token.Token]func() int64{
			token.ADD: func() int64 { return x + y }, token.SUB: func() int64 { return x - y },
			token.MUL: func() int64 { return x * y }, token.QUO: func() int64 { return x / y }, token.SHL: func() int64 { return x << y },
		}[e.Op]
		if do != nil {
			return do(), xLasts || yLasts
		}
	}
	t.Fatalf("%s: an expression of %T cannot be computed", path, e)
	return 0, false
}
