package command

import (
	"time"

	"github.com/spf13/cobra"

	"quire/app"
)

func newCompact() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "compact [SITE]",
		Short: "Give unused space in the data file back to the disk",
		Long: `Compact copies the data file without its unused space, and replaces the data file with
the copy. The content does not change.

A running server does the work. It keeps answering reads; writes wait. The disk needs
space for both files.`,
		Example: `  quire compact
  quire compact my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		done, who, err := at.Compact(c.Context())
		if err != nil {
			return err
		}
		out := outputOf(c)
		out.doneBy(who)
		took := done.Took.Round(time.Millisecond)
		return out.report(compacted{at.DataFile(), done.Before, done.After, took.Seconds()},
			line("%s: %s before, %s now, in %s", at.DataFile(), sized(done.Before), sized(done.After), took))
	})
}

// compacted is the result of compact, as JSON shows it.
type compacted struct {
	DataFile string  `json:"dataFile"`
	Before   int64   `json:"beforeBytes"`
	After    int64   `json:"afterBytes"`
	Took     float64 `json:"seconds"`
}
