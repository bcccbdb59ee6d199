package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Exit statuses of the program.
const (
	exitDone    = 0
	exitFailed  = 1
	exitMisuse  = 2 // the command line is wrong
	exitIgnored = 3 // check found no problems, but files that Quire does not run
)

// misuse is an error of the command line that the command itself has found.
type misuse struct{ error }

func misused(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// failure is an error of a command that was run. All other errors are errors of the
// command line: those of cobra about arguments and flags, and misuse.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// markFailures makes every command mark its errors as failures, unless they are misuse.
func markFailures(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			err := run(c, args)
			if err == nil || errors.As(err, new(misuse)) {
				return err
			}
			return failure{err}
		}
	}
	for _, below := range c.Commands() {
		markFailures(below)
	}
}

// reportTo prints the error of a command and, after a misuse, the usage. It returns the
// exit status.
func reportTo(stderr io.Writer, c *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	switch {
	case errors.As(err, new(ignoring)):
		fmt.Fprintln(stderr, "quire:", harmless.Replace(err.Error()))
		return exitIgnored
	case errors.As(err, new(failure)):
		fmt.Fprintln(stderr, "quire:", harmless.Replace(err.Error()))
		return exitFailed
	}
	fmt.Fprintf(stderr, "quire: %s\nusage: %s\n`%s --help` says more\n", reworded(c, err), c.UseLine(), c.CommandPath())
	return exitMisuse
}

// group makes a command that only has subcommands refuse to be called alone. cobra
// would show the help.
func group(c *cobra.Command, below ...*cobra.Command) *cobra.Command {
	c.AddCommand(below...)
	c.Use += " COMMAND"
	c.DisableFlagsInUseLine = true
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return misused("unknown command %q for %q%s", args[0], c.CommandPath(), suggestion(c, args[0]))
		}
		return misused("%q needs one of its commands", c.CommandPath())
	}
	return c
}

// suggestion names the commands of a group that a mistyped one can mean.
func suggestion(c *cobra.Command, typed string) string {
	c.SuggestionsMinimumDistance = 2 // as cobra has it for the program itself
	meant := c.SuggestionsFor(typed)
	if len(meant) == 0 {
		return ""
	}
	return "\n\nDid you mean this?\n\t" + strings.Join(meant, "\n\t") + "\n"
}
