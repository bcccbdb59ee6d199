//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// figures are the measurements of one size.
type figures struct {
	restaurants, lines, entries int

	importing   commandCost
	linesSize   int64
	updates     int
	updatedSize int64 // of the data file after the updates
	streamed    streamedFigures
	uses        []commandCost

	start    time.Duration // until the first response
	resident int64         // after the memory for the start has been released, in bytes
	indexed  int64         // resident after every read has been requested

	ready       time.Duration // from the second start until it is ready, with its indexes
	readyMemory memory        // of the second start, after each read has been requested once

	reads []readFigures // in the order of reads
}

// measure makes all measurements of one size.
func measure(o options, restaurants int) (f *figures, err error) {
	folder, err := os.MkdirTemp("", "quire-growth-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	f = &figures{restaurants: restaurants, updates: o.updates}
	site, lines := filepath.Join(folder, "site"), filepath.Join(folder, "guide.ndjson")
	if err := os.CopyFS(site, os.DirFS(o.site)); err != nil {
		return nil, err
	}
	say("%d restaurants: writing", restaurants)
	g, err := f.write(lines, restaurants)
	if err != nil {
		return nil, err
	}
	say("%d restaurants: importing", restaurants)
	if err := f.importLines(o.binary, site, lines); err != nil {
		return nil, err
	}
	if err := os.Remove(lines); err != nil {
		return nil, err
	}
	say("%d restaurants: taking it out and back", restaurants)
	if err := f.careFor(o, folder, site); err != nil {
		return nil, err
	}
	token, err := newToken(o.binary, site)
	if err != nil {
		return nil, err
	}
	say("%d restaurants: serving", restaurants)
	if err := f.serve(o, site, token, g); err != nil {
		return nil, err
	}
	if f.updatedSize, err = sizeOf(filepath.Join(site, "data", "quire.db")); err != nil {
		return nil, err
	}
	say("%d restaurants: starting again", restaurants)
	if err := f.serveAgain(o, site, g); err != nil {
		return nil, err
	}
	say("%d restaurants: updating with a stream and without", restaurants)
	return f, f.measureStream(o, folder, site, token, g)
}

func (f *figures) write(name string, restaurants int) (*guide, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	g, err := writeGuide(file, restaurants)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	f.lines = g.lines
	f.linesSize, err = sizeOf(name)
	return g, err
}

func sizeOf(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f *figures) importLines(binary, site, lines string) (err error) {
	if f.importing, err = take("import", binary, "import", site, lines); err != nil {
		return err
	}
	f.importing.size, err = sizeOf(filepath.Join(site, "data", "quire.db"))
	return err
}

// serve starts the server, measures it and stops it.
func (f *figures) serve(o options, site, token string, g *guide) (err error) {
	begun := time.Now()
	c, address, err := f.launch(o.binary, site)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end(c)) }()
	if _, err := fetch(address, request("/api/restaurants?pagination[pageSize]=1")); err != nil {
		return err
	}
	f.start = time.Since(begun)
	if f.resident, err = settledOf(c.Process.Pid); err != nil {
		return err
	}
	if f.reads, err = measureReads(o, address, g); err != nil {
		return err
	}
	if f.indexed, err = residentOf(c.Process.Pid); err != nil {
		return err
	}
	say("%d restaurants: updating", f.restaurants)
	return f.update(o, address, token, g)
}

// launch starts the server.
func (f *figures) launch(binary, site string) (c *exec.Cmd, address string, err error) {
	c = exec.Command(binary, "serve", "--listen", "127.0.0.1:0", site)
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := c.Start(); err != nil {
		return nil, "", err
	}
	if address, err = f.listening(bufio.NewReader(stdout)); err != nil {
		return nil, "", errors.Join(err, end(c))
	}
	return c, address, nil
}

// end stops a server with SIGTERM.
func end(c *exec.Cmd) error { return errors.Join(c.Process.Signal(syscall.SIGTERM), c.Wait()) }

// listening reads the two lines in which the server prints its address and the size of its
// content.
func (f *figures) listening(stdout *bufio.Reader) (address string, err error) {
	where, err := stdout.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the server says nothing: %w", err)
	}
	if _, err = fmt.Sscanf(where, "Quire listens at http://%s", &address); err != nil {
		return "", fmt.Errorf("the server says %q: %w", where, err)
	}
	what, err := stdout.ReadString('\n')
	if err == nil {
		_, counted, _ := strings.Cut(what, " content types and ")
		_, err = fmt.Sscanf(counted, "%d entries", &f.entries)
	}
	go io.Copy(io.Discard, stdout)
	return address, err
}

// settledOf returns the resident memory of a process that has just started, in bytes, after
// it has released what only the start needed: after ten seconds at most.
func settledOf(pid int) (resident int64, err error) {
	for same, tries := 0, 0; err == nil && same < 4 && tries < 40; tries++ {
		time.Sleep(250 * time.Millisecond)
		before := resident
		if resident, err = residentOf(pid); resident == before {
			same++
		} else {
			same = 0
		}
	}
	return resident, err
}

// residentOf returns the resident memory of a process, in bytes.
func residentOf(pid int) (int64, error) {
	m, err := memoryOf(pid)
	return m.all, err
}

// memoryOf returns the resident memory of a process.
func memoryOf(pid int) (m memory, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return m, err
	}
	for name, bytes := range map[string]*int64{"VmRSS:": &m.all, "RssAnon:": &m.own, "RssFile:": &m.files} {
		_, after, _ := strings.Cut(string(status), name)
		if _, err := fmt.Sscan(after, bytes); err != nil {
			return m, err
		}
		*bytes <<= 10
	}
	return m, nil
}
