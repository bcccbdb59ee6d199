//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// compare measures the reads of an older program and of this one on copies of one site,
// which the older program has imported. The two take turns, so that other load on the
// machine slows both down.
func compare(o options, restaurants int) (pairs []pair, err error) {
	folder, err := os.MkdirTemp("", "quire-growth-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	sites := [2]string{filepath.Join(folder, "before"), filepath.Join(folder, "now")}
	lines := filepath.Join(folder, "guide.ndjson")
	if err := os.CopyFS(sites[0], os.DirFS(o.site)); err != nil {
		return nil, err
	}
	say("%d restaurants: importing", restaurants)
	var f figures
	g, err := f.write(lines, restaurants)
	if err != nil {
		return nil, err
	}
	if err := f.importLines(o.against, sites[0], lines); err != nil {
		return nil, err
	}
	if err := os.CopyFS(sites[1], os.DirFS(sites[0])); err != nil {
		return nil, err
	}
	return f.compareReads(o, sites, g)
}

func (f *figures) compareReads(o options, sites [2]string, g *guide) (pairs []pair, err error) {
	var servers [2]server
	for i, binary := range []string{o.against, o.binary} {
		c, address, err := f.launch(binary, sites[i])
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, end(c)) }()
		servers[i] = server{address, c.Process.Pid}
	}
	for _, r := range reads {
		p, err := r.compare(o, servers, r.requests(g))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		say("  %s", p)
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// server is a program that serves a site.
type server struct {
	address string
	pid     int
}

// pair is the measurement of one read: before and now. Each is the median of the runs.
type pair struct {
	name  string
	alone [2]float64 // microseconds of a request over one connection
	rate  [2]float64 // requests a second over many connections
	work  [2]float64 // microseconds of processor time of the server for one of these
}

// compare makes both servers answer one read, in turn, and in the other order each second
// time.
func (r read) compare(o options, servers [2]server, requests [][]byte) (pair, error) {
	var alone, rate, work [2][]float64
	for run := -1; run < o.runs; run++ { // the first run builds the indexes
		for turn := range servers {
			i := (turn + run + 2) % 2
			one, err := measureLoad(servers[i].address, requests, 1, o.span)
			if err != nil {
				return pair{}, err
			}
			before, err := processorTime(servers[i].pid)
			if err != nil {
				return pair{}, err
			}
			many, err := measureLoad(servers[i].address, requests, crowd, o.span)
			if err != nil {
				return pair{}, err
			}
			after, err := processorTime(servers[i].pid)
			if err != nil {
				return pair{}, err
			}
			if run < 0 {
				continue
			}
			alone[i] = append(alone[i], microseconds(quantile(one, .5)))
			rate[i] = append(rate[i], float64(len(many))/o.span.Seconds())
			work[i] = append(work[i], microseconds(after-before)/float64(len(many)))
		}
	}
	p := pair{name: r.name}
	for i := range servers {
		p.alone[i], p.rate[i], p.work[i] = quantile(alone[i], .5), quantile(rate[i], .5), quantile(work[i], .5)
	}
	return p, nil
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// processorTime returns the processor time of a process so far, in steps of ten
// milliseconds.
func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(stat), ") ") // the part before may have spaces
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	var user, system int
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		return 0, err
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}

// String returns a row of the table of pairs.
func (p pair) String() string {
	cell := func(of [2]float64) string { return fmt.Sprintf("%.0f, %.0f, %.2f", of[0], of[1], of[1]/of[0]) }
	return fmt.Sprintf("| %s | %s | %s | %s |", p.name, cell(p.alone), cell(p.rate), cell(p.work))
}

// comparison returns the result for one size in Markdown.
func comparison(restaurants int, pairs []pair) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s restaurants: before, now, ratio | µs, one connection | requests a second, %d connections | µs of the processors a request |\n", grouped(restaurants), crowd)
	rule(&b, 4)
	for _, p := range pairs {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}
