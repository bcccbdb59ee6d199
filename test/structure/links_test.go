package structure

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	linkOfMarkdown = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	codeOfMarkdown = regexp.MustCompile("`[^`\n]*`")
	textOfLink     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// Each link between pages leads to a file, and to a heading of it where it names one.
func TestLinksOfPagesLead(t *testing.T) {
	atTheTop(t)
	repo := os.DirFS(".")
	pages := map[string][]string{}
	err := fs.WalkDir(repo, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && isMade(e.Name()):
			return fs.SkipDir
		case path.Ext(name) == ".md":
			text, err := fs.ReadFile(repo, name)
			pages[name] = proseOf(string(text))
			return err
		}
		return nil
	})
	check(t, err)
	for name, lines := range pages {
		for _, line := range lines {
			for _, found := range linkOfMarkdown.FindAllStringSubmatch(codeOfMarkdown.ReplaceAllString(line, ""), -1) {
				if problem := problemOfLink(repo, pages, name, found[1]); problem != "" {
					t.Errorf("%s: %s: %s", name, found[1], problem)
				}
			}
		}
	}
}

// proseOf is the lines of a page that are not in a block of code.
func proseOf(text string) (lines []string) {
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return lines
}

// problemOfLink says why a link on a page leads nowhere, "" where it leads somewhere.
// Links to other sites are not followed.
func problemOfLink(repo fs.FS, pages map[string][]string, from, link string) string {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return ""
	}
	to, anchor, _ := strings.Cut(link, "#")
	file := from
	if to != "" {
		file = path.Join(path.Dir(from), to)
	}
	if _, err := fs.Stat(repo, file); err != nil {
		return "there is no such file"
	}
	if anchor == "" || path.Ext(file) != ".md" {
		return ""
	}
	seen := map[string]bool{}
	for _, line := range pages[file] {
		if heading, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); is && strings.HasPrefix(line, "#") {
			seen[anchorOf(heading)] = true
		}
	}
	if !seen[anchor] {
		return "the page has no such heading"
	}
	return ""
}

// anchorOf is the anchor of a heading, as hosts of repositories make it.
func anchorOf(heading string) string {
	var anchor strings.Builder
	for _, r := range strings.ToLower(textOfLink.ReplaceAllString(heading, "$1")) {
		switch {
		case r == ' ':
			anchor.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			anchor.WriteRune(r)
		}
	}
	return anchor.String()
}
