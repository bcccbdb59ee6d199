package command

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/app/listen"
)

// serveOptions are the values of the flags of serve.
type serveOptions struct {
	app.Serving
	stopDelay time.Duration // how long to serve after the signal to stop
	admin     string        // folder with the pages of the admin, for development
	joining   app.Joining   // the cluster that the server is a node of
	following app.Following // the leader that the server follows
	at        string        // the moment to serve; empty for the present
	past      *app.Past     // the site as it was at that moment
}

func servingFlags(c *cobra.Command, s *serveOptions) {
	f := c.Flags()
	f.StringVar(&s.Address, "listen", defaultListen(), "address to listen at, `HOST:PORT`; by default from the environment's HOST and PORT, and :443 with --domain")
	f.BoolVar(&s.Watch, "watch", false, "reload schemas and site.json when they change")
	f.StringVar(&s.TLS.CertFile, "tls-cert", "", "serve over TLS with the certificate in this `FILE` (PEM, with what is between it and the root)")
	f.StringVar(&s.TLS.KeyFile, "tls-key", "", "`FILE` with the key of the certificate (PEM)")
	f.StringArrayVar(&s.TLS.Domains, "domain", nil, "serve over TLS with a certificate for this `NAME` from Let's Encrypt; repeatable")
	f.StringVar(&s.TLS.Directory, "acme-directory", listen.LetsEncrypt, "`URL` of another authority for --domain")
	f.StringVar(&s.TLS.Redirect, "http-listen", "", "with TLS, address without it that leads to it, `HOST:PORT` (default :80 with --domain; \"\" for none)")
	f.StringVar(&s.Metrics, "metrics", "", "show metrics to everybody at this address, `HOST:PORT`; /metrics of the API needs a token")
	f.DurationVar(&s.stopDelay, "stop-delay", 0, "go on serving for so long after the signal to stop, while /_ready says 503 already; such as 10s")
	f.StringVar(&s.admin, "admin-dev", "", "serve the admin's pages from this `FOLDER`, where admin/build builds them, and reload them when they change")
	c.MarkFlagDirname("admin-dev")
	f.StringVar(&s.following.Leader, "follow", "", "serve a copy of the site at this `URL`, and pass on writes to it; QUIRE_FOLLOW_TOKEN has a token that names plugin::quire.follow.read")
	f.DurationVar(&s.following.MaxLag, "max-lag", 0, "with --follow, answer no reads if this server may be further behind than this, such as 30s; 0 for no limit")
	f.StringVar(&s.at, "at", "", "serve the site as it was at `TIME`, from its stream, and take no writes: 2026-11-23T14:32:10Z, or latest")
	c.MarkFlagsMutuallyExclusive("at", "follow")
	c.MarkFlagsMutuallyExclusive("at", "watch")
	nodeFlags(c, &s.joining)
}

// completeServing fills in what depends on other flags.
func completeServing(c *cobra.Command, s *serveOptions) error {
	f := c.Flags()
	if len(s.TLS.Domains) > 0 {
		if !f.Changed("listen") && os.Getenv("HOST")+os.Getenv("PORT") == "" {
			s.Address = ":443"
		}
		if !f.Changed("http-listen") {
			s.TLS.Redirect = ":80"
		}
	} else if f.Changed("acme-directory") {
		return misused("--acme-directory is for --domain")
	}
	for flag, address := range map[string]string{"listen": s.Address, "http-listen": s.TLS.Redirect, "metrics": s.Metrics} {
		if address == "" {
			continue
		}
		if err := checkAddress(flag, address); err != nil {
			return err
		}
	}
	if err := errors.Join(completeJoining(&s.joining), completeFollowing(&s.following)); err != nil {
		return err
	}
	return checkTLS(&s.TLS)
}

// completeFollowing reads the token for the leader.
func completeFollowing(s *app.Following) (err error) {
	switch {
	case s.Leader == "" && s.MaxLag != 0:
		return misused("--max-lag is for --follow")
	case s.MaxLag < 0:
		return misused("--max-lag must not be negative")
	case s.Leader != "":
		s.Token, err = app.FollowToken()
	}
	return err
}

// checkAddress refuses what is not of the form HOST:PORT, such as a port alone.
func checkAddress(flag, address string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return misused("--%s takes HOST:PORT, such as 127.0.0.1:1338 or :1338; not %q", flag, address)
	}
	return nil
}

// checkTLS refuses flags that exclude each other.
func checkTLS(s *listen.TLS) error {
	switch {
	case (s.CertFile == "") != (s.KeyFile == ""):
		return misused("--tls-cert and --tls-key belong together; give both")
	case s.CertFile != "" && len(s.Domains) > 0:
		return misused("--domain gets certificates by itself; leave out --tls-cert and --tls-key, or --domain")
	case !s.On() && s.Redirect != "":
		return misused("--http-listen is for sites over TLS; give --domain or --tls-cert, or use --listen")
	}
	return checkDomains(s.Domains)
}

// checkDomains refuses names for which no authority issues a certificate.
func checkDomains(domains []string) error {
	for _, d := range domains {
		if net.ParseIP(d) != nil || !strings.Contains(strings.Trim(d, "."), ".") || strings.ContainsAny(d, "/:*@ ") {
			return misused("--domain %q is no whole domain name; write one like guide.example.org, without https:// and port", d)
		}
	}
	return nil
}

// nameFlag adds to an error of listening the flag that sets the address.
func nameFlag(err error) error {
	var taken *listen.AddressError
	if !errors.As(err, &taken) {
		return err
	}
	switch taken.Purpose {
	case listen.ForRedirect:
		return fmt.Errorf("%w; --http-listen names another address, or none with \"\"", err)
	case listen.ForMetrics:
		return fmt.Errorf("--metrics: %w", err)
	}
	return fmt.Errorf("%w; --listen names another address", err)
}
