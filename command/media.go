package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quire/app"
)

func newMediaMove() *cobra.Command {
	var m app.FileMove
	c := onSite(0, &cobra.Command{
		Use:   "move --to folder|BUCKET [SITE]",
		Short: "Copy all files of the media library to the folder or to the bucket",
		Long: `Move copies every file that a record names from the folder of uploads to the bucket
that site.json names in upload.storage, or back, and reads each back. The site may be
served meanwhile; files that arrive are copied, too. If it is interrupted, run it again:
it skips files that have been copied.

It changes neither site.json nor the original files, and prints what to do next. With
--remove it also removes the originals, once new files go to the other storage.`,
		Example: `  quire media move --to s3://guide/files my-site
  quire media move --to s3://guide/files --remove my-site
  quire media move --to folder my-site`,
	}, func(c *cobra.Command, at app.Location, args []string) (err error) {
		var done app.FilesMoved
		err = watched(outputOf(c).terminal(), m.Measure, func() (err error) {
			done, err = at.MoveFiles(c.Context(), &m)
			return err
		})
		if err != nil {
			return err
		}
		return outputOf(c).report(movedFiles(done), func(w io.Writer) error {
			printMoved(w, done, &m)
			return nil
		})
	})
	c.Flags().StringVar(&m.To, "to", "", `"folder", or the bucket as site.json names it`)
	c.Flags().BoolVar(&m.Remove, "remove", false, "remove the files where they were, each once it is read back")
	_ = c.MarkFlagRequired("to")
	return c
}

// movedFiles is the result of a move, as JSON shows it.
type movedFiles struct {
	To      string `json:"to"`
	From    string `json:"from"`
	Copied  int    `json:"copied"`
	There   int    `json:"there"`
	Missing int    `json:"missing"`
	Removed int    `json:"removed"`
	InUse   bool   `json:"inUse"`
}

// printMoved describes the result of a move, and what to do next.
func printMoved(w io.Writer, done app.FilesMoved, m *app.FileMove) {
	fmt.Fprintf(w, "%s: %s copied, %d there already", done.To, count(done.Copied, "file", "files"), done.There)
	if m.Remove {
		fmt.Fprintf(w, ", %d removed from %s", done.Removed, done.From)
	}
	fmt.Fprintln(w)
	if done.Missing > 0 {
		fmt.Fprintf(w, "note: %s in neither; `quire check` names them\n", count(done.Missing, "file is", "files are"))
	}
	use := "bucket"
	if m.To == "folder" {
		use = "folder"
	}
	switch {
	case !done.InUse:
		fmt.Fprintf(w, "next: set \"use\": %q in upload.storage of site.json, restart the server, and run this again for what arrives until then\n", use)
	case !m.Remove:
		fmt.Fprintf(w, "next: with --remove, the files are removed from %s\n", done.From)
	}
}
