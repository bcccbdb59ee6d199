//go:build linux

package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// longestStart is the maximum time until a server is ready.
const longestStart = 10 * time.Minute

// serveAgain starts the server again: it prepares the indexes that were in use, reports
// when it is ready, and then answers each read for the first time.
func (f *figures) serveAgain(o options, site string, g *guide) (err error) {
	begun := time.Now()
	c, address, err := f.launch(o.binary, site)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end(c)) }()
	if err := untilReady(c, address, begun.Add(longestStart)); err != nil {
		return err
	}
	f.ready = time.Since(begun)
	for i, r := range reads {
		ask := r.requests(g)[0]
		began := time.Now()
		if _, err := fetch(address, ask); err != nil {
			return fmt.Errorf("%s after a restart: %w", r.name, err)
		}
		f.reads[i].again = time.Since(began)
	}
	if _, err := settledOf(c.Process.Pid); err != nil {
		return err
	}
	f.readyMemory, err = memoryOf(c.Process.Pid)
	say("  ready after %.2f s, resident %s", f.ready.Seconds(), mebibytes(f.readyMemory.all))
	return err
}

// untilReady asks a server whether it is ready, a hundred times a second, until it is.
func untilReady(c *exec.Cmd, address string, end time.Time) error {
	for {
		_, err := fetch(address, request("/_ready")) // has no content if it is ready
		if err == nil || strings.Contains(err.Error(), " 204 ") {
			return nil
		}
		if !strings.Contains(err.Error(), " 503 ") || time.Now().After(end) {
			return fmt.Errorf("%v: %w", c, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
