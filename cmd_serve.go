package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"quire/backup"
	"quire/store"
)

func newServe() *cobra.Command {
	var p place
	var listen string
	var watch bool
	var m monitoring
	c := &cobra.Command{
		Use:   "serve [SITE]",
		Short: "Serve a site's content API",
		Long: `Serve loads the schemas and site.json of the site folder, opens the data file
and answers requests until it is stopped with SIGINT (Ctrl-C) or SIGTERM. Requests
that are under way then finish.

Each request is one line on standard error: text on a terminal, JSON otherwise.
The signal is answered in this order: /_ready turns 503; after --stop-delay no more
connections are taken; what is under way finishes; the data file is closed.`,
		Example: `  quire serve
  quire serve --watch my-site
  quire serve --listen :8080 --data /var/lib/quire my-site
  HOST=0.0.0.0 PORT=8080 quire serve my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.site = siteArgument(args)
			return serve(c.Context(), p, listen, watch, m, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&listen, "listen", defaultListen(), "address to listen at, `HOST:PORT`; by default from the environment's HOST and PORT")
	c.Flags().BoolVar(&watch, "watch", false, "reload schemas and site.json when they change")
	monitoringFlags(c, &m)
	dataFlag(c, &p)
	return c
}

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

func serve(ctx context.Context, p place, listen string, watch bool, m monitoring, stdout, stderr io.Writer) (err error) {
	log, finish, err := openLog(stderr, m.logging)
	if err != nil {
		return err
	}
	defer finish()
	a, err := openApp(p, log)
	if err != nil {
		return err
	}
	a.monitoring = m
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.start(); err != nil {
		return err
	}
	return a.serve(ctx, listen, watch, stdout, func(string) {})
}

// serve says where it listens, calls greet with that address, and answers
// requests until ctx is done.
func (a *app) serve(ctx context.Context, listen string, watch bool, stdout io.Writer, greet func(address string)) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	metrics, err := a.listenMetrics()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if err := backup.Sweep(a.dataFolder(), time.Now()); err != nil {
		a.log.Warn("what a former server has left cannot be removed", "error", err)
	}
	control := a.listenControl()
	a.address = l.Addr().String()
	fmt.Fprintf(stdout, "Quire listens at http://%s\n", l.Addr())
	fmt.Fprintf(stdout, "It serves %s from %s with the content of %s\n", a.summary(), a.place.site, a.dataFile())
	if metrics != nil {
		fmt.Fprintf(stdout, "Metrics are at http://%s/metrics\n", metrics.Addr())
	}
	greet(a.address)
	return a.serveAndKeep(ctx, l, control, metrics, watch)
}

// serveAndKeep answers requests until ctx is done, and does what comes up beside
// that to the end of the last request. When it returns, neither goes on.
func (a *app) serveAndKeep(ctx context.Context, l, control, metrics net.Listener, watch bool) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	var kept sync.WaitGroup
	kept.Go(func() { a.keep(beside, watch) })
	kept.Go(func() { a.keepBackups(beside) })
	if control != nil {
		kept.Go(func() { a.serveControl(beside, control) })
	}
	if metrics != nil {
		kept.Go(func() { a.serveMetrics(beside, metrics) })
	}
	defer kept.Wait()
	defer stop()
	a.tell("READY=1")
	defer context.AfterFunc(ctx, func() { a.tell("STOPPING=1") })()
	return a.server.Serve(ctx, l)
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
