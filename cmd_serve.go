package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"quire/store"
)

func newServe() *cobra.Command {
	var p place
	var how serving
	c := &cobra.Command{
		Use:   "serve [SITE]",
		Short: "Serve a site's content API",
		Long: `Serve loads the schemas and site.json of the site folder, opens the data file
and answers requests until it is stopped with SIGINT (Ctrl-C) or SIGTERM. Requests
that are under way then finish.

With --domain the site is served over TLS, in HTTP/2 with clients that speak it:
certificates come from Let's Encrypt, whose terms you accept by that, and lie in the
data folder. The site is then at port 443, and port 80 leads there. --tls-cert and
--tls-key serve it with a certificate of yours, which is read anew when it changes.

Each request is one line on standard error: text on a terminal, JSON otherwise.
The signal is answered in this order: /_ready turns 503; after --stop-delay no more
connections are taken; what is under way finishes; the data file is closed.`,
		Example: `  quire serve
  quire serve --watch my-site
  quire serve --listen :8080 --data /var/lib/quire my-site
  HOST=0.0.0.0 PORT=8080 quire serve my-site
  quire serve --domain guide.example.org --domain www.guide.example.org my-site
  quire serve --listen :443 --tls-cert guide.pem --tls-key guide.key my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.site, p.wait = siteArgument(args), commandTime
			if err := how.settle(c); err != nil {
				return err
			}
			return serve(c.Context(), p, how, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	how.flags(c)
	dataFlag(c, &p)
	return c
}

// commandTime is how long a server that starts waits for a command that has the
// data file open for a moment, as quire status and check do.
const commandTime = 2 * time.Second

func siteArgument(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

func dataFlag(c *cobra.Command, p *place) {
	c.Flags().StringVar(&p.data, "data", "", "data `FOLDER`, holding quire.db (default SITE/data)")
	c.MarkFlagDirname("data")
}

// defaultListen is the address to listen at when no flag names one.
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

func serve(ctx context.Context, p place, how serving, stdout, stderr io.Writer) (err error) {
	log, finish, err := openLog(stderr, how.logging)
	if err != nil {
		return err
	}
	defer finish()
	a, err := openApp(p, log)
	if err != nil {
		return err
	}
	a.monitoring = how.monitoring
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.start(); err != nil {
		return err
	}
	return a.serve(ctx, how, stdout, func(string) {})
}

// summary counts what is served.
func (a *app) summary() string {
	types, entries := 0, 0
	snapshot := a.index.Snapshot()
	for t := range a.site.Served() {
		types++
		entries += snapshot.Table(t, store.Published).Len()
		if t.DraftAndPublish {
			entries += snapshot.Table(t, store.Draft).Len()
		}
	}
	return count(types, "content type", "content types") + " and " + count(entries, "entry", "entries")
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
