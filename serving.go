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
	"quire/server"
)

// serving is where and how a site is served.
type serving struct {
	listen string
	watch  bool
	tls    secured
	monitoring
}

func (s *serving) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.listen, "listen", defaultListen(), "address to listen at, `HOST:PORT`; by default from the environment's HOST and PORT, and :443 with --domain")
	f.BoolVar(&s.watch, "watch", false, "reload schemas and site.json when they change")
	f.StringVar(&s.tls.certFile, "tls-cert", "", "serve over TLS with the certificate in this `FILE` (PEM, with what is between it and the root)")
	f.StringVar(&s.tls.keyFile, "tls-key", "", "`FILE` with the key of the certificate (PEM)")
	f.StringArrayVar(&s.tls.domains, "domain", nil, "serve over TLS with a certificate for this `NAME` from Let's Encrypt; repeatable")
	f.StringVar(&s.tls.directory, "acme-directory", letsEncrypt, "`URL` of another authority for --domain")
	f.StringVar(&s.tls.plain, "http-listen", "", "with TLS, address without it that leads to it, `HOST:PORT` (default :80 with --domain; \"\" for none)")
	monitoringFlags(c, &s.monitoring)
}

// settle fills in what follows from other flags.
func (s *serving) settle(c *cobra.Command) error {
	f := c.Flags()
	if len(s.tls.domains) > 0 {
		if !f.Changed("listen") && os.Getenv("HOST")+os.Getenv("PORT") == "" {
			s.listen = ":443"
		}
		if !f.Changed("http-listen") {
			s.tls.plain = ":80"
		}
	} else if f.Changed("acme-directory") {
		return errors.New("--acme-directory is for --domain")
	}
	return s.tls.check()
}

// serve says where it listens, calls greet with that address, and answers
// requests until ctx is done.
func (a *app) serve(ctx context.Context, how serving, stdout io.Writer, greet func(address string)) error {
	d, err := a.open(how)
	if err != nil {
		return err
	}
	if err := backup.Sweep(a.dataFolder(), time.Now()); err != nil {
		a.log.Warn("what a former server has left cannot be removed", "error", err)
	}
	d.control = a.listenControl()
	a.address = d.scheme() + "://" + d.site.Addr().String()
	fmt.Fprintf(stdout, "Quire listens at %s\n", a.address)
	if d.plain != nil {
		fmt.Fprintf(stdout, "http://%s leads there\n", d.plain.Addr())
	}
	fmt.Fprintf(stdout, "It serves %s from %s with the content of %s\n", a.summary(), a.place.site, a.dataFile())
	if d.metrics != nil {
		fmt.Fprintf(stdout, "Metrics are at http://%s/metrics\n", d.metrics.Addr())
	}
	greet(d.site.Addr().String())
	return a.serveAndKeep(ctx, d, how)
}

// doors are where requests come in.
type doors struct {
	site    net.Listener
	plain   net.Listener // what leads to TLS; nil for none
	metrics net.Listener // nil for none of their own
	control net.Listener // commands; nil for none
	keeper  *keeper      // nil without TLS
}

func (d *doors) scheme() string {
	if d.keeper != nil {
		return "https"
	}
	return "http"
}

// open listens at the addresses.
func (a *app) open(how serving) (d *doors, err error) {
	d = &doors{}
	if how.tls.on() {
		if d.keeper, err = how.tls.certificates(a.dataFolder(), a.log); err != nil {
			return nil, err
		}
	}
	if d.site, err = net.Listen("tcp", how.listen); err != nil {
		return nil, err
	}
	if how.tls.plain != "" {
		if d.plain, err = net.Listen("tcp", how.tls.plain); err != nil {
			return nil, errors.Join(fmt.Errorf("%w; --http-listen names another address, or none with \"\"", err), d.site.Close())
		}
	}
	if d.metrics, err = a.listenMetrics(); err != nil {
		err = errors.Join(err, d.site.Close())
		if d.plain != nil {
			err = errors.Join(err, d.plain.Close())
		}
		return nil, err
	}
	return d, nil
}

// serveAndKeep answers requests until ctx is done, and does what comes up beside
// that to the end of the last request. When it returns, neither goes on.
func (a *app) serveAndKeep(ctx context.Context, d *doors, how serving) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	var kept sync.WaitGroup
	kept.Go(func() { a.keep(beside, how.watch) })
	kept.Go(func() { a.keepBackups(beside) })
	if d.control != nil {
		kept.Go(func() { a.serveControl(beside, d.control) })
	}
	if d.metrics != nil {
		kept.Go(func() { a.serveMetrics(beside, d.metrics) })
	}
	if d.plain != nil {
		kept.Go(func() { a.servePlain(beside, d) })
	}
	if d.keeper != nil {
		kept.Go(func() { d.keeper.fetchAll(beside, how.tls.domains, a.log) })
	}
	defer kept.Wait()
	defer stop()
	a.tell("READY=1")
	alive, ended := context.WithCancel(ctx)
	defer ended()
	kept.Go(func() {
		<-alive.Done()
		a.tell("STOPPING=1")
	})
	if d.keeper != nil {
		return a.server.ServeTLS(ctx, d.site, d.keeper.config)
	}
	return a.server.Serve(ctx, d.site)
}

// servePlain leads to TLS until ctx is done.
func (a *app) servePlain(ctx context.Context, d *doors) {
	handler := d.keeper.plainHandler(server.Redirect(d.keeper.serves, portOf(d.site)))
	if err := a.server.ServePlain(ctx, d.plain, handler); err != nil {
		a.log.Error("nothing leads to TLS any more", "error", err)
	}
}
