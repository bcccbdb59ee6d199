package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"
)

// watchInterval is how often the site folder is looked at. Reading a few small
// files costs nothing, and unlike notifications it works on every file system.
const watchInterval = time.Second

// reopenInterval is how often it is tried again to reopen a data file that could
// not be. Whoever heeds /_ready sends no writes meanwhile that would ask for it.
const reopenInterval = 10 * time.Second

// keep does what comes up beside serving, one thing at a time, until ctx is done:
// it serves the site anew when its files have changed, if that is watched, and it
// reopens a data file that takes no writes.
func (a *app) keep(ctx context.Context, watch bool) {
	var ticks <-chan time.Time
	if watch {
		ticker := time.NewTicker(watchInterval)
		defer ticker.Stop()
		ticks = ticker.C
	}
	again := time.NewTicker(reopenInterval)
	defer again.Stop()
	a.follow(ctx, ticks, again.C)
}

func (a *app) follow(ctx context.Context, ticks, again <-chan time.Time) {
	seen := a.fingerprint()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.suspended:
			a.reopen()
		case <-again:
			if a.db.Suspended() {
				a.reopen()
			}
		case <-ticks:
			seen = a.look(seen)
		}
	}
}

// look serves the site anew if it is not as it was seen last. What it tells goes
// to the log.
func (a *app) look(seen fingerprint) fingerprint {
	now := a.fingerprint()
	if now == seen {
		return seen
	}
	if err := a.reload(); err != nil {
		a.log.Error("the changed site cannot be served; the former one stays", "error", err)
	} else {
		a.log.Info("the changed site is served", "what", a.summary())
	}
	return now
}

// reopen is the way back after a commit that may or may not have been stored:
// what the file holds is read anew. If that fails, it is tried again, and the next write asks for it too.
func (a *app) reopen() {
	err := a.renew(func() error {
		if err := a.db.Reopen(); err != nil {
			return err
		}
		return a.follows(a.use(a.site))
	})
	if err != nil {
		a.log.Error("the data file cannot be reopened; nothing can be written", "error", err)
		return
	}
	a.log.Warn("the data file was reopened after a failed commit", "what", a.summary())
}

// follows takes what came of reading the content anew. Where that failed, memory
// is behind the file, and nothing may be written until it is not.
func (a *app) follows(err error) error {
	if err != nil {
		a.db.Suspend(err)
	}
	return err
}

// fingerprint is a hash of every file that schema.Load may read, and of what went
// wrong when they were read.
type fingerprint [sha256.Size]byte

func (a *app) fingerprint() (sum fingerprint) {
	folder, h := os.DirFS(a.place.site), sha256.New()
	add := func(name string) {
		text, err := fs.ReadFile(folder, name)
		fmt.Fprintf(h, "%s %d %v\n%s\n", name, len(text), err, text)
	}
	add("site.json")
	fs.WalkDir(folder, "src", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".json" {
			add(name)
		}
		return nil
	})
	h.Sum(sum[:0])
	return sum
}
