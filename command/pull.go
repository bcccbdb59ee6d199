package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/transfer/pull"
)

// pulling is the part of the restore command that downloads a backup.
type pulling struct {
	app.Pull
	tokenFile string
}

// tokenVariable names the environment variable with the token for the other server.
const tokenVariable = "QUIRE_TOKEN"

func (p *pulling) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.From, "from", "", "restore the newest backup of the server at `URL`, such as https://cms.example.org")
	f.StringVar(&p.tokenFile, "token-file", "", "`FILE` with the token for --from in its first line; by default the environment's "+tokenVariable)
	f.BoolVar(&p.Only, "download", false, "download and check the backup of --from, and restore nothing; a server may run")
	f.BoolVar(&p.Options.Insecure, "insecure", false, "let --from use http to another machine")
	f.Int64Var(&p.Options.MostBytes, "max-bytes", pull.MostBytes, "refuse a backup of --from that is larger than `N` bytes")
	f.IntVar(&p.Keep, "keep", -1, "of the folders with replaced files, keep the newest `N` and remove the others; -1 keeps all")
	for _, other := range []string{"verify", "replace"} {
		c.MarkFlagsMutuallyExclusive("download", other)
	}
	c.MarkFlagsMutuallyExclusive("from", "verify")
}

// onlyWith refuses flags that have a meaning only with --from.
func (p *pulling) onlyWith(c *cobra.Command) error {
	for _, name := range []string{"token-file", "download", "insecure", "max-bytes", "keep"} {
		if c.Flags().Changed(name) {
			return misused("--%s goes with --from", name)
		}
	}
	return nil
}

// open reads the token and checks the address.
func (p *pulling) open() (err error) {
	p.Token = os.Getenv(tokenVariable)
	if p.tokenFile != "" {
		if p.Token, err = secretIn(p.tokenFile, "token"); err != nil {
			return err
		}
	}
	if p.Token == "" {
		return misused("--from needs a token: --token-file FILE, or %s in the environment", tokenVariable)
	}
	if p.Options.MostBytes < 1 {
		return misused("--max-bytes must be 1 or more")
	}
	if p.Keep < -1 {
		return misused("--keep must be -1 or more")
	}
	err = p.Open()
	if address := new(pull.AddressError); errors.As(err, &address) {
		return misuse{fmt.Errorf("--from: %w", err)}
	}
	return err
}

// run downloads a backup and restores it.
func (p *pulling) run(ctx context.Context, at app.Location, out output) error {
	schemas, err := at.SchemaFingerprint()
	if err != nil {
		return err
	}
	if err := p.open(); err != nil {
		return err
	}
	var done app.Pulled
	err = watched(out.terminal(), p.Measure, func() (err error) {
		done, err = at.Pull(ctx, &p.Pull)
		return err
	})
	if status := new(pull.StatusError); errors.As(err, &status) {
		return fmt.Errorf("%s: %w", p.From, err)
	}
	if err != nil {
		return explainRestore(err, p.Replace)
	}
	bucket, err := at.BucketInUse()
	if err != nil {
		return err
	}
	return out.report(p.shown(done), func(w io.Writer) error {
		if done.Unchanged {
			_, err := fmt.Fprintf(w, "nothing was downloaded: the content comes from the newest backup of %s already\n", p.From)
			return err
		}
		fmt.Fprintf(w, "downloaded %s of %s from %s\n", sized(done.File.Received), sized(done.File.Size), p.From)
		if p.Only {
			return printVerified(w, done.File.Path, done.Manifest)
		}
		return printRestored(w, done.Restored, schemas, bucket)
	})
}

// pulledInfo is a pulled backup, as JSON shows it. An unchanged one has only the first
// keys.
type pulledInfo struct {
	From       string `json:"from"`
	ETag       string `json:"etag"`
	Unchanged  bool   `json:"unchanged"` // whether the content comes from this backup already
	Restored   bool   `json:"restored"`
	Downloaded int64  `json:"downloadedBytes"` // in this run
	*backupInfo
}

func (p *pulling) shown(done app.Pulled) pulledInfo {
	shown := pulledInfo{From: p.From, ETag: done.Tag, Unchanged: done.Unchanged, Downloaded: done.File.Received}
	if done.Unchanged {
		return shown
	}
	shown.Restored = !p.Only
	b := backupOf(done.File.Path, done.Manifest)
	b.Packed, b.Kept = done.File.Size, done.Kept
	shown.backupInfo = &b
	return shown
}
