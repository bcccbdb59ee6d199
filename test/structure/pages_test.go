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

var (
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	testSpan     = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")
	fuzzRow      = regexp.MustCompile("\\| `([a-z/]+)` (Fuzz\\w+) \\|")
	fileSpan     = regexp.MustCompile("`([a-z_]+(?:/[a-z0-9_-]+)+\\.(?:go|js|mjs|tsx|css))`")
	testedPath   = regexp.MustCompile(`go test (\./[a-z/]+)`)
	testOf       = regexp.MustCompile("(?:tests|`((?:Test|Fuzz)\\w+)`) of `([a-z]+(?:/[a-z]+)*)`")
	pages        = []string{"*.md", "docs/*.md", "deploy/*.md", "examples/*/*.md"}
	filesOfSites = regexp.MustCompile("^(?:src|config|dist|lib|core|editor|screens)/") // in the folder of a site, or of a part of this repository
)

// Whoever reads in a page that something is tested finds the test.
func TestPagesNameTestsThatExist(t *testing.T) {
	atTheTop(t)
	tests := testFunctions(t)
	named := 0
	all := readPages(t)
	for page, text := range all {
		for _, m := range testSpan.FindAllStringSubmatch(text, -1) {
			if named++; len(tests[m[1]]) == 0 {
				t.Errorf("%s names %s, and there is no such test", page, m[1])
			}
		}
		for _, m := range fuzzRow.FindAllStringSubmatch(text, -1) {
			if named++; !tests[m[2]][m[1]] {
				t.Errorf("%s names %s of %s, and there is no such target", page, m[2], m[1])
			}
		}
		for _, m := range testOf.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(m[2]); err != nil || m[1] != "" && !tests[m[1]][m[2]] {
				t.Errorf("%s: %s: there is no such folder, or it has no such test", page, m[0])
			}
		}
		for _, m := range append(fileSpan.FindAllStringSubmatch(text, -1), testedPath.FindAllStringSubmatch(text, -1)...) {
			if named++; filesOfSites.MatchString(m[1]) {
				continue
			}
			if _, err := os.Stat(strings.TrimSuffix(m[1], "/")); err != nil {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
	for name, folders := range tests {
		for folder := range folders {
			if strings.HasPrefix(name, "Fuzz") && !strings.Contains(all["docs/fuzzing.md"], "| `"+folder+"` "+name+" |") {
				t.Errorf("docs/fuzzing.md lacks %s of %s", name, folder)
			}
		}
	}
	if named < 100 {
		t.Errorf("%d tests and files are named; are the pages still read?", named)
	}
}

// readPages are the texts of all pages, by their paths.
func readPages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range pages {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			check(t, err)
			all[path] = string(text)
		}
	}
	return all
}

// testFunctions are the folders of each test and fuzz target.
func testFunctions(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && d.IsDir() && isMade(d.Name()):
			return fs.SkipDir
		case err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunction.FindAllStringSubmatch(string(text), -1) {
			if all[m[1]] == nil {
				all[m[1]] = map[string]bool{}
			}
			all[m[1]][filepath.ToSlash(filepath.Dir(path))] = true
		}
		return err
	})
	check(t, err)
	return all
}

var metricName = regexp.MustCompile("[\"`](quire_[a-z_]+)[\"`{]")

// The page on monitoring names each metric of the server, and no other.
func TestThePageNamesTheMetrics(t *testing.T) {
	atTheTop(t)
	names := func(pattern string) []string {
		var all []string
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			check(t, err)
			for _, m := range metricName.FindAllStringSubmatch(string(text), -1) {
				all = append(all, m[1])
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	if page, server := names("docs/monitoring.md"), names("server/metrics/*.go"); !slices.Equal(page, server) || len(page) < 30 {
		t.Errorf("docs/monitoring.md has\n%v\nand the server has\n%v", page, server)
	}
}
