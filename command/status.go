package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/server"
	"quire/transfer/stream"
)

func newStatus() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "status [SITE]",
		Short: "Show the server, its load and what the data file contains",
		Long: `Status shows whether a server of the site is running and since when, how many requests
it has answered and how much it has written, the size of the data file and of the
uploads, the last good backup, the stream of commits, what is scheduled, and the number of entries of each
content type.

It asks a running server. Without one it reads the data file and writes nothing.`,
		Example: `  quire status
  quire status my-site
  quire status --json my-site | jq .server.requests.p99Seconds`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		status, err := at.Status(c.Context())
		if err != nil {
			return err
		}
		return outputOf(c).result(status, func(w io.Writer) error { return printStatus(w, &status) })
	})
}

// printStatus prints the status for people.
func printStatus(w io.Writer, s *app.SiteStatus) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	printServer(table, s)
	c := s.Content
	fmt.Fprintf(table, "data file\t%s, %.1f MiB, of which %.1f MiB are free\n", s.DataFile, mebibytes(c.Size), mebibytes(c.Free))
	fmt.Fprintf(table, "last commit\trevision %d, %s\n", c.Revision, moment(c.Changed))
	if s.Bucket != "" {
		fmt.Fprintf(table, "files\tin %s, which is not counted\n", s.Bucket)
	}
	fmt.Fprintf(table, "uploads\t%s, %.1f MiB\n", count(s.Uploads.Files, "file", "files"), mebibytes(s.Uploads.Bytes))
	fmt.Fprintf(table, "last backup\t%s\n", backupLine(s.Backup))
	if s.Stream != nil {
		fmt.Fprintf(table, "stream\t%s\n", streamLine(s.Stream))
	}
	if f := s.Follows; f != nil {
		fmt.Fprintf(table, "follows\t%s, %.1f seconds behind%s\n", f.Leader, f.Lag, because(f.Problem))
	}
	fmt.Fprintf(table, "releases\t%d scheduled, %d failed\n", s.Releases.Scheduled, s.Releases.Failed)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return printTable(w, "TYPE\tPUBLISHED\tDRAFT", c.Entries, func(n server.TypeCount) string {
		return fmt.Sprintf("%s\t%d\t%d", n.Type, n.Published, n.Draft)
	})
}

func printServer(table io.Writer, s *app.SiteStatus) {
	if s.Server == nil {
		fmt.Fprintf(table, "server\tnone is running\n")
		return
	}
	fmt.Fprintf(table, "server\t%s\n", s.Server.Version)
	fmt.Fprintf(table, "address\t%s\n", s.Address)
	if s.Node != "" {
		fmt.Fprintf(table, "node\t%s\n", s.Node)
	}
	fmt.Fprintf(table, "state\t%s, up %s\n", orElse(s.Server.Problem, "ready"), uptime(time.Since(s.Server.Started)))
	fmt.Fprintf(table, "memory\t%.1f MiB\n", float64(s.Server.Memory)/(1<<20))
	l, r, w := s.Server.Load, s.Server.Requests, s.Server.Writes
	fmt.Fprintf(table, "load\t%s, %d closed for others; %s under way, %d refused; %s waited\n",
		count(int(l.Connections), "connection", "connections"), l.Evicted, count(int(l.Requests), "request", "requests"), l.Refused,
		count(int(l.HeavyWaits), "heavy query", "heavy queries"))
	fmt.Fprintf(table, "requests\t%d, %.1f a second%s\n", r.Total, r.PerSecond, byClass(r.ByClass))
	fmt.Fprintf(table, "\thalf within %s, 99 of 100 within %s; %d slow, %d throttled, %s\n",
		seconds(r.P50), seconds(r.P99), r.Slow, r.Throttled, count(int(r.Panics), "panic", "panics"))
	fmt.Fprintf(table, "writes\t%d in %s, %d failed; half committed within %s, 99 of 100 within %s\n",
		w.Total, count(int(w.Commits), "commit", "commits"), w.Failed, seconds(w.P50), seconds(w.P99))
	p := s.Server.Pictures
	fmt.Fprintf(table, "pictures\t%d made on demand, %d answers with one that was there; %d refused, %d failed; %d waiting\n", p.Made, p.Kept, p.Refused, p.Failed, p.Waiting)
}

func backupLine(b *app.BackedUp) string {
	if b == nil {
		return "none"
	}
	return fmt.Sprintf("%s, %s, %s", moment(b.Made), sized(b.Size), b.File)
}

// streamLine says how far the stream of commits is.
func streamLine(s *stream.SenderStatus) string {
	line := "nothing is sent yet"
	if s.SentTo != nil {
		line = fmt.Sprintf("%s, sent up to revision %d of %s", s.Target, s.Sent, moment(*s.SentTo))
	}
	if s.Queued > 0 {
		line += fmt.Sprintf("; %s of %s wait, for %.1f seconds", sized(s.Queued), sized(s.MayQueue), s.Behind)
	}
	if s.Ended {
		line += "; stopped"
	}
	return line + because(s.Problem) + because(s.Gap)
}

// because adds a reason, if there is one.
func because(why string) string {
	if why == "" {
		return ""
	}
	return "; " + why
}

// byClass lists how many responses there were of each class: ": 12 2xx, 1 4xx".
func byClass(answers map[string]uint64) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(answers)) {
		parts = append(parts, fmt.Sprintf("%d %s", answers[class], class))
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func seconds(s float64) string { return time.Duration(s * float64(time.Second)).String() }

// uptime returns a duration in seconds to days, in a form for people.
func uptime(d time.Duration) string {
	if days := d / (24 * time.Hour); days > 0 {
		return fmt.Sprintf("%dd%dh", days, d%(24*time.Hour)/time.Hour)
	}
	return d.Round(time.Second).String()
}

func newHealth() *cobra.Command {
	return onSite(0, &cobra.Command{
		Use:   "health [SITE]",
		Short: "Succeed if a server of the site runs and is ready",
		Long: `Health succeeds if a server of the site is running and /_ready reports no problem: it
serves content and accepts writes. Otherwise it fails and prints the reason. Use it to
monitor the process, for example in the HEALTHCHECK of a container.`,
		Example: `  quire health my-site
  quire health --data /var/lib/quire /srv/site || systemctl restart quire`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		if err := at.Ready(c.Context()); err != nil {
			return err
		}
		return outputOf(c).report(map[string]bool{"ready": true}, line("ready"))
	})
}
