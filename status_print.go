package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"quire/server"
)

// print shows the status to a person.
func (s *siteStatus) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	s.printServer(table)
	c := s.Content
	fmt.Fprintf(table, "data file\t%s, %.1f MiB, of which %.1f MiB are free\n", s.DataFile, mebibytes(c.Size), mebibytes(c.Free))
	fmt.Fprintf(table, "last commit\trevision %d, %s\n", c.Revision, moment(c.Changed))
	fmt.Fprintf(table, "uploads\t%s, %.1f MiB\n", count(s.Uploads.Files, "file", "files"), mebibytes(s.Uploads.Bytes))
	fmt.Fprintf(table, "last backup\t%s\n", s.backup())
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return printTable(w, "TYPE\tPUBLISHED\tDRAFT", c.Entries, func(n server.TypeCount) string {
		return fmt.Sprintf("%s\t%d\t%d", n.Type, n.Published, n.Draft)
	})
}

func (s *siteStatus) printServer(table io.Writer) {
	if s.Server == nil {
		fmt.Fprintf(table, "server\tnone is running\n")
		return
	}
	fmt.Fprintf(table, "server\t%s\n", s.Server.Version)
	fmt.Fprintf(table, "address\t%s\n", s.Address)
	fmt.Fprintf(table, "state\t%s, up %s\n", orElse(s.Server.Problem, "ready"), uptime(time.Since(s.Server.Started)))
	fmt.Fprintf(table, "memory\t%.1f MiB\n", float64(s.Server.Memory)/(1<<20))
	l, r, w := s.Server.Load, s.Server.Requests, s.Server.Writes
	fmt.Fprintf(table, "load\t%s, %d closed to make room; %s under way, %d refused; %s waited\n",
		count(int(l.Connections), "connection", "connections"), l.Evicted, count(int(l.Requests), "request", "requests"), l.Refused,
		count(int(l.HeavyWaits), "heavy query", "heavy queries"))
	fmt.Fprintf(table, "requests\t%d, %.1f a second%s\n", r.Total, r.PerSecond, byClass(r))
	fmt.Fprintf(table, "\thalf within %s, 99 of 100 within %s; %d slow, %d throttled, %s\n",
		seconds(r.P50), seconds(r.P99), r.Slow, r.Throttled, count(int(r.Panics), "panic", "panics"))
	fmt.Fprintf(table, "writes\t%d in %s, %d failed; half committed within %s, 99 of 100 within %s\n",
		w.Total, count(int(w.Commits), "commit", "commits"), w.Failed, seconds(w.P50), seconds(w.P99))
}

func (s *siteStatus) backup() string {
	if s.Backup == nil {
		return "none"
	}
	return fmt.Sprintf("%s, %s, %s", moment(s.Backup.Made), sized(s.Backup.Size), s.Backup.File)
}

// byClass lists how many answers were of which class: ": 12 2xx, 1 4xx".
func byClass(r server.Requests) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(r.ByClass)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.ByClass[class], class))
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func seconds(s float64) string { return time.Duration(s * float64(time.Second)).String() }

// uptime is a duration as people say it, from seconds to days.
func uptime(d time.Duration) string {
	if days := d / (24 * time.Hour); days > 0 {
		return fmt.Sprintf("%dd%dh", days, d%(24*time.Hour)/time.Hour)
	}
	return d.Round(time.Second).String()
}
