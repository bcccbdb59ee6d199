package command

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// rewordings are the errors of cobra that speak of its own terms, and what to say instead.
// The text gets what the expression matched, the whole match first.
var rewordings = []struct {
	of   *regexp.Regexp
	text func(c *cobra.Command, m []string) string
}{
	{regexp.MustCompile(`^(?:accepts|requires) .*arg\(s\), (?:only )?received \d+$`), wrongNumber},
	{regexp.MustCompile(`^unknown (command "cluster" for "quire"|flag: --cluster)`), func(_ *cobra.Command, m []string) string {
		return m[0] + "; a program built with -tags cluster has it"
	}},
	{regexp.MustCompile(`^unknown command "(.*)" for "quire .*"$`), tooMany},
	{regexp.MustCompile(`^required flag\(s\) (.*) not set$`), func(_ *cobra.Command, m []string) string {
		return flagNames(strings.Fields(strings.NewReplacer(`"`, "", ",", "").Replace(m[1]))) + " must be given"
	}},
	{regexp.MustCompile(`must all be set; missing \[(.*)\]$`), func(_ *cobra.Command, m []string) string {
		return flagNames(strings.Fields(m[1])) + " must be given, too"
	}},
	{regexp.MustCompile(`none of the others can be; \[(.*)\] were all set$`), func(_ *cobra.Command, m []string) string {
		return flagNames(strings.Fields(m[1])) + " exclude each other; give one of them"
	}},
}

// reworded says what is wrong with a command line in the terms of its usage.
func reworded(c *cobra.Command, err error) string {
	for _, r := range rewordings {
		if m := r.of.FindStringSubmatch(err.Error()); m != nil {
			return r.text(c, m)
		}
	}
	return err.Error()
}

// wrongNumber names the argument that is missing, or the first one too many.
func wrongNumber(c *cobra.Command, _ []string) string {
	args := c.Flags().Args()
	for most := len(args) - 1; most >= 0; most-- {
		if c.Args(c, args[:most]) == nil {
			return oneTooMany(args[most])
		}
	}
	if names := argumentNames(c.Use); len(args) < len(names) {
		return names[len(args)] + " is missing"
	}
	return "an argument is missing"
}

// tooMany is for a command without arguments, where cobra looks for a command below it.
func tooMany(c *cobra.Command, m []string) string {
	if c.HasSubCommands() {
		return m[0]
	}
	return oneTooMany(m[1])
}

func oneTooMany(arg string) string { return fmt.Sprintf("%q is one argument too many", arg) }

var (
	optional = regexp.MustCompile(`\[[^\[\]]*\]`)
	capitals = regexp.MustCompile(`^[A-Z]+$`)
)

// argumentNames are the arguments that a usage requires: TYPE, OLD and NEW of
// "rename [--dry-run] TYPE OLD NEW [SITE]".
func argumentNames(use string) []string {
	for optional.MatchString(use) {
		use = optional.ReplaceAllString(use, "")
	}
	var names []string
	for _, word := range strings.Fields(use)[1:] {
		if word = strings.Trim(word, "(."); capitals.MatchString(word) {
			names = append(names, word)
		}
	}
	return names
}

// flagNames lists flags: "--a, --b and --c".
func flagNames(flags []string) string {
	text := "--" + flags[0]
	for i, f := range flags[1:] {
		if i == len(flags)-2 {
			text += " and --" + f
		} else {
			text += ", --" + f
		}
	}
	return text
}
