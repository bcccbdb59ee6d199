package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
)

func newServe() *cobra.Command {
	var at app.Location
	var how serveOptions
	var l logging
	c := &cobra.Command{
		Use:   "serve [SITE]",
		Short: "Serve a site's content API",

		SuggestFor: []string{"start", "develop", "dev", "run", "up"}, // what other programs call it
		Long: `Serve loads the schemas and site.json of the site folder, opens the data file
and answers requests until SIGINT (Ctrl-C), SIGTERM or the stop of the Windows service
ends it. Requests in progress then finish.

With --domain, Serve uses TLS, and HTTP/2 with clients that support it. It gets
certificates from Let's Encrypt, whose terms you accept with the flag, and stores them
in the data folder. The site is then at port 443, and port 80 redirects to it. With
--tls-cert and --tls-key, Serve uses your own certificate, and reads it again when it
changes.

Each request is one line on standard error: text on a terminal, JSON otherwise.
After the signal, /_ready returns 503. After --stop-delay, no more connections are
accepted, requests in progress finish, and the data file is closed.`,
		Example: `  quire serve
  quire serve --watch my-site
  quire serve --listen :8080 --data /var/lib/quire my-site
  HOST=0.0.0.0 PORT=8080 quire serve my-site
  quire serve --at 2026-11-23T14:32:10Z my-site
  quire serve --domain guide.example.org --domain www.guide.example.org my-site
  quire serve --listen :443 --tls-cert guide.pem --tls-key guide.key my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			at.Site, at.Wait = siteArgument(args), commandTime
			if err := completeServing(c, &how); err != nil {
				return err
			}
			if !c.Flags().Changed("log-level") {
				l.level = outputOf(c).logLevel(l.level)
			}
			return serve(c.Context(), at, how, l, outputOf(c))
		},
	}
	servingFlags(c, &how)
	logFlags(c, &l)
	dataFlag(c, &at)
	return c
}

// commandTime is how long a starting server waits for a command that has the data file
// open for a moment, such as quire status or check.
const commandTime = 2 * time.Second

// defaultListen returns the address to listen at if no flag names one.
func defaultListen() string {
	host, port := os.Getenv("HOST"), os.Getenv("PORT")
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = "1337"
	}
	return net.JoinHostPort(host, port)
}

func serve(ctx context.Context, at app.Location, how serveOptions, l logging, out output) (err error) {
	log, finish, err := openLog(out.stderr, l)
	if err != nil {
		return err
	}
	defer finish()
	if how.at != "" {
		return servePast(ctx, at, how, log, out)
	}
	for {
		err = serveOnce(ctx, at, how, log, out)
		if !app.IsPromoted(err) {
			return err
		}
		how.following = app.Following{} // it is the leader now
	}
}

// servePast serves the site as it was at a moment.
func servePast(ctx context.Context, at app.Location, how serveOptions, log *slog.Logger, out output) (err error) {
	moment, err := momentOf(how.at)
	if err != nil {
		return err
	}
	past, err := at.RestorePast(ctx, moment)
	if err != nil {
		return explainStream(err)
	}
	defer func() { err = errors.Join(err, past.Remove()) }()
	how.past = past
	out.remark("This is the site as it was at %s, which takes no writes", past.At.UTC().Format(time.RFC3339))
	return serveOnce(ctx, past.Location, how, log, out)
}

// serveOnce serves until ctx is done, or until the site has another leader.
func serveOnce(ctx context.Context, at app.Location, how serveOptions, log *slog.Logger, out output) (err error) {
	a, err := app.Open(at, app.Options{Log: log, StopDelay: how.stopDelay, AdminFolder: how.admin, Joining: how.joining, Following: how.following, Past: how.past})
	if err != nil {
		return err
	}
	defer func() {
		if closed := a.Close(); closed != nil {
			err = closed // a promotion is not complete then
			return
		}
		err = at.Explained(err)
	}()
	if err := a.Start(); err != nil {
		return err
	}
	return nameFlag(a.Serve(ctx, how.Serving, func(s app.Served) {
		out.report(servedOf(at, s), func(w io.Writer) error {
			printServed(w, at, s)
			return nil
		})
	}))
}

// served says where a site is served, as JSON shows it.
type served struct {
	URL          string `json:"url"`
	Redirect     string `json:"redirect,omitempty"`
	Metrics      string `json:"metrics,omitempty"`
	Setup        string `json:"setup,omitempty"` // link that creates the first account of the admin
	Site         string `json:"site"`
	DataFile     string `json:"dataFile"`
	ContentTypes int    `json:"contentTypes"`
	Entries      int    `json:"entries"`
	Token        string `json:"token,omitempty"` // of a demo
}

func servedOf(at app.Location, s app.Served) served {
	return served{URL: s.URL, Redirect: s.Redirect, Metrics: s.Metrics, Setup: s.Setup, Site: at.Site, DataFile: at.DataFile(),
		ContentTypes: s.Summary.Types, Entries: s.Summary.Entries}
}

func printServed(w io.Writer, at app.Location, s app.Served) {
	fmt.Fprintf(w, "Quire listens at %s\n", s.URL)
	if s.Redirect != "" {
		fmt.Fprintf(w, "http://%s leads there\n", s.Redirect)
	}
	fmt.Fprintf(w, "It serves %s from %s with the content of %s\n", s.Summary, at.Site, at.DataFile())
	if s.Setup != "" {
		fmt.Fprintf(w, "The admin has no account yet. This link makes the first one, once:\n  %s\n", s.Setup)
	}
	if s.Metrics != "" {
		fmt.Fprintf(w, "Metrics are at http://%s/metrics\n", s.Metrics)
	}
}

// count returns a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
