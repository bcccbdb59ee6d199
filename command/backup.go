package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/transfer/backup"
)

// backingUp is one call of the backup command.
type backingUp struct {
	app.Location
	output
	backing app.Backing
}

func newBackup() *cobra.Command {
	var b backingUp
	c := &cobra.Command{
		Use:   "backup [--force] [--files] FILE [SITE]",
		Short: "Save the data file and all uploads in one file",
		Long: `Backup saves the data of a site, as it is at one moment, in a new file: the data file
with content, users, roles and tokens, and the uploads. A running server goes on
serving. "quire restore" restores it.

FILE gets its name after it has been read back and checked. Only its owner can read it.
It is not encrypted. It does not contain the site folder, which belongs in git.

Uploads in a bucket stay there, and FILE names the bucket. --files fetches them into
FILE.`,
		Example: `  quire backup my-site.tar.zst my-site
  quire backup --files my-site.tar.zst my-site
  quire backup --force /mnt/backup/latest.tar.zst my-site
  quire restore --verify /mnt/backup/latest.tar.zst`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if b.backing.File, b.Site, err = fileAndSite(args); err != nil {
				return err
			}
			b.output = outputOf(c)
			return b.run(c.Context())
		},
	}
	c.Flags().BoolVar(&b.backing.Replace, "force", false, "replace FILE if it exists")
	c.Flags().BoolVar(&b.backing.Files, "files", false, "fetch the uploads that are in a bucket into FILE")
	dataFlag(c, &b.Location)
	return c
}

func (b *backingUp) run(ctx context.Context) (err error) {
	if b.backing.Schemas, err = b.SchemaFingerprint(); err != nil {
		return err
	}
	if b.backing.File, err = filepath.Abs(b.backing.File); err != nil {
		return err
	}
	if _, err := os.Lstat(b.backing.File); err == nil && !b.backing.Replace { // before a server starts to work
		return b.explain(&backup.ExistsError{Path: b.backing.File})
	}
	var m *backup.Manifest
	var made app.BackedUp
	err = watched(b.terminal(), b.backing.Measure, func() (err error) {
		m, made, err = b.BackUp(ctx, &b.backing)
		return err
	})
	if err != nil {
		return b.explain(err)
	}
	b.doneBy(b.backing.By)
	shown := backupOf(b.backing.File, m)
	shown.Packed = made.Size
	if err := b.report(shown, func(w io.Writer) error { return b.print(w, m, made) }); err != nil {
		return err
	}
	if err := b.NoteBackup(ctx, made); err != nil {
		return fmt.Errorf("the backup is good, but its time cannot be noted in the data file: %w", err)
	}
	return nil
}

// print describes the contents of the backup, and names uploads that are missing in it
// or stored elsewhere.
func (b *backingUp) print(w io.Writer, m *backup.Manifest, made app.BackedUp) error {
	_, err := fmt.Fprintf(w, "%s: %s, packed %s\n", b.backing.File, contents(m), sized(made.Size))
	if m.InBucket > 0 {
		fmt.Fprintf(w, "note: %s in %s, which the backup does not hold; `quire backup --files` fetches them\n", count(m.InBucket, "upload is", "uploads are"), m.Bucket)
	}
	if m.FromBucket > 0 {
		fmt.Fprintf(w, "note: %s fetched from %s\n", count(m.FromBucket, "upload was", "uploads were"), m.Bucket)
	}
	for _, name := range m.Missing {
		fmt.Fprintf(w, "note: the upload %s is missing, and a record names it\n", name)
	}
	return err
}

// backupInfo is a backup, as JSON shows it.
type backupInfo struct {
	File       string    `json:"file"`
	Made       time.Time `json:"made"`
	Program    string    `json:"program"`
	Revision   uint64    `json:"revision"`
	DataFormat int       `json:"dataFormat"`
	Schemas    string    `json:"schemas"` // fingerprint of the site folder; empty if it could not be read
	Bytes      int64     `json:"bytes"`   // of all files in it
	Packed     int64     `json:"packedBytes,omitempty"`
	Uploads    int       `json:"uploads"`
	Missing    []string  `json:"missing"` // uploads that records name, and that do not exist
	Bucket     string    `json:"bucket,omitempty"`
	InBucket   int       `json:"inBucket"`   // uploads in the bucket, which the backup does not contain
	FromBucket int       `json:"fromBucket"` // uploads that were fetched from the bucket
	Kept       string    `json:"kept,omitempty"`
}

func backupOf(file string, m *backup.Manifest) backupInfo {
	return backupInfo{File: file, Made: m.Made, Program: m.Program, Revision: m.Revision, DataFormat: m.DataFormat, Schemas: m.Schemas,
		Bytes: m.Size(), Uploads: len(m.Files) - 1, Missing: noNil(m.Missing), Bucket: m.Bucket, InBucket: m.InBucket, FromBucket: m.FromBucket}
}

// explain adds to an error what to do about it.
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

// contents describes the contents of a backup.
func contents(m *backup.Manifest) string {
	return fmt.Sprintf("a data file of %s and %s", sized(m.Files[0].Size), count(len(m.Files)-1, "upload", "uploads"))
}

// sized returns a size in bytes in a form for people.
func sized(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	if bytes >= 1<<30 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(bytes)/(1<<30)), ".0") + " GiB"
	}
	return fmt.Sprintf("%.1f MiB", mebibytes(bytes))
}
