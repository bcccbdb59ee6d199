//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A use is a command of the program that works on all content, and its cost.
type commandCost struct {
	name string
	took time.Duration
	peak memory
	size int64 // of the written file; 0 for none
}

// memory is the maximum resident memory, in bytes: total, of its own, and of mapped files.
// The three may be from different times.
type memory struct{ all, own, files int64 }

// take runs a command of the program to its end.
func take(name, binary string, args ...string) (u commandCost, err error) {
	c := exec.Command(binary, args...)
	out, err := os.CreateTemp("", "quire-growth-")
	if err != nil {
		return u, err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	c.Stdout, c.Stderr = out, out
	begun := time.Now()
	if err := c.Start(); err != nil {
		return u, err
	}
	stop, peak := make(chan struct{}), make(chan memory)
	go func() { peak <- watch(c.Process.Pid, stop) }()
	err = c.Wait()
	u = commandCost{name: name, took: time.Since(begun)}
	close(stop)
	u.peak = <-peak
	if err != nil {
		said, _ := os.ReadFile(out.Name())
		return u, fmt.Errorf("%v: %w\n%s", c, err, said)
	}
	return u, nil
}

// watch reads the memory of a process, fifty times a second, until stop is closed.
func watch(pid int, stop <-chan struct{}) (most memory) {
	for ticks := time.Tick(20 * time.Millisecond); ; {
		now, err := memoryOf(pid)
		if err == nil {
			most = memory{max(most.all, now.all), max(most.own, now.own), max(most.files, now.files)}
		}
		select {
		case <-ticks:
		case <-stop:
			return most
		}
	}
}

// careFor checks, exports and imports the content, with no server running.
func (f *figures) careFor(o options, folder, site string) error {
	other := filepath.Join(folder, "other")
	if err := os.CopyFS(other, os.DirFS(o.site)); err != nil {
		return err
	}
	lines, archive, saved := filepath.Join(folder, "out.ndjson"), filepath.Join(folder, "out.tar.gz"), filepath.Join(folder, "out.tar.zst")
	for _, one := range []struct {
		name, writes string
		args         []string
	}{
		{"check", "", []string{"check", site}},
		{"export of lines", lines, []string{"export", "--ndjson", site, lines}},
		{"export of an archive", archive, []string{"export", site, archive}},
		{"import of that archive", filepath.Join(other, "data", "quire.db"), []string{"import", other, archive}},
		{"backup", saved, []string{"backup", site, saved}},
		{"restore of that backup", filepath.Join(other, "data", "quire.db"), []string{"restore", "--replace", saved, other}},
	} {
		u, err := take(one.name, o.binary, one.args...)
		if err == nil && one.writes != "" {
			u.size, err = sizeOf(one.writes)
		}
		if err != nil {
			return err
		}
		say("  %-24s %6.2f s, at most %s", u.name, u.took.Seconds(), mebibytes(u.peak.all))
		f.uses = append(f.uses, u)
	}
	return os.RemoveAll(other)
}
