package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"quire/backup"
	"quire/store"
)

// backingUp is one call of the backup command.
type backingUp struct {
	place
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
			b.site, b.file = args[0], args[1]
			b.stdout, b.stderr = c.OutOrStdout(), c.ErrOrStderr()
			return b.run(c.Context())
		},
	}
	c.Flags().BoolVar(&b.force, "force", false, "replace FILE if it is there")
	dataFlag(c, &b.place)
	return c
}

func (b *backingUp) run(ctx context.Context) error {
	schemas, err := b.schemas()
	if err != nil {
		return err
	}
	if b.file, err = filepath.Abs(b.file); err != nil {
		return err
	}
	if _, err := os.Lstat(b.file); err == nil && !b.force { // before a server does work for it
		return b.explain(&backup.ExistsError{Path: b.file})
	}
	m, made, err := b.save(ctx, schemas)
	if err != nil {
		return b.explain(err)
	}
	fmt.Fprintf(b.stdout, "%s: %s, packed %s\n", b.file, contents(m), sized(made.Size))
	for _, name := range m.Missing {
		fmt.Fprintf(b.stdout, "note: the upload %s is missing, and a record names it\n", name)
	}
	return b.remember(ctx, made)
}

func (b *backingUp) save(ctx context.Context, schemas string) (m *backup.Manifest, made backedUp, err error) {
	source, done, who, err := b.still(ctx)
	if err != nil {
		return nil, made, err
	}
	defer func() { err = errors.Join(err, done()) }()
	fmt.Fprintf(b.stderr, "quire: done by %s\n", who)
	return save(ctx, source, schemas, b.file, b.force)
}

// remember notes the backup in the data file, for whoever asks when the last was made.
func (b *backingUp) remember(ctx context.Context, made backedUp) error {
	raw, err := json.Marshal(made)
	if err != nil {
		return err
	}
	_, _, err = b.carryOutOr(ctx, "data backed up", raw, func() (json.RawMessage, error) {
		db, err := store.Open(b.dataFile(), store.Options{})
		if err != nil {
			return nil, err
		}
		return nil, errors.Join(noteBackup(db, made), db.Close())
	})
	if err != nil {
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
	return fmt.Sprintf("%.1f MiB", mebibytes(bytes))
}
