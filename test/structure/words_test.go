package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Words that users do not read, because other words are usual: Strapi, fix, package,
// report, return, space.
var (
	unclear = regexp.MustCompile(`(?i)\bthe reference('s)?\b|\breference (server|api)\b|\bmend(s|ed|ing)?\b|\brooms\b|\btold\b|\btell(s|ing)?\b|\bwhereby\b`)

	// room is only refused in pages: the program may print "free space on the disk".
	unclearOnPages = regexp.MustCompile(unclear.String() + `|\broom\b`)

	// printed is what a page repeats as the program prints it.
	printed = regexp.MustCompile("`[^`]*`|“[^”]*”|\"[^\"]*\"")
)

// What users read is in plain words: pages, and texts of the program.
func TestWordsThatUsersRead(t *testing.T) {
	atTheTop(t)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || isMade(d.Name())):
			return fs.SkipDir
		case strings.HasSuffix(path, ".md"):
			checkPage(t, path)
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			checkTexts(t, path)
		}
		return nil
	})
	check(t, err)
}

func checkPage(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	n, code := 0, false
	for line := range strings.Lines(string(text)) {
		n++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if word := unclearOnPages.FindString(printed.ReplaceAllString(line, "")); word != "" && !code {
			t.Errorf("%s:%d says %q", path, n, word)
		}
	}
}

// checkTexts looks at the string literals of a file.
func checkTexts(t *testing.T, path string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	check(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			if word := unclear.FindString(text.Value); word != "" {
				t.Errorf("%s says %q", files.Position(text.Pos()), word)
			}
		}
		return true
	})
}
