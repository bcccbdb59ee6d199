package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"
)

// Every command has two flags for programs that run it. With --json, standard output is
// JSON: one document, or one on each line if the output has no end. With --quiet, a
// command prints only errors and what it was asked to print.
const (
	jsonFlag  = "json"
	quietFlag = "quiet"
)

// output is where a command prints, and in which form.
type output struct {
	stdout, stderr io.Writer
	json, quiet    bool
}

func outputOf(c *cobra.Command) output {
	o := output{stdout: c.OutOrStdout(), stderr: c.ErrOrStderr()}
	o.json, _ = c.Flags().GetBool(jsonFlag)
	o.quiet, _ = c.Flags().GetBool(quietFlag)
	return o
}

// result prints what the command was called for, such as a list or a token.
func (o output) result(v any, text func(io.Writer) error) error {
	if o.json {
		e := json.NewEncoder(o.stdout)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	w := &remembering{Writer: o.stdout}
	return cmp.Or(text(w), w.err)
}

// remembering is a writer that remembers its first error, for texts in many parts. In a terminal
// they do nothing, whoever wrote the content or the archive that they show.
type remembering struct {
	io.Writer
	err error
}

func (w *remembering) Write(p []byte) (int, error) {
	_, err := harmless.WriteString(w.Writer, string(p))
	w.err = cmp.Or(w.err, err)
	return len(p), err
}

// harmless writes control characters as JSON does: \u001b. New lines and tabs stay.
var harmless = func() *strings.Replacer {
	var pairs []string
	for r := rune(0); r <= unicode.MaxLatin1; r++ {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			pairs = append(pairs, string(r), fmt.Sprintf(`\u%04x`, r))
		}
	}
	return strings.NewReplacer(pairs...)
}()

// report prints what the command has done.
func (o output) report(v any, text func(io.Writer) error) error {
	if o.quiet && !o.json {
		return nil
	}
	return o.result(v, text)
}

// logLevel returns the level for a server that was asked to log from the given level on.
func (o output) logLevel(level string) string {
	if o.quiet {
		return "error"
	}
	return level
}

// doneBy reports on standard error who did the work: the running server or this process.
func (o output) doneBy(who string) {
	if !o.quiet {
		fmt.Fprintf(o.stderr, "quire: done by %s\n", who)
	}
}

// remark prints something on standard error that is not an error.
func (o output) remark(format string, args ...any) {
	if !o.quiet {
		fmt.Fprintln(o.stderr, "quire:", harmless.Replace(fmt.Sprintf(format, args...)))
	}
}

// terminal returns where progress is shown.
func (o output) terminal() io.Writer {
	if o.quiet {
		return io.Discard
	}
	return o.stderr
}

// namedObject is the object of a command, as JSON shows it if there is nothing else to report.
type namedObject struct {
	Name string `json:"name"`
}

// silent is the text of a report that needs no text.
func silent(io.Writer) error { return nil }

// line returns a function that prints one line of text.
func line(format string, args ...any) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		return err
	}
}

// table returns a function that prints a heading and one line for each item, in columns.
func table[T any](heading string, items []T, line func(T) string) func(io.Writer) error {
	return func(w io.Writer) error { return printTable(w, heading, items, line) }
}

// noNil returns an empty list instead of nil.
func noNil[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

func printTable[T any](w io.Writer, heading string, items []T, line func(T) string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, heading)
	for _, item := range items {
		fmt.Fprintln(table, line(item))
	}
	return table.Flush()
}
