package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/store"
)

func newMigrateFormat() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "format [SITE]",
		Short: "Convert the data file to the format of this version of Quire",
		Long: `Format converts a data file of an earlier version of Quire to the format of this version.
A server does not do this by itself: it refuses an older file.

Stop the server first. The command works on a copy, and keeps the original file beside
it.`,
		Example: `  quire migrate format my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		if _, err := at.SchemaFingerprint(); err != nil { // fails if there is no such site
			return err
		}
		done, err := store.Migrate(c.Context(), at.DataFile())
		if err != nil {
			return err
		}
		return outputOf(c).report(reformatted{at.DataFile(), done.From, done.To, noNil(done.Steps), done.Kept}, func(w io.Writer) error {
			printMigrated(w, at.DataFile(), done)
			return nil
		})
	})
}

// reformatted is the result of a change of format, as JSON shows it.
type reformatted struct {
	DataFile string   `json:"dataFile"`
	From     uint64   `json:"from"` // formats; equal if nothing had to be done
	To       uint64   `json:"to"`
	Steps    []string `json:"steps"`
	Kept     string   `json:"kept,omitempty"` // path of the unchanged former file
}

func printMigrated(w io.Writer, file string, done store.Migrated) {
	if done.From == done.To {
		fmt.Fprintf(w, "%s is in format %d, that of this program; there is nothing to do\n", file, done.To)
		return
	}
	fmt.Fprintf(w, "%s was in format %d and is in format %d:\n", file, done.From, done.To)
	for _, step := range done.Steps {
		fmt.Fprintf(w, "  %s\n", step)
	}
	fmt.Fprintf(w, "the file as it was is kept as %s; remove it when all is well\n", done.Kept)
}
