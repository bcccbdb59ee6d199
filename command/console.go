package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"quire/app"
)

func newConsole() *cobra.Command {
	l := logging{level: "info"}
	return onSite(0, &cobra.Command{
		Use:   "console [SITE]",
		Short: "Run JavaScript with strapi in it",
		Long: `Console is a prompt with the object strapi of the project's code in it. It evaluates
JavaScript, await included, and prints the values. Names that you declare last until
the end of the console; in a running server, until the code is loaded again.

A running server runs it, in the code that it serves, so what you write is what
everybody reads. Without one, the site is opened alone.

If standard input is not a terminal, all of it is one script. It prints the value of
an expression, or what the script returns. The script fails if it throws.`,
		Example: `  quire console my-site
  echo "strapi.documents('api::note.note').count()" | quire console my-site
  quire console my-site < script.js`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		return runConsole(c, at, l)
	})
}

func runConsole(c *cobra.Command, at app.Location, l logging) (err error) {
	log, finish, err := openLog(c.ErrOrStderr(), l)
	if err != nil {
		return err
	}
	defer finish()
	console, who, err := at.OpenConsole(c.Context(), log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, console.Close()) }()
	out := outputOf(c)
	out.doneBy(who)
	terminal, ok := c.InOrStdin().(*os.File)
	if ok && term.IsTerminal(int(terminal.Fd())) {
		return prompt(c.Context(), console, bufio.NewReader(terminal), out.stdout)
	}
	script, err := unlessStopped(c.Context(), func() ([]byte, error) { return io.ReadAll(io.LimitReader(c.InOrStdin(), maxScript)) })
	if err != nil {
		return err
	}
	value, err := console.Run(c.Context(), string(script))
	if err == nil && value != "" {
		_, err = fmt.Fprintln(out.stdout, value)
	}
	return err
}

// maxScript is the maximum length of a script.
const maxScript = 1 << 20

// prompt runs what is typed, until the end of the input.
func prompt(ctx context.Context, console *app.Console, in *bufio.Reader, out io.Writer) error {
	text, mark := "", "> "
	for {
		fmt.Fprint(out, mark)
		line, err := unlessStopped(ctx, func() (string, error) { return in.ReadString('\n') })
		text += line
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(out)
			return nil
		}
		if err != nil {
			return err
		}
		if mark = "... "; line != "\n" && console.Unfinished(text) {
			continue
		}
		value, err := console.Run(ctx, text)
		switch text, mark = "", "> "; {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			fmt.Fprintln(out, err)
		case value != "":
			fmt.Fprintln(out, value)
		}
	}
}
