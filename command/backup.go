package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/backup"
)

// backingUp is one call of the backup command.
type backingUp struct {
	app.Location
	file   string
	force  bool
	stdout io.Writer
	stderr io.Writer
}

func newBackup() *cobra.Command {
	var b backingUp
	c := &cobra.Command{
		Use:   "backup [--force] SITE FILE",
		Short: "Put the data file and all uploads into one file",
		Long: `Backup writes the data of a site to a new file: the data file with content,
users, roles and tokens, and the uploads, all of one moment. A running
server goes on meanwhile. "quire restore" brings it back.

FILE gets its name when it is whole, on the disk, and has been read back and checked.
It is readable by its owner alone, and not encrypted. The site folder, which belongs
into git, is not in it.`,
		Example: `  quire backup my-site my-site.tar.zst
  quire backup --force my-site /mnt/backup/latest.tar.zst
  quire restore --verify /mnt/backup/latest.tar.zst`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			b.Site, b.file = args[0], args[1]
			b.stdout, b.stderr = c.OutOrStdout(), c.ErrOrStderr()
			return b.run(c.Context())
		},
	}
	c.Flags().BoolVar(&b.force, "force", false, "replace FILE if it is there")
	dataFlag(c, &b.Location)
	return c
}

func (b *backingUp) run(ctx context.Context) error {
	schemas, err := b.SchemaFingerprint()
	if err != nil {
		return err
	}
	if b.file, err = filepath.Abs(b.file); err != nil {
		return err
	}
	if _, err := os.Lstat(b.file); err == nil && !b.force { // before a server does work for it
		return b.explain(&backup.ExistsError{Path: b.file})
	}
	m, made, err := b.BackUp(ctx, b.file, schemas, b.force, func(who string) { fmt.Fprintf(b.stderr, "quire: done by %s\n", who) })
	if err != nil {
		return b.explain(err)
	}
	fmt.Fprintf(b.stdout, "%s: %s, packed %s\n", b.file, contents(m), sized(made.Size))
	if m.InBucket > 0 {
		fmt.Fprintf(b.stdout, "note: %s in %s, which the backup does not hold\n", count(m.InBucket, "upload is", "uploads are"), m.Bucket)
	}
	for _, name := range m.Missing {
		fmt.Fprintf(b.stdout, "note: the upload %s is missing, and a record names it\n", name)
	}
	if err := b.NoteBackup(ctx, made); err != nil {
		return fmt.Errorf("the backup is good, but its time cannot be noted in the data file: %w", err)
	}
	return nil
}

// explain says what to do about an error.
func (b *backingUp) explain(err error) error {
	var exists *backup.ExistsError
	switch {
	case errors.As(err, &exists):
		return fmt.Errorf("%w; --force replaces it", err)
	case errors.Is(err, context.Canceled):
		return errors.New("no backup was made: the command was stopped")
	}
	return fmt.Errorf("no backup was made: %w", err)
}

// contents says what is in a backup.
func contents(m *backup.Manifest) string {
	return fmt.Sprintf("a data file of %s and %s", sized(m.Files[0].Size), count(len(m.Files)-1, "upload", "uploads"))
}

// sized is a size in bytes for people.
func sized(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	if bytes >= 1<<30 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(bytes)/(1<<30)), ".0") + " GiB"
	}
	return fmt.Sprintf("%.1f MiB", mebibytes(bytes))
}
