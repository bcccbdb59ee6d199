package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"quire/store"
)

func newCompact() *cobra.Command {
	var p place
	c := &cobra.Command{
		Use:   "compact [SITE]",
		Short: "Give back the room in the data file that nothing uses",
		Long: `Compact writes the data file anew, without the room that deleted and changed
content has left, and puts that into its place. The content stays as it is.

If a server runs, it does the work. It answers reads meanwhile; writes wait. The disk
needs room for both files.`,
		Example: `  quire compact
  quire compact my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.site = siteArgument(args)
			done, who, err := p.compact(c.Context())
			if err != nil {
				return err
			}
			fmt.Fprintf(c.ErrOrStderr(), "quire: done by %s\n", who)
			fmt.Fprintf(c.OutOrStdout(), "%s: %s before, %s now, in %s\n", p.dataFile(), sized(done.Before), sized(done.After), done.Took.Round(time.Millisecond))
			return nil
		},
	}
	dataFlag(c, &p)
	return c
}

// compacted is what a compaction came to, and how long writes had to wait for it.
type compacted struct {
	store.Compacted
	Took time.Duration
}

func (p place) compact(ctx context.Context) (done compacted, who string, err error) {
	if _, err := p.schemas(); err != nil { // there is no such site
		return done, "", err
	}
	answer, who, err := p.carryOutOr(ctx, "data compact", nil, func() (json.RawMessage, error) {
		done, err := p.compactHere(ctx)
		if err != nil {
			return nil, err
		}
		return json.Marshal(done)
	})
	if err != nil {
		return done, who, err
	}
	return done, who, json.Unmarshal(answer, &done)
}

// compactHere compacts a data file that nobody else has open.
func (p place) compactHere(ctx context.Context) (done compacted, err error) {
	release, err := store.Hold(p.dataFile()) // which makes no file where there is none
	if err != nil {
		return done, err
	}
	release()
	db, err := store.Open(p.dataFile(), store.Options{})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return compact(ctx, db)
}

func compact(ctx context.Context, db *store.DB) (done compacted, err error) {
	begin := time.Now()
	done.Compacted, err = db.Compact(ctx)
	done.Took = time.Since(begin)
	return done, err
}

// compactLive compacts the data that is being served. What is in memory stays good:
// the content and its revision are the same.
func (a *app) compactLive(ctx context.Context) (any, error) {
	done, err := compact(ctx, a.db)
	return done, a.orSuspend(err)
}
