package command

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The page about the command line describes every command, in a heading or in a table,
// and every flag.
func TestCommandLineIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../docs/cli.md")
	requireNil(t, err)
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if c.Runnable() {
			requireDescribed(t, string(page), c)
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(newRoot())
}

func requireDescribed(t *testing.T, page string, c *cobra.Command) {
	t.Helper()
	heading, row := "(?m)^## .*"+c.CommandPath()+`\b`, "(?m)^\\|.*`"+c.Name()+`\b`
	if !regexp.MustCompile(heading).MatchString(page) && !regexp.MustCompile(row).MatchString(page) {
		t.Errorf("docs/cli.md has no %q", c.CommandPath())
	}
	for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(c.LocalFlags().FlagUsages(), -1) {
		if !strings.Contains(page, flag) {
			t.Errorf("docs/cli.md has no %s, which %q has", flag, c.CommandPath())
		}
	}
}
