package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/store"
	"quire/transfer/backup"
)

// restoring is one call of the restore command.
type restoring struct {
	app.Location
	from   pulling
	verify bool
	past   streamed
}

func newRestore() *cobra.Command {
	var r restoring
	c := &cobra.Command{
		Use:   "restore [--replace] (FILE | --from URL | --at TIME) [SITE]",
		Short: "Restore a backup, or what the site was at a moment",
		Long: `Restore replaces the data of a site with a backup that "quire backup" made. Stop the
server first. Restore checks all of FILE before it changes anything.

It does not touch a data folder that is not empty, unless you give --replace. It then
keeps the replaced files in a folder inside the data folder.

Sessions do not survive a restore: accounts of the admin and users with refresh tokens
sign in again.

With --verify it only checks FILE and prints what it contains.

With --from, restore takes no FILE. It downloads the newest backup of another server, and
continues a download that was interrupted. If the content comes from that backup already,
it downloads nothing. The token must be a custom one with plugin::quire.backups.read.

With --at, restore takes no FILE. It restores the site as it was at that moment, from the
stream that site.json names in backup.stream. "latest" is the last moment. --list prints
which moments the stream has. --check reads all of the stream, restores the last moment
into a temporary folder, and changes nothing; a server may run.`,
		Example: `  quire restore my-site.tar.zst my-site
  quire restore --replace my-site.tar.zst my-site
  quire restore --verify my-site.tar.zst
  quire restore --list my-site
  quire restore --replace --at 2026-11-23T14:32:10Z my-site
  quire restore --replace --from https://cms.example.org --token-file edge.token my-site`,
		Args: func(c *cobra.Command, args []string) error {
			if r.from.From != "" || r.past.wanted() {
				return cobra.MaximumNArgs(1)(c, args)
			}
			return cobra.RangeArgs(1, 2)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	c.Flags().BoolVar(&r.verify, "verify", false, "check FILE and change nothing")
	c.Flags().BoolVar(&r.from.Replace, "replace", false, "replace what is in the data folder, and keep the replaced files")
	c.MarkFlagsMutuallyExclusive("verify", "replace")
	r.from.flags(c)
	r.past.flags(c)
	dataFlag(c, &r.Location)
	return c
}

// run checks, restores or pulls a backup, as the flags say.
func (r *restoring) run(c *cobra.Command, args []string) error {
	if r.from.From == "" {
		if err := r.from.onlyWith(c); err != nil {
			return err
		}
		if r.verify {
			return verifyBackup(c.Context(), args, outputOf(c))
		}
	}
	if err := r.past.onlyWith(c); err != nil {
		return err
	}
	site := args
	if r.from.From == "" && !r.past.wanted() {
		site = args[1:]
	}
	if len(site) == 0 {
		if err := requireSiteHere(); err != nil {
			return err
		}
	}
	r.Site = siteArgument(site)
	if kindAt(r.Site) != aFolder {
		return fmt.Errorf("there is no site folder %s; put it there first, for example from git: a backup does not contain it", r.Site)
	}
	if r.past.wanted() {
		return r.past.run(c.Context(), r.Location, r.from.Replace, outputOf(c))
	}
	if r.from.From != "" {
		return r.from.run(c.Context(), r.Location, outputOf(c))
	}
	return restore(c.Context(), r.Location, args[0], r.from.Replace, outputOf(c))
}

func verifyBackup(ctx context.Context, args []string, out output) error {
	if len(args) > 1 {
		return misused("--verify takes a file and no site")
	}
	m, err := backup.Verify(ctx, args[0])
	if err != nil {
		return err
	}
	return out.report(backupOf(args[0], m), func(w io.Writer) error { return printVerified(w, args[0], m) })
}

// printVerified describes the contents of a backup.
func printVerified(stdout io.Writer, file string, m *backup.Manifest) error {
	fmt.Fprintf(stdout, "%s: whole\n", file)
	fmt.Fprintf(stdout, "  made      %s by %s\n", m.Made.Format(time.RFC3339), m.Program)
	fmt.Fprintf(stdout, "  holds     %s, %s in all\n", contents(m), sized(m.Size()))
	fmt.Fprintf(stdout, "  revision  %d, in format %d\n", m.Revision, m.DataFormat)
	fmt.Fprintf(stdout, "  schemas   %s\n", m.Schemas)
	if m.InBucket > 0 {
		fmt.Fprintf(stdout, "note: %s in %s; `quire check` says whether all are there still\n", count(m.InBucket, "upload was", "uploads were"), m.Bucket)
	}
	if m.FromBucket > 0 {
		fmt.Fprintf(stdout, "note: %s fetched from %s\n", count(m.FromBucket, "upload was", "uploads were"), m.Bucket)
	}
	for _, name := range m.Missing {
		fmt.Fprintf(stdout, "note: the upload %s was missing\n", name)
	}
	return nil
}

// restore restores a backup to the data folder.
func restore(ctx context.Context, at app.Location, file string, replace bool, out output) error {
	schemas, err := at.SchemaFingerprint()
	if err != nil {
		return err
	}
	done, err := at.Restore(ctx, file, replace)
	if err != nil {
		return explainRestore(err, replace)
	}
	bucket, err := at.BucketInUse()
	if err != nil {
		return err
	}
	shown := backupOf(file, done.Manifest)
	shown.Kept = done.Kept
	return out.report(shown, func(w io.Writer) error { return printRestored(w, done, schemas, bucket) })
}

// explainRestore adds to an error of a restore, which may replace what is there or not, what
// to do about it.
func explainRestore(err error, replace bool) error {
	var exists *backup.ExistsError
	switch {
	case errors.As(err, &exists) && replace:
		return fmt.Errorf("%w: another command has made it since this one began; run this one again", err)
	case errors.As(err, &exists):
		return fmt.Errorf("%w; --replace puts the backup into its place, and keeps it aside", err)
	case errors.Is(err, store.ErrInUse):
		return errors.New("a server or another command is using the data; stop it first")
	}
	return err
}

// printRestored describes what was restored to a site with these schemas, and what to do
// next.
func printRestored(stdout io.Writer, done backup.Restored, schemas, bucket string) error {
	fmt.Fprintf(stdout, "restored the backup of %s: %s\n", done.Made.Format(time.RFC3339), contents(done.Manifest))
	if done.Kept != "" {
		fmt.Fprintf(stdout, "what was there is kept in %s; remove it when all is well\n", done.Kept)
	}
	if done.DataFormat < store.FileFormat {
		fmt.Fprintf(stdout, "note: the data file is in format %d; run `quire migrate format`\n", done.DataFormat)
	}
	if schemas != done.Schemas {
		fmt.Fprintln(stdout, "note: the site folder is not as it was when the backup was made; `quire check` says what does not fit")
	}
	if bucket != "" && len(done.Uploads()) > 0 {
		fmt.Fprintf(stdout, "next: the uploads are in the folder; `quire media move --to %s --remove` brings them into the bucket\n", bucket)
	}
	return nil
}
