package command

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The page about the command line describes every command, in a heading or in a table,
// and every flag in the same section. It begins with a list of the commands in the order of
// the sections.
func TestCommandLineIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../docs/cli.md")
	requireNil(t, err)
	sections := strings.Split(string(page), "\n## ")
	var describe func(c *cobra.Command)
	describe = func(c *cobra.Command) {
		if c.Runnable() {
			requireDescribed(t, sections, c)
		}
		for _, below := range c.Commands() {
			describe(below)
		}
	}
	describe(newRoot())
	requireListed(t, sections)
}

func requireDescribed(t *testing.T, sections []string, c *cobra.Command) {
	t.Helper()
	section := sectionOf(sections, c)
	if section == "" {
		t.Errorf("docs/cli.md has no %q", c.CommandPath())
	}
	for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(c.LocalFlags().FlagUsages(), -1) {
		if !strings.Contains(section+sections[0], flag) {
			t.Errorf("docs/cli.md has no %s where it describes %q", flag, c.CommandPath())
		}
	}
}

// sectionOf returns the section with the command in its heading, or otherwise in a table of
// a section about the command above it.
func sectionOf(sections []string, c *cobra.Command) string {
	for _, section := range sections[1:] {
		if heading, _, _ := strings.Cut(section, "\n"); regexp.MustCompile(c.CommandPath() + `\b`).MatchString(heading) {
			return section
		}
	}
	row := regexp.MustCompile("(?m)^\\|.*`" + c.Name() + `\b`)
	for _, section := range sections[1:] {
		if c.HasParent() && strings.HasPrefix(section, c.Parent().CommandPath()+" ") && row.MatchString(section) {
			return section
		}
	}
	return ""
}

// requireListed requires the list at the beginning of the page to have the commands of its
// headings, in their order.
func requireListed(t *testing.T, sections []string) {
	t.Helper()
	var headed, listed []string
	for _, section := range sections[1:] {
		if m := regexp.MustCompile(`^quire ([a-z-]+)`).FindStringSubmatch(section); m != nil && !slices.Contains(headed, m[1]) {
			headed = append(headed, m[1])
		}
	}
	for _, m := range regexp.MustCompile("`([a-z-]+)(?: [a-z]+)?`").FindAllStringSubmatch(sections[0][:strings.Index(sections[0], "\n\n`quire COMMAND")], -1) {
		if m[1] != "quire" {
			listed = append(listed, m[1])
		}
	}
	if !slices.Equal(headed, listed) {
		t.Errorf("docs/cli.md lists\n%v\nand describes\n%v", listed, headed)
	}
}

var variableIn = regexp.MustCompile(`(?:Getenv|LookupEnv|secretFrom|secretIfSet)\("([A-Z_]+)"\)|Variable\s+= "([A-Z_]+)"`)

// The page lists the variables of the environment that the program reads.
func TestEnvironmentIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../docs/cli.md")
	requireNil(t, err)
	_, section, _ := strings.Cut(string(page), "\n## The environment\n")
	section, _, _ = strings.Cut(section, "\n## ")
	found := 0
	requireNil(t, filepath.WalkDir("..", func(path string, e os.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case err != nil:
			return err
		case e.IsDir() && slices.Contains([]string{"node_modules", "test", "examples", "deploy", ".git", "build"}, name):
			return filepath.SkipDir
		case e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range variableIn.FindAllStringSubmatch(string(text), -1) {
			if name := strings.TrimSuffix(m[1]+m[2], "_FILE"); !strings.Contains(section, "`"+name+"`") {
				t.Errorf("docs/cli.md has no %s, which %s reads", name, path)
			}
			found++
		}
		return err
	}))
	if found < 20 {
		t.Errorf("%d variables are read; is the code still searched?", found)
	}
}
